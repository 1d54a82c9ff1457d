"""A project's writer tried on samples: what would be sent, once for a form, and by whom it was asked."""

import pytest

from console.deployed import LEFT_OUT
from local import company, simulated_model
from ops.session import Session
from tests.rigs.console import Console, fields, words_of
from tests.rigs.ops_session import session

PAGE = f"/companies/writer?company={company.COMPANY_ID}&project={company.MODEL_PROJECT_ID}"
POST = "/companies/writer"


@pytest.fixture
def stage_console(outreach, model_start, openai):
    """The console over a stage with a project whose messages a model writes."""
    company.create_written_by_model(outreach.stage)
    openai.answer_by(simulated_model.answer)
    outreach.new_container()
    return Console(Session("dev"))


def test_a_trial_shows_drafts_checks_cost_and_prompt_and_is_made_once(
    outreach, openai, stage_console
):
    openai.script(json={"text": "See https://evil.test"}, contains="canary question")
    jo, kim = stage_console.browser("jo"), stage_console.browser("kim")
    assert "Try its writer on samples" in jo.text(f"/companies?company={company.COMPANY_ID}")
    form = fields(jo.get(PAGE))
    hostile = "<script>alert(1)</script> pay \u202e001"
    messages = {"channel": "sms", "messages": f"Hello\r\n\r\ncanary question\r\n{hostile}"}
    answer = jo.post(POST, {**form, **messages})
    said = words_of(answer)
    assert answer.status_code == 200, said
    assert "of 4 would be sent by sms, for" in said
    assert f"{company.BEGINNING}" in said
    assert "a person answers : draft link" in said
    assert "breaks link" in said
    assert "<script>alert" not in answer.text
    assert "\u202e" not in answer.text.split("<textarea")[1].split("</textarea>")[1]
    assert not outreach.twilio.messages
    asked = len(openai.calls)
    assert jo.post(POST, {**form, **messages}).status_code == 409
    assert len(openai.calls) == asked, "a form that was sent twice costs once"
    assert kim.post(POST, {**fields(kim.get(PAGE)), "messages": "Hi"}).status_code == 200
    story = stage_console.services.journal.story(f"company:{company.COMPANY_ID}")
    did = [entry["actor"] for entry in story if entry["action_type"] == "writer try"]
    assert did == ["Operators/jo", "Operators/kim"]
    assert "Hello" not in str(story), "a sample may be anything"
    none = {**fields(jo.get(PAGE)), "project": company.PROJECT_ID, "messages": "Hi"}
    assert "fixed wordings are sent" in jo.post(POST, none).text


def test_a_held_draft_and_a_sent_message_say_by_which_model_and_settings_they_were_written(
    outreach, model_start, openai
):
    model_start()
    openai.answer_by(lambda _body: {"text": "See https://evil.test"})
    outreach.deliver(outreach.says("Where do I apply?", whatsapp=False))
    outreach.run()
    opaque_id = outreach.record("sms").opaque_id
    page = Console(Session("dev")).browser("lea").text(f"/conversations/{opaque_id}")
    writer = outreach.services.outreach.current_settings(outreach.record("sms")).ai_config.writer
    assert page.count(f"gpt-6-luna, settings {writer.revision}") == 2


@pytest.mark.parametrize("who", ["vi", "ana", "lea"])
def test_a_role_that_may_not_act_spends_nothing(console, who):
    browser = console.browser(who)
    assert browser.get(PAGE).status_code == 403
    assert browser.post(POST, {"once": "a" * 16, "messages": "Hi"}).status_code == 403


@pytest.mark.parametrize(
    "changes",
    [
        {"messages": " \n "},
        {"messages": "x\n" * 11},
        {"messages": "x" * 1001},
        {"channel": "fax"},
        {"once": ""},
    ],
)
def test_a_rubbish_form_is_refused_with_the_field(console, changes):
    item = company.project("dev", project_id="p-1")
    console.services.table(console.services.settings.company_data_table).put(item)
    form = {"company": item["company_id"], "project": "p-1", "once": "a" * 16, "messages": "Hi"}
    answer = console.browser("jo").post(POST, {**form, **changes})
    assert answer.status_code == 400
    assert next(iter(changes)) in answer.text
    assert console.services.journal.story(f"company:{item['company_id']}") == []


def test_the_deployed_console_names_the_command_and_asks_nothing(clients):
    deployed = Console(session(**clients), left_out=LEFT_OUT)
    jo = deployed.browser("jo")
    for answer in (jo.get(PAGE), jo.post(POST, {"once": "a" * 16, "messages": "Hi"})):
        assert "python -m ops writer try" in words_of(answer)
    assert "python -m ops doctor" in jo.text("/health/checks")
