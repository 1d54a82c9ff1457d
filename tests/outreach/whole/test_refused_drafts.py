"""What becomes of a conversation whose draft may not be sent: nothing leaves, and a person has it."""

import pytest

from chalicelib.outreach.languages import Language
from chalicelib.outreach.messages.fixed import MACHINE_LINE
from local import company
from tests.rigs.outreach import TEL

BAD = {"text": "Go to https://evil.test now."}
LINE = MACHINE_LINE[Language.EN].format(company=company.COMPANY_NAME)


def test_a_refused_opening_is_held_for_a_person_and_written_again_when_approved(
    outreach, openai, model_start
):
    model_start()  # another conversation, which is left as it is
    before = len(outreach.twilio.sent_to(TEL))
    openai.answer_by(lambda _body: BAD)
    other = "+15550100042"
    project = {"project_id": company.MODEL_PROJECT_ID}
    outreach.start("req-bad", "sms", other, company_data=project)
    outreach.run()
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert (waiting.held, waiting.reason) == ("start", "draft_link")
    assert outreach.twilio.sent_to(other) == []
    assert outreach.fate("req-bad").json_body["state"] == "handed_off"
    assert outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    (again,) = outreach.services.outreach.desk.waiting()
    assert (again.held, again.reason) == ("start", "draft_link")
    openai.answer_by(lambda _body: {"text": "Hello Jo"})
    assert outreach.services.outreach.desk.approve(again.opaque_id)
    outreach.run()
    (sent,) = outreach.twilio.sent_to(other)
    assert sent["body"].startswith(f"Hello Jo {LINE}")
    assert len(outreach.twilio.sent_to(TEL)) == before


def test_a_refused_answer_is_a_persons_and_a_second_look_sends_nothing(
    outreach, openai, model_start
):
    model_start()
    openai.answer_by(lambda _body: BAD)
    outreach.deliver(outreach.says("Where do I apply?", whatsapp=False))
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert (waiting.held, waiting.reason) == ("reply", "draft_link")
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert len(openai.calls_of("respond")) == 3  # the opening, and two drafts


def test_settings_that_became_unreadable_make_a_person_answer(outreach, openai, model_start):
    model_start(writer={"instruction": "misspelt"})
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert (waiting.held, waiting.reason) == ("start", "ai_config_unreadable")
    assert not openai.calls_of("respond")


@pytest.mark.parametrize("unreadable", ["rubbish", ["rubbish"], {"openai_config": {"sms": "x"}}])
@pytest.mark.parametrize("channel", ["sms", "whatsapp"])
def test_settings_of_which_nothing_can_be_read_make_a_person_open(outreach, channel, unreadable):
    """They may name a model's key, so no fixed wording or template goes out in place of a model's words."""
    outreach.set_project(ai_config=unreadable)
    assert outreach.start(channel=channel).status_code == 200
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert (waiting.held, waiting.reason) == ("start", "ai_config_unreadable")
    assert outreach.twilio.sent_to(TEL) == []
    assert outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    (again,) = outreach.services.outreach.desk.waiting()
    assert again.reason == "ai_config_unreadable"
    outreach.set_project()
    outreach.new_container()
    assert outreach.services.outreach.desk.approve(again.opaque_id)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_settings_that_nothing_can_be_read_of_any_more_make_a_person_answer(outreach):
    outreach.hears_from("req123", TEL)
    outreach.set_project(ai_config="rubbish")
    outreach.new_container()
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert (waiting.held, waiting.reason) == ("reply", "ai_config_unreadable")
    assert len(outreach.twilio.sent_to(TEL)) == 1
