"""Finds what was lost or left hanging and sends it through the normal door.

It reads, and it re-enqueues; only the worker acts.  Running it twice, or beside live traffic, does
no harm: what it sends carries the same event keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from chalicelib import keys
from chalicelib.clock import iso
from chalicelib.effects import STOPPED_REPEATABLE
from chalicelib.errors import AuthError, ProviderError, UnavailableError
from chalicelib.intake import Intake
from chalicelib.jobs import Recovery, TicketMessage, TicketNotification
from chalicelib.ports import (
    ActionStatus,
    Clock,
    EventStatus,
    LedgerPort,
    Log,
    StatePort,
    StrandedEvent,
    Ticket,
    Tickets,
)
from chalicelib.settlement import Settlement, Verdict

WINDOW = timedelta(hours=24)
"""How far back open tickets are listed."""
STRANDED_AFTER = timedelta(minutes=2)
"""A `received` row older than this was never queued."""
STALLED_AFTER = timedelta(hours=3)
"""Longer than a message that is handed back again and again may wait for its next receive."""
MOST_ATTEMPTS = 10
"""An event claimed so often and not ended has killed its workers; it is not sent again."""
STRANDED_LIMIT = 200
SOURCE = "reconcile"
PROCESSED_TAG = "mw-processed"
GIVEN_UP_TAG = "middleware_error_needs_attention"


@dataclass(slots=True)
class Summary:
    """One run in numbers; also its log record."""

    listed: int = 0
    missing: int = 0
    requeued: int = 0
    stranded: int = 0
    settled: int = 0
    buried: int = 0
    listing: str = "complete"
    reasons: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Sweeps; built once per container."""

    tickets: Tickets
    ledger: LedgerPort
    state: StatePort
    intake: Intake
    settlement: Settlement
    clock: Clock
    log: Log
    new_id: Callable[[], str]

    def sweep(
        self, *, time_left_seconds: Callable[[], float], window: timedelta = WINDOW
    ) -> Summary:
        """One run; stops when the function's time runs out and says so.

        Args:
            time_left_seconds: what the function's time-out leaves.
            window: how far back open tickets are listed.
        """
        summary = Summary()
        still_unknown = self._settle(summary)
        self._stranded(summary, still_unknown)
        try:
            self._listed(summary, time_left_seconds, window)
        except AuthError as error:
            summary.listing = f"forbidden:{error.reason}"
            self.log.metric("mw.reconcile.listing_forbidden")
        except (ProviderError, UnavailableError) as error:
            summary.listing = f"interrupted:{type(error).__name__}"
        self.log.event(
            "reconcile.summary",
            listed=summary.listed,
            missing=summary.missing,
            requeued=summary.requeued,
            stranded=summary.stranded,
            settled=summary.settled,
            buried=summary.buried,
            listing=summary.listing,
        )
        self.log.metric("mw.reconcile.requeued", summary.requeued)
        return summary

    def _settle(self, summary: Summary) -> frozenset[str]:
        """Settle what the provider can tell by now; the events that must go on waiting."""
        waiting: set[str] = set()
        for action in self.ledger.unsettled(limit=STRANDED_LIMIT):
            try:
                settled = self.settlement.judge(action)
            except ProviderError:
                waiting.add(action.event_key)
                continue
            match settled.verdict:
                case Verdict.HAPPENED:
                    self.ledger.settle(action, ActionStatus.DONE, ref=settled.ref, reason="settled")
                    summary.settled += 1
                case Verdict.NOT_HAPPENED:
                    self.ledger.settle(action, ActionStatus.PENDING, reason=settled.saw)
                    summary.settled += 1
                case Verdict.UNDECIDED if action.reason != STOPPED_REPEATABLE:
                    waiting.add(action.event_key)
                case _:
                    pass  # the worker repeats it, if its switch lets it
        return frozenset(waiting)

    def _stranded(self, summary: Summary, still_unknown: frozenset[str]) -> None:
        """Events received and never queued, parked and settled since, or left by everybody."""
        before = (self.clock.now() - STRANDED_AFTER).timestamp()
        stalled = iso(self.clock.now() - STALLED_AFTER)
        for row in self.ledger.stranded(older_than_epoch=before, limit=STRANDED_LIMIT):
            match row.status:
                case EventStatus.RECEIVED:
                    self._send_again(row, Recovery.SWEEP, summary)
                    self.ledger.queued(row.key)
                case EventStatus.PARKED if is_settled(row, still_unknown):
                    self._send_again(row, Recovery.SETTLED, summary)
                case EventStatus.PROCESSING if row.updated_at < stalled:
                    self._stalled(row, summary)
                case _:
                    pass

    def _stalled(self, row: StrandedEvent, summary: Summary) -> None:
        """Its message is gone, to the dead letters or with its last worker."""
        if row.attempts < MOST_ATTEMPTS:
            self._send_again(row, Recovery.SWEEP, summary)
        elif self.ledger.bury(row.key, reason="dead_letter:worker_died"):
            summary.buried += 1

    def _send_again(self, row: StrandedEvent, recovery: Recovery, summary: Summary) -> None:
        summary.stranded += 1
        self.intake.accept(_job_of(row), recovery=recovery)
        summary.requeued += 1

    def _listed(
        self, summary: Summary, time_left_seconds: Callable[[], float], window: timedelta
    ) -> None:
        """Open tickets that nobody has processed."""
        for ticket in self.tickets.open_tickets(since=self.clock.now() - window):
            if time_left_seconds() < 30:  # noqa: PLR2004 - one page and one send must still fit
                summary.listing = "out_of_time"
                return
            summary.listed += 1
            if self._is_missing(ticket):
                summary.missing += 1
                self.intake.accept(self._notification(ticket), recovery=Recovery.SWEEP)
                summary.requeued += 1

    def _is_missing(self, ticket: Ticket) -> bool:
        if not ticket.is_open or GIVEN_UP_TAG in ticket.tags:
            return False
        newest = next((c for c in reversed(ticket.comments) if not c.is_operator), None)
        if newest is not None:
            key = keys.ticket_message(ticket.id, newest.id)
            return key not in self.ledger.statuses([key])
        if PROCESSED_TAG in ticket.tags:
            return False
        known = self.state.read(ticket.id)
        seen = known.last_message_at if known else None
        return seen is None or ticket.updated_at is None or seen < iso(ticket.updated_at)

    def _notification(self, ticket: Ticket) -> TicketNotification:
        delivery = self.new_id()
        return TicketNotification(
            event_key=keys.ticket_notification(ticket.id, delivery),
            conversation_id=ticket.id,
            received_at=iso(self.clock.now()),
            source=SOURCE,
            trace_id=keys.digest(delivery)[:16],
        )


def is_settled(row: StrandedEvent, still_unknown: frozenset[str]) -> bool:
    """Parked for unknown outcomes, none of which is unknown any more."""
    return (row.reason or "").startswith("unknown:") and row.key not in still_unknown


def _job_of(row: StrandedEvent) -> TicketMessage | TicketNotification:
    """The job a stored row stands for; its text is read from the ticket."""
    common = {
        "event_key": row.key,
        "conversation_id": row.event.conversation_id,
        "received_at": row.event.received_at,
        "payload_sha256": row.event.payload_sha256,
        "payload_bytes": row.event.payload_bytes,
        "source": row.event.source,
        "trace_id": row.event.trace_id or keys.digest(row.key)[:16],
    }
    if row.event.source_message_id:
        return TicketMessage.model_validate(common | {"message_id": row.event.source_message_id})
    return TicketNotification.model_validate(common)
