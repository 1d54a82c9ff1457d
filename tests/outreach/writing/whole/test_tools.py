"""A tool that the writer asks for: declared, checked, confirmed by the recipient, called once."""

import json

import pytest
from pydantic import ValidationError

from chalicelib.once.ports import Switches
from chalicelib.outreach.conversations.records import CONFIRMATION, Draft, Status
from chalicelib.outreach.tools.schema import Tool
from tests.rigs.answered_in_memory import Answered, Killed
from tests.rigs.each_row import each_row

DAY = 86_400.0
SCHEMA = {
    "type": "object",
    "required": ["job_ref"],
    "properties": {
        "job_ref": {"type": "string", "maxLength": 8, "pattern": "^JR"},
        "days": {"type": "array", "items": {"enum": ["mon", "tue"]}, "maxItems": 2},
        "hours": {"type": "integer", "minimum": 1, "maximum": 8},
        "remote": {"type": ["boolean", "null"]},
    },
}
SUBMIT = {"name": "submit", "parameters": SCHEMA, "acknowledgement": "It is submitted."}
CALL = Draft(function_call="submit", function_arguments='{"job_ref": "JR1"}')


# --- the declaration --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {"job_ref": "JR1"},
        {"job_ref": "JR1", "days": ["mon", "tue"], "hours": 8, "remote": None},
        {"job_ref": "JR1", "days": [], "remote": True},
    ],
)
def test_arguments_that_fit_are_taken(arguments):
    assert Tool.model_validate(SUBMIT).parsed_arguments(json.dumps(arguments)) == arguments


@each_row(
    "text",
    [
        None,
        "",
        "{",
        "[]",
        "null",
        '"JR1"',
        '{"job_ref": 7}',
        '{"job_ref": "JR123456789"}',
        '{"job_ref": "secret"}',
        '{"job_ref": "JR1", "other": 1}',
        '{"job_ref": "JR1", "days": ["sun"]}',
        '{"job_ref": "JR1", "days": ["mon", "mon", "mon"]}',
        '{"job_ref": "JR1", "hours": 0}',
        '{"job_ref": "JR1", "hours": true}',
        '{"job_ref": "JR1", "hours": 1.5}',
        '{"job_ref": "JR1", "remote": "yes"}',
        "[" * 100_000,
        json.dumps({"job_ref": "JR1", "days": ["mon"] * 9000}),
    ],
)
def test_arguments_that_do_not_fit_are_refused_without_their_values(text):
    with pytest.raises(ValueError) as refused:
        Tool.model_validate(SUBMIT).parsed_arguments(text)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "string"},
        {},
        {"type": "object", "oneOf": []},
        {"type": "object", "properties": {"a": {"type": "date"}}},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        {"type": "object", "properties": {"a": []}},
    ],
)
def test_a_schema_that_is_not_understood_is_refused(parameters):
    with pytest.raises(ValidationError):
        Tool(name="submit", parameters=parameters)


# --- calls ------------------------------------------------------------------------------------


def texts(twilio):
    return [message["body"] for message in twilio.messages]


def calls(endpoint):
    """The tool calls that the company got, each once."""
    found = [event["data"] for event in endpoint.received.values()]
    return [(data["tool"], data["arguments"]) for data in found if "tool" in data]


def test_a_call_is_told_the_company_and_acknowledged(answered, endpoint, twilio):
    record = answered.converses(endpoint.url, tools=[SUBMIT])
    answered.writer.says = CALL
    answered.hears("Please submit my application")
    assert calls(endpoint) == [("submit", {"job_ref": "JR1"})]
    assert texts(twilio) == ["It is submitted."]
    item = answered.conversations.reread(record).item
    assert (item["function_call"], item["function_call_type"]) == (True, "submit")
    assert item["function_call_outcome"] == "accepted"
    seen, _ = answered.writer.saw[0]
    assert seen.ai_config["functions"] == ["submit"], "the writer is offered what is declared"


def test_arguments_that_do_not_fit_go_to_a_person_and_nowhere_else(answered, endpoint, twilio):
    record = answered.converses(endpoint.url, tools=[SUBMIT])
    answered.writer.says = Draft(function_call="submit", function_arguments='{"job_ref": 7}')
    answered.hears("Please submit my application")
    assert calls(endpoint) == []
    assert answered.conversations.reread(record).is_handed_off


def test_without_an_endpoint_a_person_does_it(answered, endpoint, twilio):
    record = answered.converses(endpoint.url, tools=[SUBMIT], tells=False)
    answered.writer.says = CALL
    answered.hears("Please submit my application")
    assert texts(twilio) == ["It is submitted."]
    record = answered.conversations.reread(record)
    assert record.is_handed_off
    assert record.item["hand_off_to_human_reason"] == "tool_without_endpoint:submit"
    assert record.handoff["reason"] == "tool_without_endpoint:submit"
    assert endpoint.received == {}


@pytest.mark.parametrize(("said", "times"), [("Yes!", 1), ("No, wait", 0)])
def test_an_irreversible_tool_asks_the_recipient_first(answered, endpoint, twilio, said, times):
    question = {"irreversible": True, "question": "Submit it now?"}
    record = answered.converses(endpoint.url, tools=[{**SUBMIT, **question}])
    answered.writer.says = CALL
    answered.hears("Please submit my application")
    assert (calls(endpoint), texts(twilio)) == ([], ["Submit it now?\njob_ref: JR1"])
    assert answered.conversations.reread(record).item[CONFIRMATION]
    answered.writer.says = Draft(text="As you like.")
    answered.hears(said, 2)
    assert len(calls(endpoint)) == times
    answered.hears("Yes", 3)
    assert len(calls(endpoint)) == times, "one yes confirms one question"
    assert CONFIRMATION not in answered.conversations.reread(record).item


IRREVERSIBLE = {**SUBMIT, "irreversible": True, "question": "Submit it now?"}


def asked(answered, endpoint, *, quiet_period_seconds=0, **more):
    """A conversation in which the recipient is asked whether to submit."""
    record = answered.converses(endpoint.url, tools=[{**IRREVERSIBLE, **more}])
    answered.writer.says = CALL
    answered.hears("Please submit my application")
    answered.writer.says = Draft(text="As you like.")
    answered.sets(answering={"quiet_period_seconds": quiet_period_seconds})
    return record


def test_a_message_between_the_yes_and_the_call_withdraws_it_and_goes_to_a_person(
    answered, endpoint, twilio
):
    record = asked(answered, endpoint, quiet_period_seconds=30)
    for number, text in enumerate(("Yes", "No wait, please do not submit it", "ok"), 2):
        answered.intake.put_back(answered.says(text, number))
    answered.run()
    answered.forward(60.0)
    assert calls(endpoint) == []
    record = answered.conversations.reread(record)
    assert (record.is_handed_off, record.handoff["reason"]) == (True, "confirmation_withdrawn")


@pytest.mark.parametrize(
    "between", ["No wait, please do not submit it", "How long does it take?", "Yes?"]
)
def test_only_the_next_message_answers_a_question(answered, endpoint, twilio, between):
    asked(answered, endpoint)
    answered.hears(between, 2)
    answered.hears("ok", 3)
    assert calls(endpoint) == []


def test_a_yes_after_a_hand_off_answers_no_question_before_it(answered, endpoint, twilio):
    record = asked(answered, endpoint)
    found = answered.conversations.reread(record)
    answered.conversations.hand_off(
        found, handoff_id="h1", held="", reason="failed", reason_text="failed"
    )
    assert CONFIRMATION not in answered.conversations.reread(record).item
    back = {"conversation_status": "reply_sent", "hand_off_to_human": False}
    answered.conversations.change_while(found, {Status.HANDED_OFF}, back)
    answered.hears("Yes", 2)
    assert calls(endpoint) == []


def test_a_yes_that_comes_too_late_calls_nothing(answered, endpoint, twilio):
    asked(answered, endpoint, confirm_within_minutes=1)
    late = answered.says("Yes", 2).model_copy(update={"sent_at": "2026-11-20T12:02:00.000Z"})
    answered.intake.put_back(late)
    answered.run()
    assert calls(endpoint) == []


def test_another_declaration_of_the_tool_confirms_nothing(answered, endpoint, twilio):
    asked(answered, endpoint)
    other = {**IRREVERSIBLE, "description": "Submits it for good, and pays the fee"}
    answered.sets(ai_config={"tools": [other]})
    answered.hears("Yes", 2)
    assert calls(endpoint) == []


@pytest.mark.parametrize("code", ["21610", "30007"])
def test_what_a_carrier_refused_to_announce_is_not_done(answered, endpoint, twilio, code):
    record = answered.converses(endpoint.url, tools=[SUBMIT])
    answered.writer.says = CALL
    answered.twilio_refuses(code)
    answered.hears("Please submit my application")
    assert calls(endpoint) == []
    assert answered.conversations.reread(record).is_handed_off == (code != "21610")


@pytest.mark.parametrize("switch", ["kill_switch", "safe_mode", "shadow_mode"])
def test_what_a_switch_kept_from_being_announced_is_not_done(answered, endpoint, twilio, switch):
    record = answered.converses(endpoint.url, tools=[SUBMIT])
    answered.writer.says = CALL
    answered.switches.switches = Switches(**{switch: True})
    answered.hears("Please submit my application")
    assert (calls(endpoint), texts(twilio)) == ([], [])
    assert not answered.conversations.reread(record).item.get("function_call_outcome")


def test_an_endpoint_that_is_gone_leaves_the_call_to_a_person(answered, endpoint, twilio):
    record = answered.converses(endpoint.url, tools=[SUBMIT])
    answered.writer.says = CALL
    endpoint.status = 410
    answered.hears("Please submit my application")
    answered.run()
    assert calls(endpoint) == []
    head = answered.events.rows.head(record.opaque_id)
    project = (record.company_id, record.project_id)
    assert answered.events.rows.endpoint(*project).paused_at
    assert head.posted < head.count


def test_a_worker_that_dies_anywhere_calls_once_under_three_deliveries(
    telling_time, endpoint, twilio
):
    """At every call of a table, before every request to a vendor, and after its answer."""
    number = 0
    while True:
        number += 1
        twilio.reset()
        endpoint.received.clear()
        answered = telling_time(Answered(twilio))
        answered.converses(endpoint.url, tools=[SUBMIT])
        answered.writer.says = CALL
        answered.calls, answered.kill_at = 0, number
        was_killed = False
        for _ in range(3):
            try:
                answered.hears("Please submit my application")
            except Killed:
                was_killed = True
                answered.new_container()
            answered.forward(1_000.0)
        answered.forward(DAY / 4)
        assert calls(endpoint) == [("submit", {"job_ref": "JR1"})], number
        assert texts(twilio) == ["It is submitted."], number
        if not was_killed:
            break
    assert number > 30
