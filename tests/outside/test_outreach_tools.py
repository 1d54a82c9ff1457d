"""The promises of docs/outreach.md, tried from outside: what may still stop a tool, and a yes."""

import pytest

from tests.outside.conversations import (
    AI,
    TOOLS,
    act,
    calls,
    conversation,
    events,
    started,
    told,
    types,
    words_to,
)
from tests.rigs.one_case import one_case

CALLED = "conversation.tool_called"
QUESTION = "Shall I submit your application now?"
WAITS = {"status": 429, "headers": {"Retry-After": "600"}}


def wished(stack, tool, *, before=lambda: None, quiet=0):
    """A recipient who wishes for a tool; returns the request's id and the number."""
    to = stack.tel()
    request_id = started(
        stack,
        to,
        of=told(stack, ai_config={**AI, "tools": TOOLS}, answering={"quiet_period_seconds": quiet}),
    )
    calls(stack, to, tool, {"job_ref": "JR123"})
    before()
    stack.says(to, f"Please do it {to}")
    return request_id, to


def test_a_tool_is_not_called_where_the_carrier_refuses_what_announces_it(stack):
    request_id, _ = wished(stack, "note_interest", before=lambda: stack.twilio.fails(status=400))
    stack.forward(hours=1)
    assert CALLED not in types(stack, request_id)
    assert conversation(stack, request_id)["why"] == "twilio_20001"


def stops(stack, to, request_id):
    assert stack.says(to, "STOP") == 200


def is_taken(stack, to, request_id):
    assert act(stack, conversation(stack, request_id), "take").status_code == 200


@pytest.mark.parametrize("happens", [stops, is_taken])
def test_a_tool_is_not_called_where_what_announces_it_is_not_sent_any_more(stack, happens):
    request_id, to = wished(stack, "note_interest", before=lambda: stack.twilio.fails(**WAITS))
    happens(stack, to, request_id)
    stack.passes(hours=2)
    assert "Noted." not in words_to(stack, to)
    assert CALLED not in types(stack, request_id)


@one_case("switch", ["safe_mode", "kill_switch", "shadow_mode"])
def test_a_tool_is_not_called_while_a_switch_keeps_back_what_announces_it(stack, switch):
    request_id, to = wished(stack, "note_interest", before=lambda: stack.twilio.fails(**WAITS))
    with stack.switched(switch, "on"):
        stack.passes(hours=2)
        assert CALLED not in types(stack, request_id)
    assert "Noted." not in words_to(stack, to)


def test_only_the_message_right_after_a_question_confirms_it(stack):
    request_id, to = wished(stack, "submit_application", quiet=20)
    stack.forward(minutes=1)
    assert words_to(stack, to)[1].startswith(QUESTION)
    stack.says(to, "No wait, please do not submit it")
    stack.says(to, "ok")
    stack.passes(minutes=10)
    assert CALLED not in types(stack, request_id)


def test_a_message_between_the_yes_and_the_call_withdraws_it_and_a_person_decides(stack):
    request_id, to = wished(stack, "submit_application", quiet=20)
    stack.forward(minutes=1)
    stack.says(to, "Yes")
    stack.says(to, "Wait, please do not submit it yet")
    stack.passes(minutes=10)
    assert CALLED not in types(stack, request_id)
    assert conversation(stack, request_id)["why"] == "confirmation_withdrawn"


def test_a_question_from_before_a_hand_off_is_not_answered_by_a_yes_after_it(stack):
    request_id, to = wished(stack, "submit_application")
    for name in ("take", "give_back"):
        answer = act(stack, conversation(stack, request_id), name, once=name)
        assert answer.status_code == 200
    stack.says(to, "Yes")
    stack.passes(minutes=10)
    assert CALLED not in types(stack, request_id)


def test_a_question_shows_what_will_be_done(stack):
    _, to = wished(stack, "submit_application")
    assert words_to(stack, to)[1] == f"{QUESTION}\njob_ref: JR123"


def test_a_person_answers_while_automation_is_off_and_not_under_the_kill_switch(stack):
    to = stack.tel()
    request_id = started(stack, to)
    assert act(stack, conversation(stack, request_id), "take", once="take").status_code == 200
    with stack.switched("kill_switch", "on"):
        act(stack, conversation(stack, request_id), "reply", once="one", text="First of Sam.")
        stack.settle()
    with stack.switched("automation_enabled", "off"):
        act(stack, conversation(stack, request_id), "reply", once="two", text="Second of Sam.")
        stack.settle()
    assert words_to(stack, to)[1:] == ["Second of Sam."]


def gives_back(stack, request_id, body):
    """The company posts what the tool has done, by the token of the event."""
    (called,) = [event["data"] for event in events(stack, request_id) if "tool" in event["data"]]
    way = called["result"]
    path = f"/conversations/{request_id}/tools/{way['call_id']}/result"
    headers = {"authorization": f"Bearer {way['token']}"}
    answer = stack.request("POST", path, headers=headers, json=body)
    stack.settle()
    return answer


def test_what_a_tool_has_done_comes_back_once_and_the_recipient_hears_of_it(stack):
    request_id, to = wished(stack, "note_interest")
    stack.settle()
    before = len(words_to(stack, to))
    stack.openai.forget("scripts")
    first, again = (gives_back(stack, request_id, {"status": "done"}) for _ in range(2))
    assert (first.json()["repeated"], again.json()["repeated"]) == (False, True)
    other = gives_back(stack, request_id, {"status": "failed"})
    assert (other.status_code, other.json()["code"]) == (409, "result_exists")
    stack.passes(minutes=10)
    assert len(words_to(stack, to)) == before + 1


def test_a_tool_of_which_nothing_comes_back_in_time_is_a_persons(stack):
    request_id, _ = wished(stack, "note_interest")
    stack.passes(hours=26)
    assert conversation(stack, request_id)["why"] == "no_result"
    late = gives_back(stack, request_id, {"status": "done"})
    assert (late.status_code, late.json()["code"]) == (409, "too_late")


def test_a_tool_that_failed_is_a_persons_whatever_it_lacks(stack):
    shape = {"type": "object", "required": ["ref"], "properties": {"ref": {"type": "string"}}}
    tool, to = {**TOOLS[0], "result": shape}, stack.tel()
    of = told(stack, ai_config={**AI, "tools": [tool]}, answering={"quiet_period_seconds": 0})
    request_id = started(stack, to, of=of)
    calls(stack, to, "note_interest", {"job_ref": "JR123"})
    stack.says(to, f"Please do it {to}")
    bare = gives_back(stack, request_id, {"status": "done"})
    assert (bare.status_code, bare.json()["code"]) == (400, "invalid_data")
    assert gives_back(stack, request_id, {"status": "failed"}).status_code == 200
    assert conversation(stack, request_id)["why"] == "tool_failed"
    late = gives_back(stack, request_id, {"status": "done", "data": {"ref": "A-17"}})
    assert (late.status_code, late.json()["code"]) == (409, "result_exists")


@one_case("yes", ["Yes, go ahead", "Sí, gracias", "ja bitte", "Claro que sí"])
def test_a_yes_may_be_polite(stack, yes):
    request_id, to = wished(stack, "submit_application")
    stack.says(to, yes)
    stack.settle()
    assert types(stack, request_id).count(CALLED) == 1


@one_case("other", ["ok thanks", "Yes, tomorrow", "ja ja", "Yes?"])
def test_a_message_that_says_more_than_yes_is_not_taken_as_a_yes(stack, other):
    request_id, to = wished(stack, "submit_application")
    stack.says(to, other)
    stack.passes(minutes=10)
    assert CALLED not in types(stack, request_id)


def test_a_tool_behind_an_endpoint_that_is_gone_is_a_persons_at_once(stack):
    request_id, to = wished(stack, "submit_application")
    stack.company.fails(status=410, times=None)
    stack.says(to, "Yes")
    stack.passes(minutes=10)
    assert CALLED not in types(stack, request_id)
    assert conversation(stack, request_id)["why"] == "tool_not_accepted"


def test_the_time_for_a_result_begins_when_the_company_has_the_call(stack):
    request_id, to = wished(stack, "submit_application")
    stack.company.fails(status=503, times=None)
    stack.says(to, "Yes")
    stack.passes(hours=40)
    assert conversation(stack, request_id)["why"] is None
    stack.company.recovers()
    stack.passes_until(lambda: CALLED in types(stack, request_id), hours=2)
    assert types(stack, request_id).count(CALLED) == 1
    stack.passes(hours=12)
    assert conversation(stack, request_id)["why"] is None
    assert gives_back(stack, request_id, {"status": "done"}).status_code == 200


def test_a_tool_that_no_endpoint_takes_for_days_is_a_persons(stack):
    request_id, to = wished(stack, "submit_application")
    stack.company.fails(status=503, times=None)
    stack.says(to, "Yes")
    stack.passes_until(lambda: conversation(stack, request_id)["why"], hours=24)
    assert conversation(stack, request_id)["why"] == "tool_not_accepted"


def test_a_held_answer_calls_its_tool_although_a_person_edits_its_words(stack):
    config = {**AI, "tools": TOOLS}
    held = told(stack, ai_config=config, auto_queue_reply_message=True)
    to = stack.tel()
    request_id = started(stack, to, of=held)
    calls(stack, to, "note_interest", {"job_ref": "JR123"})
    stack.says(to, f"Please do it {to}")
    stack.passes(minutes=2)
    shown = conversation(stack, request_id)
    assert shown["held_message"]["function"] == "note_interest"
    act(stack, shown, "approve", text="Sam notes it.")
    stack.settle()
    assert words_to(stack, to)[-1] == "Sam notes it."
    assert types(stack, request_id).count(CALLED) == 1
