"""The promises of docs/retries.md, tried from outside."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from tests.outside.running import FIRST, WRITTEN_BY_A_MODEL, Company
from tests.outside.senders import aloware, call, reported
from tests.outside.tickets import effects_on, opens, requests_about, tags

MODEL = Company(**{**FIRST.__dict__, "project": WRITTEN_BY_A_MODEL})


def test_a_vendor_that_fails_is_left_alone_and_once_it_is_back_each_text_is_sent_once(stack):
    before, recipients = sends(stack), [stack.tel() for _ in range(7)]
    stack.twilio.fails(status=503, times=None)
    requests = [started(stack, to) for to in recipients]
    assert sends(stack) - before < len(recipients)
    stack.forward(hours=2)
    assert [stack.texts_to(to) for to in recipients] == [[]] * 7
    stack.twilio.recovers()
    for _ in range(4):
        stack.forward(minutes=40)
    assert [len(stack.texts_to(to)) for to in recipients] == [1] * 7
    assert {stack.outcome(request)["state"] for request in requests} == {"sent"}


def test_a_text_that_is_refused_for_good_is_not_tried_again(stack):
    before, to = sends(stack), stack.tel()
    stack.twilio.fails(status=400)
    request_id = started(stack, to)
    stack.forward(hours=3)
    assert stack.outcome(request_id)["state"] == "failed"
    assert (sends(stack) - before, stack.texts_to(to)) == (1, [])


@pytest.mark.parametrize("status", [429, 503])
def test_a_vendor_that_names_a_wait_is_not_asked_before_its_end(stack, status):
    before, to = sends(stack), stack.tel()
    stack.twilio.fails(status=status, headers={"Retry-After": "600"})
    request_id = started(stack, to)
    stack.forward(minutes=8)
    assert (sends(stack) - before, stack.texts_to(to)) == (1, [])
    stack.passes(minutes=24)  # after a 503 the text is looked for before it is sent again
    assert (sends(stack) - before, len(stack.texts_to(to))) == (2, 1)
    assert stack.outcome(request_id)["state"] == "sent"


def test_what_waits_for_a_vendor_is_not_sent_to_a_recipient_who_says_stop_meanwhile(stack):
    to = stack.tel()
    stack.twilio.fails(status=429, headers={"Retry-After": "600"})
    request_id = started(stack, to)
    assert stack.says(to, "ARRÊT") == 200
    stack.forward(minutes=16)
    assert stack.outcome(request_id)["state"] == "failed"
    assert not [text for text in stack.texts_to(to) if "Hello Jo" in text["body"]]


def test_credentials_that_a_vendor_refuses_are_read_again_and_the_text_leaves_at_once(stack):
    before, to = sends(stack), stack.tel()
    stack.twilio.fails(status=401)
    request_id = started(stack, to)
    assert stack.outcome(request_id)["state"] == "sent"
    assert (sends(stack) - before, len(stack.texts_to(to))) == (2, 1)


def test_a_model_that_is_away_delays_an_answer_which_then_comes_once(stack):
    to = stack.tel()
    started(stack, to, of=MODEL)
    stack.openai.fails(status=500, times=None)
    stack.says(to, "When do you open?")
    stack.forward(minutes=20)
    assert len(stack.texts_to(to)) == 1
    stack.openai.recovers()
    for _ in range(2):
        stack.forward(minutes=40)
    assert len(stack.texts_to(to)) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_of_a_day_that_a_vendor_names_is_cut_to_a_quarter_of_an_hour(stack, status):
    before, to = sends(stack), stack.tel()
    stack.twilio.fails(status=status, headers={"Retry-After": "86400"})
    started(stack, to)
    stack.forward(minutes=14)
    assert (sends(stack) - before, stack.texts_to(to)) == (1, [])
    stack.passes(minutes=16)
    assert (sends(stack) - before, len(stack.texts_to(to))) == (2, 1)


@pytest.mark.parametrize("status", [429, 503])
def test_a_ticket_waits_as_long_as_richpanel_says_and_is_then_routed_once(stack, status):
    stack.richpanel.fails(status=status, operation="add_tags", headers={"Retry-After": "600"})
    ticket = opens(stack, "I want to return my shoes.")
    asked = len(requests_about(stack, ticket))
    stack.forward(minutes=8)
    assert (len(requests_about(stack, ticket)), tags(stack, ticket)) == (asked, set())
    stack.passes(minutes=16)
    assert "route-returns-admin" in tags(stack, ticket)
    routed = [effect["value"] for effect in effects_on(stack, ticket)]
    assert len(routed) == len(set(routed))


@pytest.mark.parametrize("status", [429, 503])
def test_facts_wait_as_long_as_power_bi_says_and_are_then_posted_once(stack, status):
    made = call(stack)
    aloware(stack, made)
    stack.powerbi.fails(
        status=status, operation="post_rows", times=None, headers={"Retry-After": "600"}
    )
    stack.forward(minutes=1)
    asked = len(stack.powerbi.requests("post_rows"))
    for _ in range(4):
        stack.forward(minutes=2)
    assert (len(stack.powerbi.requests("post_rows")), reported(stack, made)) == (asked, [])
    stack.powerbi.recovers()
    stack.passes(minutes=8)
    assert len(reported(stack, made)) == 1


def test_a_wait_that_a_vendor_names_as_a_date_is_kept(stack):
    before, to = sends(stack), stack.tel()
    ends = format_datetime(stack.now() + timedelta(minutes=10), usegmt=True)
    stack.twilio.fails(status=429, headers={"Retry-After": ends})
    started(stack, to)
    stack.forward(minutes=8)
    assert (sends(stack) - before, stack.texts_to(to)) == (1, [])
    stack.forward(minutes=8)
    assert len(stack.texts_to(to)) == 1


def test_an_endpoint_of_a_company_that_names_a_wait_is_not_called_before_its_end(stack):
    url = f"{stack.company.url}/events/{stack.number()}"
    project = stack.put_project(event_webhook={"url": url})
    stack.company.fails(status=503, headers={"Retry-After": "600"})
    request_id = started(stack, stack.tel(), of=project)
    asked = len(stack.company.requests())
    stack.forward(minutes=8)
    assert len(stack.company.requests()) == asked
    stack.passes(minutes=8)
    heard = [event["data"] for event in stack.company.get("events")["events"]]
    numbers = [event["number"] for event in heard if event["request_id"] == request_id]
    assert numbers == [1, 2]


def started(stack, to, **changes):
    """A conversation by SMS; returns its request's id."""
    return stack.start(to, **changes).json()["request_id"]


def sends(stack):
    """How often Twilio was asked to send a text."""
    return len(stack.twilio.requests("create_message"))
