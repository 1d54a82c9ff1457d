"""The FIFO queue: put a job with its group, defer a message in flight; the queue of short waits."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import TransientError, UnavailableError

MAX_VISIBILITY_SECONDS = 43_200
"""SQS keeps a message invisible for at most 12 hours."""


class _Queue:
    """One queue; its URL is looked up once per container."""

    def __init__(self, client: Any, queue_name: str) -> None:  # noqa: ANN401 - boto3 builds it at run time
        self._client = client
        self._queue_name = queue_name
        self._queue_url = ""

    def _url(self) -> str:
        if not self._queue_url:
            self._queue_url = self._client.get_queue_url(QueueName=self._queue_name)["QueueUrl"]
        return self._queue_url


class SqsOutbox(_Queue):
    """`once.ports.Outbox` on SQS."""

    def put(self, body: str, *, group_id: str, deduplication_id: str) -> str:
        """See `once.ports.Outbox.put`."""
        try:
            answer = self._client.send_message(
                QueueUrl=self._url(),
                MessageBody=body,
                MessageGroupId=group_id,
                MessageDeduplicationId=deduplication_id,
            )
        except (ClientError, BotoCoreError):
            raise UnavailableError("enqueue_failed") from None
        return str(answer["MessageId"])

    def defer(self, receipt_handle: str, seconds: float) -> None:
        """See `once.ports.Outbox.defer`."""
        try:
            self._client.change_message_visibility(
                QueueUrl=self._url(),
                ReceiptHandle=receipt_handle,
                VisibilityTimeout=min(MAX_VISIBILITY_SECONDS, max(0, round(seconds))),
            )
        except (ClientError, BotoCoreError) as error:
            raise TransientError("sqs", "change_visibility", reason=type(error).__name__) from None


class SqsDelayQueue(_Queue):
    """`once.ports.DelayQueue` on SQS."""

    def put(self, body: str, *, delay_seconds: float) -> None:
        """See `once.ports.DelayQueue.put`."""
        try:
            self._client.send_message(
                QueueUrl=self._url(), MessageBody=body, DelaySeconds=max(0, round(delay_seconds))
            )
        except (ClientError, BotoCoreError):
            raise UnavailableError("enqueue_failed") from None
