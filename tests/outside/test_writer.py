"""The promises of docs/writer.md, tried from outside: drafts judged by `writer check`, and names."""

import json

import pytest

from tests.outside.aws import aws
from tests.outside.conversations import (
    AI,
    act,
    by_whatsapp,
    conversation,
    scripted,
    started,
    words_to,
)
from tests.outside.running import FIRST, PROJECT
from tests.rigs.one_case import one_case

NOW = "2026-11-24T10:00:00Z"


@pytest.fixture
def project(stack):
    writer = {
        **AI.get("writer", {}),
        "knowledge": [{"id": "van", "text": "The van holds 20 boxes."}],
        "time_zone": "Europe/London",
    }
    return stack.put_project(ai_config={**AI, "writer": writer})


def line(text, data=None, said="Hello?", claims=None):
    return {
        "id": "d1",
        "now": NOW,
        "recipient": {"first_name": "Jo", "language": "en", "time_zone": "Europe/London"},
        "project_data": data or {},
        "conversation": [{"from": "recipient", "at": NOW, "text": said}],
        "draft": {"text": text, "claims": claims},
    }


def checked(stack, project, *lines, code=0):
    typed = "\n".join(json.dumps(line) for line in lines)
    arguments = ("writer", "check", FIRST.id, project.project, "--rules-only", "--json")
    printed = stack.ops(*arguments, typed=typed, code=code)
    return printed if code else [json.loads(line) for line in printed.out.splitlines()]


def test_a_balance_does_not_rest_on_a_deposit_of_the_same_sum(stack, project):
    data = {"deposit": 695, "currency": "GBP"}
    wrong, right = checked(
        stack,
        project,
        line("Your balance is £695.", data),
        line("Your deposit is £695.", data),
    )
    assert set(wrong) == {"id", "verdict", "rule", "span", "rendered", "cost_usd"}
    assert (wrong["verdict"], wrong["rule"], wrong["span"]) == ("retry", "role", "£695")
    assert (right["verdict"], right["rule"], right["cost_usd"]) == ("send", None, 0)


def test_a_draft_that_agrees_with_what_only_the_recipient_said_is_not_sent(stack, project):
    said = "Your manager agreed to 20% off for me, right?"
    (found,) = checked(stack, project, line("Yes, that is right.", said=said))
    assert (found["verdict"], found["rule"]) == ("retry", "agreement")


def test_an_appointment_is_today_only_if_its_date_is(stack, project):
    text = "Your appointment is today at 14:00."
    today, later, unknown = checked(
        stack,
        project,
        line(text, {"appointment": "2026-11-24T14:00"}),
        line(text, {"appointment": "2026-11-26T14:00"}),
        line("Your appointment is today."),
    )
    assert today["verdict"] == "send"
    assert (later["rule"], unknown["rule"]) == ("date", "date")


def test_a_path_in_a_draft_is_written_by_code(stack, project):
    text = "The deposit is {{project_data.deposit}}."
    (found,) = checked(stack, project, line(text, {"deposit": 1100, "currency": "GBP"}))
    assert "The deposit is £1,100." in found["rendered"]


def test_a_wrong_line_of_drafts_is_refused_by_its_number_and_field_and_its_value_is_not_shown(
    stack, project
):
    wrong = line("Hello.")
    wrong["recipient"]["time_zone"] = "Secret/Place"
    printed = checked(stack, project, line("Hello."), wrong, code=2)
    assert "line 2: field recipient.time_zone" in printed.out + printed.err
    assert "Secret" not in printed.out + printed.err


def test_a_first_name_with_a_link_never_becomes_part_of_a_message(stack):
    to = stack.tel()
    name = "Jo. Your parcel waits: pay at pay.example.com"
    started(stack, to, recipient_data={"recipient_first_name": name})
    (text,) = words_to(stack, to)
    assert "pay.example.com" not in text


def written(stack, channel="sms", **data):
    """A conversation that a model writes for: its project, its recipient, its request."""
    of = stack.put_project(ai_config=AI)
    to = stack.mail() if channel == "email" else stack.tel()
    return of, to, started(stack, to, channel, of=of, project_data=data)


def says(stack, to, channel, text):
    """The recipient answers on the channel of the conversation."""
    if channel == "email":
        stack.writes(to, stack.mails_to(to)[-1]["reply_to"], text)
    elif channel == "whatsapp":
        by_whatsapp(stack, to, text)
    else:
        stack.says(to, text)


def replayed(stack, folder, of, *more, **writer):
    """What a replay of a project's conversations under a writer's settings shows."""
    file = folder / "item.json"
    item = {**PROJECT, "project_id": of.project, "ai_config": {**AI, "writer": writer}}
    file.write_text(json.dumps(item))
    return stack.ops("writer", "replay", FIRST.id, of.project, "--with", file, "--json", *more).data


def rows(stack):
    """Every row of the conversations."""
    names = aws(stack, "dynamodb", "ListTables")["TableNames"]
    (table,) = [name for name in names if "conversations" in name]
    found, start = [], {}
    while start is not None:
        page = aws(stack, "dynamodb", "Scan", TableName=table, **start)
        found += page["Items"]
        key = page.get("LastEvaluatedKey")
        start = {"ExclusiveStartKey": key} if key else None
    return found


def test_a_replay_shows_what_new_settings_change_sends_nothing_and_stores_nothing(stack, tmp_path):
    of, to, _ = written(stack)
    scripted(stack, to, text="Apply at https://apply.example.com/form please.")
    stack.says(to, f"Where do I apply? {to}")
    before = rows(stack), len(stack.texts_to(to))
    allowed = {"allowed_links": ["apply.example.com"]}
    by_rules = replayed(stack, tmp_path, of, "--rules-only", "--yes", **allowed)
    asked = len(stack.openai.requests("respond"))
    by_model = replayed(stack, tmp_path, of, "--yes", **allowed)
    assert len(stack.openai.requests("respond")) > asked
    assert (rows(stack), len(stack.texts_to(to))) == before
    (moment,) = by_rules["moments"]
    assert (moment["before"]["verdict"], moment["before"]["rule"]) == ("person", "link")
    assert (moment["after"]["verdict"], moment["after"]["rule"], moment["differs"]) == (
        "send",
        None,
        True,
    )
    assert "apply" not in json.dumps(by_rules)
    assert (by_rules["cost_usd"], by_rules["asks_model"]) == (0, False)
    assert 0 < by_model["cost_usd"] < by_model["estimate_usd"]
    assert by_model["differ"] == 1


@one_case("channel", ["sms", "whatsapp", "email"])
def test_a_replay_judges_an_old_message_by_the_day_on_which_it_came(stack, tmp_path, channel):
    day = f"{stack.now():%Y-%m-%d}"
    of, to, _ = written(stack, channel, appointment=f"{day}T23:30")
    scripted(stack, to, text="Your appointment is today at 23:30.")
    says(stack, to, channel, f"When is it? {to}")
    stack.forward(days=2)
    found = replayed(stack, tmp_path, of, "--rules-only", "--yes")
    (moment,) = found["moments"]
    assert moment["before"]["verdict"] == moment["after"]["verdict"] == "send"


def test_a_message_names_the_revision_of_the_settings_and_the_model_that_wrote_it(stack):
    of, _, request_id = written(stack)
    (opening,) = [
        message for message in conversation(stack, request_id)["messages"] if "model" in message
    ]
    listed = stack.ops("writer", "revisions", FIRST.id, of.project, "--json").data
    assert [row["revision"] for row in listed if row["is_current"]] == [opening["revision"]]
    assert opening["model"].startswith("gpt-")


def example(name, verdict, text, data=None, **more):
    why = {} if verdict == "good" else {"why": "prices change"}
    return {**line(text, data), "id": name, "verdict": verdict, **why, **more}


def taught(stack, project, *examples, code=0):
    """The project's verdict set gets examples."""
    typed = "\n".join(json.dumps(item) for item in examples)
    arguments = ("writer", "put-verdicts", FIRST.id, project.project, "--yes")
    return stack.ops(*arguments, typed=typed, code=code)


def known(stack, project):
    out = stack.ops("writer", "verdicts", FIRST.id, project.project, "--json").out
    return {item["id"]: item for item in map(json.loads, out.splitlines())}


def test_settings_that_the_verdict_set_refuses_are_not_stored_without_a_reason(stack, tmp_path):
    def item(*facts, status="active"):
        knowledge = [{"id": f"k{place}", "text": fact} for place, fact in enumerate(facts)]
        path = tmp_path / "item.json"
        writer = {"knowledge": knowledge}
        whole = {**PROJECT, "project_id": project.project, "project_status": status}
        path.write_text(json.dumps({**whole, "ai_config": {**AI, "writer": writer}}))
        return ("company", "put", path, "--yes")

    project = stack.put_project(ai_config=AI)
    stack.ops(*item("The van holds 20 boxes."))
    taught(
        stack,
        project,
        example("van-size", "good", "The van holds 20 boxes."),
        example("van-price", "bad", "The van costs $95."),
    )
    printed = stack.ops(*item("The van costs $95."), code=1)
    assert "van-size is good and stopped by " in printed.err
    assert "van-price is bad and would be sent (prices change)" in printed.err
    (still,) = checked(stack, project, line("The van holds 20 boxes."))
    assert still["verdict"] == "send"
    stack.ops(*item("The van holds 20 boxes.", "We move on Mondays."))
    stack.ops(*item("The van costs $95."), "--despite-verdicts", "a smaller van")
    journal = stack.ops("journal", "--json").out
    assert "a smaller van" in journal
    (now,) = checked(stack, project, line("The van costs $95."))
    assert now["verdict"] == "send"
    stack.ops(*item("The van costs $95.", status="paused"))


def test_a_person_is_erased_from_the_verdict_set_too(stack, project):
    to, mail, other = stack.tel(), stack.mail(), stack.mail()
    both = {"recipient_tel": to, "recipient_email": mail}
    names = {"recipient_first_name": "Jo", "recipient_last_name": "Vandersloot"}
    started(stack, to, of=project, recipient_data={**both, **names})
    taught(
        stack,
        project,
        example("mail", "good", f"We wrote to {mail}.", invented=True),
        example("name", "good", "We wrote to Jo Vandersloot.", invented=True),
        example("other", "good", f"We wrote to {other}.", invented=True),
        example("jo", "good", "Hello Jo.", invented=True),
    )
    stack.ops("erase", "--subject", mail, "--yes")
    assert known(stack, project).keys() >= {"other", "jo"}
    stack.ops("erase", "--subject", to, "--yes")
    assert known(stack, project).keys() == {"other", "jo"}


def test_an_example_from_a_conversation_is_stored_without_the_person(stack, project):
    to, mail = stack.tel(), stack.mail()
    text = f"Hello Jo, we call {to} and write to {mail} about 4 boxes."
    taught(stack, project, example("one", "good", text))
    (entry,) = known(stack, project).values()
    stored = json.dumps(entry)
    assert not [said for said in (to, mail, "Jo") if said in stored]
    assert "about 4 boxes" in entry["draft"]["text"]


def test_a_wrong_example_is_refused_by_its_line_and_field_and_nothing_is_stored(stack, project):
    bad = {**example("b", "bad", "secret word"), "why": " "}
    printed = taught(stack, project, example("a", "good", "Hello."), bad, code=2)
    assert "line 2: field why" in printed.err
    assert "secret" not in printed.out + printed.err
    assert known(stack, project) == {}


def test_a_stop_counts_as_false_where_a_person_sends_the_draft_and_as_right_where_they_do_not(
    stack,
):
    project = stack.put_project(ai_config=AI)
    draft = "Your pay is $4,250 a month."
    ends = (
        ("approve", {"text": draft}),
        (
            "reply",
            {"text": f"{draft} Ask us for more about your pay, or for a call of a colleague."},
        ),
        ("approve", {"text": "Your pay is $3,900 a month."}),
        ("decline", {"reason": "wrong"}),
        (None, {}),
    )
    for place, (name, fields) in enumerate(ends):
        to = stack.tel()
        request_id = started(stack, to, of=project)
        scripted(stack, to, text=draft)
        stack.says(to, f"Tell me more {to}")
        shown = conversation(stack, request_id)
        assert shown["why"] == "draft_amount"
        for _repeated in range(2 if name else 0):
            answer = act(stack, shown, name, once=f"{project.project}-{place}", **fields)
            assert answer.status_code == 200
    printed = stack.ops("writer", "stops", FIRST.id, project.project, "--days", "1", "--json").out
    (row,) = json.loads(printed)
    assert (row["rule"], row["held"], row["as_is"], row["edited"]) == ("amount", 5, 1, 0)
    assert (row["other"], row["discarded"]) == (2, 1)
    assert (row["false_stops"]["count"], row["false_stops"]["of"]) == (1, 4)
    assert "1 of 4" in stack.ops("writer", "stops", FIRST.id, project.project).out
