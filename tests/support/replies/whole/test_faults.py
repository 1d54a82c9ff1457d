"""Faults of a reply: lost responses, rejected requests, an unreachable shop."""

from datetime import timedelta

import pytest

from chalicelib.support import keys as ticket_keys
from tests.rigs.engines import drain
from tests.rigs.replies import BOT, EMAIL, STATUS_TAGS, Context


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


def test_a_reply_whose_answer_is_lost_is_found_and_never_repeated(
    replies_rig, tracked_question, move_clock
):
    replies_rig.richpanel.fault("act_then_drop", operation="send_message")
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.reply_row()["status"] == "unknown"
    assert (replies_rig.event()["status"]) == "parked"
    assert "mw-auto-replied" not in replies_rig.tags()
    move_clock(timedelta(minutes=5))
    replies_rig.services().sweep(Context())
    drain(replies_rig.pump)
    assert (replies_rig.reply_row()["status"], replies_rig.event()["status"]) == (
        "done",
        "processed",
    )
    assert len(replies_rig.richpanel.calls_of("send_message")) == 1
    assert replies_rig.tags() >= STATUS_TAGS
    assert replies_rig.state().last_auto_reply["type"] == "order_status"


def test_a_reply_is_recognised_by_its_reference_when_the_vendor_changed_its_text(
    replies_rig, tracked_question
):
    replies_rig.richpanel.fault("drop", operation="send_message")
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.reply_row()["status"] == "unknown"
    mark = replies_rig.reply_row()["probe"]["reference"]
    replies_rig.richpanel.add_comment(
        "1042", f"Dear Ada, your order. Ref. {mark} -- Sent by Shop", operator=True, author_id=BOT
    )
    replies_rig.services().sweep(Context())
    drain(replies_rig.pump)
    assert replies_rig.reply_row()["status"] == "done"
    assert len(replies_rig.richpanel.calls_of("send_message")) == 1


def test_a_reply_that_is_accepted_and_dropped_is_not_done_by_an_earlier_comment(
    replies_rig, tracked_question, move_clock
):
    """The vendor answers 200 and does nothing, and the bot answered another comment just before."""
    replies_rig.richpanel.add_ticket("1042", customer_email=EMAIL, customer_name="Ada Lovelace")
    replies_rig.richpanel.add_comment("1042", "Dear Ada", operator=True, author_id=BOT)
    move_clock(timedelta(seconds=115))
    replies_rig.richpanel.fault("ignored", operation="send_message")
    replies_rig.run(replies_rig.says(tracked_question, "c-1"))
    assert (replies_rig.reply_row()["status"], replies_rig.event()["status"]) == (
        "unknown",
        "parked",
    )
    for _ in range(2):
        move_clock(timedelta(minutes=25))
        replies_rig.sweep()
    assert (replies_rig.reply_row()["status"], replies_rig.event()["status"]) == (
        "done",
        "processed",
    )
    assert [call.acted for call in replies_rig.richpanel.calls_of("send_message")] == [False, True]


@pytest.mark.parametrize("apart", [timedelta(minutes=-40), timedelta(minutes=40)])
def test_a_reply_is_found_by_its_reference_however_far_the_clocks_are_apart(
    replies_rig, tracked_question, move_clock, monkeypatch, apart
):
    message = replies_rig.ticket(tracked_question)
    move_clock(timedelta())
    now = replies_rig.richpanel._now
    monkeypatch.setattr(replies_rig.richpanel, "_now", lambda: now() + apart.total_seconds())
    replies_rig.richpanel.fault("act_then_drop", operation="send_message")
    replies_rig.run(message)
    assert replies_rig.reply_row()["status"] == "unknown"
    replies_rig.sweep()
    assert (replies_rig.reply_row()["status"], replies_rig.reply_row()["reason"]) == (
        "done",
        "settled",
    )
    assert len(replies_rig.richpanel.calls_of("send_message")) == 1


def test_another_agents_comment_is_not_taken_for_the_reply(replies_rig, tracked_question):
    replies_rig.richpanel.fault("drop", operation="send_message")
    replies_rig.run(replies_rig.ticket(tracked_question))
    mark = replies_rig.reply_row()["probe"]["reference"]
    replies_rig.richpanel.add_comment("1042", f"Ref. {mark}", operator=True, author_id="agent-1")
    replies_rig.services().sweep(Context())
    assert replies_rig.reply_row()["status"] == "unknown"


def test_a_ticket_is_never_closed_while_its_replys_outcome_is_unknown(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL)
    replies_rig.richpanel.fault("act_then_drop", operation="send_message")
    replies_rig.run(replies_rig.ticket("When will my order number 1001 arrive?"))
    assert replies_rig.richpanel.ticket("1042")["status"] == "OPEN"
    assert replies_rig.writes() == ["send_message", "add_tags"]


def test_a_rejected_reply_is_retried_with_the_same_allowance(replies_rig, tracked_question):
    """429 is surely not sent: the event is handed back, resumed, and counted once."""
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.event()["status"] == "processing"
    replies_rig.again()
    assert replies_rig.event()["status"] == "processed"
    assert [call.acted for call in replies_rig.richpanel.calls_of("send_message")] == [False, True]


def test_a_resumed_reply_is_not_sent_if_somebody_answered_meanwhile(replies_rig, tracked_question):
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    replies_rig.richpanel.add_comment("1042", "It left on Monday", operator=True)
    replies_rig.again()
    assert (replies_rig.reply_row()["status"], replies_rig.reply_row()["reason"]) == (
        "refused",
        "superseded",
    )
    assert len(replies_rig.richpanel.calls_of("send_message")) == 1
    assert "middleware_error_needs_attention" in replies_rig.tags()


def test_a_resumed_reply_is_sent_before_later_customer_messages_are_processed(
    replies_rig, tracked_question
):
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    first = replies_rig.ticket(tracked_question)
    replies_rig.run(first)
    second = replies_rig.says("Thank you, and hurry", "c-2")
    replies_rig.again()
    replies_rig.run(second)
    assert replies_rig.reply_row()["status"] == "done"
    assert replies_rig.event()["status"] == replies_rig.event("c-2")["status"] == "processed"
    assert "middleware_error_needs_attention" not in replies_rig.tags()


def test_a_resumed_reply_is_not_sent_if_the_ticket_was_escalated_meanwhile(
    replies_rig, tracked_question
):
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    replies_rig.ticket(tracked_question, tags=["mw-escalated-human"])
    replies_rig.again()
    found = replies_rig.reply_row()
    assert (found["status"], found["reason"]) == ("refused", "escalated")
    assert replies_rig.richpanel.effects_of("1042", "message_sent") == {}


def test_a_redriven_reply_is_sent_even_after_its_failure_was_handed_off(
    replies_rig, tracked_question
):
    """The tag reports our failure; the operator who fixed it wants the reply sent."""
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    replies_rig.ticket(tracked_question, tags=["middleware_error_needs_attention"])
    replies_rig.again()
    assert replies_rig.reply_row()["status"] == "done"


def test_a_resumed_reply_waits_until_its_order_can_be_read_again(
    replies_rig, tracked_question, shopify
):
    """A short fault is no change of the order, and no reason to leave the customer without an answer."""
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    shopify.fault("status", operation="graphql", status=503, times=1)
    replies_rig.again()
    assert (replies_rig.event()["status"], replies_rig.reply_row()["status"]) == (
        "processing",
        "pending",
    )
    replies_rig.again()
    assert (replies_rig.event()["status"], replies_rig.reply_row()["status"]) == (
        "processed",
        "done",
    )
    assert [call.acted for call in replies_rig.richpanel.calls_of("send_message")] == [False, True]


def test_a_resumed_reply_whose_template_was_removed_is_not_sent(
    replies_rig, tracked_question, monkeypatch
):
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    monkeypatch.setenv("TEMPLATES_ENABLED", "t_order_status_ask_order_number")
    replies_rig.again()
    found = replies_rig.reply_row()
    assert (found["status"], found["reason"]) == ("refused", "template_not_enabled")
    assert replies_rig.richpanel.effects_of("1042", "message_sent") == {}
    assert "middleware_error_needs_attention" in replies_rig.tags()


def test_a_resumed_reply_still_knows_that_a_bare_number_was_expected(replies_rig, shopify):
    """The question came just before and was left to this message: it was not asked yet."""
    shopify.add_order("#1001", email=EMAIL)
    first = replies_rig.ticket("Where is my order?")
    second = replies_rig.says("1001", "c-2")
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(first, second)
    assert replies_rig.event("c-2")["status"] == "processing"
    replies_rig.again()
    assert (replies_rig.event("c-2")["status"], replies_rig.reply_row("c-2")["status"]) == (
        "processed",
        "done",
    )
    assert "#1001" in replies_rig.replies[-1]


def test_a_throttled_shop_is_waited_for_and_an_ended_token_renewed(
    replies_rig, shopify, tracked_question
):
    shopify.throttle(times=1)
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert len(replies_rig.replies) == 1
    shopify.end_tokens()
    replies_rig.run(replies_rig.ticket(f"{tracked_question} Thanks", ticket_id="7"))
    assert len(replies_rig.replies) == 2
    assert shopify.count()["get_token"] == 2


def test_a_shop_lookup_is_cached_without_the_order_number(replies_rig, shopify):
    replies_rig.run(replies_rig.ticket("Where is my order number 1001?"))
    replies_rig.run(replies_rig.says("Any update on order number 1001?", "c-2"))
    assert shopify.count()["graphql"] == 1
    opaque = replies_rig.services().opaque_ids.of("order", "1001")
    row = replies_rig.row(ticket_keys.shopify_lookup("1042", opaque))
    assert row["facts"]["outcome"] == "not_found"


@pytest.mark.parametrize("lost", [False, True])
def test_a_webhook_about_our_own_reply_before_the_ticket_shows_it_is_not_answered(
    replies_rig, tracked_question, lost
):
    """F48: nor is it routed, tagged or stored as a customer message."""
    if lost:
        replies_rig.richpanel.fault("act_then_drop", operation="send_message")
    replies_rig.richpanel.modes.comment_lag_seconds = 3600
    replies_rig.run(replies_rig.ticket(tracked_question))
    written, known = replies_rig.writes(), replies_rig.state()
    replies_rig.run(
        {"ticket_id": "1042", "message_id": "c-echo", "message": replies_rig.replies[-1]}
    )
    assert replies_rig.event("c-echo")["status"] == "processing"
    assert (replies_rig.writes(), replies_rig.state()) == (written, known)
    replies_rig.richpanel.modes.comment_lag_seconds = 0
    replies_rig.richpanel.add_comment(
        "1042", replies_rig.replies[-1], operator=True, author_id=BOT, id="c-echo"
    )
    replies_rig.again()
    found = replies_rig.event("c-echo")
    assert (found["status"], found["reason"]) == ("skipped", "operator_comment")
    assert replies_rig.writes() == written


@pytest.mark.parametrize("quotes", [False, True])
def test_a_message_the_ticket_does_not_show_is_processed_by_its_text(
    replies_rig, tracked_question, quotes
):
    replies_rig.run(replies_rig.ticket(tracked_question))
    history = "\n".join(f"> {line}" for line in replies_rig.replies[-1].splitlines())
    text = f"I want a refund\n\nOn Monday Ada wrote:\n{history}" if quotes else "I want a refund"
    replies_rig.run({"ticket_id": "1042", "message_id": "c-9", "message": text})
    assert replies_rig.event("c-9")["status"] == "processed"
    assert "route-returns-admin" in replies_rig.tags()
