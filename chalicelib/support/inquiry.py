"""A customer's message and its ticket, as far as they have been read for an event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from chalicelib.clock import iso
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.support import reasons as why
from chalicelib.support.configuration.applied import BUILT_IN, Rules
from chalicelib.support.conversation.dialogue import Dialogue
from chalicelib.support.conversation.utterances import BY_A_PERSON_AFTER
from chalicelib.support.state import ConversationState
from chalicelib.support.ticket_reading import TicketReading
from chalicelib.support.tickets import Comment, Ticket

EVERYTHING = "1970-01-01T00:00:00.000Z"
"""The floor of a conversation without an operator comment at first contact: all is new."""


@dataclass(slots=True)
class Inquiry:
    """One customer message with what has been read for it so far: its ticket, state, settings.

    Attributes:
        state_is_read: `state` was read; `state` is None where the conversation has none yet.
        draft: the reply's text, if it was composed during planning.
        comment: the message as its ticket shows it.
        rules: the settings by which the message is decided and answered.
        reading: the read of the ticket that showed the message, shared with other messages that it
            showed.
        number: the message's place among the messages of that read, from 0.
        is_in_turn: it was already checked that no earlier event of the ticket waits.
        dialogue: the conversation up to and including this message.
        earlier_orders: the orders that the conversation is about, where the message names none.
        risks_elsewhere: another ticket of the customer is known to be about a grave matter.
    """

    text: str | None = field(repr=False)
    at: datetime
    message_id: str | None = None
    ticket: Ticket | None = None
    state: ConversationState | None = None
    state_is_read: bool = False
    draft: str | None = field(default=None, repr=False)
    comment: Comment | None = field(default=None, repr=False)
    rules: Rules = field(default=BUILT_IN, repr=False)
    reading: TicketReading | None = field(default=None, repr=False)
    number: int = 0
    is_in_turn: bool = False
    dialogue: Dialogue | None = field(default=None, repr=False)
    risks_elsewhere: bool = False
    earlier_orders: tuple[str, ...] = field(default=(), repr=False)

    def locate(self, ticket: Ticket) -> bool:
        """Take the message's text and time from its comment on the ticket.

        Returns False where the ticket does not show the comment; text and time then stay as they
        are.

        Raises:
            NotAnEvent: the comment is an operator's, which includes our own replies.
        """
        self.ticket = ticket
        comment = next(
            (candidate for candidate in ticket.comments if candidate.id == self.message_id), None
        )
        if comment is None:
            return False
        if comment.is_operator:
            raise NotAnEvent(EventStatus.SKIPPED, why.OPERATOR_COMMENT)
        self.comment = comment
        self.text = comment.text or self.text
        self.at = comment.created_at or self.at
        return True

    @property
    def customer(self) -> str | None:
        """The customer's e-mail address in lower case; None where the ticket does not show it."""
        email = self.ticket.customer_email if self.ticket else None
        return email.strip().lower() or None if email else None

    @property
    def has_newer_reply(self) -> bool:
        """Whether an operator has commented on the ticket after this message."""
        return any(comment.is_operator for comment in self._newer())

    @property
    def has_newer_question(self) -> bool:
        """Whether the customer has commented on the ticket after this message."""
        return any(not comment.is_operator for comment in self._newer())

    def has_persons_answer(self, is_ours: Callable[[Comment], bool]) -> bool:
        """Whether a person answered this message, and the ticket is assigned to this person or closed.

        An answer within a minute does not count, as a machine may have sent it.

        Args:
            is_ours: whether an operator's comment is one of our replies.
        """
        ticket = self.ticket
        if ticket is None:
            return False
        return any(
            comment.is_operator
            and comment.is_public
            and comment.created_at is not None
            and comment.created_at - self.at > BY_A_PERSON_AFTER
            and comment.author_id is not None
            and (comment.author_id in ticket.assigned_to or not ticket.is_open)
            and not is_ours(comment)
            for comment in self._newer()
        )

    def _newer(self) -> tuple[Comment, ...]:
        comments = self.ticket.comments if self.ticket else ()
        for number, comment in enumerate(comments):
            if comment.id == self.message_id:
                return comments[number + 1 :]
        return tuple(
            comment for comment in comments if comment.created_at and comment.created_at > self.at
        )


def floor_of(ticket: Ticket | None, *, before: datetime | None = None) -> str:
    """The ISO time of the newest operator comment on a ticket, before the time `before` if given.

    When we first meet a ticket, only later comments are new.  `EVERYTHING` (1970) without such a
    comment.
    """
    if ticket is None:
        return EVERYTHING
    times = [c.created_at for c in ticket.comments if c.is_operator and c.created_at]
    return max((iso(time) for time in times if before is None or time < before), default=EVERYTHING)


def is_after(comment: Comment, floor: str) -> bool:
    """Whether a comment was written after an ISO time; a comment of unknown time counts as written after."""
    return comment.created_at is None or iso(comment.created_at) > floor
