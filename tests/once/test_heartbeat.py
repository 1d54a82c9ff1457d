"""A message in progress stays invisible during a slow call and is left alone afterwards."""

import threading
import time

import pytest

from chalicelib.errors import UnavailableError
from chalicelib.once.heartbeat import VISIBILITY_SECONDS, Heartbeat
from chalicelib.once.lanes import OUTREACH, TICKETS
from chalicelib.once.ports import Delivery
from tests.rigs.fakes import RecordingLog
from tests.rigs.memory_stage import ON_ENGINE

SOON, NEVER = 0.005, 3600.0


class Outbox:
    """Records each deferral in order; fails while `failing` is set."""

    def __init__(self):
        self.deferred = []
        self.beaten = threading.Semaphore(0)
        self.failing = False

    def defer(self, receipt_handle, seconds, *, lane):  # noqa: ARG002 - the port's signature
        self.deferred.append((receipt_handle, seconds))
        self.beaten.release()
        if self.failing:
            raise UnavailableError("queue_unreachable")

    def wait_for_beats(self, count):
        for _ in range(count):
            assert self.beaten.acquire(timeout=60)


@pytest.fixture
def outbox():
    return Outbox()


def heart(outbox, interval=SOON):
    return Heartbeat(outbox=outbox, log=RecordingLog(), interval_seconds=interval)


def delivery(handle="handle-1", receive_count=3, lane=TICKETS):
    return Delivery("{}", "m-1", handle, receive_count, 10, lambda: 120.0, lane)


def test_each_beat_restores_the_full_visibility_timeout(outbox):
    heartbeat = heart(outbox)
    with heartbeat.working_on(delivery()), heartbeat.beating():
        outbox.wait_for_beats(3)
    assert set(outbox.deferred) == {("handle-1", VISIBILITY_SECONDS)}


def test_a_beat_never_shortens_the_queues_own_visibility_timeout():
    import json  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    declared = json.loads((Path(__file__).parents[2] / ".chalice/resources.json").read_text())
    queue = declared["Resources"]["EventsQueue"]["Properties"]
    assert queue["VisibilityTimeout"] <= VISIBILITY_SECONDS


def test_a_call_that_ends_before_the_first_beat_leaves_the_message_as_it_is(outbox):
    heartbeat = heart(outbox, NEVER)
    with heartbeat.working_on(delivery()), heartbeat.beating():
        pass
    assert outbox.deferred == []


@pytest.mark.parametrize("error", [None, ValueError("the model failed")])
def test_no_beat_after_the_block_overrides_the_backoff(outbox, error):
    heartbeat = heart(outbox)
    try:
        with heartbeat.working_on(delivery()), heartbeat.beating():
            outbox.wait_for_beats(1)
            if error:
                raise error
    except ValueError:
        pass
    assert not [thread for thread in threading.enumerate() if thread.name == "heartbeat"]
    outbox.defer("handle-1", 4.0, lane=TICKETS)
    time.sleep(10 * SOON)
    assert outbox.deferred[-1] == ("handle-1", 4.0)


def test_a_beat_that_fails_is_followed_by_the_next(outbox):
    outbox.failing = True
    heartbeat = heart(outbox)
    with heartbeat.working_on(delivery()), heartbeat.beating():
        outbox.wait_for_beats(3)


def test_outside_a_message_nothing_beats(outbox):
    heartbeat = heart(outbox)
    with heartbeat.beating():
        time.sleep(5 * SOON)
    with heartbeat.working_on(delivery()):
        pass
    with heartbeat.beating():
        time.sleep(5 * SOON)
    assert outbox.deferred == []
    assert heartbeat.receive_count == 0


def test_a_thread_beats_only_for_its_own_message(outbox):
    heartbeat = heart(outbox)
    both = threading.Barrier(2, timeout=60)
    counted = {}

    def work(handle, count):
        with heartbeat.working_on(delivery(handle, count)):
            both.wait()
            counted[handle] = heartbeat.receive_count
            with heartbeat.beating():
                outbox.wait_for_beats(2)

    threads = [threading.Thread(target=work, args=args) for args in (("a", 1), ("b", 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == {"a": 1, "b": 2}
    assert {handle for handle, _ in outbox.deferred} <= {"a", "b"}


@ON_ENGINE
def test_a_slow_model_keeps_the_real_message_invisible(outreach):
    """On the queue engine, where the message would be visible again after three seconds."""
    sqs, url = outreach.stage.aws.client("sqs"), outreach.lane_url()
    outreach.start(channel="sms")
    (message,) = sqs.receive_message(QueueUrl=url, VisibilityTimeout=3)["Messages"]
    beats = threading.Semaphore(0)

    class Counted:
        def defer(self, handle, seconds, *, lane):
            outreach.services.outbox.defer(handle, seconds, lane=lane)
            beats.release()

    heartbeat = Heartbeat(outbox=Counted(), log=RecordingLog(), interval_seconds=0.05)
    with (
        heartbeat.working_on(delivery(message["ReceiptHandle"], lane=OUTREACH)),
        heartbeat.beating(),
    ):
        assert beats.acquire(timeout=60)
        time.sleep(3.2)
    assert "Messages" not in sqs.receive_message(QueueUrl=url, WaitTimeSeconds=0)
