"""What was written in a ticket, for the one function whose only right is to read it.

The request ``{"ticket_id": "1042"}`` is answered with the comments, oldest first, or the reason why
not::

    {"said": [{"comment": "c-77", "by": "the customer", "text": "Where is my order?"}]}
    {"refused": "http_503"}

Texts are only in the answer: in no row, no log line and no cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.tickets import Comment

CUSTOMER = "the customer"


def read(event: Mapping[str, Any], richpanel: Richpanel, *, bot: str) -> dict[str, Any]:
    """Answer one request for the texts of a ticket: its comments under ``said``, or ``refused``, the reason.

    Args:
        event: the request, with ``ticket_id``.
        richpanel: the client, called once.
        bot: id of the agent under which automatic replies are sent.
    """
    ticket_id = event.get("ticket_id")
    if not isinstance(ticket_id, str) or not ticket_id:
        return {"refused": "invalid_ticket_id"}
    try:
        comments = richpanel.read_ticket(ticket_id).comments
    except MiddlewareError as error:
        return {"refused": reason_of(error)}
    return {
        "said": [
            {"comment": comment.id, "by": _by(comment, bot), "text": comment.text}
            for comment in comments
        ]
    }


def _by(comment: Comment, bot: str) -> str:
    if not comment.is_operator:
        return CUSTOMER
    if comment.author_id == bot:
        return "the machine"
    return "a colleague" if comment.is_public else "a colleague, in a note"
