"""`writer replay`: new settings on old conversations; the difference is shown, and nothing is stored."""

import json

import pytest

from local import company
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import TEL

OF = (company.COMPANY_ID, company.MODEL_PROJECT_ID)
LINK = {"text": "See https://apply.example.com/form for it."}
QUESTION = "Where do I apply?"


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def item(outreach, model_start, tmp_path):
    """The stored item with changes of its writer, as a file."""
    model_start()

    def written(**writer):
        stored = outreach.services.outreach.companies.project(*OF)._item
        ai_config = {**stored["ai_config"], "writer": {**stored["ai_config"]["writer"], **writer}}
        file = tmp_path / "item.json"
        file.write_text(json.dumps({**stored, "ai_config": ai_config}, default=float))
        return file

    return written


@pytest.fixture
def says(outreach, openai):
    """The recipient writes, and the model gives this answer."""

    def said(text, answer):
        openai.answer_by(lambda _body: answer)
        outreach.deliver(outreach.says(text, whatsapp=False))
        outreach.run()

    return said


@pytest.fixture
def replayed(run):
    def replay(file, *more, code=0):
        said = run("writer", "replay", *OF, "--with", file, "--json", *more)
        assert said.code == code, said
        return said.data if not code else said

    return replay


def kept(outreach):
    return [outreach.rows(table) for table in ("ConversationsTable", "CompanyDataTable")]


def test_a_refused_draft_would_be_sent_under_settings_that_allow_it(outreach, item, says, replayed):
    says(QUESTION, LINK)
    before, messages = kept(outreach), len(outreach.twilio.messages)
    found = replayed(item(allowed_links=["apply.example.com"]), "--rules-only")
    assert kept(outreach) == before
    assert len(outreach.twilio.messages) == messages
    (moment,) = found["moments"]
    assert (moment["before"]["verdict"], moment["before"]["rule"]) == ("person", "link")
    assert (moment["after"]["verdict"], moment["after"]["rule"]) == ("send", None)
    assert moment["after"]["kinds"] == ["link"]
    assert (moment["differs"], found["differ"]) == (True, 1)
    assert found["revision"] != moment["revision"]
    assert moment["model"] == "gpt-6-luna"


def test_the_same_settings_make_no_difference(item, says, replayed):
    says("Are you a bot?", {"text": "No, we are open from 9:00 to 17:00."})
    says(QUESTION, LINK)
    found = replayed(item(), "--rules-only")
    assert [moment["before"]["verdict"] for moment in found["moments"]] == ["send", "person"]
    assert found["differ"] == 0, found


def test_words_of_the_conversation_are_shown_on_demand_alone(item, says, replayed, run):
    says(QUESTION, LINK)
    file = item(allowed_links=["apply.example.com"])
    for shown in (
        json.dumps(replayed(file, "--rules-only")),
        run("writer", "replay", *OF, "--with", file, "--rules-only").out,
    ):
        assert "apply" not in shown
        assert TEL not in shown
    (moment,) = replayed(file, "--rules-only", "--show-texts")["moments"]
    assert moment["texts"]["message"] == QUESTION
    assert LINK["text"] in moment["texts"]["after"]
    entries = [
        entry["saw"] for entry in run("journal", "--json").data if entry["did"] == "writer replay"
    ]
    assert ['"texts": true' in json.dumps(json.loads(entry)) for entry in entries] == [
        False,
        False,
        True,
    ]


def test_only_what_was_known_then_is_shown_to_the_model(outreach, openai, item, says, replayed):
    says("When are you open?", {"text": "We are open from 9:00 to 17:00."})
    says("And later?", {"text": "We are not open later."})
    asked = len(openai.calls_of("respond"))
    before = kept(outreach)
    openai.answer_by(lambda _body: {"text": "The office opens at 9:00."})
    found = replayed(item(tone="brief"), "--yes")
    calls = openai.calls_of("respond")[asked:]
    first, second = (json.dumps(call.body["input"]) for call in calls)
    assert "And later?" not in first
    assert "And later?" in second
    assert kept(outreach) == before, "no usage, no draft"
    assert {moment["after"]["verdict"] for moment in found["moments"]} == {"send"}
    assert found["asks_model"]
    assert 0 < found["cost_usd"] < found["estimate_usd"]


def test_the_estimate_comes_first_and_no_model_is_asked_for_it(openai, item, says, replayed, run):
    says(QUESTION, LINK)
    asked = len(openai.calls_of("respond"))
    shown = replayed(item(), "--dry-run")
    assert shown["messages"] == 1
    assert shown["estimate_usd"] > 0
    refused = run("writer", "replay", *OF, "--with", item(), typed="n\n")
    assert refused.code == 1
    assert "estimate" in refused.err
    assert len(openai.calls_of("respond")) == asked
    assert not [entry for entry in run("journal", "--json").data if entry["did"] == "writer replay"]


def test_a_run_ends_where_it_would_cost_more_than_it_may(openai, item, says, replayed):
    says("When are you open?", {"text": "We are open from 9:00 to 17:00."})
    says(QUESTION, LINK)
    asked = len(openai.calls_of("respond"))
    found = replayed(item(), "--yes", "--max-cost", "0.000001")
    assert (found["not_asked"], found["moments"], found["cost_usd"]) == (2, [], 0)
    assert len(openai.calls_of("respond")) == asked


def test_a_model_that_breaks_a_rule_again_leaves_the_answer_to_a_person(item, says, replayed):
    says("When are you open?", {"text": "We are open from 9:00 to 17:00."})
    says(QUESTION, LINK)
    found = replayed(item(), "--yes", "--last", "1")
    (moment,) = found["moments"]
    assert (moment["after"]["verdict"], moment["after"]["rule"]) == ("person", "link")
    assert not moment["differs"]


def test_a_conversation_of_the_project_is_replayed_alone(outreach, item, says, replayed, run):
    says(QUESTION, LINK)
    opaque_id = outreach.record("sms").opaque_id
    found = replayed(item(), "--rules-only", "--conversation", opaque_id)
    assert [moment["conversation"] for moment in found["moments"]] == [opaque_id]
    none = replayed(item(), "--rules-only", "--conversation", "0" * 32, code=1)
    assert "no such conversation" in none.err


def test_an_item_that_company_put_would_refuse_or_of_another_project_is_refused(
    item, replayed, tmp_path
):
    assert "ai_config" in replayed(item(tone=7), "--rules-only", code=1).err
    other = {**json.loads(item().read_text()), "project_id": company.PROJECT_ID}
    file = tmp_path / "other.json"
    file.write_text(json.dumps(other))
    assert "another" in replayed(file, "--rules-only", code=2).err


def test_a_hint_is_known_from_the_act_that_gave_the_conversation_back(
    outreach, openai, item, says, replayed, run
):
    says(QUESTION, LINK)
    opaque_id = outreach.record("sms").opaque_id
    openai.answer_by(lambda _body: {"text": "Thank you."})
    hint = ("--hint", "The visit was moved to 14:00.")
    assert run("handoff", "give_back", opaque_id, "--by", "jo", *hint).code == 0
    outreach.run()
    says("When is the visit?", {"text": "The visit was moved to 14:00."})
    asked = len(openai.calls_of("respond"))
    openai.answer_by(lambda _body: {"text": "Thank you."})
    found = replayed(item(), "--yes")
    calls = openai.calls_of("respond")[asked:]
    assert ["colleague_hint" in json.dumps(call.body["input"]) for call in calls] == [False, True]
    assert len(found["moments"]) == 2
