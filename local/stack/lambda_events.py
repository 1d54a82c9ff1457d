"""Builds events and contexts as Lambda passes them to a function, with every field.

Chalice's own test client gives every SQS record the id ``message-id`` and no attributes, which a
FIFO consumer needs (receive count, group, sequence number).

An SQS record, as documented at
https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-fifo-queue-message-event::

    {"messageId": "11d6ee51-...", "receiptHandle": "AQEB...", "body": "{...}",
     "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1573251510774",
                    "SequenceNumber": "18849496460467696128", "MessageGroupId": "1",
                    "SenderId": "AIDA...", "MessageDeduplicationId": "1",
                    "ApproximateFirstReceiveTimestamp": "1573251510774"},
     "messageAttributes": {}, "md5OfBody": "e4e6...", "eventSource": "aws:sqs",
     "eventSourceARN": "arn:aws:sqs:us-east-2:123456789012:fifo.fifo", "awsRegion": "us-east-2"}
"""

from __future__ import annotations

import hashlib
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

QUEUE_ARN = "arn:aws:sqs:us-east-1:000000000000:rp-mw-events-dev.fifo"
RULE_ARN = "arn:aws:events:us-east-1:000000000000:rule/rp-mw-dev-reconcile"


def sqs_event(*records: Mapping[str, Any]) -> dict[str, Any]:
    """The event of a batch; this project's batches hold one record."""
    return {"Records": [dict(record) for record in records]}


def sqs_record(message: Mapping[str, Any], *, queue_arn: str = QUEUE_ARN) -> dict[str, Any]:
    """The record for a message that boto3's ``receive_message`` returned with all attributes."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": dict(message.get("Attributes", {})),
        "messageAttributes": {
            name: _message_attribute(value)
            for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message.get("MD5OfBody", _md5(message["Body"])),
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": queue_arn.split(":")[3],
    }


def made_up_record(
    body: str,
    *,
    group_id: str = "group-1",
    deduplication_id: str = "",
    message_id: str = "",
    receipt_handle: str = "",
    receive_count: int = 1,
    sent_at: float | None = None,
    queue_arn: str = QUEUE_ARN,
) -> dict[str, Any]:
    """The record of an invented message that is on no queue; `sent_at` is in epoch seconds."""
    sent_ms = str(int((time.time() if sent_at is None else sent_at) * 1000))
    message = {
        "MessageId": message_id or str(uuid.uuid4()),
        "ReceiptHandle": receipt_handle or f"AQEB{uuid.uuid4().hex}",
        "Body": body,
        "Attributes": {
            "ApproximateReceiveCount": str(receive_count),
            "SentTimestamp": sent_ms,
            "SequenceNumber": f"{int(sent_ms) * 1000:020d}",
            "MessageGroupId": group_id,
            "SenderId": "AIDALOCAL",
            "MessageDeduplicationId": deduplication_id or hashlib.sha256(body.encode()).hexdigest(),
            "ApproximateFirstReceiveTimestamp": sent_ms,
        },
    }
    return sqs_record(message, queue_arn=queue_arn)


def schedule_event(*, at: datetime | None = None, rule_arn: str = RULE_ARN) -> dict[str, Any]:
    """The event of an EventBridge schedule rule."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": rule_arn.split(":")[4],
        "time": (at or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": rule_arn.split(":")[3],
        "resources": [rule_arn],
        "detail": {},
    }


@dataclass(frozen=True, slots=True)
class LambdaContext:
    """The second argument of a handler.

    Attributes:
        timeout_seconds: the function's timeout.
        monotonic: a monotonic clock in seconds; a test may pass its own.
    """

    function_name: str = "rp-mw-dev-worker"
    timeout_seconds: float = 120.0
    monotonic: Callable[[], float] = field(default=time.monotonic, repr=False)
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    function_version: str = "$LATEST"
    memory_limit_in_mb: str = "512"
    client_context: None = None
    identity: None = None
    _started: list[float] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._started.append(self.monotonic())

    @property
    def invoked_function_arn(self) -> str:
        """The function's ARN."""
        return f"arn:aws:lambda:us-east-1:000000000000:function:{self.function_name}"

    @property
    def log_group_name(self) -> str:
        """The function's log group."""
        return f"/aws/lambda/{self.function_name}"

    @property
    def log_stream_name(self) -> str:
        """The log stream, always the same."""
        return "2026/01/01/[$LATEST]local"

    def get_remaining_time_in_millis(self) -> int:
        """The rest of the timeout, never below zero."""
        left = self.timeout_seconds - (self.monotonic() - self._started[0])
        return max(0, int(left * 1000))


def _message_attribute(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "stringValue": value.get("StringValue"),
        "binaryValue": value.get("BinaryValue"),
        "stringListValues": [],
        "binaryListValues": [],
        "dataType": value["DataType"],
    }


def _md5(body: str) -> str:
    return hashlib.md5(body.encode(), usedforsecurity=False).hexdigest()
