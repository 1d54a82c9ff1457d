"""One conversation, one FIFO group: its messages are worked on one after another."""

import json

import pytest

from chalicelib.errors import UnavailableError
from chalicelib.once.lanes import EMAIL
from local.stack import lambda_events
from local.stack.lambda_events import LambdaContext
from tests.rigs.outreach import MAIL, sent

PRIVATE = "j.private@example.com"
OTHER = "k.roe@example.com"


@pytest.fixture
def reply_to(outreach):
    """The reply address of an open conversation by e-mail, with its token."""
    outreach.start(channel="email")
    outreach.run()
    return outreach.ses.sent_to(MAIL)[0]["reply_to"]


class Receiver:
    """Receives messages as several workers do: none is deleted before it was processed."""

    def __init__(self, outreach):
        self._outreach = outreach
        self._sqs, self._url = outreach.stage.aws.client("sqs"), outreach.lane_url("email")

    def receive(self):
        """Every message that can be received now, by text or kind; they stay in flight."""
        found = []
        while batch := self._sqs.receive_message(
            QueueUrl=self._url, AttributeNames=["All"], MaxNumberOfMessages=10
        ).get("Messages"):
            found += batch
        return {json.loads(message["Body"])["text"]: message for message in found}

    def process(self, message):
        record = lambda_events.sqs_record(message, queue_arn=self._outreach.stage.lane_arn(EMAIL))
        self._outreach.app.email_worker(lambda_events.sqs_event(record), LambdaContext())
        self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])


def texts(outreach, recipient=MAIL):
    record = outreach.record("email", recipient)
    return [text for role, text in outreach.history(record) if role == "user"]


def test_a_mail_from_another_address_is_worked_on_in_its_conversations_group(outreach, reply_to):
    outreach.mail(outreach.ses.inbound(PRIVATE, reply_to, "It is me"))
    outreach.run()
    start, moved, worked = (job.group_id for job in outreach.pump.history)
    assert moved != start
    assert worked == start
    assert texts(outreach) == ["It is me"]
    assert len(sent(outreach, "email")) == 1, "a person looks at it"


def test_a_mail_from_the_right_address_is_not_moved(outreach, reply_to):
    outreach.mail(outreach.ses.inbound(MAIL, reply_to, "It is me"))
    outreach.run()
    assert len({job.group_id for job in outreach.pump.history}) == 1
    assert len(outreach.pump.history) == 2


def test_mails_from_two_addresses_are_never_worked_on_side_by_side(outreach, reply_to):
    receiver = Receiver(outreach)
    outreach.mail(outreach.ses.inbound(PRIVATE, reply_to, "from another address"))
    outreach.mail(outreach.ses.inbound(MAIL, reply_to, "from the right one"))
    found = receiver.receive()
    assert set(found) == {"from another address", "from the right one"}
    receiver.process(found["from another address"])
    assert texts(outreach) == []
    assert receiver.receive() == {}, "it waits for the one in flight"
    receiver.process(found["from the right one"])
    receiver.process(receiver.receive()["from another address"])
    assert texts(outreach) == ["from the right one", "from another address"]
    assert len(sent(outreach, "email")) == 2


def test_a_mail_that_could_not_be_moved_stays_where_it_is(outreach, reply_to, monkeypatch):
    receiver = Receiver(outreach)
    outreach.mail(outreach.ses.inbound(PRIVATE, reply_to, "It is me"))
    message = receiver.receive()["It is me"]

    def refuses(*_, **__):
        raise UnavailableError("enqueue_failed")

    with monkeypatch.context() as patch:
        patch.setattr(outreach.services.outbox, "put", refuses)
        with pytest.raises(Exception, match="enqueue_failed"):
            receiver.process(message)
    receiver.process(message)
    receiver.process(receiver.receive()["It is me"])
    assert texts(outreach) == ["It is me"]


def test_a_mail_moved_twice_is_one_event(outreach, reply_to):
    """The worker died between the move and the deletion: its message is delivered and moved again."""
    receiver = Receiver(outreach)
    outreach.mail(outreach.ses.inbound(PRIVATE, reply_to, "It is me"))
    message = receiver.receive()["It is me"]
    for _ in range(2):
        record = lambda_events.sqs_record(message, queue_arn=outreach.stage.lane_arn(EMAIL))
        outreach.app.email_worker(lambda_events.sqs_event(record), LambdaContext())
    outreach.stage.aws.client("sqs").delete_message(
        QueueUrl=outreach.lane_url("email"), ReceiptHandle=message["ReceiptHandle"]
    )
    outreach.run()
    assert texts(outreach) == ["It is me"]
    assert len(list(outreach.services.outreach.desk.waiting())) == 1


def test_a_token_of_another_conversation_moves_the_mail_to_that_one_only(outreach, reply_to):
    outreach.start("req124", "email", OTHER)
    outreach.run()
    outreach.mail(outreach.ses.inbound(OTHER, reply_to, "forwarded to me"))
    outreach.run()
    assert texts(outreach) == ["forwarded to me"]
    assert texts(outreach, OTHER) == []
    assert len(outreach.ses.sent_to(OTHER)) == 1
