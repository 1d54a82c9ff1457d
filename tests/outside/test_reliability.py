"""The promises of docs/reliability.md, tried from outside."""


def test_a_webhook_that_comes_three_times_has_its_effects_once(stack):
    ticket = stack.ticket("Where is my order?")
    for _ in range(3):
        answer = stack.webhook(ticket_id=ticket, message_id="c-1", message="Where is my order?")
        assert answer.status_code == 200
    effects = [one for one in stack.richpanel.get("effects")["effects"] if ticket in str(one)]
    assert len(effects) == len({str(one) for one in effects}) > 0


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
