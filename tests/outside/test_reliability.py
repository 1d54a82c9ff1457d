"""The promises of docs/reliability.md, tried from outside."""

import pytest

from tests.outside.tickets import answers, effects_on, opens, order, reports, tags

TEAMS = ("returns-admin", "leadership-team", "email-support-team")


def test_a_webhook_that_comes_three_times_has_its_effects_once(stack):
    ticket = stack.ticket("Where is my order?")
    for _ in range(3):
        answer = stack.webhook(ticket_id=ticket, message_id="c-1", message="Where is my order?")
        assert answer.status_code == 200
    effects = [
        effect for effect in stack.richpanel.get("effects")["effects"] if ticket in str(effect)
    ]
    assert len(effects) == len({str(effect) for effect in effects}) > 0


def test_a_start_that_is_posted_twice_sends_one_message(stack):
    to = stack.tel()
    body = {"request_data": {"request_id": f"req-{stack.number()}"}}
    first, second = stack.start(to, **body), stack.start(to, **body)
    assert (first.json()["duplicate"], second.json()["duplicate"]) == (False, True)
    assert len(stack.texts_to(to)) == 1
    assert stack.outcome(body["request_data"]["request_id"])["state"] == "sent"


def test_a_message_that_twilio_took_without_answering_is_not_sent_again(stack):
    to = stack.tel()
    stack.twilio.fails("act_then_drop", operation="create_message")
    stack.start(to)
    for _ in range(4):
        stack.forward(hours=1)
    assert len(stack.texts_to(to)) == 1


def test_a_webhook_that_was_lost_is_found_and_its_late_copy_does_nothing(stack):
    bought = order(stack)
    text = f"Where is my order {bought.name}?"
    ticket = stack.ticket(text, customer_email=bought.mail)
    stack.forward(minutes=12)
    assert len(answers(stack, ticket)) == 1
    effects = effects_on(stack, ticket)
    reports(stack, ticket, "c-1", text)
    assert effects_on(stack, ticket) == effects


def test_an_old_webhook_that_is_posted_again_after_a_month_does_nothing(stack):
    ticket = opens(stack, "I want to return my shoes.")
    effects = effects_on(stack, ticket)
    stack.forward(days=35)
    reports(stack, ticket, "c-1", "I want to return my shoes.")
    stack.forward(minutes=12)
    assert effects_on(stack, ticket) == effects


def test_three_hours_without_richpanel_delay_tickets_and_lose_none(stack):
    stack.richpanel.fails(status=503, times=None)
    bought = order(stack)
    told = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    other = opens(stack, "I want to return my shoes.")
    for _ in range(3):
        stack.forward(hours=1)
    assert effects_on(stack, told) == effects_on(stack, other) == []
    for ticket in (told, other):
        assert ticket in str(stack.ops("explain", ticket, "--json").data["events"])
    stack.richpanel.recovers()
    stack.passes(hours=2)
    assert len(answers(stack, told)) == 1
    assert "route-returns-admin" in tags(stack, other)
    assert "middleware_error_needs_attention" not in tags(stack, told) | tags(stack, other)


def test_a_ticket_that_was_given_up_is_shown_to_a_person_and_done_by_a_redrive(stack):
    stack.richpanel.fails(status=503, times=None)
    ticket = opens(stack, "I want to return my shoes.")
    stack.passes_until(lambda: ticket in str(stack.ops("dlq", "list", "--json").data), hours=1)
    stack.richpanel.recovers()
    stack.passes(hours=1)
    assert "middleware_error_needs_attention" in tags(stack, ticket)
    stack.ops("dlq", "redrive", f"evt:rp:{ticket}:c-1", "--yes")
    stack.forward(minutes=5)
    assert "route-returns-admin" in tags(stack, ticket)
    assert ticket not in str(stack.ops("dlq", "list", "--json").data)


@pytest.mark.parametrize("kind", ["act_then_drop", "garbage", "ignored"])
def test_a_reply_is_on_its_ticket_once_whatever_richpanel_answered(stack, kind):
    bought = order(stack)
    stack.richpanel.fails(kind, operation="send_message")
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    stack.passes(hours=2)
    assert len(answers(stack, ticket)) == 1
    assert {"mw-reply-sent", "mw-processed"} <= tags(stack, ticket)


@pytest.mark.parametrize("kind", ["ignored", "act_then_drop", "garbage"])
def test_tags_are_on_the_ticket_whatever_richpanel_answered(stack, kind):
    stack.richpanel.fails(kind, operation="add_tags")
    ticket = opens(stack, "I want to return my shoes.")
    stack.forward(minutes=30)
    assert {"route-returns-admin", "mw-processed"} <= tags(stack, ticket)


def test_messages_of_a_ticket_take_effect_in_their_order_after_an_outage(stack):
    stack.richpanel.fails(status=503, times=None)
    texts = ("I want to return my shoes.", "My lawyer will sue you.", "Cancel my order.")
    ticket = stack.ticket(*texts, customer_email=stack.mail())
    for number, text in enumerate(texts, start=1):
        reports(stack, ticket, f"c-{number}", text)
    stack.richpanel.recovers()
    stack.passes(hours=1)
    routes = [
        effect["value"]
        for effect in effects_on(stack, ticket)
        if effect["kind"] == "tag_added" and effect["value"].startswith("route-")
    ]
    assert routes == [f"route-{team}" for team in TEAMS]


def test_an_outage_of_twilio_holds_up_no_ticket_and_no_e_mail(stack):
    stack.twilio.fails(status=503, times=None)
    to, mail = stack.tel(), stack.mail()
    stack.start(to)
    stack.start(mail, "email")
    ticket = opens(stack, "I want to return my shoes.")
    assert "route-returns-admin" in tags(stack, ticket)
    assert len(stack.mails_to(mail)) == 1
    assert stack.texts_to(to) == []


def test_a_start_in_an_outage_of_hours_is_sent_once_when_twilio_is_back(stack):
    stack.twilio.fails(status=503, times=None)
    to = stack.tel()
    body = {"request_data": {"request_id": f"req-{stack.number()}"}}
    for _ in range(3):
        stack.start(to, **body)
        stack.forward(hours=1)
    assert stack.texts_to(to) == []
    stack.twilio.recovers()
    stack.passes(hours=2)
    assert len(stack.texts_to(to)) == 1
    assert stack.outcome(body["request_data"]["request_id"])["state"] == "sent"


def test_an_e_mail_that_ses_took_without_answering_waits_for_a_person_or_its_event(stack):
    mail = stack.mail()
    stack.ses.fails("act_then_drop", operation="send_email")
    request_id = stack.start(mail, "email").json()["request_id"]
    for _ in range(3):
        stack.forward(hours=1)
    assert len(stack.mails_to(mail)) == 1
    assert stack.outcome(request_id)["state"] != "failed"
    stack.carriers_report()
    stack.forward(minutes=30)
    assert stack.outcome(request_id)["state"] in {"sent", "delivered"}
    assert len(stack.mails_to(mail)) == 1


def test_a_replay_does_what_the_kill_switch_stopped_and_nothing_twice(stack):
    with stack.switched("kill_switch", "true"):
        ticket = opens(stack, "I want to return my shoes.")
    assert tags(stack, ticket) == set()
    for _ in range(2):
        stack.ops("replay", f"evt:rp:{ticket}:c-1", "--yes")
        stack.forward(minutes=1)
    added = [effect["value"] for effect in effects_on(stack, ticket)]
    assert "route-returns-admin" in added
    assert len(added) == len(set(added))


def test_a_send_that_twilio_took_and_answered_with_a_time_out_is_not_repeated(stack):
    to = stack.tel()
    stack.twilio.fails("act_then_status", status=408, operation="create_message")
    stack.start(to)
    stack.passes(hours=4)
    assert len(stack.texts_to(to)) == 1
