"""A loop of functions and queues is stopped in its seventeenth round, as Lambda does."""

import itertools
import json

import pytest

from local.stack import lineage
from local.stack.pump import Pump

FIFO, LATER = "rp-mw-events-dev.fifo", "rp-mw-later-dev"


@pytest.fixture
def sqs(stage):
    """A client that carries the chain, as those of the functions do."""
    client = stage.aws.client("sqs")
    lineage.carry(client.meta.events)
    return client


@pytest.fixture
def send(stage, sqs):
    numbers = itertools.count()

    def send(body="loop"):
        sqs.send_message(
            QueueUrl=stage.queue_url,
            MessageBody=body,
            MessageGroupId=body,
            MessageDeduplicationId=f"{next(numbers)}",
        )

    return send


@pytest.fixture
def worker_of(stage, sqs):
    def made(handler, **settings):
        return Pump(sqs, stage.queue_url, stage.queue_arn, handler, **settings)

    return made


def until_empty(*pumps):
    """The errors of every invocation, in order."""
    found = [pump.pump_one() for _ in range(60) for pump in pumps]
    return [run.error for run in found if run is not None]


def test_the_seventeenth_round_is_refused_and_logged(stage, sqs, send, worker_of, caplog):
    invoked, errors = [], []

    def handler(event, context):
        invoked.append(event)
        send()

    send()
    ended = until_empty(worker_of(handler, on_error=errors.append))
    assert ended == [None] * 16 + ["RecursionStoppedError"]
    assert len(invoked) == 16
    assert [str(error) for error in errors] == [f"{FIFO}: round 17"]
    assert caplog.messages == [f"recursive invocation stopped: round 17 of {FIFO}"]
    assert worker_of(handler).depth() == 1, "the message stays, and is a dead letter in the end"
    assert lineage.longest()[FIFO] == 17


def test_a_chain_over_two_queues_counts_each_of_its_functions(stage, sqs, send, worker_of):
    def later(event, context):
        send()

    def worker(event, context):
        sqs.send_message(QueueUrl=stage.queues["LaterQueue"], MessageBody="loop")

    send()
    pump = Pump(sqs, stage.queues["LaterQueue"], stage.queue_arns["LaterQueue"], later)
    assert until_empty(worker_of(worker), pump) == [None] * 32 + ["RecursionStoppedError"]


def test_what_a_door_sends_begins_a_chain(stage, sqs, send, worker_of):
    headers = []

    def handler(event, context):
        headers.append(event["Records"][0]["attributes"].get(lineage.HEADER))
        if len(headers) < 3:
            send()

    send()
    until_empty(worker_of(handler))
    send()
    until_empty(worker_of(handler))
    rounds = [header and header.rpartition("Lineage=")[2] for header in headers]
    assert rounds == [None, f"{FIFO}:1", f"{FIFO}:2", None]


def test_an_invocation_that_fails_is_no_round(make_stage):
    """A redelivery has the header of its first delivery."""
    stage = make_stage(VisibilityTimeout="0")
    sqs = stage.aws.client("sqs")
    lineage.carry(sqs.meta.events)
    group = {"MessageGroupId": "g", "MessageDeduplicationId": "1"}
    sqs.send_message(QueueUrl=stage.queue_url, MessageBody=json.dumps({}), **group)
    seen = []

    def handler(event, context):
        seen.append(event["Records"][0]["attributes"].get(lineage.HEADER))
        raise RuntimeError

    pump = Pump(sqs, stage.queue_url, stage.queue_arn, handler)
    assert [pump.pump_one().error for _ in range(3)] == ["RuntimeError"] * 3
    assert seen == [None] * 3


@pytest.mark.parametrize(
    "header",
    ["", "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1", "Lineage=1:a87bd80c:x", "Lineage="],
)
def test_a_header_of_another_form_counts_nothing(header):
    record = {"attributes": {lineage.HEADER: header}, "eventSourceARN": f"arn:aws:sqs:x:1:{LATER}"}
    with lineage.within(record):
        pass
