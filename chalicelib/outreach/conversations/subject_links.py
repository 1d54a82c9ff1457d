"""Links addresses of one person, by the company's starts and imports, and parts them, by operators.

Messages of a recipient link nothing.  A link is one transaction over the rows of all its addresses,
under their versions: no mark that is made meanwhile is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import Item, TransactionConflict, TransactionRefused
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.items import TRIES
from chalicelib.outreach.conversations.recipients import CONSENT, purpose_of
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import WISH
from chalicelib.outreach.conversations.statements import BY_START, Statement
from chalicelib.outreach.conversations.subject import MOST_MEMBERS, Subject
from chalicelib.outreach.conversations.subject_rows import (
    Member,
    SubjectChange,
    SubjectRows,
    distinct_subjects,
    hints_of,
)


@dataclass(frozen=True, slots=True)
class RecipientAtStart:
    """A recipient's records as a start finds them: the opt-out, and the writes for opening.

    Attributes:
        roots: keyed ids of the addresses whose rows store these records.
        writes: writes of links and consents, or conditions that the records are as they were read.
        is_forbidden: the recipient has opted out of this purpose; `writes` then only link the
            start's addresses, and are empty where no link is new.
    """

    roots: Sequence[str] = ()
    writes: Sequence[Item] = ()
    is_forbidden: bool = False


class SubjectLinks(SubjectRows):
    """Links addresses as those of one person, and takes linked addresses apart again."""

    def recipient_at_start(self, record: Record) -> RecipientAtStart:
        """Read what a start needs to know of its recipient (see `RecipientAtStart`); nothing is written yet.

        This is whether the recipient has opted out, and the writes that link the addresses that the
        start names and store the consent that it states.

        Args:
            record: the conversation as it will be opened.
        """
        now, purpose = self._clock.now(), purpose_of(record)
        places = self.places_of(record)
        by_place = self.subjects(places, hints_of(record))
        subjects = distinct_subjects(by_place.values())
        wishes = [
            wish for found in subjects for wish in found.opt_outs(purpose, now, record.channel)
        ]
        is_forbidden = any(wish.slot == WISH for wish in wishes)
        how = Statement(door=BY_START, channel=record.channel.value, conversation=record.opaque_id)
        linked = linkable(subjects)
        roots = [
            subject.root for subject in subjects if subject is linked[0] or subject not in linked
        ]
        writes = [
            self.unchanged_condition(subject) for subject in subjects if subject not in linked
        ]
        first = linked[0]
        consented = first if is_forbidden else _consenting(first, places[0], record)
        if len(linked) > 1:
            link = {"at": iso(now), "by": BY_START, "of": record.opaque_id}
            _, wrote = self.linking(linked, places, link=link, how=how, first=consented)
            return RecipientAtStart(roots, [*writes, *wrote], is_forbidden)
        if is_forbidden:
            return RecipientAtStart(is_forbidden=True)
        if consented != first:
            writes += self.changing(SubjectChange(first, consented, how))
        else:
            writes.append(self.unchanged_condition(first))
        return RecipientAtStart(roots, writes)

    def link_addresses(self, places: Sequence[Member], by: str, how: Statement) -> Subject | None:
        """Link addresses as one person's, also where their link was undone; for operators and imports.

        Returns:
            The person's record as stored now; None where all were linked already.

        Raises:
            ValueError: the person would have more than `MOST_MEMBERS` addresses.
            TransientError: others interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            subjects = distinct_subjects(self.subjects(places).values())
            if len(subjects) < 2:  # noqa: PLR2004 - one is no pair
                return None
            if sum(len(subject.members) for subject in subjects) > MOST_MEMBERS:
                raise ValueError(f"a subject has at most {MOST_MEMBERS} addresses")
            link = {"at": iso(self._clock.now()), "by": by}
            root, writes = self.linking(subjects, places, link=link, how=how)
            if self._is_written(attempts, writes):
                return root

    def part_address(self, place: Member, how: Statement) -> bool:
        """Take one address out of its person's record, into a record of its own.

        Each of the two records keeps the marks and evidence of its addresses.

        Returns:
            False where the address was linked with no other.

        Raises:
            TransientError: others interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            subject = self.subject(place)
            if len(subject.members) < 2:  # noqa: PLR2004 - alone already
                return False
            if self._is_written(attempts, self.parting(subject, place.member, how)):
                return True

    def evidence_of(self, member: str) -> list[Item]:
        """The stored evidence about one address: each change of its marks, consents, preferences and links.

        The oldest is first.
        """
        return list(
            self._table.query_pages(
                KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :e)",
                values={"p": items.subject_partition(member), "e": "evidence#"},
                ConsistentRead=True,
            )
        )

    def _is_written(self, attempts: Attempts, writes: Sequence[Item]) -> bool:
        try:
            self._table.transact(writes)
        except TransactionRefused:
            attempts.wait_or_raise(TransientError("dynamodb", "link", reason=CONTENDED))
        except TransactionConflict as conflict:
            attempts.wait_or_raise(conflict)
        else:
            return True
        return False


def linkable(subjects: Sequence[Subject]) -> list[Subject]:
    """The persons' records that a start may join into one: the first one, and each other that fits.

    A record is left out where its link with a joined one was undone, or the person would have more
    than `MOST_MEMBERS` addresses.
    """
    found = [subjects[0]]
    for subject in subjects[1:]:
        members = [member for known in found for member in known.members]
        is_undone = any(
            known.is_undone(mine, theirs)
            for known in (*found, subject)
            for mine in members
            for theirs in subject.members
        )
        if not is_undone and len(members) + len(subject.members) <= MOST_MEMBERS:
            found.append(subject)
    return found


def _consenting(subject: Subject, place: Member, record: Record) -> Subject:
    """The person's record with the consent that the conversation's start states; unchanged without one."""
    given: Mapping[str, Any] | None = record.item.get(CONSENT)
    if not given:
        return subject
    consent = {**given, "source": BY_START}
    return subject.with_consent(place.member, record.channel, purpose_of(record), consent)
