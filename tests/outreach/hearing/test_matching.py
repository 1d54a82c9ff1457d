"""Which conversation a reply belongs to, where one person has several."""

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.once.door import InboundRequest
from chalicelib.once.job import encode
from chalicelib.once.worker import Delivery
from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.hearing.matching import AWAITS_FOR
from chalicelib.outreach.twilio import webhook as twilio_webhook
from tests.rigs.outreach import MAIL, TEL


def record_of(outreach, request_id, recipient=TEL, channel="sms"):
    found = {
        conversation.request_id: conversation
        for conversation in conversations_of(outreach, recipient, channel)
    }
    return outreach.services.outreach.conversations.reread(found[request_id])


def conversations_of(outreach, recipient, channel):
    conversations = outreach.services.outreach.conversations
    return [
        record
        for status in Status
        for record in conversations.by_status(recipient, status)
        if record.channel == channel
    ]


def said_in(outreach, request_id, **where):
    record = record_of(outreach, request_id, **where)
    return [text for role, text in outreach.history(record) if role == "user"]


@pytest.fixture
def two(outreach):
    """A person with two conversations that await an answer, on one channel: `two(channel)`."""

    def started(channel):
        for request_id in ("first", "second"):
            outreach.start(request_id, channel)
            outreach.run()
        return outreach

    return started


@pytest.mark.parametrize("meant", ["first", "second"])
def test_a_quoted_message_leads_to_its_conversation(two, meant):
    outreach = two("whatsapp")
    record = record_of(outreach, meant, channel="whatsapp")
    sid = next(message.provider_id for message in record.messages if message.provider_id)
    outreach.deliver(outreach.says("Tell me more", OriginalRepliedMessageSid=sid))
    outreach.run()
    assert said_in(outreach, meant, channel="whatsapp") == ["Tell me more"]
    assert record_of(outreach, meant, channel="whatsapp").status == Status.REPLY_SENT
    other = {"first": "second", "second": "first"}[meant]
    assert said_in(outreach, other, channel="whatsapp") == []


def test_a_message_that_quotes_an_answer_or_their_own_words_leads_there_too(two):
    outreach = two("whatsapp")
    opening = record_of(outreach, "first", channel="whatsapp").messages[-1].provider_id
    outreach.deliver(outreach.says("One", OriginalRepliedMessageSid=opening))
    outreach.run()
    own = outreach.twilio_sid
    answer = record_of(outreach, "first", channel="whatsapp").messages[-1].provider_id
    for text, sid in (("Two", answer), ("Three", own)):
        outreach.deliver(outreach.says(text, OriginalRepliedMessageSid=sid))
        outreach.run()
    assert said_in(outreach, "first", channel="whatsapp") == ["One", "Two", "Three"]


@pytest.mark.parametrize("quoted", ["", "SM" + "9" * 32], ids=["none", "unknown"])
def test_a_message_that_may_belong_to_both_goes_to_a_person_with_both_in_view(two, quoted):
    outreach = two("whatsapp")
    outreach.deliver(outreach.says("Yes please", OriginalRepliedMessageSid=quoted))
    outreach.run()
    record = record_of(outreach, "second", channel="whatsapp")
    assert (record.status, record.handoff["reason"]) == (
        Status.HANDED_OFF,
        "several_conversations",
    )
    first = record_of(outreach, "first", channel="whatsapp")
    assert set(record.item["unclear_between"]) == {first.opaque_id, record.opaque_id}
    assert len(outreach.twilio.sent_to(TEL)) == 2
    outreach.services.outreach.desk.approve(record.opaque_id)
    outreach.run()
    released = record_of(outreach, "second", channel="whatsapp")
    assert released.status == Status.REPLY_SENT
    assert released.item["hand_off_to_human"] is False
    assert not {"hand_off_to_human_reason", "unclear_between"} & released.item.keys()


def test_an_unclear_message_that_a_person_has_released_is_not_planned_as_a_clear_one(two):
    """Its worker died before the plan was stored, and a person was faster than the next one."""
    outreach = two("sms")
    post = outreach.says("Yes please", whatsapp=False)
    outreach.deliver(post)
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 3
    (heard,) = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:reply:")]
    outreach.services.ledger._table.update(
        {"event_id": heard["event_id"]["S"]},
        set_={"status": "processing", "lease_until": 1},
        remove=["plan"],
    )
    request = InboundRequest({}, post.body, iso(datetime.now(UTC)), "d-1")
    job = twilio_webhook.parse_message(request, outreach.services.opaque_ids)
    body = outreach.stage.sealed(encode(job), group_id="g", lane=job.lane)
    outreach.services.worker.process(
        Delivery(body, "m-9", "receipt", 1, 10, lambda: 120.0, job.lane, "g")
    )
    assert len(outreach.twilio.sent_to(TEL)) == 3


def test_stop_needs_no_person_however_many_conversations_there_are(two):
    outreach = two("sms")
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.run()
    assert list(outreach.services.outreach.desk.waiting()) == []
    outreach.start("third", "sms")
    outreach.run()
    assert outreach.fate("third").json_body["reason"] == "do_not_contact"


def test_an_old_conversation_awaits_no_answer_beside_a_new_one(two):
    outreach = two("sms")
    record = record_of(outreach, "second")
    age(outreach, record)
    outreach.deliver(outreach.says("Yes please", whatsapp=False))
    outreach.run()
    assert said_in(outreach, "first") == ["Yes please"]
    assert record_of(outreach, "first").status == Status.REPLY_SENT


def test_of_two_old_conversations_neither_is_taken_without_a_person(two):
    outreach = two("sms")
    for request_id in ("first", "second"):
        age(outreach, record_of(outreach, request_id))
    outreach.deliver(outreach.says("Yes please", whatsapp=False))
    outreach.run()
    assert record_of(outreach, "second").status == Status.HANDED_OFF


def age(outreach, record):
    old = iso(outreach.services.clock.now() - AWAITS_FOR - timedelta(hours=1))
    outreach.services.outreach.conversations._table.update(record.key, set_={"updated_at": old})


@pytest.mark.parametrize("meant", ["first", "second"])
@pytest.mark.parametrize("is_tagged", [True, False])
def test_a_mail_leads_to_the_conversation_it_refers_to(two, meant, is_tagged):
    """The other conversation's token is in an old entry of the address book."""
    outreach = two("email")
    where = {"recipient": MAIL, "channel": "email"}
    record = record_of(outreach, meant, **where)
    (other,) = {"first", "second"} - {meant}
    token = f"+{record_of(outreach, other, **where).opaque_id}" if is_tagged else ""
    outreach.mail(
        outreach.ses.inbound(
            MAIL,
            f"replies{token}@company.example",
            "Tell me more",
            In_Reply_To=record.item["email_id"],
        )
    )
    outreach.run()
    assert said_in(outreach, meant, **where) == ["Tell me more"]
    assert said_in(outreach, other, **where) == []


def test_a_mail_without_thread_and_token_goes_to_a_person(two):
    outreach = two("email")
    outreach.mail(outreach.ses.inbound(MAIL, "replies@company.example", "Tell me more"))
    outreach.run()
    record = record_of(outreach, "second", recipient=MAIL, channel="email")
    assert record.handoff["reason"] == "several_conversations"


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ("+525512345678", "+5215512345678"),
        ("+5511981234567", "+551181234567"),
        ("+541123456789", "+5491123456789"),
    ],
)
def test_a_reply_under_another_form_of_the_number_is_answered(outreach, given, reported):
    outreach.start("first", "whatsapp", given)
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", from_=reported))
    outreach.run()
    assert said_in(outreach, "first", recipient=given, channel="whatsapp") == ["Tell me more"]


def test_stop_under_another_form_of_the_number_forbids_each_form(outreach):
    outreach.start("first", "sms", "+5511981234567")
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False, from_="+551181234567"))
    outreach.run()
    for number, recipient in enumerate(("+5511981234567", "+551181234567")):
        outreach.start(f"later-{number}", "sms", recipient)
        outreach.run()
        assert outreach.fate(f"later-{number}").json_body["reason"] == "do_not_contact"
        assert len(outreach.twilio.messages) == 1


def test_a_reply_after_the_end_of_its_conversation_goes_to_a_person(outreach):
    outreach.start("first", "sms")
    outreach.run()
    end(outreach)
    outreach.deliver(outreach.says("Is the job still open?", whatsapp=False))
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting(company_id="ci-aaa-001")
    assert waiting.reason == "late_reply"
    record = outreach.services.outreach.conversations.find(waiting.opaque_id)
    assert outreach.history(record) == [("user", "Is the job still open?")]
    assert record.sender == outreach.twilio.messages[0]["from"]
    outreach.deliver(outreach.says("Hello?", whatsapp=False))
    outreach.run()
    assert len(outreach.history(outreach.services.outreach.conversations.reread(record))) == 2
    outreach.services.outreach.desk.approve(waiting.opaque_id)
    outreach.run()
    assert outreach.services.outreach.conversations.reread(record).status == Status.REPLY_SENT


def test_stop_after_the_end_of_the_conversation_forbids_the_next_start(outreach):
    outreach.start("first", "sms")
    outreach.run()
    end(outreach)
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.run()
    assert list(outreach.services.outreach.desk.waiting()) == []
    outreach.start("second", "sms")
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"


def end(outreach):
    """Let every conversation expire, with all that ends with it."""
    table = outreach.services.outreach.conversations._table
    for item in table.scan_page(limit=1000)[0]:
        if item["conversation_id"] != "pair":
            table.delete({name: item[name] for name in ("primary_channel", "conversation_id")})
