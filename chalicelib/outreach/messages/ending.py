"""A conversation ends unsent, or its company hears of what sends nothing.

A status moves only from the expected one, so that a worker that has lost its lease writes the same as
its successor, or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from chalicelib.clock import iso
from chalicelib.once.event import Lease
from chalicelib.once.ports import Clock
from chalicelib.outreach.company_events.event_names import Name
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import (
    AUTOMATED,
    NEXT_STEP,
    UNSENT,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_entries import Reason
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.project.admission import Starts

GIVEN_UP = "retries"
"""``failure_stage`` of a conversation whose start was given up after its last attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endings:
    """Ends conversations, and starts, whose message is not sent.

    Attributes:
        events: tells the company.
        follow_ups: what comes after a failure.
    """

    conversations: Conversations
    starts: Starts
    clock: Clock
    events: CompanyEvents
    follow_ups: FollowUps

    def fail(self, record: Record, stage: str, reason: str, lease: Lease | None = None) -> None:
        """Fail a conversation before its first message, and free its start.

        A handed-off conversation fails once it is released.

        Args:
            record: the conversation.
            stage: where it failed.
            reason: a fixed code.
            lease: of the event that found it unsendable, which another run may find sendable: only
                its holder goes on by another channel.
        """
        why = {"failure_stage": stage, "failure_reason": reason}
        moved = self._end(record, UNSENT | {Status.FAILED}, Status.FAILED, why)
        if moved and moved.status is Status.FAILED and record.status is not Status.FAILED:
            self.conversations.count_failed(record, reason)
        self.events.record(record, Name.FAILED, f"{stage}:{reason}", stage=stage, reason=reason)
        if stage != GIVEN_UP:  # then it is not known whether it was sent
            self.follow_ups.fall_back(record, lease)
        self.free(record)

    def continued(self, record: Record) -> None:
        """Do what a run that died has left undone after another conversation took this one's place."""
        self.follow_ups.fall_back(record)
        self.free(record)

    def withhold(self, record: Record, reason: str) -> Record:
        """Its first message is not sent now: a switch is on, a person has it, or its recipient wrote."""
        self.free(record)
        return self._end(record, UNSENT, Status.WITHHELD, {"withheld_reason": reason}) or record

    def keep_reason(self, record: Record, reason: str) -> Record:
        """A later message is withheld: store that; a replay resumes its event."""
        moved = self.conversations.move(record, AUTOMATED, {"withheld_reason": reason})
        return moved or record

    def drop_step(self, record: Record) -> None:
        """A step is left out."""
        self.conversations.move(record, set(Status), {}, remove=(NEXT_STEP,))

    def opt_out(self, record: Record) -> None:
        """The recipient has asked in their own words to get no further message."""
        said_at = str(record.item.get("last_inbound_at") or iso(self.clock.now()))
        self.forbid(record, Reason.ASKED, said_at)

    def forbid(self, record: Record, reason: Reason, said_at: str | None = None) -> None:
        """Mark the person, and tell the company."""
        self.conversations.forbid_person(record, reason, said_at=said_at)
        self.events.record(record, Name.OPTED_OUT, reason.value, reason=reason.value)

    def free(self, record: Record) -> None:
        """Remove its start from the company's open ones."""
        self.starts.free(*_of_start(record))

    def _end(
        self, record: Record, expected: Collection[Status], status: Status, why: Mapping[str, str]
    ) -> Record | None:
        """In a handed-off conversation, only the reason: a release derives the status from it."""
        moved = self.conversations.move(record, expected, {"conversation_status": status, **why})
        return moved or self.conversations.move(record, {Status.HANDED_OFF}, why)


def _of_start(record: Record) -> tuple[str, str, str]:
    return record.company_id, record.start_event, str(record.item.get("received_at") or "")
