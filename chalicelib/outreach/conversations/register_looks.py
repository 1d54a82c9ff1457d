"""Asks the register, before a message is sent, whether and why a company must not contact a recipient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.outreach import senders
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.recipients import TRANSACTIONAL, purpose_of
from chalicelib.outreach.conversations.records import (
    CONTINUED_BY,
    CONTINUES,
    UNSENT,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_entries import (
    SUSPENDED_SLOT,
    TECHNICAL_REASONS,
    MarkReason,
    RegisterEntry,
)
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import (
    ATTRIBUTES,
    Member,
    SubjectRows,
    distinct_subjects,
    hints_of,
)


@dataclass(frozen=True, slots=True)
class RegisterLook:
    """The register's answer for a conversation's recipient.

    Attributes:
        forbidden: why the company must not contact the recipient, or None; see
            `RegisterLooks.forbids`.
        subjects: the person records of the addresses that the conversation names, each once; the
            record of the address that it writes to is first.
    """

    forbidden: str | None
    subjects: Sequence[Subject]


class RegisterLooks(SubjectRows):
    """Asks the register whether a company must not contact a recipient."""

    def forbids(self, record: Record) -> str | None:
        """Why the company must not contact a conversation's recipient on its channel; None if it may.

        `MarkReason.DOUBT` (an undecided possible opt-out) forbids automatic messages, not those of a
        person. Once the recipient has written in the conversation, technical marks do not count,
        except that the recipient blocked us after their newest message. An unproven opt-out counts
        only for a message that is unsolicited and not transactional.

        Raises:
            TransientError: the register could not be read.
        """
        return self.look(record).forbidden

    def look(self, record: Record) -> RegisterLook:
        """Read the recipient's records, and why the company must not contact the recipient; None if it may.

        Raises:
            TransientError: the register could not be read.
        """
        places = self._looked_at(record)
        found = self.subjects(places, hints_of(record))
        named = [found[place.key["primary_channel"]] for place in places[:-1]]
        return RegisterLook(self._forbidding(record, found, places), distinct_subjects(named))

    def look_before_send(self, record: Record) -> tuple[str | None, Record]:
        """Read, just before a message is sent, why its recipient must not be contacted (None if they may).

        Also returns the conversation, of which only the newest act of a person is read, and whether
        another conversation continues it.

        Raises:
            TransientError: they could not be read.
        """
        places = self._looked_at(record)
        wanted = {hint["primary_channel"]: hint for hint in hints_of(record)}
        wanted |= {place.key["primary_channel"]: place.key for place in places}
        found = self._table.get_all(
            [*wanted.values(), record.key], attributes=(*ATTRIBUTES, "person_act", CONTINUED_BY)
        )
        mine = next((item for item in found if _is_at(item, record.key)), record.item)
        subjects = self._resolved(places, [item for item in found if item is not mine])
        return self._forbidding(record, subjects, places), Record(mine)

    def is_forbidden(
        self,
        primary_channel: str,
        company_id: str,
        channel: Channel | None = None,
        purpose: str | None = None,
    ) -> bool:
        """Whether opt-outs forbid the company to contact an address.

        Technical marks count only where a channel is given. An opt-out limited to some purposes or
        channels counts only where the given purpose and channel are among them.
        """
        place, now = self.place(primary_channel, company_id), self._clock.now()
        subject = self.subject(place)
        if channel is not None:
            return subject.blocking_reason(place.member, channel, purpose, now) is not None
        return bool(subject.opt_outs(purpose, now))

    def marks_of(self, primary_channel: str, company_id: str) -> list[RegisterEntry]:
        """Every do-not-contact mark of the person whose address this is, in force or lifted."""
        return self.subject(self.place(primary_channel, company_id)).entries(self._clock.now())

    def _looked_at(self, record: Record) -> list[Member]:
        """The addresses whose register rows decide whether a conversation's next message is forbidden.

        The conversation's own address is first, then the recipient's other ones. The last is its
        own address again, under the id that collects STOPs to senders that belong to no company.
        """
        unowned = senders.key(record.sender)["company_id"]
        return [*self.places_of(record), self.place(record.primary_channel, unowned)]

    def _forbidding(
        self, record: Record, subjects: Mapping[str, Subject], places: Sequence[Member]
    ) -> str | None:
        now, purpose = self._clock.now(), purpose_of(record)
        found: list[RegisterEntry] = []
        for subject in distinct_subjects(subjects.values()):
            found += subject.opt_outs(purpose, now, record.channel)
        own, *others = places[:-1]
        found += subjects[own.key["primary_channel"]].address_marks(own.member, record.channel, now)
        tried = (record.item.get(CONTINUES) or {}).get("tried") or ()
        if any(channel.traits.is_forgeable for channel in Channel if channel in tried):
            # A suspended address is not replaced by an address on another channel.
            for place in (own, *others):
                marks = subjects[place.key["primary_channel"]].marks_in_force(now)
                named = (place.member, SUSPENDED_SLOT)
                found += [mark for mark in marks if (mark.member, mark.slot) == named]
        if record.item.get("last_inbound_at"):
            found = [
                entry
                for entry in found
                if entry.reason not in TECHNICAL_REASONS or _is_newer(entry, record)
            ]
        found = [
            entry for entry in found if entry.reason != MarkReason.UNPROVEN or _is_unasked(record)
        ]
        found.sort(key=lambda entry: entry.is_open)  # decided marks count before open questions
        return next((entry.blocking_reason for entry in found), None)


def has_written_since(record: Record, at: str) -> bool:
    """Whether the recipient has written in the conversation after the given ISO time."""
    return str(record.item.get("last_inbound_at") or "") > at


def _is_newer(entry: RegisterEntry, record: Record) -> bool:
    """Whether a mark says that the recipient blocked us, and is newer than their newest message."""
    said_at = str(entry.item.get("said_at") or "")
    return entry.reason == MarkReason.BLOCKED and not has_written_since(record, said_at)


def _is_unasked(record: Record) -> bool:
    """Whether a conversation's next message is unsolicited and not transactional.

    That is, no proven message of the recipient has come, and no person has the conversation or has
    answered.
    """
    is_with_person = record.is_handed_off and Status(record.handoff["was"]) not in UNSENT
    has_spoken = record.item.get("last_inbound_at") or record.person_act or is_with_person
    return purpose_of(record) != TRANSACTIONAL and not has_spoken


def _is_at(item: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    return all(item.get(name) == value for name, value in key.items())
