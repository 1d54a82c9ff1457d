"""Removes the reasons in the journal that operators wrote about an erased person, found by key.

An address that a company has linked counts only in acts on that company and on the stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chalicelib.once.mentions import ids_of
from chalicelib.once.remarks import Remarks
from ops.companies.erase import Subjects
from ops.session import Session

_COMPANY = "company:"


def stories(session: Session, subjects: Subjects) -> Iterator[str]:
    """Yield the journal's keys for acts about a person: ids, keyed ids of addresses, erasures."""
    yield from (*subjects.ids, *subjects.about)
    yield from sorted(subjects.theirs.members)
    opaque = session.services.opaque_ids
    yield from (f"person:{opaque.of('person', address)}" for address in subjects.addresses)
    yield from (named for address in subjects.addresses for named in ids_of(address, opaque))


def places(session: Session, subjects: Subjects) -> Iterator[tuple[str, ...]]:
    """Yield (key,) for each of `stories`, and (key, company) for each key of a linked address.

    An empty company stands for acts on the stage.
    """
    yield from ((story,) for story in stories(session, subjects))
    for company, address in sorted(subjects.theirs.linked):
        for id_ in ids_of(address, session.services.opaque_ids):
            yield from ((id_, company), (id_, ""))


def purge(session: Session, subjects: Subjects, events: Iterable[str], *, dry_run: bool) -> int:
    """Remove the reason from every entry about a person; the entries stay.  Return how many there were.

    Args:
        session: the stage.
        subjects: who is erased.
        events: keys of the person's events.
        dry_run: only count.
    """
    remarks = Remarks(table=session.audit_table, clock=session.services.clock)
    found = {*remarks.about(events)}
    for key, *within in places(session, subjects):
        about = remarks.about([key])
        found |= {remark for remark in about if not within or company_of(remark.story) in within}
    for remark in () if dry_run else found:
        remarks.forget(remark)
    return len(found)


def company_of(story: str) -> str:
    """The company that a journal key ``company:{id}`` names; empty for any other key."""
    return story.removeprefix(_COMPANY) if story.startswith(_COMPANY) else ""
