"""Which events a job of Richpanel's stands for: customer comments that are new.

A notification that names its comment is that comment's event.  Any other is resolved here: the
ticket is read, and every customer comment inside the age gate that has not come to an end is an
event of its own; at first contact only those after the newest operator comment.  The key of last
resort, a hash of text and time, stands only where the ticket cannot be read.
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
from chalicelib.once.ports import Clock
from chalicelib.support import keys as ticket_keys
from chalicelib.support.inquiry import EVERYTHING, Inquiry, floor_of, is_after
from chalicelib.support.jobs import TicketMessage, TicketNotification
from chalicelib.support.state import States
from chalicelib.support.tickets import Comment, Ticket, Tickets

_STILL_OPEN = frozenset({EventStatus.RECEIVED, EventStatus.PROCESSING})


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Tells new comments from those that were answered, or came too long ago."""

    tickets: Tickets
    state: States
    ledger: Ledger
    clock: Clock
    max_age: timedelta

    def events(self, job: TicketMessage | TicketNotification) -> Sequence[Event]:
        """See `flows.Flow.events`."""
        if isinstance(job, TicketMessage):
            inquiry = Inquiry(
                text=job.text,
                at=_time_of(job.created_at, job.received_at),
                message_id=job.message_id,
            )
            return [Event(facts_of(job), inquiry)]
        try:
            ticket = self.tickets.read_ticket(job.conversation_id)
        except PermanentError as error:
            if job.text is None:
                raise NotAnEvent(EventStatus.FAILED, f"ticket_unreadable:{error.reason}") from None
            return self._by_text(job, None)
        if not ticket.comments and job.text is not None:
            return self._by_text(job, ticket)
        return self._new_comments(job, ticket)

    def floor(self, conversation_id: str, inquiry: Inquiry) -> str:
        """Where this is the first contact, nothing before this time is new."""
        ticket, known = inquiry.ticket, inquiry.state
        floor = floor_of(ticket, before=inquiry.at)
        if ticket is None or floor == EVERYTHING or (known and known.first_contact_floor):
            return floor  # nobody answered, or it is remembered already
        by_key = self._by_key(conversation_id, ticket)
        begun = self.ledger.statuses(list(by_key))
        return _floor_before([by_key[key] for key in begun], ticket, inquiry.at)

    def _by_key(self, conversation_id: str, ticket: Ticket) -> dict[str, Comment]:
        """The customer's comments inside the age gate."""
        oldest = iso(self.clock.now() - self.max_age)
        return {
            ticket_keys.ticket_message(conversation_id, comment.id): comment
            for comment in ticket.comments
            if not comment.is_operator and is_after(comment, oldest)
        }

    def _new_comments(self, job: TicketNotification, ticket: Ticket) -> Sequence[Event]:
        by_key = self._by_key(job.conversation_id, ticket)
        ended = self.ledger.statuses(list(by_key)) if by_key else {}
        begun = [comment for key, comment in by_key.items() if key in ended]
        since = self._first_contact(job, ticket, begun)
        new = [
            (key, comment)
            for key, comment in by_key.items()
            if ended.get(key) in _STILL_OPEN
            or (key not in ended and is_after(comment, since))
            or (key in ended and job.reopens)
        ]
        return [
            Event(
                _facts_of_comment(job, key, comment),
                Inquiry(
                    text=comment.text,
                    at=comment.created_at or _time_of(None, job.received_at),
                    message_id=comment.id,
                    # The first one's effects change the ticket: the others read it again.
                    ticket=ticket if number == 0 else None,
                ),
            )
            for number, (key, comment) in enumerate(new)
        ]

    def _first_contact(
        self, job: TicketNotification, ticket: Ticket, begun: Sequence[Comment]
    ) -> str:
        """After which time a comment is new: the newest operator comment at first contact."""
        known = self.state.read(job.conversation_id)
        if known is not None and known.first_contact_floor is not None:
            return known.first_contact_floor
        return _floor_before(begun, ticket)

    def _by_text(self, job: TicketNotification, ticket: Ticket | None) -> Sequence[Event]:
        """The key of last resort; a copy may have fallen into the neighbouring bucket."""
        text, at = job.text or "", _time_of(job.created_at, job.received_at)
        key = ticket_keys.ticket_text(job.conversation_id, text, at.timestamp())
        other = ticket_keys.ticket_text_neighbour(job.conversation_id, text, at.timestamp())
        if other in self.ledger.statuses([other]):
            raise NotAnEvent(EventStatus.SKIPPED, "duplicate_in_neighbour_bucket")
        facts = replace(facts_of(job), event_key=key)
        return [Event(facts, Inquiry(text=text, at=at, ticket=ticket))]


def _floor_before(begun: Sequence[Comment], ticket: Ticket, at: datetime | None = None) -> str:
    """The newest operator comment before a time and before every comment that was begun.

    One after these may be our own answer, which says nothing of what came before; and of a comment
    that was begun and has no good end nothing is remembered.
    """
    times = [comment.created_at for comment in begun if comment.created_at]
    return floor_of(ticket, before=min(times if at is None else [*times, at], default=None))


def _facts_of_comment(job: TicketNotification, key: str, comment: Comment) -> EventFacts:
    return replace(facts_of(job), event_key=key, source_message_id=comment.id)


def _time_of(created_at: str | None, received_at: str) -> datetime:
    moment = parsed(created_at) or parsed(received_at)
    if moment is None:
        raise ValueError("a job always has a time of receipt")
    return moment
