"""Automatic replies through the real worker, on real engines, with every vendor at the wire."""

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.clock import iso, parsed
from chalicelib.once.job import ActionResend, Recovery
from chalicelib.support import keys as ticket_keys
from chalicelib.support.jobs import TicketNotification
from tests.rigs.engines import drain
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.replies import BOT, EMAIL, STATUS_TAGS


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


# --- answered ---------------------------------------------------------------------------------


@ON_ENGINE
def test_an_order_question_is_answered_once_under_three_deliveries(
    replies_rig, tracked_question, capsys
):
    body = replies_rig.ticket(tracked_question)
    replies_rig.run(body, body)
    for _ in range(2):  # beyond the queue's own memory of copies
        replies_rig.services().intake.accept(_notification(), recovery=Recovery.SWEEP)
        drain(replies_rig.pump)
    (text,) = replies_rig.replies
    assert "Hi Ada," in text
    assert "#100234" in text
    assert "https://carrier.example/t/1Z999AA10123456784" in text
    assert replies_rig.tags() == STATUS_TAGS | {
        "route-email-support-team",
        "mw-intent-order_status_tracking",
        "mw-routing-applied",
        "mw-processed",
    }
    assert replies_rig.richpanel.calls_of("send_message")[0].body["author_id"] == BOT
    assert (replies_rig.event()["status"], replies_rig.reply_row()["status"]) == (
        "processed",
        "done",
    )
    sent = replies_rig.state().last_auto_reply
    assert (sent["type"], sent["source_message_id"]) == ("order_status", "c-1")
    kept = replies_rig.everything_stored() + capsys.readouterr().out
    for personal in ("100234", "1Z999AA", EMAIL, "Lovelace", "Where is my order"):
        assert personal not in kept


def test_tags_come_last_and_show_the_outcome(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.writes() == ["send_message", "add_tags"]


CLOSES = pytest.mark.parametrize("extra_variables", [{"MW_CLOSE_AFTER_REPLY": "true"}])


def test_a_reply_leaves_its_ticket_open_unless_a_deployment_says_otherwise(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL, shipping="Standard")
    replies_rig.run(replies_rig.ticket("When will my order number 1001 arrive?"))
    assert len(replies_rig.replies) == 1
    assert replies_rig.richpanel.ticket("1042")["status"] == "OPEN"


@CLOSES
def test_an_order_without_tracking_gets_its_window_and_the_ticket_is_closed(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL.upper(), shipping="Standard")
    replies_rig.run(replies_rig.ticket("When will my order number 1001 arrive?"))
    (text,) = replies_rig.replies
    assert "should arrive in 3 to 5 business days" in text
    assert replies_rig.richpanel.ticket("1042")["status"] == "CLOSED"
    assert replies_rig.writes() == ["send_message", "update_ticket", "add_tags"]
    assert replies_rig.row(ticket_keys.close_action("1042", "c-1"))["status"] == "done"


@CLOSES
def test_a_close_resent_by_an_operator_stays_closed(replies_rig, shopify):
    """An agent opened the ticket again; the customer has written nothing since."""
    shopify.add_order("#1001", email=EMAIL, shipping="Standard")
    replies_rig.run(replies_rig.ticket("When will my order number 1001 arrive?"))
    replies_rig.richpanel.ticket("1042")["status"] = "OPEN"
    again = ActionResend(
        event_key="evt:rp:1042:c-1:resend:n1",
        conversation_id="1042",
        received_at=iso(datetime.now(UTC)),
        source="operator",
        trace_id="0" * 16,
        source_event_key="evt:rp:1042:c-1",
        action_key=ticket_keys.close_action("1042", "c-1"),
        nonce="n1",
    )
    replies_rig.services().intake.accept(again, recovery=Recovery.OPERATOR)
    drain(replies_rig.pump)
    assert (
        replies_rig.row(f"{ticket_keys.close_action('1042', 'c-1')}:resend:n1")["status"] == "done"
    )
    assert replies_rig.richpanel.ticket("1042")["status"] == "CLOSED"


@CLOSES
def test_a_ticket_that_will_not_close_goes_to_a_person(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL)
    body = replies_rig.ticket("When will my order number 1001 arrive?")
    replies_rig.richpanel.fault(
        "status", operation="update_ticket", status=200, body={"ticket": {"id": "1042"}}
    )
    replies_rig.run(body)
    assert (replies_rig.event()["status"], replies_rig.event()["reason"]) == (
        "failed",
        "refused:not_applied",
    )
    assert "middleware_error_needs_attention" in replies_rig.tags()
    assert len(replies_rig.replies) == 1


def test_a_question_in_spanish_is_answered_in_spanish(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL)
    replies_rig.run(replies_rig.ticket("¿Dónde está mi pedido 1001?"))
    (text,) = replies_rig.replies
    assert "Hola Ada:" in text
    assert "debería llegar en 3 a 5 días hábiles" in text


def test_the_linked_order_needs_no_number(replies_rig, shopify):
    shopify.add_order("#9001", email=EMAIL, tracking={"number": "ZZ555", "company": "DHL"})
    body = replies_rig.ticket("Where is my package?")
    replies_rig.richpanel.link_order("1042", "shop", "9001", {"orderId": "9001"})
    replies_rig.run(body)
    (text,) = replies_rig.replies
    assert "#9001" in text
    assert "ZZ555" in text


# --- several orders, and the last look --------------------------------------------------------


def followed(number):
    return {"number": number, "company": "UPS", "url": f"https://carrier.example/t/{number}"}


def test_two_orders_get_a_paragraph_each_in_one_reply(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL, tracking=followed("ZZ5550001"))
    shopify.add_order("#1002", email=EMAIL)
    replies_rig.run(replies_rig.ticket("Where are my orders #1001 and #1002?"))
    (text,) = replies_rig.replies
    assert (text.count("Hi Ada,"), text.count("Ref. ")) == (1, 1)
    assert text.index("#1001") < text.index("ZZ5550001") < text.index("#1002")


def test_two_orders_of_which_one_is_in_trouble_go_to_a_person(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL, tracking=followed("ZZ5550001"))
    shopify.add_order("#1002", email=EMAIL, displayFinancialStatus="REFUNDED")
    replies_rig.run(replies_rig.ticket("Where are my orders #1001 and #1002?"))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == "order_refunded"


def test_an_order_that_changes_before_its_reply_leaves_is_left_to_a_person(replies_rig, shopify):
    """The plan's read shows it without a refund, and the last look with one."""
    shopify.add_order("#1001", email=EMAIL, tracking=followed("ZZ5550001"))
    shopify.change_order("#1001", after=1, fields={"displayFinancialStatus": "REFUNDED"})
    replies_rig.run(replies_rig.ticket("Where is my order #1001?"))
    assert shopify.count()["graphql"] == 2
    assert replies_rig.replies == []
    row = replies_rig.reply_row()
    assert (row["status"], row["reason"]) == ("skipped", "order_changed")
    assert "mw-auto-replied" not in replies_rig.tags()
    assert "route-email-support-team" in replies_rig.tags()


def test_a_resumed_reply_whose_facts_have_changed_is_not_sent(
    replies_rig, shopify, tracked_question
):
    """The same template, with another link in it."""
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    shopify.change_order("#100234", fields={"statusPageUrl": "https://shop.example/orders/other"})
    replies_rig.again()
    assert (replies_rig.reply_row()["status"], replies_rig.reply_row()["reason"]) == (
        "refused",
        "order_changed",
    )


def test_a_question_for_what_was_not_received_is_answered_while_it_is_in_transit(
    replies_rig, shopify
):
    shopify.add_order("#1001", email=EMAIL, tracking=followed("ZZ5550001"))
    replies_rig.run(replies_rig.ticket("I have not received my order #1001"))
    (text,) = replies_rig.replies
    assert "in transit" in text


# --- asked for the number ---------------------------------------------------------------------


def test_a_missing_order_number_is_asked_for_and_its_answer_is_answered_at_once(
    replies_rig, shopify
):
    shopify.add_order("#1001", email=EMAIL)
    replies_rig.run(replies_rig.ticket("Where is my order?"))
    assert "order number" in replies_rig.replies[0]
    assert "mw-order-number-requested" in replies_rig.tags()
    assert "mw-auto-replied" not in replies_rig.tags()
    pending = replies_rig.state().pending_flow
    assert (pending["type"], pending["attempts"]) == ("need_order_number", 1)
    replies_rig.run(replies_rig.says("It is 1001, thanks", "c-2"))
    assert "#1001" in replies_rig.replies[1]
    assert replies_rig.event("c-2")["intent"] == "order_status_tracking"
    assert "answers_our_question" in replies_rig.reasons("c-2")
    assert replies_rig.state().pending_flow is None
    assert replies_rig.state().last_auto_reply["type"] == "order_status"


def test_after_an_answer_without_a_number_we_ask_once_more_and_then_stop(replies_rig, move_clock):
    replies_rig.run(replies_rig.ticket("Where is my order?"))
    for number, text in ((2, "Where is it?"), (3, "When will it come?")):
        move_clock(timedelta(minutes=11))
        replies_rig.run(replies_rig.says(text, f"c-{number}"))
    assert len(replies_rig.replies) == 2
    assert replies_rig.reasons("c-3")[-1] == "order_number_missing"
    assert "mw-order-lookup-missing:order_id" in replies_rig.tags()
    assert replies_rig.state().pending_flow is None


def test_no_customer_is_asked_twice_within_ten_minutes(replies_rig):
    replies_rig.run(replies_rig.ticket("Where is my order?"))
    replies_rig.run(replies_rig.says("Where is it?", "c-2"))
    assert len(replies_rig.replies) == 1
    assert replies_rig.reasons("c-2")[-1] == "limit_ticket_10m"


def test_a_late_answer_to_our_question_does_not_count(replies_rig, shopify, move_clock):
    shopify.add_order("#1001", email=EMAIL)
    replies_rig.run(replies_rig.ticket("Where is my order?"))
    move_clock(timedelta(days=8))
    replies_rig.run(replies_rig.says("1001", "c-2"))
    assert len(replies_rig.replies) == 1
    assert replies_rig.event("c-2")["intent"] == "unknown_other"


def test_an_answer_with_another_request_goes_to_its_team(replies_rig, shopify, move_clock):
    shopify.add_order("#1001", email=EMAIL)
    replies_rig.run(replies_rig.ticket("Where is my order?"))
    move_clock(timedelta(minutes=11))
    replies_rig.run(replies_rig.says("1001. Forget it, I want a refund", "c-2"))
    assert len(replies_rig.replies) == 1
    assert "route-returns-admin" in replies_rig.tags()
    assert replies_rig.state().pending_flow is None


def test_two_messages_in_a_row_are_answered_as_one(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL)
    first = replies_rig.ticket("Where is my order?")
    second = replies_rig.says("#1001", "c-2")
    replies_rig.run(first, second)
    (text,) = replies_rig.replies
    assert "#1001" in text
    assert "newer_message" in replies_rig.reasons("c-1")


# --- figures ----------------------------------------------------------------------------------


def test_a_reply_costs_at_most_three_calls_besides_itself_and_its_lookup(
    replies_rig, tracked_question
):
    replies_rig.run(replies_rig.ticket(tracked_question))
    lookups = {"read_order_link"}
    calls = [
        call.operation for call in replies_rig.richpanel.calls if call.operation not in lookups
    ]
    assert calls == ["read_ticket", "send_message", "read_ticket", "add_tags"]


def _notification():
    return TicketNotification(
        event_key=ticket_keys.ticket_notification("1042", iso(datetime.now(UTC))),
        conversation_id="1042",
        received_at=iso(parsed(iso(datetime.now(UTC)))),
        source="reconcile",
        trace_id="0" * 16,
    )
