"""The table of statements: each row has a rule that there is, and patterns that need letters."""

import re

import pytest

from chalicelib.outreach.writing.checks.claims import FILE, StatementFile, mentioned
from chalicelib.outreach.writing.review import RULES
from chalicelib.tables import read

TABLE = read(FILE, StatementFile)


@pytest.mark.parametrize("row", TABLE.statement, ids=lambda one: one.name)
def test_a_row_has_a_rule_and_patterns_that_need_letters(row):
    assert row.rule in RULES
    for pattern in (*row.words, *row.evidence):
        assert not re.search(pattern, ""), pattern


@pytest.mark.parametrize("name", ["negated", "negated_after", "open", "human", "asked", "machine"])
def test_a_list_has_no_pattern_that_matches_everything(name):
    for pattern in getattr(TABLE, name).words:
        assert not re.search(pattern, ""), pattern


def test_what_a_message_mentions_counts_in_a_question_too():
    assert mentioned("So I am approved?", "", "") == {"approval"}
    assert mentioned("So I am approved?", "status: approved", "") == set()
    assert mentioned("I am not approved?", "", "") == set()
