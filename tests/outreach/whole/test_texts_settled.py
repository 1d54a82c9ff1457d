"""The messages on the carrier's list that may be a text of unknown outcome."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from chalicelib.errors import TransientError
from chalicelib.once.action import UnsettledAction
from chalicelib.outreach.conversations.records import Draft
from chalicelib.vendors.clock_skew import OUR_CLOCKS
from local import company
from tests.rigs import vendor_server
from tests.rigs.outreach_parts import OutreachParts

STARTED, HORIZON = 1_790_000_000, 1_790_001_150
TOLERANCE = OUR_CLOCKS.total_seconds() + 1
"""Our hosts' clocks differ, and both Twilio's times and its header have whole seconds."""
TEXT = "Thank you for your message."
TEMPLATE = Draft(variables={"1": "Jo"})
TWIN, HELLO = ("o2", "twin", Draft(text=TEXT)), ("o2", "other", Draft(text="hello"))
OTHER_TEMPLATE = ("o3", "t", TEMPLATE)
CALLBACK_RANK = 1


def item(opaque_id):
    """The item of a conversation; all of them are with the same recipient."""
    return {
        "channel_method": "sms",
        "channel_config": company.project("dev")["channel_config"]["sms"],
        "primary_channel": "+15550140000",
        "recipient_tel": "+15550140000",
        "conversation_id": f"conversation-{opaque_id}",
        "opaque_id": opaque_id,
        "company_id": company.COMPANY_ID,
        "project_id": company.PROJECT_ID,
        "request_id": opaque_id,
    }


class Texts:
    """Asks which messages on Twilio's list may be the text `e1` of the conversation `o1`."""

    def __init__(self, server):
        self._server = server

    def found(self, *given, **about):
        """Their ids, in the order in which they are asked for."""
        return tuple(candidate.ref for candidate in self.shown(*given, **about))

    def shown(
        self, written, *, at=STARTED, body=TEXT, others=(), own=None, listed=("SM1",), apart=0
    ):
        """The same with the other sends that may have produced them.

        Args:
            written: the draft.
            at: when Twilio took the messages.
            body: their text.
            others: drafts to the same recipient, and the id under which a callback named each.
            own: the id under which a callback named the text itself.
            listed: the ids on Twilio's list, oldest first.
            apart: seconds by which Twilio's clock is ahead of ours; None where it is not shown.
        """
        parts = OutreachParts(self._server.url)
        record = parts.open(item("o1"), ("e1", written))
        if own:
            parts.conversations.note_delivery(record, "e1", "sent", CALLBACK_RANK, ref=own)
        for opaque_id, entry_id, draft, *ref in others:
            parts.conversations.open(item(opaque_id))
            other = parts.conversations.find(opaque_id)
            parts.conversations.keep_draft(other, entry_id, draft)
            if ref:
                parts.conversations.note_delivery(
                    other, entry_id, "sent", CALLBACK_RANK, ref=ref[0]
                )
        made = None if at is None else format_datetime(datetime.fromtimestamp(at, UTC))
        about = {"body": body, "direction": "outbound-api", "date_created": made}
        newest_first = [{"sid": sid, **about} for sid in reversed(listed)]
        now = parts.clock.now()
        date = "" if apart is None else format_datetime(now + timedelta(seconds=apart), usegmt=True)
        self._server.will(vendor_server.answer(200, {"messages": newest_first}, Date=date))
        probe = {"entry_id": "e1"}
        return parts.texts.settle(
            UnsettledAction("act:send:o1:e1", "send_text", "o1", "evt", STARTED, HORIZON, probe)
        )


@pytest.fixture
def texts(twilio_server):
    return Texts(twilio_server)


@pytest.mark.parametrize("written", [Draft(text=TEXT), TEMPLATE], ids=["text", "template"])
def test_a_message_within_the_possible_landing_time_is_a_candidate(texts, written):
    assert texts.found(written)
    assert texts.found(written, at=None)
    for apart in (-7_000, 0, 7_000):
        assert texts.found(written, at=STARTED - TOLERANCE + 1 + apart, apart=apart)
        assert not texts.found(written, at=STARTED - TOLERANCE + apart, apart=apart)
        assert texts.found(written, at=HORIZON + TOLERANCE + apart, apart=apart)
        assert not texts.found(written, at=HORIZON + TOLERANCE + 1 + apart, apart=apart)


def test_nothing_is_concluded_from_times_when_twilios_clock_is_not_known(texts):
    with pytest.raises(TransientError, match="answer_without_date"):
        texts.found(Draft(text=TEXT), apart=None)


def test_the_message_its_own_callback_named_counts_whatever_its_time_is(texts):
    assert texts.found(Draft(text=TEXT), at=STARTED - 9_000, own="SM1") == ("SM1",)


@pytest.mark.parametrize("written", [Draft(text=TEXT), TEMPLATE], ids=["text", "template"])
def test_a_message_a_callback_assigned_to_another_is_no_candidate(texts, written):
    assert not texts.found(written, others=[(*OTHER_TEMPLATE, "SM1")])
    assert texts.found(written, others=[(*OTHER_TEMPLATE, "SM2")])


def test_another_free_text_is_no_candidate_for_a_template(texts):
    assert not texts.found(TEMPLATE, others=[TWIN])
    assert not texts.found(Draft(text="Something else"))


def test_the_message_its_own_callback_named_comes_first(texts):
    assert texts.found(Draft(text=TEXT), own="SM2", listed=("SM1", "SM2")) == ("SM2", "SM1")
    assert texts.found(Draft(text=TEXT), listed=("SM1", "SM2")) == ("SM1", "SM2")


def test_unreported_messages_that_may_match_are_other_candidates(texts):
    """Only the carrier knows a template's text: it may match anything."""
    (candidate,) = texts.shown(Draft(text=TEXT), others=[TWIN, HELLO, OTHER_TEMPLATE])
    assert set(candidate.other_candidates) == {"act:send:o2:twin", "act:send:o3:t"}
    (candidate,) = texts.shown(TEMPLATE, others=[HELLO, OTHER_TEMPLATE])
    assert candidate.other_candidates == ("act:send:o3:t",)


def test_the_message_its_own_callback_named_has_no_other_candidates(texts):
    first, second = texts.shown(Draft(text=TEXT), own="SM2", listed=("SM1", "SM2"), others=[TWIN])
    assert (first.ref, first.other_candidates) == ("SM2", ())
    assert (second.ref, second.other_candidates) == ("SM1", ("act:send:o2:twin",))
