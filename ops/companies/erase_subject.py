"""A person's subject rows in every company, found by keyed ids, for erasure or export.

A subject that must not be contacted keeps its keyed row with the marks, the rows that point to it, and
evidence without texts.  Any other subject keeps nothing.  Another subject's evidence of a link with the
person stays, but loses its text, which is about both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from chalicelib.aws.dynamo import Table
from chalicelib.once.store import ConditionFailed, Item
from chalicelib.outreach.conversations import items as layout
from chalicelib.outreach.conversations.statements import EVIDENCE, SAID, SAID_OF
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import MERGED_INTO, Member, member_id, read
from ops.session import Session

_KEPT_OF_EVIDENCE = frozenset(
    {
        *("reason", "since", "said_at", "until", "stop_at", "purposes", "lifted_at"),
        *("members", "at", "undone_at"),
    }
)


@dataclass(frozen=True, slots=True)
class TheirSubjects:
    """The subjects (one per company) that stand for a person.

    Attributes:
        members: keyed ids of all the person's addresses, with those that companies have linked.
        blocking: the members whose subject must not be contacted.
        linked: the company and plain address of each member.
    """

    members: frozenset[str] = frozenset()
    blocking: frozenset[str] = frozenset()
    linked: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)

    def is_own(self, item: Item) -> bool:
        """Whether an item is a row or evidence of the person, or a list entry that must go.

        Another subject's evidence of a link with the person counts while it still has its text.
        """
        is_listed = layout.listed_member(item) in self.members - self.blocking
        return is_listed or layout.member_of(item) in self.members or self._are_said_in(item)

    def _are_said_in(self, item: Item) -> bool:
        return not self.members.isdisjoint(item.get(SAID_OF) or ())


def find_subjects(
    session: Session, rows: Iterable[Item], addresses: Iterable[str]
) -> TheirSubjects:
    """Find, among all rows of the table, the subjects that have one of the addresses as a member."""
    subject_rows = {
        layout.member_of(row): row
        for row in rows
        if layout.member_of(row) and str(row["conversation_id"]).startswith(layout.SUBJECT)
    }
    companies = {layout.company_of_subject(row) for row in subject_rows.values()}
    opaque, wanted = session.services.opaque_ids, list(addresses)
    own = {member_id(opaque, company, address) for company in companies for address in wanted}
    roots = {_root(member, subject_rows) for member in own & subject_rows.keys()}
    known = [read(subject_rows[root]) for root in roots if root in subject_rows]
    now = session.services.clock.now()
    return TheirSubjects(
        members=frozenset(member for subject in known for member in subject.members),
        blocking=frozenset(
            member for subject in known if subject.marks_in_force(now) for member in subject.members
        ),
        linked=frozenset(
            (subject.company_id, address.lower())
            for subject in known
            for address in subject.members.values()
            if address
        ),
    )


def purge(
    session: Session, table: Table, key: Item, item: Item, theirs: TheirSubjects, *, dry_run: bool
) -> bool:
    """Erase one row or evidence; return False if nothing is left to erase."""
    if SAID_OF in item and layout.member_of(item) not in theirs.members:
        if not dry_run:
            table.update(key, set_={}, remove=[SAID, SAID_OF])
        return True
    is_blocking = layout.member_of(item) in theirs.blocking
    if not is_blocking:
        if not dry_run:
            table.delete(key)
        return True
    if str(item["conversation_id"]).startswith(EVIDENCE):
        return _purge_evidence(table, key, item, dry_run=dry_run)
    if MERGED_INTO in item or _reduced(session, read(item)) == read(item):
        return False
    while not dry_run:
        place = Member(layout.member_of(item), layout.company_of_subject(item))
        now = session.services.outreach.conversations.subject(place)
        try:
            session.services.outreach.conversations.replace(_reduced(session, now))
        except ConditionFailed:  # a mark was made meanwhile
            continue
        break
    return True


def _purge_evidence(table: Table, key: Item, item: Item, *, dry_run: bool) -> bool:
    after: dict[str, Any] = dict(item.get("after") or {})
    kept = {name: value for name, value in after.items() if name in _KEPT_OF_EVIDENCE}
    if SAID not in item and kept == after:
        return False
    if not dry_run:
        table.update(
            key, set_={"after": kept}, remove=[field for field in (SAID, SAID_OF) if field in item]
        )
    return True


def _reduced(session: Session, subject: Subject) -> Subject:
    return subject.erased(session.services.clock.now())


def _root(member: str, rows: dict[str, Item]) -> str:
    while MERGED_INTO in rows.get(member, {}):
        member = str(rows[member][MERGED_INTO])
    return member
