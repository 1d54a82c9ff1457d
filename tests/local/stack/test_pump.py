"""The pump treats messages as Lambda's event source mapping does."""

import threading
import time

import pytest

from local.stack.pump import Pump, Schedule
from tests.rigs.soon import soon


class Handler:
    """Records its events; raises the given number of times per body."""

    def __init__(self):
        self.events = []
        self.contexts = []
        self.failures = {}
        self.gate = None

    def __call__(self, event, context):
        (record,) = event["Records"]
        self.events.append(record)
        self.contexts.append(context)
        if self.gate is not None:
            assert self.gate.wait(60)
        if self.failures.get(record["body"], 0) > 0:
            self.failures[record["body"]] -= 1
            raise RuntimeError(record["body"])

    @property
    def bodies(self):
        return [record["body"] for record in self.events]


@pytest.fixture
def handler():
    return Handler()


@pytest.fixture
def short(make_stage):
    """A queue whose messages are redelivered after one second."""
    return make_stage(VisibilityTimeout="1")


def _pump(stage, handler, **settings):
    return Pump(stage.aws.client("sqs"), stage.queue_url, stage.queue_arn, handler, **settings)


def _send(stage, body, group="g"):
    stage.aws.client("sqs").send_message(
        QueueUrl=stage.queue_url,
        MessageBody=body,
        MessageGroupId=group,
        MessageDeduplicationId=f"{group}-{body}",
    )


def test_a_handled_message_is_deleted(stage, handler):
    _send(stage, "a")
    with _pump(stage, handler, timeout_seconds=120) as pump:
        assert pump.wait_until_quiet(timeout_seconds=120)
    assert handler.bodies == ["a"]
    assert [(run.receive_count, run.error) for run in pump.history] == [(1, None)]
    assert 0 < handler.contexts[0].get_remaining_time_in_millis() <= 120_000


def test_a_message_whose_handler_raises_returns_with_a_higher_receive_count(short, handler):
    handler.failures = {"a": 2}
    errors = []
    _send(short, "a")
    with _pump(short, handler, on_error=errors.append) as pump:
        assert soon(lambda: len(handler.events) == 3)
        assert pump.wait_until_quiet(timeout_seconds=120)
    counts = [record["attributes"]["ApproximateReceiveCount"] for record in handler.events]
    assert counts == ["1", "2", "3"]
    assert [run.error for run in pump.history] == [
        "RuntimeError",
        "RuntimeError",
        None,
    ]
    assert len({record["messageId"] for record in handler.events}) == 1
    assert len({record["receiptHandle"] for record in handler.events}) == 3
    assert len(errors) == 2


def test_after_the_last_receive_a_message_is_in_the_dead_letter_queue(make_stage, handler):
    stage = make_stage()
    sqs = stage.aws.client("sqs")
    arn = stage.queue_arns["EventsDeadLetterQueue"]
    redrive = f'{{"deadLetterTargetArn": "{arn}", "maxReceiveCount": 2}}'
    sqs.set_queue_attributes(
        QueueUrl=stage.queue_url, Attributes={"RedrivePolicy": redrive, "VisibilityTimeout": "1"}
    )
    handler.failures = {"a": 99}
    _send(stage, "a")
    with _pump(stage, handler) as pump:
        assert soon(lambda: pump.depth() == 0)
    assert len(handler.events) == 2
    (dead,) = sqs.receive_message(QueueUrl=stage.dead_letter_url, WaitTimeSeconds=2)["Messages"]
    assert dead["Body"] == "a"


def test_a_group_waits_for_its_message_in_flight_and_other_groups_do_not(stage, handler):
    handler.gate = threading.Event()
    for body, group in (("a1", "A"), ("a2", "A"), ("b1", "B")):
        _send(stage, body, group)
    with _pump(stage, handler, pollers=3) as pump:
        assert soon(lambda: set(handler.bodies) == {"a1", "b1"})
        time.sleep(0.3)
        assert set(handler.bodies) == {"a1", "b1"}
        handler.gate.set()
        assert soon(lambda: set(handler.bodies) == {"a1", "b1", "a2"})
        assert pump.wait_until_quiet(timeout_seconds=120)


def test_a_failed_message_keeps_its_groups_order(short, handler):
    handler.failures = {"a1": 1}
    for body in ("a1", "a2"):
        _send(short, body, "A")
    with _pump(short, handler, pollers=2) as pump:
        assert soon(lambda: len(handler.events) == 3)
        assert pump.wait_until_quiet(timeout_seconds=120)
    assert handler.bodies == ["a1", "a1", "a2"]


def test_the_visibility_a_handler_sets_is_kept(stage, handler):
    sqs = stage.aws.client("sqs")
    seen = []

    def deferring(event, context):
        (record,) = event["Records"]
        seen.append(time.monotonic())
        if len(seen) == 1:
            sqs.change_message_visibility(
                QueueUrl=stage.queue_url,
                ReceiptHandle=record["receiptHandle"],
                VisibilityTimeout=1,
            )
            raise RuntimeError

    _send(stage, "a")
    with _pump(stage, deferring) as pump:
        assert soon(lambda: len(seen) == 2)
        assert pump.wait_until_quiet(timeout_seconds=120)
    assert 0.8 <= seen[1] - seen[0] < 60, "sooner than the queue would deliver it again"


def test_one_message_can_be_pumped_manually(stage, handler):
    pump = _pump(stage, handler)
    assert pump.pump_one() is None
    _send(stage, "a")
    invocation = pump.pump_one()
    assert (invocation.group_id, invocation.receive_count, invocation.error) == ("g", 1, None)
    assert pump.depth() == 0


def test_a_stopped_pump_finishes_the_running_message_and_leaves_the_rest(stage, handler):
    handler.gate = threading.Event()
    for body in ("a1", "a2"):
        _send(stage, body, "A")
    pump = _pump(stage, handler, pollers=1).start()
    assert soon(lambda: handler.bodies == ["a1"])
    assert not pump.finish_running(wait_seconds=0.05)
    handler.gate.set()
    assert pump.stop()
    assert handler.bodies == ["a1"]
    assert pump.depth() == 1
    assert not pump.wait_until_quiet(timeout_seconds=0.1)


def test_the_pump_continues_after_queue_errors(stage, handler):
    errors = []
    gone = f"{stage.queue_url}-gone.fifo"
    pump = Pump(
        stage.aws.client("sqs"), gone, stage.queue_arn, handler, pollers=1, on_error=errors.append
    ).start()
    assert soon(lambda: len(errors) >= 2)
    assert pump.stop()


def test_the_schedule_ticks_at_its_interval_and_survives_errors():
    ticks, errors = [], []

    def handler(event, context):
        ticks.append((event["source"], context.function_name))
        raise RuntimeError

    with Schedule(handler, 0.05, on_error=errors.append):
        assert soon(lambda: len(ticks) >= 3)
    assert set(ticks) == {("aws.events", "rp-mw-dev-reconcile")}
    assert len(errors) >= 3


def test_a_manual_tick_raises_its_error():
    def handler(event, context):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Schedule(handler, 1).tick()
