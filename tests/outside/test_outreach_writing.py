"""The promises of docs/outreach.md, tried from outside: what a model writes, tools, events to companies."""

import pytest

from tests.outside.conversations import (
    AI,
    MODEL,
    TOOLS,
    act,
    calls,
    conversation,
    desk_list,
    events,
    scripted,
    started,
    told,
    types,
    words_to,
)
from tests.outside.running import FIRST


def test_an_opening_that_a_model_has_written_says_so_and_how_to_opt_out(stack):
    to = stack.tel()
    started(stack, to, of=MODEL)
    (text,) = words_to(stack, to)
    assert "automated assistant" in text
    assert "STOP" in text


def test_a_model_that_thinks_for_too_long_is_asked_for_less_and_its_text_is_sent(stack):
    stack.openai.modes(thinks=20_000)
    to, before = stack.tel(), len(stack.openai.requests("respond"))
    started(stack, to, of=MODEL)
    assert len(words_to(stack, to)) == 1
    asked = [request["body"]["reasoning"]["effort"] for request in stack.openai.requests("respond")]
    assert asked[before:] == ["low", "none"]


def test_a_model_that_refuses_to_write_leaves_the_opening_to_a_person(stack):
    stack.openai.modes(refuses=True)
    to = stack.tel()
    request_id = started(stack, to, of=stack.put_project(ai_config=AI))
    assert stack.outcome(request_id)["waiting"]["reason"] == "model_refused"
    assert stack.texts_to(to) == []


def test_a_project_that_names_an_unknown_model_is_not_stored_and_a_stored_one_is_a_persons(
    stack, tmp_path
):
    ai = {**AI, "writer": {"opening_model": "gpt-5-search-api"}}
    file = tmp_path / "project.json"
    with pytest.raises(AssertionError) as refused:
        stack.put_project(file=file, ai_config=ai)
    assert "ai_config.writer.opening_model is no known model" in str(refused.value)
    assert "gpt-6-luna" in str(refused.value)
    to, project = stack.tel(), stack.put_project(ai_config=ai)
    request_id = started(stack, to, of=project)
    assert stack.outcome(request_id)["waiting"]["reason"] == "model_unknown_model"
    assert stack.texts_to(to) == []


@pytest.mark.parametrize(
    ("draft", "rule"),
    [
        ("See https://elsewhere.example/pay for it.", "draft_link"),
        ("No, I am a real human being.", "draft_human"),
        ("Your pay is $4,250 a month.", "draft_amount"),
    ],
)
def test_a_draft_that_breaks_a_rule_is_never_sent_and_a_person_gets_it(stack, draft, rule):
    to = stack.tel()
    request_id = started(stack, to, of=MODEL)
    scripted(stack, to, text=draft)
    stack.says(to, f"Tell me more {to}")
    assert stack.outcome(request_id)["waiting"]["reason"] == rule
    assert len(stack.texts_to(to)) == 1
    shown = conversation(stack, request_id)
    assert shown["held_message"]["text"] == draft
    assert act(stack, shown, "approve", text="Our office tells you more.").status_code == 200
    assert words_to(stack, to)[1:] == ["Our office tells you more."]


def test_a_recipient_who_asks_whether_a_bot_writes_learns_that_one_does(stack):
    to = stack.tel()
    started(stack, to, of=MODEL)
    scripted(stack, to, text="I can help you with job offers.")
    stack.says(to, f"Am I talking to a robot? {to}")
    assert "automated assistant" in words_to(stack, to)[1]


def test_when_a_projects_budget_is_spent_no_model_is_asked_and_a_person_answers(stack):
    project = stack.put_project(ai_config=AI, model_budget={"cents_per_day": 1})
    to, late = stack.tel(), stack.tel()
    request_id = started(stack, to, of=project)
    asked = len(stack.openai.requests("respond"))
    stack.says(to, "When do you open?")
    assert len(words_to(stack, to)) == 2
    waiting = started(stack, late, of=project)
    assert stack.outcome(request_id)["waiting"]["reason"] == "budget_reached"
    assert stack.outcome(waiting)["waiting"]["reason"] == "budget_reached"
    assert stack.texts_to(late) == []
    assert len(stack.openai.requests("respond")) == asked


def sent_and_waiting(stack):
    """How many messages have left, and what waits for a person, without the length of the wait."""
    waiting = [{**entry, "waiting_seconds": None} for entry in desk_list(stack, MODEL)]
    return len(stack.twilio.get("messages")["messages"]), waiting


def test_trying_a_writer_stores_and_sends_nothing(stack):
    before = sent_and_waiting(stack)
    asked = ("--channel", "sms", "--message", "Are you a bot?")
    printed = stack.ops("writer", "try", FIRST.id, MODEL.project, *asked)
    assert "automated assistant" in printed.out
    assert sent_and_waiting(stack) == before


def test_a_tool_is_called_once_although_the_companys_answer_was_lost(stack):
    to, project = stack.tel(), told(stack, ai_config={**AI, "tools": TOOLS})
    request_id = started(stack, to, of=project)
    calls(stack, to, "note_interest", {"job_ref": "JR123"})
    stack.company.fails("act_then_drop", times=2)
    stack.says(to, f"I am interested {to}")
    stack.passes(hours=2)
    assert words_to(stack, to)[1:] == ["Noted."]
    (called,) = [event for event in events(stack, request_id) if "tool" in event["data"]]
    assert (called["data"]["tool"], called["data"]["arguments"]) == (
        "note_interest",
        {"job_ref": "JR123"},
    )


def test_arguments_that_do_not_fit_a_tools_schema_call_nothing_and_a_person_gets_it(stack):
    to, project = stack.tel(), told(stack, ai_config={**AI, "tools": TOOLS})
    request_id = started(stack, to, of=project)
    calls(stack, to, "note_interest", {"job_ref": "JR123", "salary": "all of it"})
    stack.says(to, f"I am interested {to}")
    assert conversation(stack, request_id)["why"] == "tool_arguments"
    assert "conversation.tool_called" not in types(stack, request_id)
    assert len(stack.texts_to(to)) == 1


@pytest.mark.parametrize(("answer", "is_called"), [("Yes", True), ("Yes, but tomorrow", False)])
def test_a_tool_that_cannot_be_undone_is_called_only_after_a_plain_yes(stack, answer, is_called):
    to, project = stack.tel(), told(stack, ai_config={**AI, "tools": TOOLS})
    request_id = started(stack, to, of=project)
    calls(stack, to, "submit_application", {"job_ref": "JR123"})
    stack.says(to, f"Submit it {to}")
    assert words_to(stack, to)[1:] == ["Shall I submit your application now?\njob_ref: JR123"]
    assert "conversation.tool_called" not in types(stack, request_id)
    stack.says(to, answer)
    assert types(stack, request_id).count("conversation.tool_called") == is_called


def test_a_company_hears_everything_once_in_order_signed_and_without_personal_data(stack, tmp_path):
    to, project = stack.tel(), told(stack, file=tmp_path / "project.json")
    request_id = started(stack, to, of=project)
    stack.carriers_report()
    stack.says(to, "my own secret words")
    stack.says(to, "I want to talk to a person")
    told_of = events(stack, request_id)
    assert [event["type"].partition(".")[2] for event in told_of] == [
        *("accepted", "sent", "delivered", "reply_received", "answered"),
        *("reply_received", "handed_off"),
    ]
    assert [event["data"]["number"] for event in told_of] == [*range(1, 8)]
    for personal in (to, to[1:], "secret words", "Jo"):
        assert personal not in str(told_of)


def test_an_endpoint_that_was_down_for_hours_gets_every_event_in_order(stack):
    to, project = stack.tel(), told(stack)
    stack.company.fails(status=503, times=None)
    request_id = started(stack, to, of=project)
    stack.says(to, "Hello?")
    stack.forward(hours=5)
    assert events(stack, request_id) == []
    stack.company.recovers()
    for _ in range(3):
        stack.forward(hours=6)
    assert [event["data"]["number"] for event in events(stack, request_id)] == [1, 2, 3, 4]
    assert len(stack.texts_to(to)) == 2


def test_an_endpoint_that_is_gone_gets_everything_when_an_operator_resumes(stack):
    to, project = stack.tel(), told(stack)
    stack.company.fails(status=410, times=1)
    request_id = started(stack, to, of=project)
    stack.says(to, "Hello?")
    stack.forward(hours=9)
    assert events(stack, request_id) == []
    stack.ops("company", "resume-events", FIRST.id, project.project, "--yes")
    stack.passes_until(lambda: len(events(stack, request_id)) == 4, minutes=6)
    assert [event["data"]["number"] for event in events(stack, request_id)] == [1, 2, 3, 4]
