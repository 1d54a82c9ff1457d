"""Outreach from the Router's door to the requests at Twilio and SES, on real engines."""

import json
from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest

from chalicelib.errors import UnavailableError, UncertainError
from chalicelib.outreach.conversations.records import Status
from local import company
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import CHANNELS, MAIL, TEL, replay, sent


@ON_ENGINE
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_start_posted_twice_is_sent_once_and_answered_identically(outreach, channel):
    first, second = outreach.start(channel=channel), outreach.start(channel=channel)
    outreach.run()
    third = outreach.start(channel=channel)
    outreach.run()
    assert [answer.status_code for answer in (first, second, third)] == [200, 200, 200]
    assert first.json_body["duplicate"] is False
    for later in (second, third):
        assert later.json_body == {**first.json_body, "duplicate": True}
    assert len(sent(outreach, channel)) == 1
    record = outreach.record(channel)
    assert record.status == Status.INITIAL_MESSAGE_SENT
    assert record.item["task_complete"] == 1
    assert record.item["processing_time_ms"] >= 0
    assert record.message_count == 2
    assert outreach.fate().json_body["state"] == "sent"
    recipient = (MAIL if channel == "email" else TEL).lstrip("+")
    expected = f"ci-aaa-001#pi-aaa-001#req123#{recipient}"
    assert first.json_body["conversation_id"] == record.conversation_id == expected


def test_whatsapp_opens_by_template_and_stores_the_sent_text(outreach):
    outreach.start()
    outreach.run()
    (message,) = outreach.twilio.sent_to(TEL)
    assert message["from"] == "whatsapp:" + company.WHATSAPP_NUMBER
    text = "Hello Jo, this is Cucumber Recruitment about Clarify CV. Reply to this message to talk to us."
    assert message["body"] == text
    assert outreach.history(outreach.record()) == [("assistant", text)]


def test_an_email_has_both_bodies_a_reply_token_and_its_tag(outreach):
    outreach.start(channel="email")
    outreach.run()
    (email,) = outreach.ses.sent_to(MAIL)
    record = outreach.record("email")
    assert email["subject"] == "About your application"
    assert email["text"].startswith("Hello Jo, this is Cucumber Recruitment")
    assert "<p>Hello Jo" in email["html"]
    assert email["reply_to"] == f"replies+{record.opaque_id}@company.example"
    assert email["tags"]["send"].startswith(record.opaque_id + "_")
    assert record.item["email_id"] == f"<{email['message_id']}@email.amazonses.com>"


def test_a_company_name_with_an_umlaut_is_encoded_in_the_sender_header(outreach):
    name = "Müller & Söhne, Köln"
    channels = outreach.project["channel_config"]
    email = {**channels["email"], "email_from_name": name}
    company.put_project(
        outreach.stage, {**outreach.project, "channel_config": {**channels, "email": email}}
    )
    outreach.start(channel="email")
    outreach.run()
    (email,) = outreach.ses.sent_to(MAIL)
    assert email["from"].isascii()
    shown, address = parseaddr(email["from"])
    assert (str(make_header(decode_header(shown))), address) == (name, company.EMAIL)


def test_no_personal_data_leaves_the_queue_body_and_the_conversation(outreach, capsys):
    outreach.start()
    outreach.start("req-mail", channel="email")
    queued = [
        message
        for channel in ("whatsapp", "email")
        for message in outreach.stage.aws.client("sqs").receive_message(
            QueueUrl=outreach.lane_url(channel),
            AttributeNames=["All"],
            MessageAttributeNames=["All"],
            VisibilityTimeout=0,
        )["Messages"]
    ]
    outreach.run()
    outreach.deliver(outreach.says("I live in Springfield"))
    for post in outreach.twilio.callbacks():
        outreach.deliver(post)
    outreach.run()
    seen = [json.dumps(outreach.rows(table)) for table in ("IdempotencyTable", "AuditActionsTable")]
    seen += [
        json.dumps({field: value for field, value in message.items() if field != "Body"})
        for message in queued
    ]
    seen.append(capsys.readouterr().out)
    for text in seen:
        assert text
        for secret in (TEL[1:], MAIL, "Springfield", "Jo,"):
            assert secret not in text


def test_a_refused_start_that_is_replayed_is_reported_as_sent(outreach):
    outreach.twilio.fault(
        "status", operation="create_message", status=400, body={"code": 21608, "status": 400}
    )
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.record("sms").status == Status.FAILED
    replay(outreach, "evt:start:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.fate().json_body["state"] == "sent"
    record = outreach.record("sms")
    assert (record.status, record.item["task_complete"]) == (Status.INITIAL_MESSAGE_SENT, 1)
    assert not {"failure_stage", "failure_reason"} & record.item.keys()


def test_a_start_that_dies_after_sending_is_resumed_and_not_sent_again(outreach):
    outreach.start(channel="sms")
    flow = outreach.services.worker.handlers.flows["start_conversation"]
    append = flow._conversations.append

    def dies(*_, **__):
        raise UncertainError("test", "append", reason="died")

    flow._conversations.append = dies
    outreach.run()
    flow._conversations.append = append
    outreach.let_leases_end()
    outreach.again()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.record("sms").status == Status.INITIAL_MESSAGE_SENT
    assert outreach.fate().json_body["state"] == "sent"


def test_a_start_that_was_never_queued_is_sent_by_the_sweep_from_its_parcel(outreach):
    put = outreach.services.outbox.put

    def refuses(*_, **__):
        raise UnavailableError("enqueue_failed")

    outreach.services.outbox.put = refuses
    assert outreach.start(channel="sms").json_body["error_code"] == "QUEUE_ERROR"
    outreach.services.outbox.put = put
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    assert outreach.fate().json_body["state"] == "sent"
    assert outreach.start(channel="sms").json_body["duplicate"] is True
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_a_start_whose_parcel_was_erased_is_given_up_and_may_be_posted_again(outreach, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(outreach.services.outbox, "put", lambda *_, **__: None)
        outreach.start(channel="sms")
    table = outreach.services.table(outreach.services.settings.conversations_table)
    (parcel,) = [
        {name: item[name]["S"] for name in ("primary_channel", "conversation_id")}
        for item in outreach.rows("ConversationsTable")
        if item["primary_channel"]["S"].startswith("parcel#")
    ]
    table.delete(parcel)
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", "never_opened")
    assert outreach.start(channel="sms").json_body["duplicate"] is False
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_the_sweeps_copy_of_a_start_is_not_deduplicated_with_its_lost_message(outreach):
    """The queue drops copies for five minutes without knowing the first one's outcome."""
    put = outreach.services.outbox.put

    def keeps_and_does_not_say(*what, **how):
        put(*what, **how)
        raise UnavailableError("enqueue_failed")

    outreach.services.outbox.put = keeps_and_does_not_say
    assert outreach.start(channel="sms").json_body["error_code"] == "QUEUE_ERROR"
    outreach.services.outbox.put = put
    sqs, url = outreach.stage.aws.client("sqs"), outreach.lane_url()
    (taken,) = sqs.receive_message(QueueUrl=url)["Messages"]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=taken["ReceiptHandle"])
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    assert outreach.fate().json_body["state"] == "sent"
    assert len(outreach.twilio.sent_to(TEL)) == 1
