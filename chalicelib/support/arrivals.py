"""Which events a Richpanel job results in: the customer comments that are new.

A notification that names its comment is that comment's event.  Any other is resolved here: the
ticket is read, and every customer comment inside the age limit that is not finished is an event of
its own; at first contact only those after the newest operator comment.  The fallback key, a hash of
text and time, is used only where the ticket cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from chalicelib.clock import iso, parsed
from chalicelib.errors import PermanentError
from chalicelib.once.event import EventFacts, EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.job import facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.order import InOrder
from chalicelib.once.ports import Clock
from chalicelib.support import keys as ticket_keys
from chalicelib.support import reasons as why
from chalicelib.support.inquiry import EVERYTHING, Inquiry, floor_of, is_after
from chalicelib.support.jobs import TicketMessage, TicketNotification
from chalicelib.support.looks import Looks, TicketLook
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.state import ConversationState, States
from chalicelib.support.ticket_reading import TicketReading
from chalicelib.support.tickets import Comment, Ticket

_STILL_OPEN = frozenset({EventStatus.RECEIVED, EventStatus.PROCESSING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """Finds which customer comments of a ticket are new: neither processed before nor too old."""

    tickets: Richpanel
    looks: Looks
    ledger: Ledger
    clock: Clock
    max_age: timedelta
    in_order: InOrder

    @classmethod
    def of(
        cls, tickets: Richpanel, state: States, ledger: Ledger, clock: Clock, *, max_age: timedelta
    ) -> Arrivals:
        """Build an `Arrivals` that finds in table B and in the ledger what was processed before."""
        looks, in_order = Looks(state=state, clock=clock), InOrder(ledger=ledger, clock=clock)
        return cls(
            tickets=tickets,
            looks=looks,
            ledger=ledger,
            clock=clock,
            max_age=max_age,
            in_order=in_order,
        )

    def events(self, job: TicketMessage | TicketNotification) -> Sequence[Event]:
        """The events of a job: the one message that it names, or each new comment of its ticket.

        For a notification, which names no message, the ticket is read.

        Raises:
            NotAnEvent: a finished read of the ticket covers the notification, the ticket cannot be
                read, or the message is a duplicate.
            NotYet: the ticket's next read is due later, or an earlier event of the ticket waits.
        """
        if isinstance(job, TicketMessage):
            inquiry = Inquiry(
                text=job.text,
                at=_time_of(job.created_at, job.received_at),
                message_id=job.message_id,
            )
            return [Event(facts_of(job), inquiry)]
        known, began = self.looks.state_if_read_needed(job), self.clock.now()
        self.in_order.check(self.looks.waiting_line(job.conversation_id, known), job.event_key)
        try:
            ticket = self.tickets.read_ticket(job.conversation_id)
        except PermanentError as error:
            if job.text is None:
                raise NotAnEvent(
                    EventStatus.FAILED, f"{why.TICKET_UNREADABLE}{error.reason}"
                ) from None
            return self._by_text(job, None)
        if not ticket.comments and job.text is not None:
            return self._by_text(job, ticket)
        self.looks.remember_look(job, TicketLook(began, ticket, known))
        return self._new_comments(job, TicketReading(ticket, began), known)

    def floor(self, conversation_id: str, inquiry: Inquiry) -> str:
        """The ISO time up to which a ticket's comments count as old when we first meet the ticket.

        It is the time of an operator's comment, or `EVERYTHING` (1970) without one.
        """
        ticket, known = inquiry.ticket, inquiry.state
        floor = floor_of(ticket, before=inquiry.at)
        if ticket is None or floor == EVERYTHING or (known and known.first_contact_floor):
            return floor  # no operator comment, or the floor is stored already
        by_key = self._by_key(conversation_id, ticket)
        recorded = self.ledger.statuses(list(by_key))
        return _floor_before([by_key[key] for key in recorded], ticket, inquiry.at)

    def _by_key(self, conversation_id: str, ticket: Ticket) -> dict[str, Comment]:
        """The customer's comments on a ticket that are not too old, each by its event key."""
        oldest = iso(self.clock.now() - self.max_age)
        return {
            ticket_keys.ticket_message(conversation_id, comment.id): comment
            for comment in ticket.comments
            if not comment.is_operator and is_after(comment, oldest)
        }

    def _new_comments(
        self, job: TicketNotification, reading: TicketReading, known: ConversationState | None
    ) -> Sequence[Event]:
        ticket = reading.ticket
        by_key = self._by_key(job.conversation_id, ticket)
        statuses = self.ledger.statuses(list(by_key)) if by_key else {}
        recorded = [comment for key, comment in by_key.items() if key in statuses]
        since = _first_contact(known, ticket, recorded)
        new = [
            (key, comment)
            for key, comment in by_key.items()
            if statuses.get(key) in _STILL_OPEN
            or (key not in statuses and is_after(comment, since))
            or (key in statuses and job.reopens)
        ]
        return [
            Event(
                _facts_of_comment(job, key, comment),
                Inquiry(
                    text=comment.text,
                    at=comment.created_at or _time_of(None, job.received_at),
                    message_id=comment.id,
                    ticket=ticket if number == 0 else None,
                    reading=reading,
                    number=number,
                    is_in_turn=True,
                ),
            )
            for number, (key, comment) in enumerate(new)
        ]

    def _by_text(self, job: TicketNotification, ticket: Ticket | None) -> Sequence[Event]:
        """One event for a notification whose comment cannot be read.

        The event's key is a hash of the notification's text and time.
        """
        text, at = job.text or "", _time_of(job.created_at, job.received_at)
        key = ticket_keys.ticket_text(job.conversation_id, text, at.timestamp())
        other = ticket_keys.ticket_text_neighbour(job.conversation_id, text, at.timestamp())
        if other in self.ledger.statuses([other]):
            raise NotAnEvent(EventStatus.SKIPPED, why.DUPLICATE)
        facts = replace(facts_of(job), event_key=key)
        return [Event(facts, Inquiry(text=text, at=at, ticket=ticket, is_in_turn=True))]


def _first_contact(
    known: ConversationState | None, ticket: Ticket, recorded: Sequence[Comment]
) -> str:
    """The ISO time after which a ticket's comments are new.

    It is the stored one, or else that of the ticket's newest operator comment when we first meet
    the ticket.
    """
    if known is not None and known.first_contact_floor is not None:
        return known.first_contact_floor
    return _floor_before(recorded, ticket)


def _floor_before(recorded: Sequence[Comment], ticket: Ticket, at: datetime | None = None) -> str:
    """The time of a ticket's newest operator comment before `at` and before every comment that has an event.

    Comments up to this time count as old.  It is asked for where the ticket's first event failed
    before it could store such a time.  An operator comment after that event may be our own reply,
    which does not answer the comments before it.  `EVERYTHING` (1970) without such a comment.
    """
    times = [comment.created_at for comment in recorded if comment.created_at]
    return floor_of(ticket, before=min(times if at is None else [*times, at], default=None))


def _facts_of_comment(job: TicketNotification, key: str, comment: Comment) -> EventFacts:
    return replace(facts_of(job), event_key=key, source_message_id=comment.id)


def _time_of(created_at: str | None, received_at: str) -> datetime:
    moment = parsed(created_at) or parsed(received_at)
    if moment is None:
        raise ValueError("a job always has a time of receipt")
    return moment
