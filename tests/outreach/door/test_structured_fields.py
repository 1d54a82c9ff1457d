"""Structured Fields, as far as signatures of requests need them."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outreach.door.structured_fields import (
    LONGEST,
    MOST_ITEMS,
    bytes_by_label,
    inner_list,
)
from tests.rigs.each_row import each_row


def test_a_list_is_read_and_written_as_it_was():
    text = '("@method" "@query-param";name="a \\"b\\\\" "x");created=1618884473;keyid="k";tag="t"'
    found = inner_list(f"sig1={text}")
    assert (found.label, str(found)) == ("sig1", text)
    assert [item.text for item in found.items] == ["@method", "@query-param", "x"]
    assert found.items[1].parameters == {"name": 'a "b\\'}
    assert found.parameters == {"created": 1618884473, "keyid": "k", "tag": "t"}


def test_more_spaces_than_needed_are_written_as_one():
    assert str(inner_list('  s=(  "a"   "b"  ); created=1;x ')) == '("a" "b");created=1;x'
    assert str(inner_list("s=()")) == "()"


@each_row(
    "text",
    [
        "",
        "s",
        "s=1",
        's="a"',
        's=("a"',
        's=("a""b")',
        's=("a" b)',
        's=("a"), t=("b")',
        's=("a");created=1.5',
        's=("a");created=1234567890123456',
        's=("a");created=1;created=2',
        's=("a");keyid=token',
        's=("a");keyid="é"',
        's=("a\\b")',
        's=("a\n")',
        'S=("a")',
        's=("a") trailing',
        's=("' + "a" * LONGEST + '")',
        "s=(" + '"a" ' * (MOST_ITEMS + 1) + ")",
        's=("a"' + "".join(f";p{n}" for n in range(MOST_ITEMS + 1)) + ")",
    ],
)
def test_what_is_no_list_of_texts_is_none(text):
    assert inner_list(text) is None


def test_bytes_are_read_by_their_label():
    wanted = {"sha-256": b"abc", "other": b""}
    assert bytes_by_label("sha-256=:YWJj: , other=::") == wanted


@pytest.mark.parametrize(
    "text",
    ["", "a", "a=YWJj", "a=:YWJ:", "a=:YW_j:", "a=:YWJj:,", "a=:YWJj:,a=:YWJj:", "a=:=YWJ:"],
)
def test_what_are_no_bytes_is_none(text):
    assert bytes_by_label(text) is None


@given(st.dictionaries(st.from_regex(r"\A[a-z*][a-z0-9_.*-]{0,8}\Z"), st.binary(), max_size=5))
def test_any_bytes_come_back(members):
    text = ", ".join(f"{k}=:{base64.b64encode(v).decode()}:" for k, v in members.items())
    assert bytes_by_label(text) == (members or None)


@given(st.text(alphabet='s=("a" b);,:\\0k\n', max_size=60))
def test_whatever_is_read_is_read_again_from_what_is_written(text):
    found = inner_list(text)
    if found is not None:
        assert inner_list(f"{found.label}={found}") == found
    bytes_by_label(text)
