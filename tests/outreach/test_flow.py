"""A start that the queue gives up before its conversation was opened."""

import pytest

from chalicelib.once.flow import Event
from chalicelib.outreach.companies import RateLimits
from chalicelib.outreach.door.admission import Admitted, Limited
from tests.rigs.conversation_samples import new
from tests.rigs.ledger import facts

ONE_AT_A_TIME = RateLimits(9, 9, concurrent_conversations=1)


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
