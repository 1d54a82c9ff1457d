"""Ends conversations whose message is not sent, and informs their companies.

A status changes only from an expected one, so a worker that has lost its lease writes the same as its
successor, or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from chalicelib.clock import iso
from chalicelib.once.event import Lease
from chalicelib.once.ports import Clock
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import (
    AUTOMATED,
    NEXT_STEP,
    UNSENT,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.project.admission import Starts

GIVEN_UP = "retries"
"""The ``failure_stage`` of a conversation whose start failed in its last attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endings:
    """Ends conversations and starts whose first message is not sent, and informs the company.

    Attributes:
        events: informs the company.
        follow_ups: opens the conversation on another channel after a failure.
    """

    conversations: Conversations
    starts: Starts
    clock: Clock
    events: CompanyEvents
    follow_ups: FollowUps

    def fail(self, record: Record, stage: str, reason: str, lease: Lease | None = None) -> None:
        """Fail a conversation before its first message, inform the company, and open the declared fallback.

        Its start no longer counts as open.  Of a handed-off conversation only the reason is stored:
        it fails once it is released.

        Args:
            record: the conversation.
            stage: the step that failed, such as ``compose`` or ``send``.
            reason: a fixed code.
            lease: the event's lease, where another run might still send: then only the lease's
                holder may open the conversation on another channel.
        """
        why = {"failure_stage": stage, "failure_reason": reason}
        moved = self._end(record, UNSENT | {Status.FAILED}, Status.FAILED, why)
        if moved and moved.status is Status.FAILED and record.status is not Status.FAILED:
            self.conversations.count_failed(record, reason)
        self.events.record(
            record, EventName.FAILED, f"{stage}:{reason}", stage=stage, reason=reason
        )
        if stage != GIVEN_UP:  # after GIVEN_UP the message may have been sent
            self.follow_ups.fall_back(record, lease)
        self.free_start(record)

    def complete_failure(self, record: Record) -> None:
        """Complete a failure whose run crashed after it had opened the conversation's fallback."""
        self.follow_ups.fall_back(record)
        self.free_start(record)

    def withhold(self, record: Record, reason: str) -> Record:
        """Store why the first message is not sent now: a switch, a person or the recipient prevents it.

        The start no longer counts as open.  Returns the conversation.
        """
        self.free_start(record)
        return self._end(record, UNSENT, Status.WITHHELD, {"withheld_reason": reason}) or record

    def keep_reason(self, record: Record, reason: str) -> Record:
        """Store why a later message of the conversation is withheld; returns the conversation.

        An operator's replay may still send the message.
        """
        moved = self.conversations.change_while(record, AUTOMATED, {"withheld_reason": reason})
        return moved or record

    def drop_step(self, record: Record) -> None:
        """Cancel the conversation's next reminder or closing message, if one is scheduled."""
        self.conversations.change_while(record, set(Status), {}, remove=(NEXT_STEP,))

    def opt_out(self, record: Record) -> None:
        """Mark the recipient as opted out in their own words, at the time of their last message, else now."""
        said_at = str(record.item.get("last_inbound_at") or iso(self.clock.now()))
        self.forbid(record, MarkReason.ASKED, said_at)

    def forbid(self, record: Record, reason: MarkReason, said_at: str | None = None) -> None:
        """Mark a conversation's recipient as do-not-contact, and inform the company."""
        self.conversations.forbid_person(record, reason, said_at=said_at)
        self.events.record(record, EventName.OPTED_OUT, reason.value, reason=reason.value)

    def free_start(self, record: Record) -> None:
        """Remove the conversation's start from the company's open starts, whose number is limited."""
        self.starts.free(*_of_start(record))

    def _end(
        self, record: Record, expected: Collection[Status], status: Status, why: Mapping[str, str]
    ) -> Record | None:
        """Set a conversation's status with the reason; returns the changed record, None if nothing changed.

        Of a handed-off conversation only the reason is set, for its release to read.
        """
        moved = self.conversations.change_while(
            record, expected, {"conversation_status": status, **why}
        )
        return moved or self.conversations.change_while(record, {Status.HANDED_OFF}, why)


def _of_start(record: Record) -> tuple[str, str, str]:
    return record.company_id, record.start_event, str(record.item.get("received_at") or "")
