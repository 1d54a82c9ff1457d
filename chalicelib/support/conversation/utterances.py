"""A ticket's comments as the messages of a conversation, up to the one that is decided; pure.

Notes between colleagues count: their writer is in the conversation.  An operator's comment without an
author was written by an automation: it puts no person into the conversation, and answers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from chalicelib.clock import iso
from chalicelib.support.conversation.clauses import asked_in
from chalicelib.support.conversation.conversation_words import asks_for_number
from chalicelib.support.conversation.dialogue import Speaker, Utterance
from chalicelib.support.intents.phrases import Phrases
from chalicelib.support.tickets import Comment, Ticket

BY_A_PERSON_AFTER = timedelta(seconds=60)
"""An operator's comment that comes later than this after a message is no automatic answer to it."""


def earlier_utterances(
    ticket: Ticket,
    message_id: str | None,
    is_ours: Callable[[Comment], bool],
    phrases: Phrases | None = None,
) -> Iterator[Utterance]:
    """The messages of a ticket before a given one, each reduced to what it asks for or does.

    Args:
        ticket: the ticket, as it was read.
        message_id: id of the given message; if the ticket does not show it, all messages are
            earlier.
        is_ours: whether an operator's comment is one of our automatic replies.
        phrases: the shop's own phrases of intents.
    """
    asked: datetime | None = None
    for number, comment in enumerate(ticket.comments):
        if comment.id == message_id:
            return
        at = iso(comment.created_at) if comment.created_at else ""
        if not comment.is_operator:
            asked = comment.created_at
            subject = ticket.subject if number == 0 else ""
            yield Utterance(Speaker.CUSTOMER, at, asked_in(comment.text, subject, phrases))
        elif is_ours(comment):
            yield Utterance(Speaker.MACHINE, at, asks_number=asks_for_number(comment.text))
        elif comment.author_id:
            yield Utterance(Speaker.AGENT, at, may_be_automatic=_is_soon(comment, asked))


def _is_soon(comment: Comment, asked: datetime | None) -> bool:
    """Whether an operator's comment came so soon after the customer's that it may be an automatic answer.

    False for an internal note, and where a time is unknown.
    """
    if not comment.is_public or asked is None or comment.created_at is None:
        return False
    return comment.created_at - asked <= BY_A_PERSON_AFTER


def is_first_message(ticket: Ticket, message_id: str | None) -> bool:
    """Whether a message is the first of its ticket, so that the ticket's subject belongs to it."""
    return not ticket.comments or ticket.comments[0].id == message_id
