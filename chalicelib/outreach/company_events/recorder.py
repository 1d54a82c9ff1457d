"""Writes an event once and queues its post: what the rest of outreach calls.

A worker calls `CompanyEvents.record` when the thing to report happens, before the worker's own job
ends.  After a crash the call is repeated and changes nothing.  For a company without an endpoint it
does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.intake import Intake
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.later import MOST_ROUNDS
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.company_events.event_names import (
    TELLS,
    UNOPENED,
    CompanyEvent,
    EventName,
    id_of,
)
from chalicelib.outreach.company_events.outbox import EventRows, Head
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.jobs import TellCompany

SOURCE = "company_events"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyEvents:
    """Writes the events of conversations to the outbox, and queues their posts to the companies."""

    rows: EventRows
    intake: Intake
    ledger: Callable[[], Ledger]
    clock: Clock

    def record(self, record: Record, name: EventName, key: str, **facts: str | None) -> None:
        """Write an event of a conversation, once, and queue its post, if the company gets events.

        The same name and key always mean the same event.

        Args:
            record: the conversation.
            name: what happened.
            key: unique among the conversation's events of that name: an entry's id, a hand-off's
                id.
            facts: identifiers and fixed codes for the body; None is left out.  The team member who
                acted is `DeskPerson.facts`.  No text, no address of a recipient.

        Raises:
            TransientError: the event was not written.
            UnavailableError: the event was not queued; call again.
        """
        if not record.item.get(TELLS):
            return
        event = CompanyEvent(
            id=id_of(record.opaque_id, name, key),
            name=name,
            at=iso(self.clock.now()),
            facts={fact: value for fact, value in facts.items() if value},
        )
        number = self.rows.add(record, event)
        self.intake.accept(job(record.opaque_id, number, event.at))

    def record_never_opened(
        self, opaque_id: str, reason: str, received_at: str, start: Record | None = None
    ) -> None:
        """Write the event that a start failed before its conversation was opened, and queue its post.

        Args:
            opaque_id: the id that the conversation would have.
            reason: a fixed code.
            received_at: when this start was received; the Channel Router may repeat a failed start.
            start: the attributes with which the conversation would have been opened; None reads
                them from the row that the door stored (the head); without it nothing is written.

        Raises:
            TransientError: the event was not written.
            UnavailableError: the event was not queued; call again.
        """
        if start is None:
            head = self.rows.head(opaque_id)
            if head is None:
                return
            about = {**head.about, "channel_method": head.about["channel"]}
            start = Record({**about, "opaque_id": opaque_id, TELLS: True})
        key = f"{UNOPENED}:{received_at}:{reason}"
        self.record(start, EventName.FAILED, key, stage=UNOPENED, reason=reason)

    def queue_post(
        self, opaque_id: str, number: int, recovery: Recovery = Recovery.SWEEP, *, rounds: int = 0
    ) -> None:
        """Queue the post to the company of an event that was stored before.

        After `MOST_ROUNDS` jobs that queued each other, the event is instead made due in the
        ledger, and the sweep queues it.

        Raises:
            UnavailableError: the event was not queued.
            TransientError: likewise.
        """
        following = job(opaque_id, number, iso(self.clock.now()))
        if rounds >= MOST_ROUNDS:
            self.ledger().schedule(facts_of(following), self.clock.now().timestamp())
            return
        again = following.model_copy(update={"rounds": rounds})
        self.intake.accept(again, recovery=recovery)

    def queue_first_post(self, head: Head) -> None:
        """Queue the post of a conversation's first unposted event, if no worker has ever claimed it.

        A worker may crash between writing the event and queueing it, and not record it again.

        Raises:
            UnavailableError: the event was not queued.
            TransientError: likewise.
        """
        first = head.posted + 1
        if self.ledger().stored(outreach_keys.tell(head.opaque_id, first)) is None:
            self.queue_post(head.opaque_id, first)


def job(opaque_id: str, number: int, at: str) -> TellCompany:
    """The job that posts one event of a conversation, by the event's number, to the company."""
    event_key = outreach_keys.tell(opaque_id, number)
    return TellCompany(
        event_key=event_key,
        conversation_id=opaque_id,
        received_at=at,
        source=SOURCE,
        trace_id=keys.digest(event_key)[:16],
        number=number,
    )
