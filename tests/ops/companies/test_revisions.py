"""The settings by which a message was written, and the time since which they were in force."""

import json

import pytest

from local import company
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import TEL

OF = (company.COMPANY_ID, company.MODEL_PROJECT_ID)


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def put(run, outreach, tmp_path):
    """Stores the project that a model writes for, with some settings of its writer."""
    item = company.create_written_by_model(outreach.stage)

    def stored(**writer):
        ai_config = {**item["ai_config"], "writer": {**item["ai_config"]["writer"], **writer}}
        file = tmp_path / "item.json"
        file.write_text(json.dumps({**item, "ai_config": ai_config}))
        assert run("company", "put", file, "--yes", "--json").code == 0

    return stored


def revisions(run):
    return run("writer", "revisions", *OF, "--json").data


def test_each_revision_says_since_when_it_held_and_who_stored_it(run, put):
    (unknown,) = revisions(run)
    assert (unknown["since"], unknown["is_current"]) == (None, True)
    put()
    put(tone="warm")
    put(tone="warm")
    first, second = revisions(run)
    assert first["revision"] == unknown["revision"] != second["revision"]
    assert (first["is_current"], second["is_current"]) == (False, True)
    assert first["since"] < second["since"]
    assert second["by"]


def test_settings_that_another_program_stored_are_the_newest_and_since_when_is_not_known(
    run, put, outreach
):
    put(tone="warm")
    company.create_written_by_model(outreach.stage)
    found = revisions(run)
    assert [revision["is_current"] for revision in found] == [False, True]
    assert found[-1]["since"] is None


def test_a_message_names_the_revision_and_the_model_that_wrote_it(run, outreach, model_start):
    model_start()
    said = outreach.services.outreach.conversations.history(outreach.record("sms"))
    (opening,) = [message for message in said if message.provider_id]
    assert (opening.model, opening.revision) == ("gpt-6-luna", revisions(run)[-1]["revision"])


def test_a_draft_that_a_person_sees_names_them_too(run, outreach, openai, model_start):
    model_start()
    openai.answer_by(lambda _body: {"text": "Go to https://evil.test now."})
    outreach.deliver(outreach.says("Where do I apply?", whatsapp=False))
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    shown = run("handoff", "list", "--show", waiting.opaque_id, "--json").data
    assert shown["held_message"]["refused"] == ["link"]
    assert shown["held_message"]["model"] == "gpt-6-luna"
    assert shown["held_message"]["revision"] == revisions(run)[-1]["revision"]
    assert outreach.twilio.sent_to(TEL)
