"""Which messages of the carrier's list may be a text of which nobody knows whether it was sent."""

from datetime import UTC, datetime
from email.utils import format_datetime
from types import SimpleNamespace

import pytest

from chalicelib.once.action import UnsettledAction
from chalicelib.outreach.conversations.records import Draft, Record, Told
from chalicelib.outreach.sending import CLOCK_SKEW, Sender
from chalicelib.outreach.twilio.client import Sent
from local import company

STARTED, HORIZON = 1_790_000_000, 1_790_001_150
SKEW = CLOCK_SKEW.total_seconds()
TEXT = "Thank you for your message."
TEMPLATE = Draft(variables={"1": "Jo"})
RECORD = Record(
    {
        "channel_method": "sms",
        "channel_config": company.project("dev")["channel_config"]["sms"],
        "primary_channel": "+15550140000",
        "conversation_id": "one",
        "opaque_id": "o1",
    }
)


def found(*given, **about):
    """The messages on the list that may be it, in the order in which they are asked for."""
    return tuple(one.ref for one in shown(*given, **about))


def shown(
    written, *, at=STARTED, body=TEXT, texts=(), refs=(), untold=None, own=None, listed=("SM1",)
):
    """The same with the other sends that may have said them."""
    told = Told(frozenset(texts), frozenset(refs), untold or {})
    conversations = SimpleNamespace(
        find=lambda opaque_id: RECORD,
        draft=lambda record, entry_id: written,
        told_elsewhere=lambda record, entry_id: told,
        reported_as=lambda record, entry_id: own,
    )
    made = None if at is None else format_datetime(datetime.fromtimestamp(at, UTC))
    sent = [Sent(sid=s, body=body, direction="outbound-api", date_created=made) for s in listed]
    twilio = SimpleNamespace(sent_to=lambda *where, since: sent)
    sender = Sender(conversations, None, twilio, None, None, public_base_url="https://x.example")
    probe = {"entry_id": "e1"}
    action = UnsettledAction("act:send:o1:e1", "send_text", "o1", "evt", STARTED, HORIZON, probe)
    return sender.settle_text(action)


@pytest.mark.parametrize("written", [Draft(text=TEXT), TEMPLATE], ids=["text", "template"])
def test_a_message_of_the_time_in_which_it_may_have_come_may_be_it(written):
    assert found(written)
    assert found(written, at=None)
    assert found(written, at=HORIZON + SKEW)
    assert not found(written, at=HORIZON + SKEW + 1)


@pytest.mark.parametrize("written", [Draft(text=TEXT), TEMPLATE], ids=["text", "template"])
def test_what_a_callback_has_told_as_anothers_is_not_it(written):
    assert not found(written, refs={"SM1"})
    assert found(written, refs={"SM2"})


def test_what_another_says_in_free_text_is_no_template():
    assert not found(TEMPLATE, texts={TEXT.lower()})
    assert not found(Draft(text="Something else"))


def test_what_a_callback_has_told_as_its_own_is_asked_for_first():
    assert found(Draft(text=TEXT), own="SM2", listed=("SM1", "SM2")) == ("SM2", "SM1")
    assert found(Draft(text=TEXT), listed=("SM1", "SM2")) == ("SM1", "SM2")


def test_what_others_may_have_said_that_no_callback_tells_of_are_its_rivals():
    """Of a template only the carrier knows what it says: it may have said anything."""
    untold = {"act:send:o2:twin": TEXT.lower(), "act:send:o2:other": "hello", "act:send:o3:t": ""}
    (one,) = shown(Draft(text=TEXT), untold=untold)
    assert one.rivals == ("act:send:o2:twin", "act:send:o3:t")
    (one,) = shown(TEMPLATE, untold=untold)
    assert one.rivals == ("act:send:o2:twin", "act:send:o3:t")


def test_what_a_callback_has_told_as_its_own_has_no_rivals():
    untold = {"act:send:o2:twin": TEXT.lower()}
    first, second = shown(Draft(text=TEXT), own="SM2", listed=("SM1", "SM2"), untold=untold)
    assert (first.ref, first.rivals) == ("SM2", ())
    assert (second.ref, second.rivals) == ("SM1", ("act:send:o2:twin",))
