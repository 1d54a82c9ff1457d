"""Each guard rail by itself: the replies it refuses, with reason and tags, and those it allows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.once.allowances import Limit
from chalicelib.once.ports import Switches
from chalicelib.support.configuration.applied import BUILT_IN, Rules
from chalicelib.support.configuration.document import parse_document
from chalicelib.support.decision import Decision, Pending, Tier
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.replies import guard_rails as rails
from chalicelib.support.state import ConversationState
from chalicelib.support.tickets import Comment, Ticket

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ROUTE = "route-email-support-team"
STATUS = Decision("order_status_tracking", 0.9, ROUTE, Tier.VERIFIED, may_answer=True)
REFUND = replace(STATUS, intent="refund_request", tier=Tier.SAFE_ASSIST)
ASKED = replace(STATUS, pending=Pending(intent=STATUS.intent, attempts=1))
POLICY = rails.Policy(
    is_outbound_enabled=True, author_id="bot-1", emails=frozenset({"ada@example.com"})
)
SUPPRESSED = ("mw-order-status-suppressed",)


def comment(comment_id, minute, *, operator=False):
    return Comment(comment_id, operator, "words", NOON + timedelta(minutes=minute))


def ticket(**changes):
    made = Ticket(
        "1042", "OPEN", frozenset(), (comment("c-1", 0),), customer_email="ada@example.com"
    )
    return replace(made, **changes)


def inquiry(text="Where is it?", on=None, **more):
    return Inquiry(text, NOON, message_id="c-1", ticket=on, **more)


def found(refusal):
    return None if refusal is None else (refusal.reason, refusal.tags)


def test_an_allowed_reply_passes_every_guard_rail():
    on = ticket()
    assert rails.shadow_reason(Switches(), POLICY, BUILT_IN, STATUS) is None
    assert rails.refusal_by_switches(Switches(), None, STATUS) is None
    assert rails.refusal_by_message(inquiry(on=on), STATUS) is None
    assert rails.refusal_by_message(inquiry(), STATUS) is None, "a ticket that could not be read"
    assert (
        rails.refusal_by_ticket(inquiry(on=on, state=ConversationState("1042", 1)), on, STATUS)
        is None
    )
    assert rails.refusal_by_policy(on, POLICY, STATUS) is None


@pytest.mark.parametrize(
    ("switches", "reason", "tags"),
    [
        (Switches(kill_switch=True, safe_mode=True), "kill_switch", ()),
        (Switches(safe_mode=True, automation_enabled=False), "safe_mode", SUPPRESSED),
        (Switches(automation_enabled=False), "automation_disabled", SUPPRESSED),
    ],
)
def test_a_switch_forbids_by_its_name(switches, reason, tags):
    assert found(rails.refusal_by_switches(switches, None, STATUS)) == (reason, tags)


@pytest.mark.parametrize(
    ("switches", "policy", "answers", "reason"),
    [
        (Switches(), {"is_outbound_enabled": False}, {}, "outbound_disabled"),
        (Switches(shadow_mode=True), {}, {}, "shadow"),
        (Switches(), {}, {"departments": []}, "not_switched_on"),
        (Switches(), {}, {"departments": [], "intents": ["refund_request"]}, "not_switched_on"),
        (Switches(), {}, {"departments": ["route-email-support-team"]}, None),
        (Switches(), {}, {"intents": ["order_status_tracking"]}, None),
    ],
)
def test_what_is_in_shadow_is_judged_and_named(switches, policy, answers, reason):
    rules = Rules(1, parse_document({"answers": answers}))
    assert rails.shadow_reason(switches, replace(POLICY, **policy), rules, STATUS) == reason


def test_in_shadow_automation_that_is_off_refuses_nothing_and_safe_mode_does():
    """A new stage is in shadow with automation off."""
    assert rails.refusal_by_switches(Switches(automation_enabled=False), "shadow", STATUS) is None
    assert found(rails.refusal_by_switches(Switches(safe_mode=True), "shadow", STATUS)) == (
        "shadow",
        (),
    )
    held = rails.holding_reasons(
        Switches(automation_enabled=False), ticket(), replace(POLICY, author_id=None), "shadow"
    )
    assert held == ("missing_bot_author", "automation_disabled", "shadow")


@pytest.mark.parametrize(
    ("text", "subject", "decision", "reason"),
    [
        (None, "", STATUS, "no_text"),
        (" \n\t", "", STATUS, "no_text"),
        ("Where is it?", "Automatic reply: away", STATUS, "auto_responder"),
        ("I am out of office until Monday", "", STATUS, "auto_responder"),
        ("Hm", "", replace(STATUS, may_answer=False), "not_sure"),
        ("Hm", "", replace(STATUS, may_answer=False, reasons=("a", "escalation")), "escalation"),
    ],
)
def test_a_message_forbids_its_answer(text, subject, decision, reason):
    refused = rails.refusal_by_message(inquiry(text, ticket(subject=subject)), decision)
    assert found(refused) == (reason, SUPPRESSED)


@pytest.mark.parametrize(
    ("changes", "reason", "tags"),
    [
        ({"tags": frozenset({"mw-escalated-human"})}, "escalated", SUPPRESSED),
        ({"tags": frozenset({"middleware_error_needs_attention"})}, "escalated", SUPPRESSED),
        ({"status": "CLOSED"}, "ticket_closed", ("mw-skip-order-status-closed",)),
        ({"status": " Resolved "}, "ticket_closed", ("mw-skip-order-status-closed",)),
        (
            {"comments": (comment("c-1", 0), comment("c-2", 1, operator=True), comment("c-3", 2))},
            "answered_by_operator",
            SUPPRESSED,
        ),
        ({"comments": (comment("c-1", 0), comment("c-2", 1))}, "newer_message", SUPPRESSED),
        ({"comments": (comment("c-2", 1),)}, "newer_message", SUPPRESSED),
    ],
)
def test_a_ticket_forbids_an_answer(changes, reason, tags):
    on = ticket(**changes)
    assert found(rails.refusal_by_ticket(inquiry(on=on), on, STATUS)) == (reason, tags)


def test_a_ticket_is_answered_once_and_a_graver_reason_is_named_first():
    on = ticket(tags=frozenset({"mw-auto-replied"}))
    again = ("answered_automatically", ("mw-skip-followup-after-auto-reply",))
    assert found(rails.refusal_by_own_answer(on, STATUS)) == again
    complains = replace(STATUS, risk_flags=frozenset({"repeated_complaint"}))
    assert found(rails.refusal_by_own_answer(on, complains)) == again
    assert (
        rails.refusal_by_own_answer(on, replace(STATUS, risk_flags=frozenset({"self_harm"})))
        is None
    )
    assert rails.refusal_by_own_answer(ticket(), STATUS) is None


def test_a_risk_seen_once_forbids_every_later_answer():
    on = ticket(tags=frozenset({"mw-escalated-human"}))
    state = ConversationState("1042", 1, risk_flags=frozenset({"chargeback"}))
    refused = rails.refusal_by_ticket(inquiry(on=on, state=state), on, STATUS)
    assert found(refused) == ("risk_flag", SUPPRESSED)


def test_we_may_follow_up_our_own_question_on_an_unassigned_ticket():
    on = ticket(tags=frozenset({"mw-auto-replied"}))
    assert rails.refusal_by_ticket(inquiry(on=on), on, ASKED) is None
    taken = ticket(tags=frozenset({"mw-auto-replied", "mw-escalated-human"}))
    assert found(rails.refusal_by_ticket(inquiry(on=taken), taken, ASKED)) == (
        "escalated",
        SUPPRESSED,
    )


@pytest.mark.parametrize("channel", [None, "", "email", " E-Mail ", "MAIL"])
def test_e_mails_and_messages_without_a_channel_may_be_answered(channel):
    assert rails.refusal_by_policy(ticket(channel=channel), POLICY, STATUS) is None


@pytest.mark.parametrize(
    ("changes", "policy", "reason", "tags"),
    [
        ({"channel": "facebook"}, {}, "channel_not_supported", SUPPRESSED),
        (
            {"customer_email": "eve@example.com"},
            {"author_id": None},
            "not_on_allow_list",
            ("mw-outbound-blocked-allowlist",),
        ),
        (
            {},
            {"author_id": ""},
            "missing_bot_author",
            ("mw-outbound-blocked-missing-bot-author", "mw-escalated-human"),
        ),
    ],
)
def test_a_deployment_forbids_an_answer(changes, policy, reason, tags):
    refused = rails.refusal_by_policy(ticket(**changes), replace(POLICY, **policy), STATUS)
    assert found(refused) == (reason, tags)


def test_a_suppressed_reply_records_its_kind():
    assert rails.suppressed_refusal("r", STATUS, "more").tags == (
        "more",
        "mw-order-status-suppressed",
    )
    assert rails.suppressed_refusal("r", REFUND).tags == ("mw-auto-reply-suppressed",)
    assert rails.lookup_failed_refusal("r", STATUS, ("order_id",)).tags == (
        "mw-order-lookup-failed",
        "mw-order-lookup-missing:order_id",
        "mw-order-status-suppressed",
    )


def test_the_limits_are_the_documented_ones():
    ten_minutes = Limit("limit_ticket_10m", 1, timedelta(minutes=10))
    a_day = Limit("limit_conversation_24h", 3, timedelta(hours=24))
    assert (ten_minutes, a_day) == rails.CONVERSATION_LIMITS
    assert (a_day,) == rails.ANSWER_LIMITS, "our own question may be answered within ten minutes"
    assert (Limit("limit_customer_24h", 5, timedelta(hours=24)),) == rails.CUSTOMER_LIMITS
    assert rails.MAX_WRITES_PER_EVENT == 3


def test_an_allow_list_is_exact():
    policy = rails.Policy(
        emails=frozenset({"ada@example.com"}), domains=frozenset({"shop.example"})
    )
    assert policy.allows(" ADA@example.com")
    assert policy.allows("any@shop.example")
    for other in ("bob@example.com", "a@evil-shop.example", "a@shop.example.evil", "", None):
        assert not policy.allows(other)
    assert not rails.Policy().allows("ada@example.com")
    assert rails.Policy(requires_allow_list=False).allows("ada@example.com")
