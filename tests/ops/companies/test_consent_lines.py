"""`consent hears`: what each message of a file is heard as."""

import json

import pytest

from tests.rigs.ops_cli import runner


@pytest.fixture
def hears(capsys):
    run = runner(capsys)
    return lambda *rows, **options: run(
        "consent", "hears", "--json", typed="\n".join(map(json.dumps, rows)), **options
    )


def test_each_line_is_answered_in_its_order(hears):
    said = hears(
        {"id": "a", "channel": "sms", "text": "STOP", "mime": None},
        {"id": "b", "channel": "whatsapp", "text": "no more marketing"},
        {"id": "c", "channel": "sms", "text": "see you at nine"},
    )
    assert said.code == 0
    assert [json.loads(line) for line in said.out.splitlines()] == [
        {"id": "a", "heard": "stop", "scope": "all", "visible": "STOP", "why": "carriers_keyword"},
        {
            "id": "b",
            "heard": "stop",
            "scope": "marketing",
            "visible": "no more marketing",
            "why": "plain_wish",
        },
        {
            "id": "c",
            "heard": "none",
            "scope": "all",
            "visible": "see you at nine",
            "why": "nothing",
        },
    ]


def test_a_file_is_read_and_shown_as_a_table(tmp_path, capsys):
    file = tmp_path / "messages.jsonl"
    file.write_text('\ufeff{"id": "m1", "channel": "sms", "text": "STOP"}\n\n')
    said = runner(capsys)("consent", "hears", file)
    assert said.code == 0
    assert "carriers_keyword" in said.out


def test_an_e_mail_with_broken_headers_is_read(hears):
    said = hears(
        {"id": "a", "channel": "email", "text": None, "mime": "Content-Type: ;;;\n\nunsubscribe"},
        {"id": "b", "channel": "email", "text": "stop\n\nOn Monday Jo wrote:\n> hello"},
        {"id": "c", "channel": "email", "text": "\ud800"},
    )
    found = [json.loads(line) for line in said.out.splitlines()]
    assert [line["heard"] for line in found] == ["stop", "stop", "none"]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"channel": "sms", "text": "x"}, "id"),
        ({"id": 7, "channel": "sms", "text": "x"}, "id"),
        ({"id": "a", "text": "x"}, "channel"),
        ({"id": "a", "channel": "fax", "text": "x"}, "channel"),
        ({"id": "a", "channel": "sms"}, "text"),
        ({"id": "a", "channel": "sms", "text": None}, "text"),
        ({"id": "a", "channel": "email", "text": None}, "text"),
        ({"id": "a", "channel": "email", "text": "x", "mime": []}, "mime"),
        ({"id": "a", "channel": "sms", "text": "x", "mime": "x"}, "mime"),
        ({"id": "a", "channel": "sms", "text": "x", "more": 1}, "a field is none of"),
        (["a"], "it is not an object"),
    ],
)
def test_a_wrong_line_ends_it_and_names_the_field(hears, row, field):
    said = hears({"id": "fine", "channel": "sms", "text": "x"}, row)
    assert said.code == 2
    assert "line 2: " in said.err
    assert field in said.err


def test_a_line_that_is_no_json_and_a_file_that_is_not_there_end_it(capsys, tmp_path):
    run = runner(capsys)
    assert "line 1: it is not JSON" in run("consent", "hears", typed="{").err
    assert run("consent", "hears", tmp_path / "none.jsonl").code == 2
