"""The comments of a ticket that may be a reply of unknown outcome."""

from datetime import UTC, datetime

import pytest

from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.keys import OpaqueIds
from chalicelib.support.actions import body_hash
from chalicelib.support.read_back import ReplyReadBack
from chalicelib.support.tickets import Comment
from tests.rigs.one_ticket import OneTicket

OPAQUE = OpaqueIds(b"a key of the stage")
STARTED, HORIZON, SKEW = 1_790_000_000, 1_790_001_150, 120
TEXT = "Your order has left us."


def comment(at, *, text=TEXT, author="bot-1", is_operator=True):
    moment = None if at is None else datetime.fromtimestamp(at, UTC)
    return Comment("c-9", is_operator, text, moment, author)


def found(one):
    probe = {"author": "bot-1", "reference": "3F9A-17BC", "body": body_hash(OPAQUE, TEXT)}
    key = "act:rp_reply:1042:c-1"
    action = UnsettledAction(key, "reply", "1042", "evt:rp:1042:c-1", STARTED, HORIZON, probe)
    return ReplyReadBack(OneTicket(one), lambda: OPAQUE)(action) == (Found("c-9"),)


@pytest.mark.parametrize(
    ("at", "is_it"),
    [
        (STARTED - SKEW - 1, False),
        (STARTED - SKEW, True),
        (HORIZON + SKEW, True),
        (HORIZON + SKEW + 1, False),
        (None, True),
    ],
)
def test_a_candidate_comment_lies_within_the_replys_possible_landing_time(at, is_it):
    """An equal comment of the day before or after is another reply."""
    assert found(comment(at)) is is_it


def test_a_reply_is_recognised_by_its_reference_or_text_and_the_bot_author():
    assert found(comment(STARTED, text="<p>Something. ref 3f9a-17bc</p> A signature"))
    assert found(comment(STARTED, author=None))
    assert not found(comment(STARTED, text="Something else"))
    assert not found(comment(STARTED, author="agent-7"))
    assert not found(comment(STARTED, is_operator=False))
