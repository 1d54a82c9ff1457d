"""A start that the queue gives up before its conversation was opened."""

import pytest

from chalicelib.once.escalation import EARLIER
from chalicelib.once.flow import Event
from chalicelib.once.job import facts_of
from chalicelib.outreach import keys
from chalicelib.outreach.events.context import EventContext
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.project.admission import Admitted, Limited
from chalicelib.outreach.project.fields import RateLimits
from tests.rigs.conversation_samples import new
from tests.rigs.ledger import facts

ONE_AT_A_TIME = RateLimits(requests_per_minute=9, requests_per_day=9, concurrent_conversations=1)


@pytest.mark.parametrize(
    ("key", "next_start"), [("evt:start:s1", Admitted), ("evt:reply:r1", Limited)]
)
def test_a_start_that_opened_nothing_no_longer_counts_as_open(outreach_parts, key, next_start):
    starts, flow = outreach_parts.starts, outreach_parts.flow()
    starts.admit(facts(key), "ci-aaa-001", ONE_AT_A_TIME)
    assert flow.escalation(Event(facts(key), None), "dead_letter:bug") is None
    after = starts.admit(facts("evt:start:s2"), "ci-aaa-001", ONE_AT_A_TIME)
    assert type(after) is next_start


def test_a_failed_resend_marks_no_conversation_and_hands_off_nothing(outreach_parts):
    """The operator who asked for it sees the outcome; the conversation is unchanged."""
    record = outreach_parts.open(new())
    failed = Event(facts("evt:start:s1:resend:n1", conversation_id=record.opaque_id), None)
    outreach_parts.conversations_table.calls.clear()
    for reason in ("dead_letter:bug", "refused:http_400"):
        assert outreach_parts.flow().escalation(failed, reason) is None
    assert outreach_parts.conversations_table.calls == []


@pytest.mark.parametrize("opt_out", ["stop", "help"])
def test_a_hand_off_that_a_dead_letter_began_is_finished_though_a_confirmation_needs_none(
    outreach_parts, opt_out
):
    """The sweep sends such an event once more, so that the audit shows who was asked."""
    record = outreach_parts.open(new(channel="sms"))
    says = InboundMessage(
        event_key="evt:reply:sms:SM1",
        conversation_id=record.opaque_id,
        received_at="2026-11-20T12:00:00.000Z",
        source="twilio",
        trace_id="1f",
        channel="sms",
        account=None,
        sender=record.sender,
        recipient=record.primary_channel,
        message_id="SM1",
        text="STOP",
        sent_at="2026-11-20T12:00:00.000Z",
        opt_out=opt_out,
        carrier_answers=False,
    )
    event = Event(
        facts_of(says), EventContext(says, keys.parsed(says.event_key), 0.0, record=record)
    )
    flow = outreach_parts.flow()
    assert flow.escalation(event, "refused:http_400") is None
    assert flow.escalation(event, EARLIER) == flow.escalation(event, "dead_letter:x")
