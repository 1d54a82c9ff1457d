"""The words of persons about somebody who is erased: reasons in the journal, found by key.

An address that a company has linked counts in that company's acts and in the stage's, and in no other
company's, as in every table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chalicelib.once.mentions import ids_of
from chalicelib.once.remarks import Remarks
from ops.companies.erase import Subjects
from ops.session import Session

_COMPANY = "company:"


def stories(session: Session, subjects: Subjects) -> Iterator[str]:
    """Under what the journal keeps acts about a person: ids, keyed ids of addresses, erasures."""
    yield from (*subjects.ids, *subjects.about)
    yield from sorted(subjects.theirs.members)
    opaque = session.services.opaque_ids
    yield from (f"person:{opaque.of('person', one)}" for one in subjects.addresses)
    yield from (named for one in subjects.addresses for named in ids_of(one, opaque))


def places(session: Session, subjects: Subjects) -> Iterator[tuple[str, ...]]:
    """Each of `stories`, and those of a linked address with the company in whose acts they count.

    An empty company is the stage's.
    """
    yield from ((one,) for one in stories(session, subjects))
    for company, address in sorted(subjects.theirs.linked):
        for one in ids_of(address, session.services.opaque_ids):
            yield from ((one, company), (one, ""))


def purge(session: Session, subjects: Subjects, events: Iterable[str], *, dry_run: bool) -> int:
    """Forget the words of every entry about a person; how many there were.  The entries stay, without.

    Args:
        session: the stage.
        subjects: who is erased.
        events: keys of their events.
        dry_run: only count.
    """
    remarks = Remarks(table=session.audit_table, clock=session.services.clock)
    found = {*remarks.about(events)}
    for one, *within in places(session, subjects):
        about = remarks.about([one])
        found |= {each for each in about if not within or company_of(each.story) in within}
    for each in () if dry_run else found:
        remarks.forget(each)
    return len(found)


def company_of(story: str) -> str:
    """The company of whose acts a story of the journal is; empty of any other story."""
    return story.removeprefix(_COMPANY) if story.startswith(_COMPANY) else ""
