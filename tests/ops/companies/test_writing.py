"""`writer try`: what a project's model writes is shown with its checks, and nothing is sent or stored."""

import pytest

from local import company, simulated_model
from tests.rigs.ops_cli import runner

TRY = ("writer", "try", company.COMPANY_ID, company.MODEL_PROJECT_ID)


@pytest.fixture
def run(outreach, model_start, openai, capsys):
    company.create_written_by_model(outreach.stage)
    openai.answer_by(simulated_model.answer)
    outreach.new_container()
    return runner(capsys)


def test_it_shows_prompt_drafts_checks_and_cost_and_sends_nothing(outreach, openai, run):
    openai.script(json={"text": "See https://evil.test"}, contains="canary question")
    said = run(
        *TRY, "--channel", "sms", "--message", "Hello", "--message", "canary question", "--json"
    )
    assert said.code == 0
    opening, fine, refused = said.data["turns"]
    assert company.BEGINNING in said.data["answer_prompt"]
    assert opening["text"].startswith(company.BEGINNING)
    assert opening["text"].endswith("Reply STOP to opt out.")
    assert (fine["result"], fine["drafts"][0]["rules"]) == ("sent", [])
    assert (refused["result"], refused["reason"]) == ("person", "draft_link")
    assert [draft["rules"] for draft in refused["drafts"]] == [["link"], ["link"]]
    assert said.data["tokens"] == sum(turn["tokens"] for turn in said.data["turns"]) > 0
    assert opening["segments"] >= 1
    assert said.data["sees"]
    assert not outreach.twilio.messages
    assert outreach.record("sms", "+15550100199") is None


def test_it_prints_the_same_for_a_person(run):
    said = run(*TRY)
    assert said.code == 0
    assert "nothing was sent" in said.out
    assert "draft_instruction" in said.out


def test_a_project_without_a_model_and_one_that_does_not_exist_are_named(run):
    assert run(*TRY[:3], company.PROJECT_ID).code == 1
    assert run(*TRY[:3], "pi-none").code == 1
