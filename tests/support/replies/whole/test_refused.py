"""Messages that get no automatic reply: the reason, and the tags on the ticket."""

from datetime import timedelta

import pytest

from tests.rigs.replies import EMAIL


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


QUESTIONS = (
    "Where is my order?",
    "Where is my package?",
    "When will my order arrive?",
    "Where is my parcel?",
    "Any update on my order?",
    "What is the status of my order?",
    "Can you track my order please?",
)


# --- refused ----------------------------------------------------------------------------------


def test_a_chargeback_is_routed_and_untouched_by_automation(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL)
    replies_rig.run(
        replies_rig.ticket("Where is my order #1001? I am filing a chargeback, ask my lawyer")
    )
    assert replies_rig.replies == []
    assert shopify.calls == ()
    assert {"route-leadership-team", "mw-intent-legal_threat"} <= replies_rig.tags()
    assert replies_rig.state().risk_flags == {"chargeback", "legal_threat"}
    replies_rig.run(replies_rig.says("Where is my order #1001?", "c-2"))
    assert replies_rig.replies == []
    assert "risk_flag" in replies_rig.reasons("c-2")


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
def test_an_order_without_a_reportable_status_is_left_to_a_person(
    replies_rig, shopify, order, reason, tag
):
    if order:
        shopify.add_order(**order)
    replies_rig.run(replies_rig.ticket("Where is my order number 1001?"))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == reason
    assert {tag, "mw-order-status-suppressed", "route-email-support-team"} <= replies_rig.tags()
    assert replies_rig.event()["status"] == "processed"


@pytest.mark.parametrize("code", ["ACCESS_DENIED", "SHOP_INACTIVE"])
def test_an_unreachable_shop_does_not_block_the_ticket(
    replies_rig, shopify, tracked_question, code
):
    shopify.fail_with(code)
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == f"lookup_failed:{code.lower()}"
    assert {"mw-order-lookup-failed", "mw-processed"} <= replies_rig.tags()


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
def test_a_ticket_that_must_not_be_answered_has_a_stored_reason(
    replies_rig, tracked_question, more, reason, tag
):
    replies_rig.run(replies_rig.ticket(tracked_question, **more))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == reason
    assert tag in replies_rig.tags()
    assert "mw-processed" in replies_rig.tags()


def test_a_question_an_operator_answered_meanwhile_is_not_answered_again(
    replies_rig, tracked_question
):
    body = replies_rig.ticket(tracked_question)
    replies_rig.richpanel.add_comment("1042", "It left on Monday", operator=True)
    replies_rig.run(body)
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == "answered_by_operator"


@pytest.mark.parametrize("extra_variables", [{"RICHPANEL_BOT_AGENT_ID": ""}])
def test_without_an_author_nothing_is_sent(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.replies == []
    assert {"mw-outbound-blocked-missing-bot-author", "mw-escalated-human"} <= replies_rig.tags()


@pytest.mark.parametrize("extra_variables", [{"MW_OUTBOUND_ALLOWLIST_DOMAINS": ""}])
def test_without_an_allow_list_no_reply_is_sent(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.replies == []
    assert "mw-outbound-blocked-allowlist" in replies_rig.tags()


@pytest.mark.parametrize("extra_variables", [{"RICHPANEL_OUTBOUND_ENABLED": "false"}])
def test_a_deployment_without_replies_only_routes(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.writes() == ["add_tags"]
    assert not {tag for tag in replies_rig.tags() if "suppressed" in tag}


def test_a_second_question_within_ten_minutes_is_left_to_a_person(replies_rig, shopify):
    replies_rig.run(replies_rig.ticket("Where is my order?"))
    replies_rig.run(replies_rig.says("Where is my order now?", "c-2"))
    assert len(replies_rig.replies) == 1
    assert replies_rig.reasons("c-2")[-1] == "limit_ticket_10m"


def test_a_customer_gets_five_replies_a_day(replies_rig):
    for number in range(1, 7):
        replies_rig.run(replies_rig.ticket(QUESTIONS[number], ticket_id=str(number)))
    assert len(replies_rig.replies) == 5
    assert "mw-order-status-suppressed" in replies_rig.tags("6")


def test_a_refusal_by_the_conversation_limit_does_not_count_for_the_customer(replies_rig):
    replies_rig.run(replies_rig.ticket("Where is my order?", ticket_id="1"))
    for number in range(2, 6):
        replies_rig.run(replies_rig.says(f"Where is my order? {number}", f"c-{number}", "1"))
    for number in range(2, 6):
        replies_rig.run(replies_rig.ticket(QUESTIONS[number], ticket_id=str(number)))
    assert len(replies_rig.replies) == 5


def test_a_refusal_by_the_customer_limit_does_not_count_for_the_conversation(
    replies_rig, move_clock
):
    for number in range(1, 6):
        replies_rig.run(replies_rig.ticket(QUESTIONS[number], ticket_id=str(number)))
    move_clock(timedelta(hours=23, minutes=58))
    replies_rig.run(replies_rig.ticket(QUESTIONS[6], ticket_id="6"))
    assert len(replies_rig.replies) == 5
    move_clock(timedelta(minutes=5))
    replies_rig.run(replies_rig.says("When will my order come?", "c-2", "6"))
    assert len(replies_rig.replies) == 6


# --- modes ------------------------------------------------------------------------------------


def test_safe_mode_routes_and_never_replies(replies_rig, tracked_question, shopify):
    replies_rig.switch(safe_mode=True)
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.writes() == ["add_tags"]
    assert {"route-email-support-team", "mw-order-status-suppressed"} <= replies_rig.tags()
    assert replies_rig.reasons() == ["safe_mode"]
    assert replies_rig.event()["mode"] == "route_only"
    assert shopify.calls == ()


def test_the_kill_switch_stops_everything(replies_rig, tracked_question, shopify):
    body = replies_rig.ticket(tracked_question)
    replies_rig.switch(kill_switch=True)
    replies_rig.run(body)
    assert replies_rig.richpanel.calls == ()
    assert shopify.calls == ()
