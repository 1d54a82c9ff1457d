"""How a ticket is decided: department, tier and permitted answers, at their thresholds."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.support.decision import Pending, Tier, decide_on, pending_of
from chalicelib.support.intents.classify import PRIORITY, TIER_0, Classification, classify

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("confidence", "route", "tags"),
    [
        (0.60, "route-technical-support-team", ()),
        (0.59, "route-email-support-team", ("mw-uncertain",)),
        (0.50, "route-email-support-team", ("mw-uncertain",)),
        (0.49, "route-email-support-team", ("mw-needs-manual-triage",)),
    ],
)
def test_the_department_follows_the_confidence(confidence, route, tags):
    decision = decide_on(Classification("technical_support", confidence))
    assert (decision.route, decision.tags) == (route, tags)


def test_a_doubtful_message_does_not_move_its_ticket():
    decision = decide_on(Classification("technical_support", 0.5), current_route="route-sales-team")
    assert decision.route == "route-sales-team"


@pytest.mark.parametrize(
    ("found", "may"),
    [
        (Classification("order_status_tracking", 0.70), True),
        (Classification("order_status_tracking", 0.69), False),
        (Classification("order_status_tracking", 0.9, secondary=("refund_request",)), False),
        (
            Classification("order_status_tracking", 0.9, secondary=("shipping_delay_not_shipped",)),
            True,
        ),
        (Classification("refund_request", 0.60, margin=0.10), True),
        (Classification("refund_request", 0.60, margin=0.09), False),
    ],
)
def test_a_tier_is_reached_at_its_thresholds(found, may):
    assert decide_on(found).may_answer is may


@given(
    st.sampled_from(sorted(TIER_0)),
    st.sampled_from(sorted(PRIORITY)),
    st.floats(0, 1),
    st.booleans(),
)
def test_tier_0_is_never_automated(escalation, other, confidence, escalation_leads):
    intents = (escalation, other) if escalation_leads else (other, escalation)
    found = Classification(intents[0], confidence, secondary=intents[1:])
    decision = decide_on(found, pending=Pending("order_status_tracking", 1), has_number=True)
    if decision.pending is None:
        assert not decision.may_answer
    assert decide_on(found).risk_flags


def test_an_escalation_during_our_open_question_is_no_answer_to_it():
    found = classify("1001, and my lawyer will hear of it")
    decision = decide_on(found, pending=Pending("order_status_tracking", 1), has_number=True)
    assert (decision.tier, decision.may_answer) == (Tier.ESCALATION, False)


def test_a_stored_question_expires_and_an_unknown_one_is_none():
    asked = {"type": "need_order_number", "requested_at": "2026-11-19T12:00:00.000Z", "attempts": 2}
    assert pending_of(asked, NOW) == Pending("order_status_tracking", 2)
    assert pending_of(asked, NOW + timedelta(days=7)) is None
    assert pending_of({"type": "other"}, NOW) is None
    assert pending_of(None, NOW) is None
