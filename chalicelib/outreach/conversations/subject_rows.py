"""Stores persons' records (subjects) in the `conversations` table: one read, changes by version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.mentions import ids_in
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import Item, Store, TransactionConflict, TransactionRefused
from chalicelib.outreach import numbers
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.items import TRIES
from chalicelib.outreach.conversations.recipients import addresses_of
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.statements import Statement, evidence
from chalicelib.outreach.conversations.subject import Subject

SUBJECTS = "subjects"
"""Attribute of a conversation: the roots of its recipient at its start, which a look reads at once."""
MERGED_INTO = "merged_into"
_STATE = ("marks", "consents", "preferences", "links")
ATTRIBUTES = (
    *("primary_channel", "conversation_id", "members", "version", "ttl"),
    *(*_STATE, MERGED_INTO),
)
"""What is read of a row."""
_UNCHANGED = "#version = :version"
_ABSENT = "attribute_not_exists(#conversation_id)"


@dataclass(frozen=True, slots=True)
class Member:
    """An address of a company's recipient, identified by its keyed id (member id)."""

    member: str
    company_id: str
    address: str = ""

    @property
    def key(self) -> Item:
        """The key of the address's row in the register."""
        return items.subject_key(self.member, self.company_id)


@dataclass(frozen=True, slots=True)
class SubjectChange:
    """A change of a person's record: the record before and after, and the evidence."""

    before: Subject
    after: Subject
    how: Statement


class SubjectRows(items.OnTable):
    """Reads and changes persons' records (subjects) in the conversations table.

    Args:
        opaque: returns the object that makes the addresses' keyed ids.
    """

    def __init__(
        self,
        *,
        table: Store,
        clock: Clock,
        opaque: Callable[[], OpaqueIds],
        kept: timedelta = items.TTL,
    ) -> None:
        super().__init__(table=table, clock=clock, kept=kept)
        self._opaque = opaque

    def place(self, address: str, company_id: str) -> Member:
        """An address of a company's recipient with its keyed id (keyed hash), by which its row is found."""
        return Member(member_id(self._opaque(), company_id, address), company_id, address)

    def ids_named_in(self, words: str) -> list[str]:
        """The keyed ids of the addresses that occur in a person's words, for the journal."""
        return ids_in(words, self._opaque)

    def subject(self, place: Member) -> Subject:
        """The stored record of the person who has an address.

        Where none is stored, an empty record of that address alone.
        """
        return self.subjects([place])[place.key["primary_channel"]]

    def subjects_of(self, record: Record) -> list[Subject]:
        """The person records of the addresses that a conversation names, each once.

        There are several only where not all these addresses are linked.
        """
        places = self.places_of(record)
        return distinct_subjects(self.subjects(places, hints_of(record)).values())

    def places_of(self, record: Record) -> list[Member]:
        """All addresses that a conversation names, each with its keyed id.

        The one that it writes to is first.
        """
        found = [self.place(address, record.company_id) for address in addresses_of(record)]
        return list({member.member: member for member in found}.values())

    def subjects(self, places: Sequence[Member], hints: Sequence[Item] = ()) -> dict[str, Subject]:
        """The person's record of each given address, by the partition key of the address's own row.

        One consistent read, and further ones where records were joined after the hints were stored.

        Args:
            places: the addresses.
            hints: keys of further rows to read in the same call, since they probably hold the
                records.

        Raises:
            TransientError: the rows could not be read.
        """
        return self._resolved(places, self._table.get_all(_once([*_keys(places), *hints])))

    def _resolved(
        self, places: Sequence[Member], found: Sequence[Mapping[str, Any]]
    ) -> dict[str, Subject]:
        rows: dict[str, Mapping[str, Any]] = {str(row["primary_channel"]): row for row in found}
        while True:
            further = {}
            for place in places:
                at = _root_of(place, rows)
                if at is not None:
                    further[at["primary_channel"]] = at
            if not further:
                break
            read = self._table.get_all(list(further.values()))
            rows |= {key: {} for key in further}
            rows |= {str(row["primary_channel"]): row for row in read}
        return {member.key["primary_channel"]: _subject(member, rows) for member in places}

    def change(
        self,
        place: Member,
        edit: Callable[[Subject], Subject | None],
        how: Statement,
        *,
        also: Sequence[Item] = (),
        with_it: Callable[[Subject], Sequence[Item]] | None = None,
    ) -> Subject | None:
        """Change a person's record and add the evidence, in one transaction.

        Args:
            place: one of the person's addresses.
            edit: gives the changed record, or None where nothing is to change; it may be called
                again.
            how: the evidence.
            also: further writes, done even where nothing changes; where they are refused,
                the change is made without them.
            with_it: returns further writes, given the record before the change; called only where
                something changes.

        Returns:
            The changed record; None where nothing changed.

        Raises:
            TransientError: it could not be read or written, or others interfered with every
                attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            before = self.subject(place)
            after = edit(before)
            if after is None or after == before:
                after = None
                writes: list[Item] = []
            else:
                change = SubjectChange(before, after.with_address(place.member, place.address), how)
                writes = self.changing(change)
                writes += with_it(before) if with_it else ()
            if not writes and not also:
                return None
            try:
                self._table.transact([*writes, *also])
            except TransactionRefused as refused:
                if also and any(row is not None for row in refused.found[len(writes) :]):
                    also = ()
                    continue
                attempts.wait_or_raise(TransientError("dynamodb", "change", reason=CONTENDED))
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                return after

    def changing(self, change: SubjectChange) -> list[Item]:
        """The transaction writes that change a person's record and add the evidence.

        They fail where the record has changed since it was read. Where the record's ``ttl`` is
        extended, the rows that point to it are written again, so that none expires before it.
        """
        now = self._clock.now()
        before, after = change.before, change.after
        after = replace(after, version=before.version + 1, ttl=_end(before, now))
        moved = after.ttl != before.ttl
        others = [member for member in after.members if member != after.root] if moved else []
        return [
            self._table.putting(_row(after), **_as_read(before)),
            *(self._table.putting(_pointer(other, after)) for other in others),
            *self._listing(after, frozenset() if moved else before.marked_members),
            *(self._table.putting(item) for item in evidence(before, after, change.how, now)),
        ]

    def linking(
        self,
        subjects: Sequence[Subject],
        places: Sequence[Member],
        *,
        link: Mapping[str, Any],
        how: Statement,
        first: Subject | None = None,
    ) -> tuple[Subject, list[Item]]:
        """Plan to join several persons' records into the first one; nothing is written yet.

        Returns the joined record, and the writes for one transaction.

        Args:
            subjects: the records as they were read.
            places: which addresses are linked, one or more of each record.
            link: ``at`` and ``by``, and what explains the link.
            how: the evidence.
            first: the first record with its other changes, if any.
        """
        now = self._clock.now()
        before, root = subjects[0], first or subjects[0]
        own = next(place.member for place in places if place.member in before.members)
        for other in subjects[1:]:
            theirs = next(place.member for place in places if place.member in other.members)
            before = before.joined_with(other)
            root = root.joined_with(other, {"members": [own, theirs], **link})
        root = replace(root, version=root.version + 1, ttl=items.consent_ttl(now))
        for place in places:
            if place.member in root.members:
                root = root.with_address(place.member, place.address)
        known = {subject.root: subject for subject in subjects}
        writes = [self._table.putting(_row(root), **_as_read(subjects[0]))]
        for member in root.members:
            if member != root.root:
                condition = _as_read(known[member]) if member in known else {}
                writes.append(self._table.putting(_pointer(member, root), **condition))
        writes += self._listing(root)
        how = replace(how, members=[place.member for place in places])
        writes += (self._table.putting(item) for item in evidence(before, root, how, now))
        return root, writes

    def parting(self, subject: Subject, member: str, how: Statement) -> list[Item]:
        """The transaction writes that take one address out of a person's record, into a record of its own.

        The person's other addresses keep theirs, in a row of one of them.
        """
        now = self._clock.now()
        undone = {"undone_at": iso(now), "undone_by": how.by or ""}
        version, ends = subject.version + 1, items.consent_ttl(now)
        sides = [
            replace(side, version=version, ttl=ends) for side in subject.split_off(member, undone)
        ]
        writes = []
        for side in sides:
            condition = _as_read(subject) if side.root == subject.root else {}
            writes.append(self._table.putting(_row(side), **condition))
            pointing = (other for other in side.members if other != side.root)
            writes += (self._table.putting(_pointer(other, side)) for other in pointing)
            writes += self._listing(side)
        how = replace(how, members=list(subject.members))
        writes += (self._table.putting(item) for item in evidence(subject, sides[1], how, now))
        return writes

    def _listing(self, after: Subject, listed: AbstractSet[str] = frozenset()) -> list[Item]:
        """The writes that list a person's marked addresses in the register, except those in `listed`.

        The rows get the record's ``ttl``.
        """
        return [
            self._table.putting({**items.marked_key(member, after.company_id), "ttl": after.ttl})
            for member in sorted(after.marked_members - listed)
        ]

    def replace(self, subject: Subject) -> None:
        """Overwrite a person's stored record if it is unchanged since it was read; no evidence is added.

        Made for an erasure.

        Raises:
            ConditionFailed: the record has changed since it was read.
        """
        self._table.put(_row(replace(subject, version=subject.version + 1)), **_as_read(subject))

    def unchanged_condition(self, subject: Subject) -> Item:
        """The transaction condition that a person's record is still as it was read."""
        key = items.subject_key(subject.root, subject.company_id)
        return self._table.checking(key, **_as_read(subject))


def member_id(opaque: OpaqueIds, company_id: str, address: str) -> str:
    """The keyed id (keyed hash) of an address within a company.

    All spellings of one phone number give the same id.
    """
    return opaque.of("subject", company_id, numbers.canonical_spelling(address))


def hints_of(record: Record) -> list[Item]:
    """Keys of the rows that held the recipient's records when the conversation was opened.

    They are read together with the current ones, as most still hold the records.
    """
    roots = record.item.get(SUBJECTS) or ()
    return [items.subject_key(str(root), record.company_id) for root in roots]


def distinct_subjects(found: Iterable[Subject]) -> list[Subject]:
    """The given persons' records, each only once, in their order."""
    known: dict[tuple[str, str], Subject] = {}
    for subject in found:
        known.setdefault((subject.company_id, subject.root), subject)
    return list(known.values())


def read(item: Mapping[str, Any]) -> Subject:
    """A person's record (`Subject`) from its stored row."""
    return Subject(
        company_id=items.company_of_subject(item),
        root=items.member_of(item),
        members=item["members"],
        state={name: item[name] for name in _STATE if name in item},
        version=int(item["version"]),
        ttl=int(item["ttl"]),
    )


def _row(subject: Subject) -> Item:
    return {
        **items.subject_key(subject.root, subject.company_id),
        "members": dict(subject.members),
        **{name: value for name, value in subject.state.items() if value},
        "version": subject.version,
        "ttl": subject.ttl,
    }


def _pointer(member: str, root: Subject) -> Item:
    key = items.subject_key(member, root.company_id)
    return {**key, MERGED_INTO: root.root, "version": root.version, "ttl": root.ttl}


def _end(subject: Subject, now: datetime) -> int:
    """The ``ttl``, in epoch seconds, of a person's row that is written now.

    The stored ``ttl`` stays while it is long enough, so that it is extended once a month at most.
    """
    is_enough = subject.ttl >= items.consent_ttl(now, timedelta())
    return subject.ttl if is_enough else items.consent_ttl(now)


def _as_read(subject: Subject) -> dict[str, Any]:
    if not subject.version:
        return {"condition": _ABSENT}
    return {"condition": _UNCHANGED, "version": subject.version}


def _root_of(place: Member, rows: Mapping[str, Mapping[str, Any]]) -> Item | None:
    """The key of the next row to read for an address's person record; None where that record was read.

    The rows read so far may say that they were merged into another row.
    """
    at = place.key
    while (row := rows.get(at["primary_channel"])) is not None and MERGED_INTO in row:
        at = items.subject_key(str(row[MERGED_INTO]), place.company_id)
    return at if row is None and at != place.key else None


def _subject(place: Member, rows: Mapping[str, Mapping[str, Any]]) -> Subject:
    at = place.key["primary_channel"]
    while MERGED_INTO in (row := rows.get(at) or {}):
        at = items.subject_partition(str(row[MERGED_INTO]))
    if not row:
        members = {place.member: place.address}
        return Subject(
            company_id=place.company_id, root=place.member, members=members, own=place.member
        )
    return replace(read(row), own=place.member)


def _keys(places: Sequence[Member]) -> list[Item]:
    return [place.key for place in places]


def _once(keys: Sequence[Item]) -> list[Item]:
    return list({tuple(key.values()): key for key in keys}.values())
