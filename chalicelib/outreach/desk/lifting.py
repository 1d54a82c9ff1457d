"""Checks whether a person at the desk may lift a recipient's opt-out; pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from chalicelib.clock import parsed
from chalicelib.outreach.conversations.records import (
    HELP,
    OPT_OUT,
    OPT_OUT_IN_DOUBT,
    UNSAID,
    Entry,
)
from chalicelib.outreach.conversations.register_entries import MarkReason, RegisterEntry
from chalicelib.outreach.desk.case import ActRefusedError

ON_ITS_WAY = timedelta(minutes=15)
"""A message that the door has heard is in its conversation by then, or the sweep has found it."""
_BY_WORDS = frozenset({MarkReason.STOP, MarkReason.ASKED, MarkReason.DOUBT})
_NO_REQUEST = frozenset({*UNSAID, OPT_OUT, OPT_OUT_IN_DOUBT, HELP})


def check_liftable(recent: Sequence[Entry], wish: RegisterEntry) -> None:
    """Refuse to lift an opt-out that a person at the desk may not lift.

    An undecided one may be lifted by a person who has read the message that raised it.  A certain
    one only where the recipient has asked for contact since, in a proven message of this
    conversation.

    Args:
        recent: the newest messages of the conversation, as the person saw it.
        wish: an opt-out in force, of `Doubts.text_opt_outs`.

    Raises:
        RefusedError: ``NOT_READ``, ``NOT_AT_THE_DESK`` or ``NOT_ASKED_SINCE``.
    """
    said_at = str(wish.item.get("said_at") or wish.item["since"])
    theirs = [entry for entry in recent if entry.role == "user"]
    if wish.is_open:
        newest = max((their.message_timestamp for their in theirs), default="")
        said, now = parsed(said_at), parsed(wish.read_at)
        is_on_its_way = said is not None and now is not None and now - said < ON_ITS_WAY
        if said_at > newest and is_on_its_way:
            raise ActRefusedError("NOT_READ", "a newer message is on its way: read it first")
        return
    if wish.reason not in _BY_WORDS:
        raise not_at_the_desk_error()
    asked = (their for their in theirs if their.note not in _NO_REQUEST)
    if not any(entry.message_timestamp > said_at for entry in asked):
        raise ActRefusedError(
            "NOT_ASKED_SINCE", "the recipient has not asked for contact since, in this conversation"
        )


def not_at_the_desk_error() -> ActRefusedError:
    """The error by which the desk refuses to lift a mark that did not come from a text of the recipient.

    No person at the desk can judge such a mark. The error is returned, not raised.
    """
    return ActRefusedError(
        "NOT_AT_THE_DESK", "only the recipient's START or an operator lifts what is entered"
    )
