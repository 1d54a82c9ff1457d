"""The words of persons about somebody who is erased: reasons in the journal, found by key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chalicelib.once.remarks import Remarks
from ops.companies.erase import Subjects
from ops.session import Session


def stories(session: Session, subjects: Subjects) -> Iterator[str]:
    """Under what the journal keeps acts about a person: ids, keyed ids of addresses, erasures."""
    yield from subjects.ids
    yield from sorted(subjects.theirs.members)
    opaque = session.services.opaque_ids
    yield from (f"person:{opaque.of('person', one)}" for one in subjects.addresses)


def purge(session: Session, about: Iterable[str], *, dry_run: bool) -> int:
    """Forget the words of every entry about these; how many there were.  The entries stay, without."""
    remarks = Remarks(table=session.audit_table, clock=session.services.clock)
    found = remarks.about(about)
    for one in () if dry_run else found:
        remarks.forget(one)
    return len(found)
