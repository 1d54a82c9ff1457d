"""Finds a reply of unknown outcome among a ticket's comments, by its reference or its text.

Only the bot's own comments count.  No times are compared: the reference belongs to one reply, and
the text contains it, so neither can belong to another reply.
"""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.keys import OpaqueIds, Suffix, normalised
from chalicelib.support.effects import body_hash, reference
from chalicelib.support.intents.own_words import own_part
from chalicelib.support.keys import reply_action
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.tickets import Comment, Ticket


class ReplyReadBack:
    """Finds out whether a reply of unknown outcome was sent: looks for it among the ticket's comments."""

    def __init__(self, tickets: Richpanel, opaque: Callable[[], OpaqueIds]) -> None:
        self._tickets = tickets
        self._opaque = opaque

    def __call__(self, action: UnsettledAction) -> tuple[Found, ...]:
        """Read the ticket, and return every comment of the bot that can be this reply, in the ticket's order.

        The result is empty if the ticket shows none.
        """
        ticket = self._tickets.read_ticket(action.conversation_id)
        return tuple(
            Found(comment.id) for comment in ticket.comments if self._matches(comment, action)
        )

    def _matches(self, comment: Comment, action: UnsettledAction) -> bool:
        if not comment.is_operator or comment.author_id not in (None, action.probe["author"]):
            return False
        if action.probe["reference"].lower() in normalised(comment.text):
            return True
        return body_hash(self._opaque(), comment.text) == action.probe.get("body")


def may_be_ours(text: str, ticket: Ticket, opaque: OpaqueIds) -> bool:
    """Whether a text contains, outside its quoted part, the reference of an automatic reply on this ticket.

    The quoted part does not count, as a customer's answer may quote our reply.
    """
    own_text = normalised(own_part(text))
    answered = (comment.id for comment in ticket.comments if not comment.is_operator)
    return any(
        reference(opaque, reply_action(ticket.id, Suffix(suffix))).lower() in own_text
        for suffix in answered
    )
