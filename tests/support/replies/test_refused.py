"""What is not answered by machine, why, and what the ticket shows of it."""

from datetime import timedelta

import pytest

from chalicelib.once.plan import Plan
from tests.rigs.replies import EMAIL


@pytest.fixture
def app_environment(desk_environment):
    return desk_environment


# --- refused ----------------------------------------------------------------------------------


def test_a_chargeback_is_routed_and_untouched_by_automation(desk, shopify):
    shopify.add_order("#1001", email=EMAIL)
    desk.run(desk.ticket("Where is my order #1001? I am filing a chargeback, ask my lawyer"))
    assert desk.replies == []
    assert shopify.calls == ()
    assert {"route-leadership-team", "mw-intent-legal_threat"} <= desk.tags()
    assert desk.state().risk_flags == {"chargeback", "legal_threat"}
    desk.run(desk.says("Where is my order #1001?", "c-2"))
    assert desk.replies == []
    assert "risk_flag" in desk.reasons("c-2")


@pytest.mark.parametrize(
    ("order", "reason", "tag"),
    [
        (None, "not_found", "mw-order-lookup-missing:order_id"),
        ({"name": "#1001", "email": "bob@example.com"}, "not_theirs", "mw-order-lookup-failed"),
        ({"name": "#1001", "email": None}, "not_theirs", "mw-order-lookup-failed"),
        ({"name": "#10010", "email": EMAIL}, "not_found", "mw-order-lookup-failed"),
        (
            {"name": "#1001", "email": EMAIL, "shipping": None},
            "lookup_incomplete",
            "mw-order-lookup-missing:tracking_or_shipping_method",
        ),
        (
            {"name": "#1001", "email": EMAIL, "shipping": "Carrier pigeon"},
            "lookup_incomplete",
            "mw-order-lookup-missing:shipping_method_bucket",
        ),
        (
            {"name": "#1001", "email": EMAIL, "cancelledAt": "2026-11-20T09:00:00Z"},
            "order_cancelled",
            "mw-order-status-suppressed",
        ),
    ],
)
def test_an_order_that_cannot_be_told_is_left_to_a_person(desk, shopify, order, reason, tag):
    if order:
        shopify.add_order(**order)
    desk.run(desk.ticket("Where is my order number 1001?"))
    assert desk.replies == []
    assert desk.reasons()[-1] == reason
    assert {tag, "mw-order-status-suppressed", "route-email-support-team"} <= desk.tags()
    assert desk.event()["status"] == "processed"


@pytest.mark.parametrize("code", ["ACCESS_DENIED", "SHOP_INACTIVE", "INTERNAL_SERVER_ERROR"])
def test_a_shop_that_cannot_be_asked_holds_nothing_up(desk, shopify, tracked, code):
    shopify.fail_with(code)
    desk.run(desk.ticket(tracked))
    assert desk.replies == []
    assert desk.reasons()[-1] == f"lookup_failed:{code.lower()}"
    assert {"mw-order-lookup-failed", "mw-processed"} <= desk.tags()


@pytest.mark.parametrize(
    ("more", "reason", "tag"),
    [
        ({"status": "CLOSED"}, "ticket_closed", "mw-skip-order-status-closed"),
        (
            {"tags": ["mw-auto-replied"]},
            "answered_automatically",
            "mw-skip-followup-after-auto-reply",
        ),
        ({"tags": ["mw-escalated-human"]}, "escalated", "mw-order-status-suppressed"),
        ({"channel": "facebook"}, "channel_not_supported", "mw-order-status-suppressed"),
        (
            {"customer_email": "eve@elsewhere.example"},
            "not_on_allow_list",
            "mw-outbound-blocked-allowlist",
        ),
        ({"subject": "Automatic reply: hello"}, "auto_responder", "mw-order-status-suppressed"),
    ],
)
def test_a_ticket_that_must_not_be_answered_says_why(desk, tracked, more, reason, tag):
    desk.run(desk.ticket(tracked, **more))
    assert desk.replies == []
    assert desk.reasons()[-1] == reason
    assert tag in desk.tags()
    assert "mw-processed" in desk.tags()


def test_what_an_operator_has_answered_meanwhile_is_not_answered_again(desk, tracked):
    body = desk.ticket(tracked)
    desk.richpanel.add_comment("1042", "It left on Monday", operator=True)
    desk.run(body)
    assert desk.replies == []
    assert desk.reasons()[-1] == "answered_by_operator"


@pytest.mark.parametrize("extra", [{"RICHPANEL_BOT_AGENT_ID": ""}])
def test_without_an_author_nothing_is_sent(desk, tracked):
    desk.run(desk.ticket(tracked))
    assert desk.replies == []
    assert {"mw-outbound-blocked-missing-bot-author", "mw-escalated-human"} <= desk.tags()


@pytest.mark.parametrize("extra", [{"MW_OUTBOUND_ALLOWLIST_DOMAINS": ""}])
def test_without_an_allow_list_nobody_is_written_to(desk, tracked):
    desk.run(desk.ticket(tracked))
    assert desk.replies == []
    assert "mw-outbound-blocked-allowlist" in desk.tags()


@pytest.mark.parametrize("extra", [{"RICHPANEL_OUTBOUND_ENABLED": "false"}])
def test_a_deployment_without_replies_only_routes(desk, tracked, shopify):
    desk.run(desk.ticket(tracked))
    assert desk.writes() == ["add_tags"]
    assert not {one for one in desk.tags() if "suppressed" in one}
    assert shopify.calls == ()


def test_a_second_question_within_ten_minutes_is_left_to_a_person(desk, shopify):
    desk.run(desk.ticket("Where is my order?"))
    desk.run(desk.says("Where is my order???", "c-2"))
    assert len(desk.replies) == 1
    assert desk.reasons("c-2")[-1] == "limit_ticket_10m"


def test_a_customer_gets_five_replies_a_day(desk):
    for number in range(1, 7):
        desk.run(desk.ticket("Where is my order?", ticket_id=str(number)))
    assert len(desk.replies) == 5
    assert "mw-order-status-suppressed" in desk.tags("6")


def test_what_the_conversation_refuses_is_not_counted_against_the_customer(desk):
    desk.run(desk.ticket("Where is my order?", ticket_id="1"))
    for number in range(2, 6):
        desk.run(desk.says("Where is my order???", f"c-{number}", "1"))
    for number in range(2, 6):
        desk.run(desk.ticket("Where is my order?", ticket_id=str(number)))
    assert len(desk.replies) == 5


def test_what_the_customer_has_used_up_is_not_counted_against_the_conversation(desk, clock_moves):
    for number in range(1, 6):
        desk.run(desk.ticket("Where is my order?", ticket_id=str(number)))
    clock_moves(timedelta(hours=23, minutes=58))
    desk.run(desk.ticket("Where is my order?", ticket_id="6"))
    assert len(desk.replies) == 5
    clock_moves(timedelta(minutes=5))
    desk.run(desk.says("Where is my order???", "c-2", "6"))
    assert len(desk.replies) == 6


# --- modes ------------------------------------------------------------------------------------


def test_shadow_mode_records_the_decision_and_calls_nobody(desk, tracked, shopify, openai):
    body = desk.ticket(tracked)
    desk.switch(shadow_mode=True)
    desk.run(body)
    assert desk.richpanel.calls == ()
    assert shopify.calls == openai.calls == ()
    facts = Plan.decode(desk.event()["plan"]).facts
    assert (facts["intent"], facts["tier"]) == ("order_status_tracking", "TIER_2_VERIFIED")
    assert "shadow" in facts["reasons"]
    desk.switch(shadow_mode=False)
    desk.run(body)
    assert desk.richpanel.calls == (), "turning it off replays nothing"


def test_safe_mode_routes_and_never_replies(desk, tracked, shopify):
    desk.switch(safe_mode=True)
    desk.run(desk.ticket(tracked))
    assert desk.writes() == ["add_tags"]
    assert {"route-email-support-team", "mw-order-status-suppressed"} <= desk.tags()
    assert desk.reasons() == ["safe_mode"]
    assert desk.event()["mode"] == "route_only"
    assert shopify.calls == ()


def test_the_kill_switch_stops_everything(desk, tracked, shopify):
    body = desk.ticket(tracked)
    desk.switch(kill_switch=True)
    desk.run(body)
    assert desk.richpanel.calls == ()
    assert shopify.calls == ()
