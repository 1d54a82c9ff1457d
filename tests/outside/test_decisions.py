"""The promises of docs/decisions.md, tried from outside."""

import re

from tests.outside.running import FIRST, WRITTEN_BY_A_MODEL, Company

MODEL = Company(**{**FIRST.__dict__, "project": WRITTEN_BY_A_MODEL})


def test_a_switch_stops_the_next_message_half_a_minute_after_it_was_set(stack):
    to = stack.tel()
    stack.start(to)
    stack.ops("switch", "set", "shadow_mode", "on", "--yes")
    try:
        stack.forward(seconds=31)
        stack.says(to, "Are you there?")
        assert len(stack.texts_to(to)) == 1
    finally:
        stack.ops("switch", "set", "shadow_mode", "off", "--yes")
        stack.forward(seconds=31)
    stack.says(to, "And now?")
    assert len(stack.texts_to(to)) == 2


def test_an_unknown_outcome_waits_for_a_person_and_is_not_repeated(stack):
    to = stack.mail()
    stack.ses.fails("act_then_drop")
    request_id = stack.start(to, "email").json()["request_id"]
    stack.ses.forget("events")
    stack.forward(days=2)
    assert stack.outcome(request_id)["state"] == "parked"
    explained = stack.ops("explain", f"{FIRST.id}#{request_id}").out
    action = re.search(r"act:send:\S+", explained)[0]
    assert action in stack.ops("settle").out
    stack.ops("settle", action, "done", "--reason", "seen in the mailbox", "--yes")
    stack.passes_until(lambda: stack.outcome(request_id)["state"] == "sent", minutes=6)
    assert len(stack.mails_to(to)) == 1


def test_nothing_is_stored_at_the_models_vendor(stack):
    to = stack.tel()
    stack.start(to, of=MODEL)
    stack.says(to, "When do you open?")
    asked = stack.openai.requests()
    assert {request["path"] for request in asked} <= {"/v1/responses", "/v1/moderations"}
    bodies = [request["body"] for request in asked if request["operation"] == "respond"]
    assert len(bodies) >= 2
    assert all(body["store"] is False for body in bodies)
    assert not [body for body in bodies if {"conversation", "previous_response_id"} & set(body)]


def test_what_explain_prints_holds_no_word_of_a_conversation_and_no_address(stack):
    to = stack.tel()
    request_id = stack.start(to).json()["request_id"]
    stack.says(to, "my own secret words")
    explained = stack.ops("explain", f"{FIRST.id}#{request_id}").out
    assert "Answered automatically" in explained
    for personal in (to, to[1:], "secret words", "Jo,"):
        assert personal not in explained


def test_a_stop_outlives_the_ledgers_memory_of_the_conversation(stack):
    to = stack.tel()
    request_id = stack.start(to).json()["request_id"]
    stack.says(to, "STOP")
    stack.forward(days=31)
    assert stack.outcome(request_id)["error_code"] == "REQUEST_NOT_FOUND"
    again = stack.start(to).json()["request_id"]
    assert stack.outcome(again)["reason"] == "do_not_contact"
    assert len(stack.texts_to(to)) == 1
