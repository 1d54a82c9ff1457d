"""The table of statements: each row has a rule that there is, and patterns that need letters."""

import re

import pytest

from chalicelib.outreach.writing.checks.claims import FILE, StatementFile, claims, unsupported_kinds
from chalicelib.outreach.writing.review import RULES
from chalicelib.tables import read
from tests.rigs.each_row import each_row

TABLE = read(FILE, StatementFile)


@each_row("row", TABLE.statement)
def test_a_row_has_a_rule_and_patterns_that_need_letters(row):
    assert row.rule in RULES
    for pattern in (*row.words, *row.evidence):
        assert not re.search(pattern, ""), pattern


@pytest.mark.parametrize(
    "name", ["negated", "negated_after", "open", "tag", "according", "machine"]
)
def test_a_list_has_no_pattern_that_matches_everything(name):
    for pattern in getattr(TABLE, name).words:
        assert not re.search(pattern, ""), pattern


def test_what_a_message_mentions_counts_in_a_question_too():
    assert unsupported_kinds("So I am approved?", "", "") == {"approval"}
    assert unsupported_kinds("So I am approved?", "status: approved", "") == set()
    assert unsupported_kinds("I am not approved?", "", "") == set()


def test_an_act_needs_a_source_unless_it_passes_something_on():
    said = "I have spoken with the employer."
    assert claims(said, "", "") == {"promise"}
    assert claims(said, "hint: I have spoken with the employer today", "") == set()
    assert claims("I have noted that.", "", "", passes_on=True) == set()
    assert claims("Wir haben den Betrag gestern verbucht.", "", "") == {"promise"}


def test_a_fields_name_alone_says_no_act():
    paid = "It has been paid: 240."
    assert claims(paid, "monthly payment: 240", "") == {"promise"}
    assert claims(paid, "the balance that is still to be paid: 240", "") == {"promise"}
