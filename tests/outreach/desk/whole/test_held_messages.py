"""What a person approves is what they saw: the held message is written first, shown, and sent as it was."""

from datetime import UTC, datetime

import pytest

from chalicelib.clock import SystemClock
from chalicelib.errors import TransientError
from chalicelib.outreach.conversations.records import Draft
from chalicelib.outreach.languages import Language
from chalicelib.outreach.messages.fixed import OPT_OUT_LINE
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget_limits import (
    CONVERSATION_BUDGET_REACHED,
    BudgetReachedError,
)
from chalicelib.outreach.writing.checked_writer import CheckedWriter
from chalicelib.outreach.writing.template_writer import TemplateWriter
from local import company
from tests.rigs.outreach import TEL

OTHER = "+15550100002"
BAD = "Go to https://evil.test now."


class Numbered(TemplateWriter):
    """A writer that never writes the same twice, and may be away."""

    def __init__(self):
        self.written, self.is_away = 0, False

    def answer(self, _record, history):
        if self.is_away:
            raise TransientError("openai", "respond", reason="http_503")
        self.written += 1
        if "enough" in history[-1].content:
            return Draft(opts_out=True)
        return Draft(text=f"Answer {self.written} to: {history[-1].content}")


class Model:
    """A language model that writes what it is given."""

    def __init__(self, *texts):
        self.texts = list(texts)

    def opening(self, _record, _settings, _advice):
        return Draft(text=self.texts.pop(0))

    def answer(self, record, _history, settings, advice):
        return self.opening(record, settings, advice)

    def flagged_categories(self, _record, _text):
        return ()


@pytest.fixture
def writer(desk):
    desk.composer._writer = Numbered()
    desk.clock.forward((datetime.now(UTC) - desk.clock.now()).total_seconds())
    return desk.composer._writer


def held(desk, text="Tell me more", request_id="req1", **more):
    return desk.says(desk.begun(request_id, auto_queue_reply_message=True, **more), text)


def shown(desk, record):
    return desk.inbox.conversation(record.opaque_id)["held_message"]


def test_the_text_that_was_shown_is_sent_and_no_other_conversations(desk, writer):
    record = held(desk)
    other = held(desk, "And the fee?", "req2", tel=OTHER)
    assert shown(desk, record)["text"] == "Answer 1 to: Tell me more"
    assert shown(desk, other)["text"] == "Answer 2 to: And the fee?"
    assert desk.sent() == []
    desk.act("approve", record)
    desk.work()
    assert desk.sent() == ["Answer 1 to: Tell me more"]
    assert writer.written == 2, "nothing is written after the approval"
    assert desk.sent(OTHER) == []
    assert shown(desk, record) is None


def test_it_is_the_same_after_a_take(desk, writer):
    record = held(desk)
    desk.act("take", record)
    assert shown(desk, record)["text"] == "Answer 1 to: Tell me more"
    desk.act("approve", record)
    desk.work()
    assert desk.sent() == ["Answer 1 to: Tell me more"]


def test_an_edit_is_shown_and_sent_in_its_place(desk, writer):
    record = held(desk)
    desk.act("approve", record, text="We pay monthly.")
    assert (shown(desk, record)["text"], shown(desk, record)["by"]) == ("We pay monthly.", "sam")
    desk.work()
    assert desk.sent() == ["We pay monthly."]


def test_what_the_recipient_wrote_since_is_not_in_it_and_give_back_answers_all(desk, writer):
    record = held(desk)
    assert not shown(desk, record)["is_older_than_newest"]
    desk.says(record, "And the fee?")
    assert shown(desk, record)["is_older_than_newest"]
    desk.act("give_back", record)
    desk.work()
    assert desk.sent() == ["Answer 2 to: And the fee?"]


def test_without_a_writer_the_person_gets_the_conversation_and_nothing_leaves_unseen(desk, writer):
    writer.is_away = True
    record = held(desk)
    assert desk.state(record) == "waiting"
    assert shown(desk, record) is None
    desk.act("approve", record)
    assert desk.work() == 1, "it is tried again"
    writer.is_away = False
    desk.clock.forward(1_000)
    desk.sweep()
    desk.work()
    assert desk.sent() == []
    assert desk.state(record) == "waiting"
    assert shown(desk, record)["text"] == "Answer 1 to: Tell me more"
    desk.act("approve", record)
    desk.work()
    assert desk.sent() == ["Answer 1 to: Tell me more"]


def test_a_wish_to_stop_is_not_held(desk, writer):
    record = held(desk, "I have had enough")
    assert desk.state(record) is None
    assert desk.conversations.forbids(record) == "asked_to_stop"
    (confirmation,) = desk.sent()
    assert "no more messages" in confirmation


def test_a_spent_conversation_gets_one_wording_and_then_persons(desk, writer):
    def is_spent(*_):
        raise BudgetReachedError(CONVERSATION_BUDGET_REACHED)

    writer.answer = is_spent
    record, other = desk.begun(), desk.begun("req2", tel=OTHER)
    for _ in range(2):
        record = desk.says(record, "Tell me more")
        assert record.handoff["reason"] == CONVERSATION_BUDGET_REACHED
        desk.act("close", record)
        desk.work()
    (wording,) = desk.sent()
    assert "A colleague will answer you" in wording
    assert desk.says(other, "And me?").is_handed_off
    assert len(desk.sent(OTHER)) == 1


def refused(desk, *texts):
    model = Model(*texts)
    desk.composer._writer = CheckedWriter(
        model=model, current=lambda _record: Project({}), clock=SystemClock(), log=desk.log
    )
    return desk.says(desk.begun(), "Where do I apply?")


def test_a_refused_draft_is_shown_with_its_rules_and_sent_as_edited(desk):
    record = refused(desk, BAD, BAD)
    assert record.handoff["reason"] == "draft_link"
    held_message = shown(desk, record)
    assert (held_message["text"], held_message["refused"]) == (BAD, ["link"])
    desk.act("approve", record, text="Apply by replying here.")
    desk.work()
    assert desk.sent() == ["Apply by replying here."]
    assert BAD not in str(desk.log.events)
    assert BAD not in str(desk.table.rows)


def test_a_refused_draft_is_never_sent_by_an_approval(desk):
    record = refused(desk, BAD, BAD, BAD, BAD)
    desk.act("approve", record)
    desk.work()
    assert desk.sent() == []
    assert shown(desk, record)["refused"] == ["link"]
    texts = desk.conversations.other_messages(record, "none").texts
    assert not any("evil" in text for text in texts), "it was never sent"


def test_an_answer_with_a_photo_a_note_and_a_hint_is_described(outreach):
    company.open_desk(outreach.stage)
    outreach.start("a", "sms")
    outreach.run()
    outreach.deliver(outreach.says("I want to talk to a human", whatsapp=False, media=1))
    outreach.run()
    (listed,) = outreach.desk("/desk/conversations").json_body["conversations"]
    path = f"/desk/conversations/{listed['id']}"
    for act in ({"act": "note", "text": "Call back"}, {"act": "give_back", "hint": "Be brief"}):
        body = {"by": "sam", "version": outreach.desk(path).json_body["version"], **act}
        assert outreach.desk(f"{path}/acts", body, idempotency=act["act"]).status_code == 200
    shown = outreach.desk(path).json_body
    assert any(message.get("media") for message in shown["messages"])
    assert "note" in {message["role"] for message in shown["messages"]}
    assert shown["hint"] == "Be brief"
    assert (shown["request_id"], shown["name"]) == ("a", "Jo")


def test_a_held_opening_is_shown_as_it_will_be_read_and_edited_with_the_opt_out_line(outreach):
    company.open_desk(outreach.stage)
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start("a", "sms")
    outreach.start("b", "sms", OTHER)
    outreach.run()
    found = outreach.desk("/desk/conversations").json_body["conversations"]
    first, second = (
        outreach.desk(f"/desk/conversations/{entry['id']}").json_body for entry in found
    )
    line = OPT_OUT_LINE[Language.EN]
    assert first["held_message"]["text"].endswith(line)
    for shown, more in ((first, {}), (second, {"text": "Hello, it is Sam."})):
        body = {"act": "approve", "by": "sam", "version": shown["version"], **more}
        path = f"/desk/conversations/{shown['id']}/acts"
        assert outreach.desk(path, body, idempotency=shown["id"]).status_code == 200
    outreach.run()
    sent = {to: outreach.twilio.sent_to(to)[-1]["body"] for to in (TEL, OTHER)}
    assert sent[first["recipient"]] == first["held_message"]["text"]
    assert sent[second["recipient"]] == f"Hello, it is Sam. {line}"
    assert first["company"] == company.COMPANY_ID


@pytest.mark.parametrize("act", [{"act": "give_back"}, {"act": "reply", "text": "It is me."}])
def test_a_held_opening_is_sent_by_an_approval_alone(outreach, act):
    company.open_desk(outreach.stage)
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start("a", "sms")
    outreach.run()
    (listed,) = outreach.desk("/desk/conversations").json_body["conversations"]
    for fields in ({"act": "take"}, act):
        version = outreach.desk(f"/desk/conversations/{listed['id']}").json_body["version"]
        path = f"/desk/conversations/{listed['id']}/acts"
        body = {"by": "sam", "version": version, **fields}
        answer = outreach.desk(path, body, idempotency=fields["act"])
        outreach.run()
    assert (answer.status_code, answer.json_body["code"]) == (409, "NOT_STARTED")
    assert not outreach.twilio.sent_to(TEL)
