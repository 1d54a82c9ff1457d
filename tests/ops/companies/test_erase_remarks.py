"""Under which keys an erasing looks for the words of persons."""

from chalicelib.once.journal import Act
from ops.companies.erase import Subjects
from ops.companies.erase_remarks import purge, stories
from ops.companies.erase_subject import TheirSubjects
from tests.rigs.ops_session import session


def test_words_are_looked_for_by_ids_keyed_ids_and_earlier_erasures():
    ops = session()
    theirs = TheirSubjects(members=frozenset({"5f3a"}))
    found = list(stories(ops, Subjects(("jo@example.com",), ("1042",), theirs)))
    person = ops.services.opaque_ids.of("person", "jo@example.com")
    assert found == ["1042", "5f3a", f"person:{person}"]


def test_a_dry_run_counts_the_words_and_forgets_none():
    ops = session()
    ops.services.journal.enter(Act("settle", "1042", "jo", reason="in hospital"))
    assert [purge(ops, ["1042"], dry_run=one) for one in (True, True, False, False)] == [1, 1, 1, 0]
