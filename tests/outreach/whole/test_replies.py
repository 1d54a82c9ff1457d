"""A recipient's replies: answered once, recorded only, or respected as a stop."""

import json
from datetime import UTC, datetime

import pytest

from chalicelib.clock import iso
from chalicelib.once.door import InboundRequest
from chalicelib.once.job import Recovery, encode
from chalicelib.once.ports import Delivery
from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.twilio import webhook as twilio_webhook
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import MAIL, TEL


@ON_ENGINE
@pytest.mark.parametrize("whatsapp", [True, False])
def test_a_reply_is_answered_once_however_often_it_is_delivered(outreach, whatsapp):
    channel = "whatsapp" if whatsapp else "sms"
    outreach.start(channel=channel)
    outreach.run()
    post = outreach.says("Yes, tell me more", whatsapp=whatsapp)
    for _ in range(3):
        answer = outreach.deliver(post)
        assert (answer.status_code, answer.body) == (200, b"<Response/>")
        outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 2
    record = outreach.record(channel)
    roles = [role for role, _ in outreach.history(record)]
    assert roles == ["assistant", "user", "assistant"]
    assert record.status == Status.REPLY_SENT


def test_an_email_reply_is_answered_in_its_thread(outreach):
    outreach.start(channel="email")
    outreach.run()
    (first,) = outreach.ses.sent_to(MAIL)
    event = outreach.ses.inbound(
        MAIL, first["reply_to"], "Tell me more\n\nOn Friday X wrote:\n> Hello"
    )
    outreach.mail(event)
    outreach.mail(event)
    outreach.run()
    _, answer = outreach.ses.sent_to(MAIL)
    assert answer["headers"]["In-Reply-To"] == "<m2@mail.example.com>"
    assert first["message_id"] in answer["headers"]["References"]
    assert outreach.history(outreach.record("email"))[1] == ("user", "Tell me more")


@pytest.mark.parametrize("own_id", [f"<{'x' * 1000}@mail.example.com>", "none at all"])
def test_an_email_whose_message_id_fits_no_header_is_still_answered(outreach, own_id):
    outreach.start(channel="email")
    outreach.run()
    (first,) = outreach.ses.sent_to(MAIL)
    event = outreach.ses.inbound(MAIL, first["reply_to"], "Tell me more", Message_ID=own_id)
    outreach.mail(event)
    outreach.run()
    answer = outreach.ses.sent_to(MAIL)[1]
    assert answer["headers"]["In-Reply-To"] == f"<{first['message_id']}@email.amazonses.com>"


def test_a_reply_from_another_address_goes_to_a_person_in_the_conversation_of_its_token(outreach):
    outreach.start(channel="email")
    outreach.run()
    (first,) = outreach.ses.sent_to(MAIL)
    outreach.mail(outreach.ses.inbound("j.private@example.com", first["reply_to"], "It is me"))
    outreach.run()
    record = outreach.record("email")
    assert (record.status, record.handoff["reason"]) == (Status.HANDED_OFF, "other_sender")
    assert record.handoff["held"] == ""
    assert outreach.history(record)[-1] == ("user", "It is me")
    assert "last_inbound_at" not in record.item, "the recipient has not written"
    assert len(outreach.ses.sent_to(MAIL)) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"X_Autoreply": "yes"},
        {"dmarc": "FAIL"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_an_automatic_message_is_recorded_and_never_answered(outreach, headers):
    outreach.start(channel="email")
    outreach.run()
    (first,) = outreach.ses.sent_to(MAIL)
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], "I am away", **headers))
    outreach.run()
    assert len(outreach.ses.sent_to(MAIL)) == 1
    assert outreach.record("email").message_count == 3


@pytest.mark.parametrize(
    ("media", "reason"), [(1, "media_only"), (0, "empty_message")], ids=["photo", "location"]
)
def test_a_message_without_words_goes_to_a_person(outreach, media, reason):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("", whatsapp=False, media=media))
    outreach.run()
    record = outreach.record("sms")
    assert record.messages[-1].note == ("media" if media else "no_text")
    assert (record.status, record.handoff["reason"]) == (Status.HANDED_OFF, reason)
    (waiting,) = outreach.services.outreach.desk.waiting()
    outreach.closes(waiting.opaque_id)
    assert outreach.record("sms").status == Status.INITIAL_MESSAGE_SENT
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_a_message_of_an_unknown_sender_is_recorded_without_its_text(outreach):
    answer = outreach.deliver(outreach.says("who is this", from_="+15550100077"))
    outreach.run()
    assert answer.status_code == 200
    (row,) = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:reply:")]
    assert (row["status"]["S"], row["reason"]["S"]) == ("skipped", "unknown_sender")
    assert "who is this" not in json.dumps(outreach.rows())


def test_a_repeated_message_stays_in_its_first_conversation(outreach):
    """Its worker has died, and its recipient has a newer conversation by then."""
    outreach.start("first", channel="sms")
    outreach.run()
    post = outreach.says("I want to talk to a human", whatsapp=False)
    outreach.deliver(post)
    outreach.run()
    (heard,) = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:reply:")]
    outreach.services.ledger._table.update(
        {"event_id": heard["event_id"]["S"]}, set_={"status": "processing", "lease_until": 1}
    )
    outreach.start("second", channel="sms")
    outreach.run()
    request = InboundRequest({}, post.body, iso(datetime.now(UTC)), "d-1")
    job = twilio_webhook.parse_message(request, outreach.services.opaque_ids)
    body = outreach.stage.sealed(encode(job), group_id="g", lane=job.lane)
    outreach.services.worker.process(
        Delivery(body, "m-9", "receipt", 1, 10, lambda: 120.0, job.lane, "g")
    )
    (again,) = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:reply:")]
    assert again["fence"]["N"] == "2"
    assert again["conversation_id"] == heard["conversation_id"]
    assert len(list(outreach.services.outreach.desk.waiting())) == 1


@pytest.fixture
def undelivered_opening(outreach):
    """Of an opening, by its carrier; the recipient may have it all the same."""
    outreach.twilio.set_modes(fates=["sent", "undelivered"])
    outreach.start(channel="sms")
    outreach.run()
    outreach.hear_back()
    assert outreach.record("sms").status == Status.FAILED
    return outreach


def test_a_message_after_an_undelivered_opening_is_answered(undelivered_opening):
    undelivered_opening.deliver(undelivered_opening.says("Tell me more", whatsapp=False))
    undelivered_opening.run()
    record = undelivered_opening.record("sms")
    assert [role for role, _ in undelivered_opening.history(record)] == [
        "assistant",
        "user",
        "assistant",
    ]
    assert record.status == Status.REPLY_SENT
    assert "failure_reason" not in record.item


def test_a_request_for_a_person_after_an_undelivered_opening_is_handed_off(
    undelivered_opening,
):
    undelivered_opening.deliver(
        undelivered_opening.says("I want to talk to a human", whatsapp=False)
    )
    undelivered_opening.run()
    (waiting,) = undelivered_opening.services.outreach.desk.waiting()
    assert waiting.opaque_id == undelivered_opening.record("sms").opaque_id
    undelivered_opening.closes(waiting.opaque_id)
    assert undelivered_opening.record("sms").status == Status.FAILED, "where it stood"


def test_stop_marks_the_recipient_and_later_starts_respect_it_until_start(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    outreach.start("second", channel="sms")
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"
    assert outreach.start("third", channel="whatsapp").status_code == 200
    outreach.run()
    assert outreach.fate("third").json_body["state"] == "failed"
    outreach.deliver(outreach.says("start", whatsapp=False))
    outreach.run()
    outreach.start("fourth", channel="sms")
    outreach.run()
    assert outreach.fate("fourth").json_body["state"] == "sent"


def test_a_recipient_who_wrote_stop_is_recorded_and_not_answered_until_start(outreach):
    outreach.start(channel="sms")
    outreach.run()
    for text, sent in (("STOP", 1), ("Tell me more", 1), ("start", 2), ("Tell me more", 3)):
        outreach.deliver(outreach.says(text, whatsapp=False))
        outreach.run()
        assert len(outreach.twilio.calls_of("create_message")) == sent, text
    record = outreach.record("sms")
    heard = [content for role, content in outreach.history(record) if role == "user"]
    assert heard == ["STOP", "Tell me more", "start", "Tell me more"]


def test_a_message_twilio_answers_itself_is_recorded_and_not_answered(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("HELP", whatsapp=False, OptOutType="HELP"))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.record("sms").message_count == 3


def test_a_complaint_marks_the_recipient(outreach):
    outreach.ses.set_modes(fates=["Send", "Complaint"])
    outreach.start(channel="email")
    outreach.run()
    for event in outreach.ses.events():
        outreach.mail(event)
    outreach.run()
    outreach.start("second", channel="email")
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"


def test_a_redriven_reply_stays_in_its_first_conversation(outreach):
    """A copy that was answered long ago; the recipient has a newer conversation by now."""
    outreach.start("first", channel="sms")
    outreach.run()
    post = outreach.says("Tell me more", whatsapp=False)
    outreach.deliver(post)
    outreach.run()
    outreach.start("second", channel="sms")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 3
    request = InboundRequest({}, post.body, iso(datetime.now(UTC)), "d-1")
    job = twilio_webhook.parse_message(request, outreach.services.opaque_ids)
    outreach.services.intake.accept(job, recovery=Recovery.OPERATOR)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 3


def test_a_function_call_without_text_is_stored_with_the_conversation(
    outreach, openai, model_start
):
    channel = {"api_key_reference": model_start.secret, "functions": ["book_slot"]}
    model_start(openai_config={"sms": channel})
    openai.answer_by(lambda _body: {"function_call": "book_slot", "function_arguments": "{}"})
    outreach.deliver(outreach.says("Friday is fine", whatsapp=False))
    outreach.run()
    record = outreach.record("sms")
    assert (record.item["function_call"], record.item["function_call_type"]) == (True, "book_slot")
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_a_wish_that_the_model_recognises_is_entered_and_confirmed_by_code(
    outreach, openai, model_start
):
    model_start()
    wish = {"text": "Sure!", "hand_off_reason": None, "wants_no_more_messages": True}
    openai.answer_by(lambda _body: wish)
    outreach.deliver(outreach.says("I have found work, that was all from me", whatsapp=False))
    outreach.run()
    record = outreach.record("sms")
    assert outreach.services.outreach.conversations.forbids(record) == "asked_to_stop"
    assert "no more messages" in outreach.twilio.sent_to(TEL)[-1]["body"]
    before = len(outreach.twilio.sent_to(TEL))
    outreach.deliver(outreach.says("And one more question", whatsapp=False))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == before
