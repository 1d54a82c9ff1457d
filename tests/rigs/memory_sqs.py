# ruff: noqa: N803 - the arguments have AWS's names
"""An SQS client in memory: FIFO queues with their dead letters, and standard ones with delays.

`tests/contracts` runs the contract of queues over it too.
"""

import json
import threading
import time
import uuid
from dataclasses import dataclass, field

from local.stack.engine import REGION
from tests.rigs.memory_clients import ACCOUNT, Client, error

DEDUPLICATION_SECONDS = 300.0
_POLL_SECONDS = 0.02
_COUNTS = {
    "ApproximateNumberOfMessages": "waiting",
    "ApproximateNumberOfMessagesNotVisible": "in flight",
    "ApproximateNumberOfMessagesDelayed": "delayed",
}


@dataclass(eq=False)
class _Message:
    """One message; with a `visible_at` in the future it is in flight, deferred or delayed."""

    body: str
    group: str
    deduplication_id: str
    attributes: dict
    sent_at: float
    visible_at: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    receives: int = 0
    first_received_at: float = 0.0
    receipt: str = ""

    def received(self):
        """As `receive_message` returns it with all attributes."""
        attributes = {
            "ApproximateReceiveCount": str(self.receives),
            "SentTimestamp": str(int(self.sent_at * 1000)),
            "ApproximateFirstReceiveTimestamp": str(int(self.first_received_at * 1000)),
            "SenderId": ACCOUNT,
        }
        if self.group:
            attributes["MessageGroupId"] = self.group
            attributes["MessageDeduplicationId"] = self.deduplication_id
            attributes["SequenceNumber"] = f"{int(self.sent_at * 1000):020d}"
        return {
            "MessageId": self.id,
            "ReceiptHandle": self.receipt,
            "Body": self.body,
            "Attributes": attributes,
            "MessageAttributes": self.attributes,
        }


class _Queue:
    """One queue: its attributes, its tags and its messages in the order in which they came."""

    def __init__(self, name, attributes, tags):
        self.attributes, self.tags = dict(attributes), dict(tags)
        self.arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"
        self.url = f"http://memory.invalid/{ACCOUNT}/{name}"
        self.messages, self.recent = [], {}

    @property
    def visibility(self):
        return float(self.attributes.get("VisibilityTimeout", 30))

    @property
    def redrive(self):
        """The ARN of the queue of its dead letters, and after how many receives they go there."""
        policy = json.loads(self.attributes.get("RedrivePolicy") or "{}")
        return policy.get("deadLetterTargetArn"), int(policy.get("maxReceiveCount", 0))

    def put(self, message, now):
        """Keep a message, unless its deduplication id was seen in the last five minutes."""
        known = self.recent.get(message.deduplication_id)
        if message.group and known and now - known[0] < DEDUPLICATION_SECONDS:
            return known[1]
        self.recent[message.deduplication_id] = (now, message.id)
        self.messages.append(message)
        return message.id

    def next(self, now, taken):
        """The first message to deliver: a group gives none while an earlier call's is in flight."""
        blocked = set()
        for message in self.messages:
            if message in taken or message.group in blocked:
                continue
            if message.visible_at <= now:
                return message
            if message.group:
                blocked.add(message.group)
        return None

    def count(self, state, now):
        states = [
            "waiting"
            if message.visible_at <= now
            else "in flight"
            if message.receives
            else "delayed"
            for message in self.messages
        ]
        return states.count(state)


class Sqs(Client):
    """The queues of one account, on the time of `now`."""

    service = "sqs"

    def __init__(self, now=time.time):
        super().__init__()
        self._queues, self._now = {}, now
        self._came = threading.Condition(self._lock)

    # --- queues -------------------------------------------------------------------------------

    def create_queue(self, *, QueueName, Attributes=None, tags=None):
        made = _Queue(QueueName, Attributes or {}, tags or {})
        self._queues.setdefault(made.url, made)
        return {"QueueUrl": made.url}

    def delete_queue(self, *, QueueUrl):
        self._queue(QueueUrl)
        del self._queues[QueueUrl]

    def list_queues(self, *, QueueNamePrefix=""):
        named = [url for url in self._queues if url.rpartition("/")[2].startswith(QueueNamePrefix)]
        return {"QueueUrls": named} if named else {}

    def get_queue_url(self, *, QueueName):
        return {"QueueUrl": self._queue(f"http://memory.invalid/{ACCOUNT}/{QueueName}").url}

    def get_queue_attributes(self, *, QueueUrl, AttributeNames=()):
        queue = self._queue(QueueUrl)
        now = self._now()
        whole = {**queue.attributes, "QueueArn": queue.arn}
        whole |= {name: str(queue.count(state, now)) for name, state in _COUNTS.items()}
        asked = whole if "All" in AttributeNames else AttributeNames
        return {"Attributes": {name: whole[name] for name in asked if name in whole}}

    def set_queue_attributes(self, *, QueueUrl, Attributes):
        self._queue(QueueUrl).attributes.update(Attributes)

    def list_queue_tags(self, *, QueueUrl):
        tags = self._queue(QueueUrl).tags
        return {"Tags": dict(tags)} if tags else {}

    def tag_queue(self, *, QueueUrl, Tags):
        self._queue(QueueUrl).tags.update(Tags)

    def untag_queue(self, *, QueueUrl, TagKeys):
        for key in TagKeys:
            self._queue(QueueUrl).tags.pop(key, None)

    def purge_queue(self, *, QueueUrl):
        self._queue(QueueUrl).messages.clear()

    # --- messages -----------------------------------------------------------------------------

    def send_message(
        self,
        *,
        QueueUrl,
        MessageBody,
        MessageGroupId="",
        MessageDeduplicationId="",
        DelaySeconds=0,
        MessageAttributes=None,
    ):
        queue, now = self._queue(QueueUrl), self._now()
        if QueueUrl.endswith(".fifo") != bool(MessageGroupId):
            raise error("InvalidParameterValue", "SendMessage", message="MessageGroupId")
        message = _Message(
            MessageBody,
            MessageGroupId,
            MessageDeduplicationId,
            MessageAttributes or {},
            sent_at=now,
            visible_at=now + DelaySeconds,
        )
        kept = queue.put(message, now)
        self._came.notify_all()
        return {"MessageId": kept}

    def receive_message(
        self,
        *,
        QueueUrl,
        MaxNumberOfMessages=1,
        WaitTimeSeconds=0,
        VisibilityTimeout=None,
        **_names,
    ):
        queue, until = self._queue(QueueUrl), time.monotonic() + WaitTimeSeconds
        found = self._received(queue, MaxNumberOfMessages, VisibilityTimeout)
        while not found and time.monotonic() < until:
            self._came.wait(_POLL_SECONDS)
            found = self._received(queue, MaxNumberOfMessages, VisibilityTimeout)
        return {"Messages": [message.received() for message in found]} if found else {}

    def delete_message(self, *, QueueUrl, ReceiptHandle):
        queue = self._queue(QueueUrl)
        flying = self._flying(queue, ReceiptHandle)
        if flying:
            queue.messages.remove(flying)

    def change_message_visibility(self, *, QueueUrl, ReceiptHandle, VisibilityTimeout):
        flying = self._flying(self._queue(QueueUrl), ReceiptHandle)
        if flying is None:
            raise error("ReceiptHandleIsInvalid", "ChangeMessageVisibility")
        flying.visible_at = self._now() + VisibilityTimeout
        self._came.notify_all()

    # --- inside -------------------------------------------------------------------------------

    def _received(self, queue, at_most, visibility):
        """Up to so many messages, now in flight; one that came too often goes to the dead letters."""
        now, found = self._now(), []
        dead_arn, max_receives = queue.redrive
        while len(found) < at_most:
            message = queue.next(now, found)
            if message is None:
                break
            if dead_arn and message.receives >= max_receives:
                queue.messages.remove(message)
                self._bury(message, dead_arn)
                continue
            message.receives += 1
            message.receipt = f"{message.id}#{message.receives}"
            message.first_received_at = message.first_received_at or now
            message.visible_at = now + (queue.visibility if visibility is None else visibility)
            found.append(message)
        return found

    def _bury(self, message, dead_arn):
        for queue in self._queues.values():
            if queue.arn == dead_arn:
                message.receipt = ""
                queue.messages.append(message)

    def _flying(self, queue, receipt):
        """The message in flight whose newest receipt this is."""
        now = self._now()
        for message in queue.messages:
            if receipt and message.receipt == receipt and message.visible_at > now:
                return message
        return None

    def _queue(self, url):
        if url not in self._queues:
            code = "AWS.SimpleQueueService.NonExistentQueue"
            raise error("QueueDoesNotExist", code=code, message=f"no queue {url}")
        return self._queues[url]
