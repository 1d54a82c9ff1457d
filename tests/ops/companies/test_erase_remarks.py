"""The keys under which an erasing looks for the words of persons."""

import pytest

from chalicelib.once.journal import Act
from chalicelib.once.mentions import ids_of
from ops import journal
from ops.companies.erase import Subjects
from ops.companies.erase_remarks import purge, stories
from ops.companies.erase_subject import TheirSubjects
from tests.rigs.ops_session import session


def test_words_are_looked_for_by_ids_keyed_ids_and_earlier_erasures():
    ops = session()
    theirs = TheirSubjects(members=frozenset({"5f3a"}))
    found = list(stories(ops, Subjects(("jo@example.com",), ("1042",), theirs)))
    person = ops.services.opaque_ids.of("person", "jo@example.com")
    named = ids_of("jo@example.com", ops.services.opaque_ids)
    assert found == ["1042", "5f3a", f"person:{person}", *named]


def test_a_dry_run_counts_the_words_and_forgets_none():
    ops = session()
    ops.services.journal.enter(Act("settle", "1042", "jo", reason="in hospital"))
    assert [
        purge(ops, Subjects(ids=("1042",)), (), dry_run=is_dry)
        for is_dry in (True, True, False, False)
    ] == [1, 1, 1, 0]


@pytest.mark.parametrize("key", ["company:ci-1", "secret:keys/share", "stage:resources"])
def test_words_that_name_an_address_are_found_whatever_the_act_is_about(key):
    ops = session()
    journal.enter(ops, "act", key, reason="+1 555 017 2232 is ill, see Jo.Doe@example.com")
    journal.enter(ops, "act", key, reason="+1 555 017 2233 is well")
    for address in ("+15550172232", "jodoe@example.com"):
        assert purge(ops, Subjects((address,)), (), dry_run=True) == 1
    assert purge(ops, Subjects(("jo.doe@example.com",)), (), dry_run=False) == 1
    rows = ops.audit_table.scan_page(limit=100)[0]
    assert {row["reason"] for row in rows if "actor" in row} == {"", "***-***-2233 is well"}


@pytest.mark.parametrize(
    ("key", "is_found"), [("company:ci-1", 1), ("secret:keys/share", 1), ("company:ci-2", 0)]
)
def test_a_linked_address_in_words_counts_in_no_other_company(key, is_found):
    ops = session()
    journal.enter(ops, "act", key, reason="jo@example.com is ill")
    theirs = TheirSubjects(linked=frozenset({("ci-1", "jo@example.com")}))
    assert purge(ops, Subjects(("+15550172232",), theirs=theirs), (), dry_run=True) == is_found
