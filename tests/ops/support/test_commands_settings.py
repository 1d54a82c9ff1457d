"""`ops support-settings`: validated before it is published, never changed, with who and when."""

import json

import pytest

from tests.rigs.ops_cli import runner

GOOD = """
[templates.t_order_status_ask_order_number]
en = '''
Which order, {{first_name}}?
'''

[routes]
return_request = "route-warehouse"

[departments.route-warehouse]
assignee = "agent-7"
"""


@pytest.fixture
def run(system, capsys):
    system.richpanel.users += [{"id": "agent-7"}, {"id": "agent-8"}]
    return runner(capsys)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "support-settings.toml"
    path.write_text(GOOD)
    return path


def test_validate_needs_no_stage(capsys, file, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert runner(capsys)("support-settings", "validate", file).code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[routes]\nreturn_request = 'route-x'", "routes.return_request: route-x is no built-in"),
        ("[templates.t_return_request_intake]\nen = '{{oops}}'", "no such value: oops"),
        ("not toml", "neither TOML nor JSON"),
        ("colour = 'red'", "colour: Extra inputs"),
    ],
)
def test_a_bad_document_is_refused_and_replaces_nothing(run, file, text, said):
    assert run("support-settings", "put", file).code == 0
    file.write_text(text)

    for command in ("validate", "put"):
        refused = run("support-settings", command, file)
        assert refused.code == 2
        assert said in refused.err

    assert run("support-settings", "show", "--json").data["version"] == 1


@pytest.mark.parametrize(
    ("who", "said"),
    [
        (
            'assignee = "agent-9"',
            "departments.route-warehouse.assignee: Richpanel has no such user",
        ),
        ('team = "team-9"', "departments.route-warehouse.team: Richpanel has no such team"),
    ],
)
def test_an_assignee_that_richpanel_does_not_have_is_refused(run, file, who, said):
    file.write_text(GOOD.replace('assignee = "agent-7"', who))
    refused = run("support-settings", "put", file)
    assert (refused.code, said in refused.err) == (2, True)
    assert run("support-settings", "history", "--json").data == []
    assert run("support-settings", "validate", file).code == 0


def test_where_richpanel_cannot_be_asked_the_document_is_published_and_it_is_said(
    run, file, system
):
    system.richpanel.fault("status", operation="list_users", status=403, times=9)
    found = run("support-settings", "put", file, "--json")
    assert found.code == 0
    assert "could not be asked" in found.data["warnings"][0]


@pytest.mark.parametrize("command", ["validate", "put"])
def test_a_dangerous_row_is_warned_of(run, file, command):
    file.write_text(f'{GOOD}\n[phrases.return_request]\nsure = ["my"]\n')
    found = run("support-settings", command, file)
    assert found.code == 0
    assert "warning: phrases.return_request.sure[0]" in found.out


def test_a_missing_file_is_named(run, tmp_path):
    refused = run("support-settings", "validate", tmp_path / "none.toml")
    assert (refused.code, "none.toml" in refused.err) == (2, True)


def test_versions_are_listed_with_who_and_when_and_can_be_restored(run, file, system):
    assert run("support-settings", "put", file, "--note", "our warehouse").code == 0
    again = run("support-settings", "put", file)
    assert (again.code, "says the same" in again.err) == (1, True)
    file.write_text(GOOD.replace("agent-7", "agent-8"))
    assert run("support-settings", "put", file).code == 0
    assert run("support-settings", "restore", 1).code == 0

    history = run("support-settings", "history", "--json").data

    assert [(version["version"], version["note"]) for version in history] == [
        (3, "as version 1"),
        (2, ""),
        (1, "our warehouse"),
    ]
    assert all(version["by"] and version["at"] for version in history)
    first, last = (
        run("support-settings", "show", "--version", number, "--json").data["document"]
        for number in (1, 3)
    )
    assert first == last
    assert run("support-settings", "restore", 9).code == 1
    rules = system.services().support.rules
    rules._current = None
    assert rules.current().assignee_of("route-warehouse") == "agent-7"
    assert run("support-settings", "restore", 0).code == 0
    rules._current = None
    assert rules.current().department_of("return_request") == "route-returns-admin"


def test_what_show_prints_can_be_put(run, file, tmp_path):
    run("support-settings", "put", file)
    shown = run("support-settings", "show", "--json")
    other = tmp_path / "other.json"
    changed = shown.data["document"] | {"languages": {"fr": "route-warehouse"}}
    other.write_text(json.dumps(changed))
    assert run("support-settings", "put", other).code == 0
    other.write_text(shown.out)
    assert run("support-settings", "validate", other).code == 0
    assert run("support-settings", "preview", "--file", other).code == 0
    assert run("support-settings", "put", other).code == 0
    again = run("support-settings", "show", "--json").data
    assert (again["version"], again["document"]) == (3, shown.data["document"])
    other.write_text(run("support-settings", "show", "--version", 0, "--json").out)
    assert run("support-settings", "put", other).code == 0


@pytest.mark.parametrize("more", [{"texts": {}}, {"document": "none"}], ids=["else", "no table"])
def test_what_only_looks_like_a_shown_version_is_refused(run, tmp_path, more):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"version": 1, "document": {}, **more}))
    assert run("support-settings", "put", other).code == 2


def test_a_preview_shows_every_template_in_every_language(run, file):
    before = run("support-settings", "preview", "--json").data
    shown = run("support-settings", "preview", "--file", file, "--json").data

    changed = [sample for sample in shown if sample not in before]
    assert {(sample["template"], sample["language"]) for sample in changed} == {
        ("t_order_status_ask_order_number", "en")
    }
    assert any(sample["text"].startswith("Which order, Ada?") for sample in changed)
    assert all("{{" not in sample["text"] for sample in shown)
    assert run("support-settings", "preview").out.count("Ref. 3F9A-17BC") > 20


def test_the_journal_names_who_published(run, file):
    run("support-settings", "put", file, "--note", "returns moved")
    run("support-settings", "restore", "0")
    acts = run("journal", "support-settings", "--json").data
    assert [(act["did"], act["reason"]) for act in acts] == [
        ("support-settings put", "returns moved"),
        ("support-settings restore", "as version 0"),
    ]
    assert all(act["by"] for act in acts)
