"""Jobs made anew from stored rows: what the queue lost, or an operator wants to see run again.

A row holds identifiers and digests only, so a rebuilt job has no text; the worker reads it where it
stands.  A system adds its line by the first two parts of its event keys, e.g. ``evt:rp``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Protocol

from chalicelib import keys
from chalicelib.job_kinds import ActionResend, TicketMessage, TicketNotification
from chalicelib.jobs import Job
from chalicelib.ports import Clock, EventFacts, LedgerPort


class Rebuilder(Protocol):
    """Makes the job of an event from its row."""

    def __call__(self, event: EventFacts) -> Job | None:
        """The job, or None where the row does not tell enough."""
        ...


class LeftBehind(Protocol):
    """Finds conversations that began and never came on, by their own records."""

    def __call__(self, *, older_than: datetime, limit: int) -> Iterable[Job]:
        """Jobs that bring them on, oldest first; their keys make repeating them harmless."""
        ...


class LeftByWorkers:
    """Watched events whose worker died and whose message the queue has no more: `LeftBehind`."""

    def __init__(
        self, ledger: LedgerPort, rebuilders: Mapping[str, Rebuilder], clock: Clock
    ) -> None:
        self._ledger = ledger
        self._rebuilders = rebuilders
        self._clock = clock

    def __call__(self, *, older_than: datetime, limit: int) -> Iterator[Job]:
        """See `LeftBehind`; a worker that only takes long still has its lease."""
        now = self._clock.now().timestamp()
        for row in self._ledger.left(older_than_epoch=older_than.timestamp(), limit=limit):
            job = rebuilt(self._rebuilders, row.event) if row.lease_until_epoch < now else None
            if job is not None:
                yield job


def rebuilt(rebuilders: Mapping[str, Rebuilder], event: EventFacts) -> Job | None:
    """The job of a stored event; None where nobody can make it."""
    rebuild = rebuilders.get(":".join(event.event_key.split(":")[:2]))
    return rebuild(event) if rebuild else None


def ticket_job(event: EventFacts) -> TicketMessage | TicketNotification | ActionResend:
    """The job of one of Richpanel's events, or of an action of one that is done once more."""
    common = {
        "event_key": event.event_key,
        "conversation_id": event.conversation_id,
        "received_at": event.received_at,
        "payload_sha256": event.payload_sha256,
        "payload_bytes": event.payload_bytes,
        "source": event.source,
        "trace_id": event.trace_id or keys.digest(event.event_key)[:16],
    }
    source, _, nonce = event.event_key.rpartition(":resend:")
    if source.count(":") >= _COLONS_OF_A_KEY:
        resend = {"source_event_key": source, "action_key": "", "nonce": nonce}
        return ActionResend.model_validate(common | resend)
    if event.source_message_id:
        return TicketMessage.model_validate(common | {"message_id": event.source_message_id})
    return TicketNotification.model_validate(common)


_COLONS_OF_A_KEY = 3
"""In ``evt:rp:{conversation}:{message}``; a ticket that is itself called ``resend`` has fewer."""
