"""Finds tickets whose webhook never arrived: listed by page, or by number where listing is forbidden.

A ticket that is found is queued as a notification, like any other.  The notification's key is derived
from the ticket's state, so each state is queued once, however many runs see it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from chalicelib.clock import iso
from chalicelib.errors import (
    AuthError,
    PermanentError,
    ProviderError,
    UnavailableError,
    reason_of,
)
from chalicelib.once import keys
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log
from chalicelib.once.recovery.cursor import SweepCursor, Sweeps
from chalicelib.once.recovery.sweep import SweepActions
from chalicelib.support import keys as ticket_keys
from chalicelib.support.effects import ATTENTION_TAG
from chalicelib.support.jobs import TicketNotification
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.state import ConversationState, States
from chalicelib.support.tickets import Ticket, TicketPage

SOURCE = "reconcile"
PROCESSED_TAG = "mw-processed"
MAX_CONSECUTIVE_GAPS = 20
"""After this many consecutive numbers without a ticket, the walk ends."""
FIRST_SAMPLE = 5
"""How many known tickets are read for their number when the cursor has none."""
SAVE_EVERY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LostTickets:
    """A `SweepPart`: finds tickets at Richpanel whose webhook never arrived, and queues notifications."""

    tickets: Richpanel
    ledger: Ledger
    state: States
    sweeps: Sweeps
    clock: Clock
    log: Log

    def run(self, cursor: SweepCursor, sweep: SweepActions, *, since: datetime) -> SweepCursor:
        """Queue a notification for each ticket whose webhook never arrived.

        Returns the cursor: the page or ticket number where the next run goes on.
        """
        listing = _Run(self, sweep, cursor)
        try:
            listing.run(since=since)
        except (ProviderError, UnavailableError) as error:
            sweep.summary.listing = f"interrupted:{reason_of(error)}"
        return listing.cursor


@dataclass(slots=True)
class _Run:
    """One run over Richpanel's open tickets, to find lost ones.

    Attributes:
        cursor: the position reached so far, which an interruption keeps.
    """

    parts: LostTickets
    sweep: SweepActions
    cursor: SweepCursor

    def run(self, *, since: datetime) -> None:
        """List open tickets from the cursor's page on; where listing is forbidden, read tickets by number.

        Raises `ProviderError` and `UnavailableError`.
        """
        try:
            self._list(since)
        except AuthError as error:
            self.sweep.summary.listing = f"forbidden:{error.reason}"
            self.parts.log.event("reconcile.listing_forbidden", reason=error.reason)
            self.parts.log.metric("mw.reconcile.listing_forbidden")
            self._walk(since)

    # --- listing ------------------------------------------------------------------------------

    def _list(self, since: datetime) -> None:
        previous_page = ""
        while self.sweep.has_time:
            page = self._page(since, is_first=not previous_page)
            if page.fingerprint != previous_page:
                self._check(page.tickets)
            numbers = [ticket.number for ticket in page.tickets if ticket.number is not None]
            highest = max([*numbers, self.cursor.number or 0]) or None
            is_last = page.is_last or page.fingerprint == previous_page
            self._save_cursor(1 if is_last else self.cursor.page + 1, highest)
            if is_last:
                return
            previous_page = page.fingerprint
        self.sweep.summary.listing = "out_of_time"

    def _page(self, since: datetime, *, is_first: bool) -> TicketPage:
        """Read the page of open tickets on which the cursor is.

        If this fails on the run's first page, the next run starts from page 1.
        """
        try:
            return self.parts.tickets.read_open_tickets(since=since, page=self.cursor.page)
        except ProviderError:
            if is_first:
                self.cursor = replace(self.cursor, page=1)
            raise

    # --- walking ------------------------------------------------------------------------------

    def _walk(self, since: datetime) -> None:
        """Read the tickets above the highest number seen, one number after the other.

        It ends after `MAX_CONSECUTIVE_GAPS` numbers without a ticket.  Changes to older tickets are
        not found.
        """
        number = self.cursor.number or self._known_number()
        if number is None:
            self.sweep.summary.problems.append("walk:no_number_known")
            return
        gap = 0
        while gap < MAX_CONSECUTIVE_GAPS and self.sweep.has_time:
            gap += 1
            ticket = self.parts.tickets.read_ticket_by_number(number + gap)
            self.sweep.summary.walked += 1
            if ticket is not None:
                number, gap = number + gap, 0
                is_recent = ticket.updated_at is None or ticket.updated_at >= since
                self._check([ticket] if ticket.is_open and is_recent else [])
            if self.sweep.summary.walked % SAVE_EVERY == 0:
                self._save_cursor(1, number)
        self._save_cursor(1, number)

    def _known_number(self) -> int | None:
        """The highest ticket number among a few tickets that table B knows; None where none has a number.

        Reading by number goes on from it.
        """
        numbers = []
        for conversation_id in self.parts.state.sample_ids(limit=FIRST_SAMPLE):
            try:
                ticket = self.parts.tickets.read_ticket(conversation_id)
            except PermanentError:
                continue
            numbers += [ticket.number] if ticket.number is not None else []
        return max(numbers, default=None)

    # --- checking -----------------------------------------------------------------------------

    def _check(self, tickets: Sequence[Ticket]) -> None:
        """Queue a notification for each of these tickets that seems to have a message without an event."""
        summary = self.sweep.summary
        summary.listed += len(tickets)
        open_ones = [
            listed for listed in tickets if listed.is_open and ATTENTION_TAG not in listed.tags
        ]
        suspects = self._suspects(open_ones)
        summary.missing += len(suspects)
        asked = {self._key(ticket): ticket for ticket in suspects}
        known = self.parts.ledger.statuses(list(asked)) if asked else {}
        for key, ticket in asked.items():
            if key not in known:
                with self.sweep.guard("ticket", but=(ProviderError, UnavailableError)):
                    self.sweep.send_once(self._notification(key, ticket))
            else:
                summary.missing -= 1

    def _suspects(self, tickets: Sequence[Ticket]) -> list[Ticket]:
        newest = {ticket.id: _newest_customer_comment(ticket) for ticket in tickets}
        by_comment = {
            ticket_id: ticket_keys.ticket_message(ticket_id, comment)
            for ticket_id, comment in newest.items()
            if comment is not None
        }
        events = self.parts.ledger.statuses(list(by_comment.values())) if by_comment else {}
        bare = [ticket.id for ticket in tickets if not ticket.comments]
        states = self.parts.state.read_all(bare) if bare else {}
        return [
            ticket
            for ticket in tickets
            if (ticket.id in by_comment and by_comment[ticket.id] not in events)
            or (not ticket.comments and _changed_since(ticket, states))
        ]

    def _key(self, ticket: Ticket) -> str:
        """The event key of a ticket's notification; it stays the same while the ticket does not change.

        For a ticket without times and comments it changes daily.
        """
        shown = iso(ticket.updated_at) if ticket.updated_at else ""
        newest = _newest_customer_comment(ticket) or ""
        day = "" if shown or newest else iso(self.parts.clock.now())[:10]
        delivery = keys.digest("sweep", ticket.id, shown, newest, day)[:32]
        return ticket_keys.ticket_notification(ticket.id, delivery)

    def _notification(self, key: str, ticket: Ticket) -> TicketNotification:
        return TicketNotification(
            event_key=key,
            conversation_id=ticket.id,
            received_at=iso(self.parts.clock.now()),
            source=SOURCE,
            trace_id=keys.digest(key)[:16],
        )

    def _save_cursor(self, page: int, number: int | None) -> None:
        self.cursor = replace(self.cursor, page=page, number=number)
        if not self.sweep.dry_run:
            self.parts.sweeps.save(self.cursor)


def _newest_customer_comment(ticket: Ticket) -> str | None:
    return next(
        (comment.id for comment in reversed(ticket.comments) if not comment.is_operator), None
    )


def _changed_since(ticket: Ticket, states: Mapping[str, ConversationState]) -> bool:
    """Whether a ticket that was listed without comments may have changed since its last processed event.

    True also for a ticket that table B does not know.
    """
    state = states.get(ticket.id)
    if state is None or state.last_processed_at is None:
        return True
    if ticket.updated_at is None:
        return PROCESSED_TAG not in ticket.tags
    return iso(ticket.updated_at) > state.last_processed_at
