"""The comments of a ticket that may be a reply of unknown outcome."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.keys import OpaqueIds, Suffix
from chalicelib.support.effects import body_hash, reference
from chalicelib.support.keys import reply_action
from chalicelib.support.read_back import ReplyReadBack, may_be_ours
from chalicelib.support.tickets import Comment
from tests.rigs.one_ticket import OneTicket

OPAQUE = OpaqueIds(b"a key of the stage")
STARTED, HORIZON = 1_790_000_000, 1_790_001_150
TEXT = "Your order has left us. Ref. 3F9A-17BC"


def comment(at, *, text=TEXT, author="bot-1", is_operator=True):
    moment = None if at is None else datetime.fromtimestamp(at, UTC)
    return Comment("c-9", is_operator, text, moment, author)


def found(reply):
    probe = {"author": "bot-1", "reference": "3F9A-17BC", "body": body_hash(OPAQUE, TEXT)}
    key = "act:rp_reply:1042:c-1"
    action = UnsettledAction(key, "reply", "1042", "evt:rp:1042:c-1", STARTED, HORIZON, probe)
    return ReplyReadBack(OneTicket(reply), lambda: OPAQUE)(action) == (Found("c-9"),)


@pytest.mark.parametrize("apart", [-7_000, -130, 0, 130, 7_000, None])
def test_a_reply_is_found_however_far_the_vendors_clock_is_from_ours(apart):
    at = None if apart is None else STARTED + apart
    assert found(comment(at))
    assert found(comment(at, text="Ref. 3F9A-17BC"))
    assert not found(comment(at, text="Ref. 77AA-0000"))


def test_a_reply_is_recognised_by_its_reference_or_text_and_the_bot_author():
    assert found(comment(STARTED, text="<p>Something. ref 3f9a-17bc</p> A signature"))
    assert found(comment(STARTED, author=None))
    assert not found(comment(STARTED, text="Something else"))
    assert not found(comment(STARTED, author="agent-7"))
    assert not found(comment(STARTED, is_operator=False))


def test_a_resent_reply_has_a_reference_of_its_own_and_is_known_as_ours():
    first = reply_action("1042", Suffix("c-1"))
    resent = reply_action("1042", Suffix("c-1", "n1"))
    again = reply_action("1042", Suffix("c-1", "n2"))
    references = [reference(OPAQUE, key) for key in (first, resent, again)]
    assert len(set(references)) == 3
    asked = Comment("c-1", is_operator=False, text="Where is it?", created_at=None)
    ticket = replace(OneTicket(asked).read_ticket("1042"), id="1042")
    for own in references:
        assert may_be_ours(f"Dear Ada. Ref. {own}", ticket, OPAQUE)
