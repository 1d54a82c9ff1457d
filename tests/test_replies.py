"""Automatic replies through the real worker, on real engines, with every vendor at the wire."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from engines import drain
from support_system import BOT, EMAIL, Context

from chalicelib import keys
from chalicelib.clock import iso, parsed
from chalicelib.job_kinds import TicketNotification
from chalicelib.jobs import Recovery
from chalicelib.plans import Plan

STATUS_TAGS = {
    "mw-auto-replied",
    "mw-order-status-answered",
    "mw-reply-sent",
    "mw-outbound-path-send-message",
}


@pytest.fixture
def app_environment(desk_environment):
    return desk_environment


# --- answered ---------------------------------------------------------------------------------


def test_an_order_question_is_answered_once_under_three_deliveries(desk, tracked, capsys):
    body = desk.ticket(tracked)
    desk.run(body, body)
    for _ in range(2):  # beyond the queue's own memory of copies
        desk.services().intake.accept(_notification(), recovery=Recovery.SWEEP)
        drain(desk.pump)
    (text,) = desk.replies
    assert "Hi Ada," in text
    assert "#100234" in text
    assert "https://carrier.example/t/1Z999AA10123456784" in text
    assert desk.tags() == STATUS_TAGS | {
        "route-email-support-team",
        "mw-intent-order_status_tracking",
        "mw-routing-applied",
        "mw-processed",
    }
    assert desk.richpanel.calls_of("send_message")[0].body["author_id"] == BOT
    assert (desk.event()["status"], desk.reply_row()["status"]) == ("processed", "done")
    sent = desk.state().last_auto_reply
    assert (sent["type"], sent["source_message_id"]) == ("order_status", "c-1")
    kept = desk.everything_stored() + capsys.readouterr().out
    for personal in ("100234", "1Z999AA", EMAIL, "Lovelace", "Where is my order"):
        assert personal not in kept


def test_tags_come_last_and_tell_what_happened(desk, tracked):
    desk.run(desk.ticket(tracked))
    assert desk.writes() == ["send_message", "add_tags"]


def test_an_order_without_tracking_gets_its_window_and_the_ticket_is_closed(desk, shopify):
    shopify.add_order("#1001", email=EMAIL.upper(), shipping="Standard")
    desk.run(desk.ticket("When will my order number 1001 arrive?"))
    (text,) = desk.replies
    assert "should arrive in 3 to 5 business days" in text
    assert desk.richpanel.ticket("1042")["status"] == "CLOSED"
    assert desk.writes() == ["send_message", "update_ticket", "add_tags"]
    assert desk.row(keys.close_action("1042", "c-1"))["status"] == "done"


def test_a_ticket_that_will_not_close_goes_to_a_person(desk, shopify):
    shopify.add_order("#1001", email=EMAIL)
    body = desk.ticket("When will my order number 1001 arrive?")
    desk.richpanel.fault(
        "status", operation="update_ticket", status=200, body={"ticket": {"id": "1042"}}
    )
    desk.run(body)
    assert (desk.event()["status"], desk.event()["reason"]) == ("failed", "refused:not_applied")
    assert "middleware_error_needs_attention" in desk.tags()
    assert len(desk.replies) == 1


def test_a_question_in_spanish_is_answered_in_spanish(desk, shopify):
    shopify.add_order("#1001", email=EMAIL)
    desk.run(desk.ticket("¿Dónde está mi pedido 1001?"))
    (text,) = desk.replies
    assert "Hola Ada:" in text
    assert "debería llegar en 3 a 5 días hábiles" in text


def test_the_linked_order_needs_neither_number_nor_shop(desk, shopify):
    body = desk.ticket("Where is my package?")
    order = {
        "orderId": "9001",
        "status": "confirmed",
        "fulfillmentStatus": "in_transit",
        "createdAt": iso(datetime.now(UTC)),
        "fulfillment": [{"tracking": [{"trackingNumber": "ZZ555", "trackingCompany": "DHL"}]}],
    }
    desk.richpanel.link_order("1042", "shop", "9001", order)
    desk.run(body)
    (text,) = desk.replies
    assert "9001" in text
    assert "ZZ555" in text
    assert shopify.calls == ()


# --- asked for the number ---------------------------------------------------------------------


def test_a_missing_number_is_asked_for_and_its_answer_is_answered_at_once(desk, shopify):
    shopify.add_order("#1001", email=EMAIL)
    desk.run(desk.ticket("Where is my order?"))
    assert "order number" in desk.replies[0]
    assert "mw-order-number-requested" in desk.tags()
    assert "mw-auto-replied" not in desk.tags()
    pending = desk.state().pending_flow
    assert (pending["type"], pending["attempts"]) == ("need_order_number", 1)
    desk.run(desk.says("It is 1001, thanks", "c-2"))
    assert "#1001" in desk.replies[1]
    assert desk.event("c-2")["intent"] == "order_status_tracking"
    assert "answers_our_question" in desk.reasons("c-2")
    assert desk.state().pending_flow is None
    assert desk.state().last_auto_reply["type"] == "order_status"


def test_an_answer_without_a_number_is_asked_for_once_more_and_then_left(desk, clock_moves):
    desk.run(desk.ticket("Where is my order?"))
    for number in (2, 3):
        clock_moves(timedelta(minutes=11))
        desk.run(desk.says("I do not have it", f"c-{number}"))
    assert len(desk.replies) == 2
    assert desk.reasons("c-3")[-1] == "order_number_missing"
    assert "mw-order-lookup-missing:order_id" in desk.tags()
    assert desk.state().pending_flow is None


def test_nobody_is_asked_twice_within_ten_minutes(desk):
    desk.run(desk.ticket("Where is my order?"))
    desk.run(desk.says("I do not have it", "c-2"))
    assert len(desk.replies) == 1
    assert desk.reasons("c-2")[-1] == "limit_ticket_10m"


def test_an_answer_that_comes_too_late_is_no_answer(desk, shopify, clock_moves):
    shopify.add_order("#1001", email=EMAIL)
    desk.run(desk.ticket("Where is my order?"))
    clock_moves(timedelta(days=8))
    desk.run(desk.says("1001", "c-2"))
    assert len(desk.replies) == 1
    assert desk.event("c-2")["intent"] == "unknown_other"


def test_an_answer_that_wants_something_else_goes_to_its_team(desk, shopify, clock_moves):
    shopify.add_order("#1001", email=EMAIL)
    desk.run(desk.ticket("Where is my order?"))
    clock_moves(timedelta(minutes=11))
    desk.run(desk.says("1001. Forget it, I want a refund", "c-2"))
    assert len(desk.replies) == 1
    assert "route-returns-admin" in desk.tags()
    assert desk.state().pending_flow is None


def test_two_messages_in_a_row_are_answered_as_one(desk, shopify):
    shopify.add_order("#1001", email=EMAIL)
    first = desk.ticket("Where is my order?")
    second = desk.says("#1001", "c-2")
    desk.run(first, second)
    (text,) = desk.replies
    assert "#1001" in text
    assert "newer_message" in desk.reasons("c-1")


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


# --- what goes wrong on the way ---------------------------------------------------------------


def test_a_reply_whose_answer_is_lost_is_found_and_never_repeated(desk, tracked, clock_moves):
    desk.richpanel.fault("act_then_drop", operation="send_message")
    desk.run(desk.ticket(tracked))
    assert desk.reply_row()["status"] == "unknown"
    assert (desk.event()["status"]) == "parked"
    assert "mw-auto-replied" not in desk.tags()
    clock_moves(timedelta(minutes=5))
    desk.services().sweep(Context())
    drain(desk.pump)
    assert (desk.reply_row()["status"], desk.event()["status"]) == ("done", "processed")
    assert len(desk.richpanel.calls_of("send_message")) == 1
    assert desk.tags() >= STATUS_TAGS
    assert desk.state().last_auto_reply["type"] == "order_status"


def test_a_reply_is_recognised_by_its_reference_when_the_vendor_changed_its_text(desk, tracked):
    desk.richpanel.fault("drop", operation="send_message")
    desk.run(desk.ticket(tracked))
    assert desk.reply_row()["status"] == "unknown"
    mark = desk.reply_row()["probe"]["reference"]
    desk.richpanel.add_comment(
        "1042", f"Dear Ada, your order. Ref. {mark} -- Sent by Shop", operator=True, author_id=BOT
    )
    desk.services().sweep(Context())
    drain(desk.pump)
    assert desk.reply_row()["status"] == "done"
    assert len(desk.richpanel.calls_of("send_message")) == 1


def test_another_agents_comment_is_not_taken_for_the_reply(desk, tracked):
    desk.richpanel.fault("drop", operation="send_message")
    desk.run(desk.ticket(tracked))
    mark = desk.reply_row()["probe"]["reference"]
    desk.richpanel.add_comment("1042", f"Ref. {mark}", operator=True, author_id="agent-1")
    desk.services().sweep(Context())
    assert desk.reply_row()["status"] == "unknown"


def test_a_ticket_is_never_closed_while_its_reply_is_not_known(desk, shopify):
    shopify.add_order("#1001", email=EMAIL)
    desk.richpanel.fault("act_then_drop", operation="send_message")
    desk.run(desk.ticket("When will my order number 1001 arrive?"))
    assert desk.richpanel.ticket("1042")["status"] == "OPEN"
    assert desk.writes() == ["send_message", "add_tags"]


def test_a_refused_moment_is_repeated_with_the_same_allowance(desk, tracked):
    """429 is surely not sent: the event is handed back, resumed, and counted once."""
    desk.richpanel.fault("status", operation="send_message", status=429)
    desk.run(desk.ticket(tracked))
    assert desk.event()["status"] == "processing"
    desk.again()
    assert desk.event()["status"] == "processed"
    assert [call.acted for call in desk.richpanel.calls_of("send_message")] == [False, True]


def test_a_resumed_reply_that_somebody_answered_meanwhile_is_not_sent(desk, tracked):
    desk.richpanel.fault("status", operation="send_message", status=429)
    desk.run(desk.ticket(tracked))
    desk.richpanel.add_comment("1042", "It left on Monday", operator=True)
    desk.again()
    assert (desk.reply_row()["status"], desk.reply_row()["reason"]) == ("refused", "superseded")
    assert len(desk.richpanel.calls_of("send_message")) == 1
    assert "middleware_error_needs_attention" in desk.tags()


def test_a_resumed_reply_waits_until_its_order_can_be_read_again(desk, tracked):
    """A fault of a moment is no change of the order, and no reason to leave the customer alone."""
    desk.richpanel.fault("status", operation="send_message", status=429)
    desk.run(desk.ticket(tracked))
    desk.richpanel.fault("status", operation="read_order_link", status=503)
    desk.again()
    assert (desk.event()["status"], desk.reply_row()["status"]) == ("processing", "pending")
    desk.again()
    assert (desk.event()["status"], desk.reply_row()["status"]) == ("processed", "done")
    assert [call.acted for call in desk.richpanel.calls_of("send_message")] == [False, True]


def test_a_throttled_shop_is_waited_for_and_an_ended_token_renewed(desk, shopify, tracked):
    shopify.throttle(times=1)
    desk.run(desk.ticket(tracked))
    assert len(desk.replies) == 1
    shopify.end_tokens()
    desk.run(desk.ticket(tracked, ticket_id="7"))
    assert len(desk.replies) == 2
    assert shopify.count()["get_token"] == 2


def test_what_the_shop_said_is_remembered_without_the_order(desk, shopify):
    desk.run(desk.ticket("Where is my order number 1001?"))
    desk.run(desk.says("Any update on order number 1001?", "c-2"))
    assert shopify.count()["graphql"] == 1
    opaque = desk.services().opaque_ids.of("order", "1001")
    row = desk.row(keys.shopify_lookup("1042", opaque))
    assert row["facts"]["outcome"] == "not_found"


# --- the model beside the tables --------------------------------------------------------------


@pytest.mark.parametrize("extra", [{"OPENAI_INTENT_ENABLED": "true"}])
class TestWithAModel:
    def test_it_never_sees_who_wrote_and_its_agreement_changes_nothing(self, desk, openai, tracked):
        openai.answer_by(_opinion("order_status_tracking", 0.97))
        desk.run(desk.ticket(f"{tracked} Write to {EMAIL}"))
        assert len(desk.replies) == 1
        for call in openai.calls_of("respond"):
            assert EMAIL not in json.dumps(call.body)
            assert call.body["store"] is False

    @pytest.mark.parametrize("fault", [{"status": 500}, {"status": 429}, {"status": 401}])
    def test_when_it_fails_the_tables_stand(self, desk, openai, tracked, fault):
        openai.fault("status", times=None, **fault)
        desk.run(desk.ticket(tracked))
        assert len(desk.replies) == 1
        assert any(one.startswith("model:") for one in desk.reasons())

    def test_an_unsure_disagreement_does_not_count_and_a_sure_one_does(self, desk, openai):
        openai.answer_by(_opinion("refund_request", 0.7))
        desk.run(desk.ticket("My password does not work", ticket_id="1"))
        assert "route-technical-support-team" in desk.tags("1")
        openai.answer_by(_opinion("refund_request", 0.93))
        desk.run(desk.ticket("My password does not work", ticket_id="2"))
        assert "route-returns-admin" in desk.tags("2")

    def test_it_cannot_take_back_an_escalation(self, desk, openai):
        openai.answer_by(_opinion("order_status_tracking", 0.99))
        desk.run(desk.ticket("Where is my order? My lawyer will call"))
        assert "route-leadership-team" in desk.tags()
        assert desk.replies == []

    def test_it_may_escalate_what_the_tables_missed(self, desk, openai, tracked):
        openai.answer_by(_opinion("harassment_threats", 0.6))
        desk.run(desk.ticket(tracked))
        assert "route-leadership-team" in desk.tags()
        assert desk.replies == []

    def test_it_may_ask_for_a_person(self, desk, openai, tracked):
        answer = _opinion("order_status_tracking", 0.97)
        openai.answer_by(lambda body: {**answer(body), "risk": {"flags": [], "force_human": True}})
        desk.run(desk.ticket(tracked))
        assert desk.replies == []
        assert desk.reasons()[-1] == "force_human"

    def test_the_verifier_stops_a_verified_reply(self, desk, openai, tracked):
        openai.answer_by(_opinion("order_status_tracking", 0.97, allows=False))
        desk.run(desk.ticket(tracked))
        assert desk.replies == []
        assert desk.reasons()[-1] == "verifier:conflicting_intent"


# --- figures ----------------------------------------------------------------------------------


def test_a_reply_costs_at_most_three_calls_besides_itself_and_its_lookup(desk, tracked):
    desk.run(desk.ticket(tracked))
    lookups = {"read_order_link", "read_order"}
    calls = [one.operation for one in desk.richpanel.calls if one.operation not in lookups]
    assert calls == ["read_ticket", "send_message", "read_ticket", "add_tags"]


def _notification():
    return TicketNotification(
        event_key=keys.ticket_notification("1042", iso(datetime.now(UTC))),
        conversation_id="1042",
        received_at=iso(parsed(iso(datetime.now(UTC)))),
        source="reconcile",
        trace_id="0" * 16,
    )


def _opinion(intent, confidence, *, allows=True):
    """Answers both questions the way a model would."""

    def answer(body):
        if body["text"]["format"]["name"] == "mw_tier2_verifier_v1":
            return {
                "allow_tier2": allows,
                "confidence": 0.95,
                "downgrade_to_tier": "ROUTE_ONLY",
                "reason_code": "OK" if allows else "CONFLICTING_INTENT",
                "notes": "",
            }
        return {
            "schema_version": "mw_decision_v1",
            "language": "en",
            "primary_intent": intent,
            "secondary_intents": [],
            "routing": {
                "destination_team": "route-email-support-team",
                "confidence": confidence,
                "needs_manual_triage": False,
                "tags": [],
            },
            "automation": {
                "tier": "TIER_1_SAFE_ASSIST",
                "action": "ROUTE_ONLY",
                "template_id": None,
                "confidence": 0.0,
                "requires_deterministic_match": False,
            },
            "risk": {"flags": [], "force_human": False},
            "clarifying_questions": [],
            "notes_for_agent": "",
        }

    return answer
