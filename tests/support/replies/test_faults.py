"""What goes wrong on a reply's way: lost answers, refused moments, a shop that is away."""

from datetime import timedelta

import pytest

from chalicelib.support import keys as ticket_keys
from tests.rigs.engines import drain
from tests.rigs.replies import BOT, EMAIL, STATUS_TAGS, Context


@pytest.fixture
def app_environment(desk_environment):
    return desk_environment


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


def test_a_resumed_reply_goes_out_before_what_the_customer_wrote_meanwhile_is_worked_on(
    desk, tracked
):
    desk.richpanel.fault("status", operation="send_message", status=429)
    first = desk.ticket(tracked)
    desk.run(first)
    second = desk.says("Thank you, and hurry", "c-2")
    desk.again()
    desk.run(second)
    assert desk.reply_row()["status"] == "done"
    assert desk.event()["status"] == desk.event("c-2")["status"] == "processed"
    assert "middleware_error_needs_attention" not in desk.tags()


def test_a_resumed_reply_on_a_ticket_that_was_escalated_meanwhile_is_not_sent(desk, tracked):
    desk.richpanel.fault("status", operation="send_message", status=429)
    desk.run(desk.ticket(tracked))
    desk.ticket(tracked, tags=["mw-escalated-human"])
    desk.again()
    found = desk.reply_row()
    assert (found["status"], found["reason"]) == ("refused", "escalated")
    assert desk.richpanel.effects_of("1042", "message_sent") == {}


def test_a_reply_that_is_redriven_goes_out_although_help_was_asked_for_its_failure(desk, tracked):
    """The tag says that we failed; the operator who has mended that wants the reply sent."""
    desk.richpanel.fault("status", operation="send_message", status=429)
    desk.run(desk.ticket(tracked))
    desk.ticket(tracked, tags=["middleware_error_needs_attention"])
    desk.again()
    assert desk.reply_row()["status"] == "done"


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


def test_a_resumed_reply_whose_template_was_taken_away_is_not_sent(desk, tracked, monkeypatch):
    desk.richpanel.fault("status", operation="send_message", status=429)
    desk.run(desk.ticket(tracked))
    monkeypatch.setenv("TEMPLATES_ENABLED", "t_order_status_ask_order_number")
    desk.again()
    found = desk.reply_row()
    assert (found["status"], found["reason"]) == ("refused", "template_not_enabled")
    assert desk.richpanel.effects_of("1042", "message_sent") == {}
    assert "middleware_error_needs_attention" in desk.tags()


def test_a_resumed_reply_still_knows_that_its_bare_number_was_waited_for(desk, shopify):
    """The question came just before and was left to this message: nobody had asked yet."""
    shopify.add_order("#1001", email=EMAIL)
    first = desk.ticket("Where is my order?")
    second = desk.says("1001", "c-2")
    desk.richpanel.fault("status", operation="send_message", status=429)
    desk.run(first, second)
    assert desk.event("c-2")["status"] == "processing"
    desk.again()
    assert (desk.event("c-2")["status"], desk.reply_row("c-2")["status"]) == ("processed", "done")
    assert "#1001" in desk.replies[-1]


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
    row = desk.row(ticket_keys.shopify_lookup("1042", opaque))
    assert row["facts"]["outcome"] == "not_found"


@pytest.mark.parametrize("lost", [False, True])
def test_our_own_reply_told_of_before_its_ticket_shows_it_is_answered_by_nobody(
    desk, tracked, lost
):
    """F48: nor is it routed, tagged or remembered as what the customer said."""
    if lost:
        desk.richpanel.fault("act_then_drop", operation="send_message")
    desk.richpanel.modes.comment_lag_seconds = 3600
    desk.run(desk.ticket(tracked))
    written, known = desk.writes(), desk.state()
    desk.run({"ticket_id": "1042", "message_id": "c-echo", "message": desk.replies[-1]})
    assert desk.event("c-echo")["status"] == "processing"
    assert (desk.writes(), desk.state()) == (written, known)
    desk.richpanel.modes.comment_lag_seconds = 0
    desk.richpanel.add_comment("1042", desk.replies[-1], operator=True, author_id=BOT, id="c-echo")
    desk.again()
    found = desk.event("c-echo")
    assert (found["status"], found["reason"]) == ("skipped", "operator_comment")
    assert desk.writes() == written


@pytest.mark.parametrize("quotes", [False, True])
def test_a_message_that_its_ticket_does_not_show_is_worked_on_by_its_text(desk, tracked, quotes):
    desk.run(desk.ticket(tracked))
    history = "\n".join(f"> {line}" for line in desk.replies[-1].splitlines())
    text = f"I want a refund\n\nOn Monday Ada wrote:\n{history}" if quotes else "I want a refund"
    desk.run({"ticket_id": "1042", "message_id": "c-9", "message": text})
    assert desk.event("c-9")["status"] == "processed"
    assert "route-returns-admin" in desk.tags()
