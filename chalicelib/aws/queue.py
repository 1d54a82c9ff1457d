"""Sends jobs to the lanes' FIFO queues and to the queue of short waits; defers messages in flight."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.once.lanes import TICKETS, Lane
from chalicelib.once.reasons import ENQUEUE_FAILED
from chalicelib.once.seal import Seal

MAX_VISIBILITY_SECONDS = 43_200
"""The longest time for which SQS keeps a message invisible: 12 hours."""


class SqsOutbox:
    """Sends messages to the lanes' SQS queues, as the port `once.ports.Outbox`.

    A queue's URL is looked up once per container.

    Args:
        names: gives a lane's queue name.
        seal: added to every message.
    """

    def __init__(self, client: Any, names: Callable[[Lane], str], seal: Seal) -> None:  # noqa: ANN401 - boto3 builds it at run time
        self._client = client
        self._names = names
        self._seal = seal
        self._urls: dict[str, str] = {}

    def put(self, body: str, *, group_id: str, deduplication_id: str, lane: Lane = TICKETS) -> str:
        """Seal and send one message and return its SQS id; raises `UnavailableError` if it is not sent."""
        sealed = self._seal.sealed(body, queue=self._names(lane), group_id=group_id)
        try:
            answer = self._client.send_message(
                QueueUrl=self._url(lane),
                MessageBody=sealed,
                MessageGroupId=group_id,
                MessageDeduplicationId=deduplication_id,
            )
        except (ClientError, BotoCoreError):
            raise UnavailableError(ENQUEUE_FAILED) from None
        return str(answer["MessageId"])

    def defer(self, receipt_handle: str, seconds: float, *, lane: Lane = TICKETS) -> None:
        """Set a received message's visibility timeout, `MAX_VISIBILITY_SECONDS` at most.

        Raises:
            TransientError: SQS refused or did not answer.
        """
        try:
            self._client.change_message_visibility(
                QueueUrl=self._url(lane),
                ReceiptHandle=receipt_handle,
                VisibilityTimeout=min(MAX_VISIBILITY_SECONDS, max(0, round(seconds))),
            )
        except (ClientError, BotoCoreError) as error:
            raise TransientError("sqs", "change_visibility", reason=type(error).__name__) from None

    def _url(self, lane: Lane) -> str:
        if lane.name not in self._urls:
            found = self._client.get_queue_url(QueueName=self._names(lane))
            self._urls[lane.name] = found["QueueUrl"]
        return self._urls[lane.name]


class SqsDelayQueue:
    """Sends messages to the queue `later`, as the port `once.ports.DelayQueue`.

    The queue's URL is looked up once per container.
    """

    def __init__(self, client: Any, queue_name: str, seal: Seal) -> None:  # noqa: ANN401 - boto3 builds it at run time
        self._client = client
        self._queue_name = queue_name
        self._seal = seal
        self._queue_url = ""

    def put(self, body: str, *, delay_seconds: float) -> None:
        """Seal and send one message, delayed by whole seconds rounded up.

        Raises:
            UnavailableError: it was not sent.
        """
        sealed = self._seal.sealed(body, queue=self._queue_name)
        try:
            self._client.send_message(
                QueueUrl=self._url(),
                MessageBody=sealed,
                DelaySeconds=max(0, math.ceil(delay_seconds)),
            )
        except (ClientError, BotoCoreError):
            raise UnavailableError(ENQUEUE_FAILED) from None

    def _url(self) -> str:
        if not self._queue_url:
            self._queue_url = self._client.get_queue_url(QueueName=self._queue_name)["QueueUrl"]
        return self._queue_url
