"""One contract for the queue in memory and on MiniStack; and where an engine differs from AWS."""

import json
import time

import pytest
from botocore.exceptions import ClientError

from tests.simulation.memory_queue import DEDUPLICATION_SECONDS, MemoryQueue, ReceiptError


class Sqs:
    """The engine's queue, by the verbs of `MemoryQueue`."""

    def __init__(self, stage):
        self._sqs = stage.aws.client("sqs")
        self._url = stage.queue_url
        self._dead_url = stage.dead_letter_url

    def send(self, body, *, group_id, deduplication_id):
        return self._sqs.send_message(
            QueueUrl=self._url,
            MessageBody=body,
            MessageGroupId=group_id,
            MessageDeduplicationId=deduplication_id,
        )["MessageId"]

    def receive(self):
        found = self._receive(self._url)
        return found and (
            found["Body"],
            found["ReceiptHandle"],
            int(found["Attributes"]["ApproximateReceiveCount"]),
        )

    def delete(self, receipt):
        self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=receipt)

    def change_visibility(self, receipt, seconds):
        try:
            self._sqs.change_message_visibility(
                QueueUrl=self._url, ReceiptHandle=receipt, VisibilityTimeout=seconds
            )
        except ClientError:
            raise ReceiptError(receipt) from None

    def dead(self):
        found = self._receive(self._dead_url)
        return [found["Body"]] if found else []

    def _receive(self, url):
        found = self._sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=1, AttributeNames=["All"], WaitTimeSeconds=0
        )
        return found.get("Messages", [None])[0]


class Memory:
    """The queue in memory, by the same verbs."""

    def __init__(self, max_receives):
        self.time = 0.0
        self.queue = MemoryQueue(
            lambda: self.time, visibility_seconds=720, max_receives=max_receives
        )
        self.send = self.queue.send
        self.delete = self.queue.delete
        self.change_visibility = self.queue.change_visibility

    def receive(self):
        found = self.queue.receive()
        return found and (found.body, found.receipt, found.receives)

    def dead(self):
        return [message.body for message in self.queue.dead]


class QueueContract:
    """Runs over each fixture `make`, which takes the maximum receive count."""

    def test_messages_of_a_group_come_in_order_and_one_at_a_time(self, make):
        queue = make()
        queue.send("1", group_id="g", deduplication_id="1")
        queue.send("2", group_id="g", deduplication_id="2")
        body, receipt, _ = queue.receive()
        assert body == "1"
        assert queue.receive() is None
        queue.delete(receipt)
        assert queue.receive()[0] == "2"

    def test_another_group_is_not_blocked(self, make):
        queue = make()
        queue.send("1", group_id="g", deduplication_id="1")
        queue.send("2", group_id="h", deduplication_id="2")
        assert {queue.receive()[0], queue.receive()[0]} == {"1", "2"}

    def test_a_copy_inside_the_window_is_dropped_even_after_its_original_was_deleted(self, make):
        queue = make()
        queue.send("1", group_id="g", deduplication_id="same")
        queue.send("1", group_id="g", deduplication_id="same")
        queue.delete(queue.receive()[1])
        queue.send("1", group_id="g", deduplication_id="same")
        assert queue.receive() is None

    def test_a_message_handed_back_returns_at_the_head_with_a_higher_receive_count(self, make):
        queue = make()
        queue.send("1", group_id="g", deduplication_id="1")
        queue.send("2", group_id="g", deduplication_id="2")
        queue.change_visibility(queue.receive()[1], 0)
        body, _, receives = queue.receive()
        assert (body, receives) == ("1", 2)

    def test_a_deferred_message_blocks_its_group(self, make):
        queue = make()
        queue.send("1", group_id="g", deduplication_id="1")
        queue.send("2", group_id="g", deduplication_id="2")
        queue.change_visibility(queue.receive()[1], 60)
        assert queue.receive() is None

    def test_after_its_last_receive_a_message_is_a_dead_letter_and_its_group_continues(self, make):
        queue = make(max_receives=2)
        queue.send("1", group_id="g", deduplication_id="1")
        queue.send("2", group_id="g", deduplication_id="2")
        for _ in range(2):
            queue.change_visibility(queue.receive()[1], 0)
        assert queue.receive()[0] == "2"
        assert queue.dead() == ["1"]

    def test_the_receipt_of_an_earlier_receive_defers_nothing(self, make):
        queue = make()
        queue.send("1", group_id="g", deduplication_id="1")
        early = queue.receive()[1]
        queue.change_visibility(early, 0)
        queue.receive()
        with pytest.raises(ReceiptError):
            queue.change_visibility(early, 0)


class TestInMemory(QueueContract):
    @pytest.fixture
    def make(self):
        return lambda max_receives=10: Memory(max_receives)

    def test_after_five_minutes_a_copy_is_a_new_message(self):
        queue = Memory(10)
        queue.send("1", group_id="g", deduplication_id="same")
        queue.delete(queue.receive()[1])
        queue.time += DEDUPLICATION_SECONDS - 0.001
        queue.send("1", group_id="g", deduplication_id="same")
        assert queue.receive() is None
        queue.time += 0.001
        queue.send("1", group_id="g", deduplication_id="same")
        assert queue.receive()[0] == "1"

    def test_a_late_delete_deletes_nothing(self):
        queue = Memory(10)
        queue.send("1", group_id="g", deduplication_id="1")
        receipt = queue.receive()[1]
        queue.time += 720
        with pytest.raises(ReceiptError):
            queue.delete(receipt)
        assert queue.receive()[2] == 2

    def test_a_redriven_message_has_a_new_id_and_a_new_receive_count(self):
        queue = Memory(1)
        queue.send("1", group_id="g", deduplication_id="1")
        queue.change_visibility(queue.receive()[1], 0)
        assert queue.receive() is None
        queue.queue.redrive()
        assert queue.receive()[::2] == ("1", 1)


class QueueOfAStage(QueueContract):
    @pytest.fixture
    def make(self, make_stage, aws):
        def made(max_receives=10):
            stage = make_stage()
            if max_receives != 10:
                url = stage.queue_url
                policy = aws.client("sqs").get_queue_attributes(
                    QueueUrl=url, AttributeNames=["RedrivePolicy"]
                )["Attributes"]["RedrivePolicy"]
                policy = json.loads(policy) | {"maxReceiveCount": max_receives}
                aws.client("sqs").set_queue_attributes(
                    QueueUrl=url, Attributes={"RedrivePolicy": json.dumps(policy)}
                )
            return Sqs(stage)

        return made

    def test_a_message_is_redelivered_after_its_visibility_timeout(self, make_stage):
        queue = Sqs(make_stage(VisibilityTimeout="1"))
        queue.send("1", group_id="g", deduplication_id="1")
        assert queue.receive()[2] == 1
        found = None
        while found is None:
            time.sleep(0.05)
            found = queue.receive()
        assert found[2] == 2


class TestOnMiniStack(QueueOfAStage):
    pass


class TestOnAClientInMemory(QueueOfAStage):
    @pytest.fixture
    def aws(self, memory_aws):
        return memory_aws
