"""What another account signs, or nothing proves, waits in a group of its own."""

import json

import pytest

from chalicelib.outreach import senders
from local import company
from local.stack import lambda_events
from local.stack.lambda_events import LambdaContext
from tests.rigs import neighbour as other
from tests.rigs.outreach import MAIL, sent
from tests.rigs.twilio_posts import signed_by

MANY = 20


class Workers:
    """Two workers of a lane: each has one message in flight."""

    def __init__(self, outreach, lane="sms"):
        self._outreach = outreach
        self._sqs, self._url = outreach.stage.aws.client("sqs"), outreach.lane_url(lane)
        self.ended = []

    def receive(self):
        found = self._sqs.receive_message(
            QueueUrl=self._url, AttributeNames=["All"], MaxNumberOfMessages=1
        )
        return next(iter(found.get("Messages", ())), None)

    def work(self, message):
        arn = f"arn:aws:sqs:us-east-1:{'0' * 12}:{self._url.rpartition('/')[2]}"
        record = lambda_events.sqs_record(message, queue_arn=arn)
        self._outreach._worker(lambda_events.sqs_event(record), LambdaContext())
        self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
        self.ended.append(json.loads(message["Body"])["message_id"])

    def drain(self):
        """Both workers receive before either ends, so that each gets a share of the messages."""
        while batch := [message for message in (self.receive(), self.receive()) if message]:
            for message in batch:
                self.work(message)


@pytest.fixture
def conversation(outreach, neighbour):
    outreach.start("req1", "sms")
    outreach.run()
    return outreach.record("sms")


def texts(outreach, channel="sms"):
    return [text for role, text in outreach.history(outreach.record(channel)) if role == "user"]


def test_what_a_neighbour_signs_delays_no_conversation(outreach, conversation):
    """Twenty posts from our recipient to our number, under its own signature, come first."""
    for number in range(MANY):
        forged = outreach.says(f"forged {number}", whatsapp=False)
        assert outreach.deliver(signed_by(forged, other)).status_code == 200
    genuine = outreach.says("Tell me more", whatsapp=False)
    outreach.deliver(genuine)
    workers = Workers(outreach)
    workers.drain()
    assert len(workers.ended) == MANY + 1
    assert workers.ended.index(outreach.twilio_sid) <= 1
    assert texts(outreach) == ["Tell me more"]


def test_receipts_that_a_neighbour_signs_delay_none_either(outreach, conversation):
    (post, *_) = outreach.twilio.callbacks()
    outreach.deliver(signed_by(post, other))
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    first, second = (Workers(outreach).receive() for _ in range(2))
    assert first is not None
    assert second is not None, "it does not wait for the other"


@pytest.mark.parametrize("is_mapped", [True, False])
def test_a_message_that_an_old_map_put_aside_is_moved_to_its_conversation(
    outreach, neighbour, conversation, is_mapped
):
    """The company's account has changed since the map was written, or the map has no row yet."""
    name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
    company.put_secrets(outreach.stage, {name: json.dumps(other.TWILIO)})
    if not is_mapped:
        table = outreach.services.table(outreach.services.settings.company_data_table)
        table.delete(senders.key(company.SMS_NUMBER))
    outreach.new_container()
    outreach.deliver(signed_by(outreach.says("Tell me more", whatsapp=False), other))
    outreach.run()
    start, aside, worked = (job.group_id for job in outreach.pump.history)
    assert aside != start
    assert worked == start
    assert texts(outreach) == ["Tell me more"]


def test_a_late_message_that_was_put_aside_still_goes_to_a_person(outreach, conversation):
    name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
    company.put_secrets(outreach.stage, {name: json.dumps(other.TWILIO)})
    table = outreach.services.outreach.conversations_table
    item = conversation.item
    table.delete({name: item[name] for name in ("primary_channel", "conversation_id")})
    outreach.new_container()
    outreach.deliver(signed_by(outreach.says("Hello again", whatsapp=False), other))
    outreach.run()
    assert len(sent(outreach, "sms")) == 1, "a person answers"
    assert len(list(outreach.services.outreach.desk.waiting())) == 1


def test_an_e_mail_that_failed_its_checks_delays_no_conversation(outreach):
    outreach.start(channel="email")
    outreach.run()
    reply_to = outreach.ses.sent_to(MAIL)[0]["reply_to"]
    for number in range(3):
        outreach.mail(outreach.ses.inbound(MAIL, reply_to, f"forged {number}", dmarc="FAIL"))
    outreach.mail(outreach.ses.inbound(MAIL, reply_to, "Tell me more"))
    workers = Workers(outreach, "email")
    workers.drain()
    assert texts(outreach, "email")[:2] in (
        ["forged 0", "Tell me more"],
        ["Tell me more", "forged 0"],
    )
    assert len(texts(outreach, "email")) == 4
    assert len(sent(outreach, "email")) == 2, "only what is proven is answered"
