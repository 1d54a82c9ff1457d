"""Messages held by a rule, a recipient's request or a switch, and how they are sent later."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError

from chalicelib.errors import TransientError
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft, Status
from chalicelib.outreach.project import rules
from chalicelib.outreach.writing.template_writer import TemplateWriter
from local import company
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import TEL, replay


def test_a_held_start_waits_for_a_person_and_is_sent_once_when_approved(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    assert outreach.fate().json_body["state"] == "handed_off"
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert (waiting.held, waiting.reason) == ("start", "auto_queue_initial_message")
    assert outreach.services.outreach.desk.approve(waiting.opaque_id)
    assert outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.fate().json_body["state"] == "sent"
    assert list(outreach.services.outreach.desk.waiting()) == []
    assert not outreach.services.outreach.desk.approve(waiting.opaque_id)


def test_a_hand_off_a_person_took_cannot_be_approved(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    desk = outreach.services.outreach.desk
    (waiting,) = desk.waiting()
    assert desk.take(waiting.opaque_id, "sam")
    assert not desk.approve(waiting.opaque_id)
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []


@pytest.mark.parametrize("failing", [1, 2])
def test_a_take_that_fails_at_any_write_is_done_whole_or_not_at_all(outreach, monkeypatch, failing):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    desk = outreach.services.outreach.desk
    (waiting,) = desk.waiting()

    client, writes = desk._handoffs._table._client, []

    def counted(write):
        def call(**arguments):
            writes.append(arguments)
            if len(writes) == failing:
                error = {"Error": {"Code": "ThrottlingException"}}
                raise ClientError(error, "Write")
            return write(**arguments)

        return call

    with monkeypatch.context() as patch:
        for name in ("update_item", "transact_write_items"):
            patch.setattr(client, name, counted(getattr(client, name)))
        is_taken = False
        with suppress(TransientError):
            is_taken = desk.take(waiting.opaque_id, "sam")
    assert [record.opaque_id for record in desk.waiting()] == [waiting.opaque_id] * (not is_taken)
    assert ("taken_by" in desk.show(waiting.opaque_id).handoff) == is_taken
    assert desk.take(waiting.opaque_id, "sam")
    assert not desk.take(waiting.opaque_id, "kim")
    assert not desk.approve(waiting.opaque_id)
    assert list(desk.waiting()) == []
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []


def test_a_person_takes_a_hand_off_whose_entry_was_closed_before(outreach):
    """Its approval is queued and not processed yet: the person's word counts."""
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    desk = outreach.services.outreach.desk
    (waiting,) = desk.waiting()
    assert desk.approve(waiting.opaque_id)
    assert desk.take(waiting.opaque_id, "sam")
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    assert desk.show(waiting.opaque_id).handoff["taken_by"] == "sam"


def test_a_hand_off_rule_with_a_list_applies_only_to_the_listed(outreach):
    outreach.set_project(
        auto_queue_initial_message=True, auto_queue_initial_message_from_number=["+15550100002"]
    )
    outreach.start("a", channel="sms")
    outreach.start("b", channel="sms", recipient="+15550100002")
    outreach.run()
    assert [outreach.fate(request_id).json_body["state"] for request_id in "ab"] == [
        "sent",
        "handed_off",
    ]


def test_a_recipient_who_asks_for_a_person_is_handed_off_and_not_answered(outreach):
    outreach.start()
    outreach.run()
    outreach.deliver(outreach.says("I want to talk to a human"))
    outreach.run()
    record = outreach.record()
    assert record.status == Status.HANDED_OFF
    assert record.item["hand_off_to_human"] is True
    assert record.item["hand_off_to_human_reason"] == "recipient_asked_for_a_person"
    outreach.deliver(outreach.says("hello?"))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.record().message_count == 4
    (waiting,) = outreach.services.outreach.desk.waiting(company_id="ci-aaa-001")
    assert outreach.services.outreach.desk.take(waiting.opaque_id, "agent-7")
    assert not outreach.services.outreach.desk.approve(waiting.opaque_id)
    assert not outreach.services.outreach.desk.take(waiting.opaque_id, "agent-8")


def test_a_person_takes_only_the_hand_off_they_saw_and_no_later_one(outreach, monkeypatch):
    outreach.start()
    outreach.run()
    outreach.deliver(outreach.says("I want to talk to a human"))
    outreach.run()
    desk = outreach.services.outreach.desk
    (seen,) = desk.waiting()
    conversations = desk._inbox._conversations
    read = conversations.find

    def closed_and_asked_for_again_meanwhile(opaque_id):
        record = read(opaque_id)
        monkeypatch.setattr(conversations, "find", read)
        outreach.closes(opaque_id)
        outreach.deliver(outreach.says("A human, please"))
        outreach.run()
        return record

    monkeypatch.setattr(conversations, "find", closed_and_asked_for_again_meanwhile)
    assert not desk.take(seen.opaque_id, "agent-7")
    (waiting,) = desk.waiting()
    assert waiting.handoff_id != seen.handoff_id
    assert outreach.record().handoff["id"] == waiting.handoff_id
    outreach.closes(seen.opaque_id)  # a person can still hand it back to the machine


@ON_ENGINE
def test_a_held_reply_is_answered_once_it_is_released(outreach):
    outreach.set_project(auto_queue_reply_message=True)
    outreach.start()
    outreach.run()
    outreach.deliver(outreach.says("Tell me more"))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    (waiting,) = outreach.services.outreach.desk.waiting()
    outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 2
    assert outreach.record().status == Status.REPLY_SENT


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        ("kill_switch", "true"),
        ("safe_mode", "true"),
        ("automation_enabled", "false"),
        ("shadow_mode", "true"),
    ],
)
def test_a_switch_withholds_the_message_with_its_reason(outreach, switch, value):
    outreach.stage.set_switch(switch, value)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.twilio.calls == ()
    fate = outreach.fate().json_body
    assert fate["state"] == "withheld"
    assert fate["reason"].startswith("withheld:")
    record = outreach.record("sms")
    assert record.status == Status.WITHHELD
    assert f"withheld:{record.item['withheld_reason']}" == fate["reason"]
    lifted = {"true": "false", "false": "true"}[value]
    outreach.stage.set_switch(switch, lifted)
    outreach.new_container()
    assert outreach.run() == [], "lifting a switch starts nothing by itself"
    for _ in range(2):
        replay(outreach, "evt:start:")
        outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.fate().json_body["state"] == "sent"
    record = outreach.record("sms")
    assert (record.status, record.message_count) == (Status.INITIAL_MESSAGE_SENT, 2)
    assert "withheld_reason" not in record.item


def test_a_withheld_start_does_not_count_as_open(outreach):
    outreach.set_project(rate_limits={"concurrent_conversations": 1})
    outreach.stage.set_switch("kill_switch", "true")
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.start("second", "sms", "+15550100002").status_code == 200


def answer_is_withheld(outreach):
    """A reply by SMS comes in while safe mode is on."""
    outreach.start(channel="sms")
    outreach.run()
    outreach.stage.set_switch("safe_mode", "true")
    outreach.new_container()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()


def test_a_withheld_answer_has_its_reason_and_is_sent_when_its_event_is_replayed(outreach):
    answer_is_withheld(outreach)
    record = outreach.record("sms")
    assert record.status == Status.INITIAL_MESSAGE_SENT
    assert record.item["withheld_reason"] == "safe_mode"
    outreach.stage.set_switch("safe_mode", "false")
    outreach.new_container()
    replay(outreach, "evt:reply:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 2
    record = outreach.record("sms")
    assert record.status == Status.REPLY_SENT
    assert "withheld_reason" not in record.item


def test_a_withheld_answer_that_asks_for_more_than_its_text_goes_to_a_person_on_replay(
    outreach, monkeypatch
):
    """Its plan was made before it was written, and would only acknowledge what is asked for."""
    answer_is_withheld(outreach)
    outreach.stage.set_switch("safe_mode", "false")
    outreach.new_container()
    written = Draft(text="I have noted it.", function_call="note_interest")
    monkeypatch.setattr(TemplateWriter, "answer", lambda *_: written)
    replay(outreach, "evt:reply:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.record("sms").status == Status.HANDED_OFF


def test_a_release_withheld_by_a_switch_has_its_reason_and_is_sent_on_replay(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    outreach.stage.set_switch("kill_switch", "true")
    outreach.new_container()
    outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("withheld", "withheld:kill_switch")
    assert outreach.record("sms").status == Status.WITHHELD
    outreach.stage.set_switch("kill_switch", "false")
    outreach.new_container()
    replay(outreach, "evt:release:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    fate = outreach.fate().json_body
    assert fate["state"] == "sent"
    assert "reason" not in fate


def approved(outreach):
    """A held opening that a person has approved."""
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert outreach.services.outreach.desk.approve(waiting.opaque_id)


def test_an_approved_opening_that_is_not_sent_any_more_has_failed_for_the_router(outreach):
    approved(outreach)
    outreach.services.outreach.conversations.forbid(TEL, "ci-aaa-001", "stop")
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", "do_not_contact")


def test_an_approved_opening_that_the_carrier_refuses_has_failed_for_the_router(outreach):
    approved(outreach)
    outreach.twilio.fault("status", status=400)
    outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", "refused:20001")


def test_what_a_recipient_who_has_said_stop_would_get_is_not_approved(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    outreach.services.outreach.conversations.forbid(TEL, "ci-aaa-001", "stop")
    assert not outreach.services.outreach.desk.approve(waiting.opaque_id)


def test_a_hand_off_withheld_by_a_switch_has_its_reason_and_happens_on_replay(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.stage.set_switch("shadow_mode", "true")
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.record("sms").status == Status.WITHHELD
    outreach.stage.set_switch("shadow_mode", "false")
    outreach.new_container()
    replay(outreach, "evt:start:")
    outreach.run()
    assert outreach.record("sms").status == Status.HANDED_OFF
    assert outreach.fate().json_body["state"] == "handed_off"
    assert len(list(outreach.services.outreach.desk.waiting())) == 1


def test_a_reply_joins_the_sent_conversation_and_not_a_withheld_one(outreach):
    outreach.start("first", channel="sms")
    outreach.run()
    outreach.stage.set_switch("kill_switch", "true")
    outreach.new_container()
    outreach.start("second", channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    found = outreach.services.outreach.conversations.by_channel(TEL, Channel.SMS)
    counts = {record.request_id: record.message_count for record in found}
    assert counts == {"first": 3, "second": 0}


def test_a_recipient_who_said_stop_during_quiet_hours_gets_no_later_start(outreach):
    now = datetime.now(UTC)
    hours = [(now + timedelta(hours=n)).strftime("%H:%M") for n in (-1, 1)]
    quiet = {"from": hours[0], "until": hours[1], "zone": "UTC"}
    outreach.set_project(quiet_hours=quiet)
    outreach.start(channel="sms")
    outreach.run()
    record = outreach.record("sms")
    outreach.services.outreach.conversations.forbid(TEL, record.company_id, "stop")
    over = {**quiet, "until": (now - timedelta(minutes=30)).strftime("%H:%M")}
    outreach.services.outreach.conversations.change_while(
        record, [record.status], {"quiet_hours": over}
    )
    (row,) = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:start:")]
    table = outreach.services.ledger._table
    table.update({"event_id": row["event_id"]["S"]}, set_={"due_at": 1})
    outreach.sweep()
    outreach.run()
    assert outreach.twilio.calls_of("create_message") == ()
    assert outreach.fate().json_body["reason"] == "do_not_contact"
    assert outreach.record("sms").status == Status.FAILED


@pytest.mark.parametrize("switch", ["kill_switch", "shadow_mode"])
def test_a_recipient_who_said_stop_does_not_get_a_withheld_message(outreach, switch):
    outreach.start("first", channel="sms")
    outreach.run()
    outreach.stage.set_switch(switch, "true")
    outreach.new_container()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.start("second", channel="sms")
    outreach.run()
    outreach.services.outreach.conversations.forbid(TEL, outreach.record("sms").company_id, "stop")
    outreach.stage.set_switch(switch, "false")
    outreach.new_container()
    for kind in ("evt:start:", "evt:reply:"):
        replay(outreach, kind)
    outreach.run()
    assert len(outreach.twilio.calls_of("create_message")) == 1
    assert outreach.fate("second").json_body["state"] == "failed"
    assert list(outreach.services.outreach.desk.waiting()) == [], (
        "there is nothing for a person to do"
    )


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("auto_queue_initial_message", Status.FAILED),
        ("auto_queue_reply_message", Status.INITIAL_MESSAGE_SENT),
    ],
)
def test_a_stop_during_a_hand_off_does_not_leave_the_conversation_unlisted(outreach, rule, status):
    """Approving closed the hand-off: the machine has the conversation again, and says nothing."""
    outreach.set_project(**{rule: True})
    outreach.start(channel="sms")
    outreach.run()
    if status != Status.FAILED:
        outreach.deliver(outreach.says("Tell me more", whatsapp=False))
        outreach.run()
    sent = len(outreach.twilio.sent_to(TEL))
    (waiting,) = outreach.services.outreach.desk.waiting()
    outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.services.outreach.conversations.forbid(TEL, waiting.company_id, "stop")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == sent
    record = outreach.record("sms")
    assert record.status == status
    assert record.item.get("failure_reason") == ("do_not_contact" if status == "failed" else None)
    outreach.services.outreach.conversations.allow(TEL, waiting.company_id)
    if status != Status.FAILED:
        outreach.deliver(outreach.says("START again, please", whatsapp=False))
        outreach.run()
        assert len(list(outreach.services.outreach.desk.waiting())) == 1, "it is somebody's again"
    else:
        outreach.deliver(outreach.says("Hello?", whatsapp=False))
        outreach.run()
        assert outreach.record("sms").status == Status.REPLY_SENT, "who writes is answered"


def test_a_released_reply_that_cannot_be_written_goes_back_to_a_person(outreach):
    outreach.set_project(auto_queue_reply_message=True)
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
    company.put_secrets(outreach.stage, {name: "not json"})
    outreach.new_container()
    outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    (again,) = outreach.services.outreach.desk.waiting()
    assert (again.held, again.reason) == ("reply", "secrets_credentials_malformed")
    assert outreach.record("sms").status == Status.HANDED_OFF


def test_a_failed_reply_is_held_again_when_replayed_after_its_release(outreach, monkeypatch):
    """Two hand-offs of one event: a person took the first and has not seen the second."""
    outreach.set_project(auto_queue_reply_message=True)
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    with monkeypatch.context() as patch:

        def fails(_record, _rule):
            raise TransientError("dynamodb", "get_item", reason="outage")

        patch.setattr(rules, "is_held", fails)
        outreach.run()
        while not list(outreach.services.outreach.desk.waiting()):
            assert outreach.again()
    desk = outreach.services.outreach.desk
    (failed,) = desk.waiting()
    assert (failed.held, failed.reason) == ("", "failed")
    outreach.run()  # it is a dead letter at once: its group is no longer blocked
    assert not desk.approve(failed.opaque_id), "nothing is held"
    outreach.closes(failed.opaque_id)
    assert outreach.record("sms").status == Status.INITIAL_MESSAGE_SENT
    replay(outreach, "evt:reply:")
    outreach.run()
    (held,) = desk.waiting()
    assert (held.held, held.reason) == ("reply", "auto_queue_reply_message")
    desk.approve(held.opaque_id)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 2
