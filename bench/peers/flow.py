"""Code that the peers share: plain HTTP calls to the vendor, the queue, a table for keys."""

from __future__ import annotations

import json
import os
from typing import Any

import boto3
import requests

TABLE = "peer-keys"


def client(service: str) -> Any:  # noqa: ANN401 - boto3 builds it at run time
    """A boto3 client with default settings."""
    return boto3.client(service)


def enqueue(body: dict[str, Any]) -> None:
    """Put a message on the FIFO queue, with the message's id as deduplication id."""
    sqs = client("sqs")
    sqs.send_message(
        QueueUrl=sqs.get_queue_url(QueueName=os.environ["QUEUE_NAME"])["QueueUrl"],
        MessageBody=json.dumps(body),
        MessageGroupId=body["ticket_id"],
        MessageDeduplicationId=body["message_id"],
    )


def is_new(key: str) -> bool:
    """Store a key by one conditional put; False if the key exists already."""
    dynamodb = client("dynamodb")
    try:
        dynamodb.put_item(
            TableName=TABLE,
            Item={"id": {"S": key}},
            ConditionExpression="attribute_not_exists(id)",
        )
    except dynamodb.exceptions.ConditionalCheckFailedException:
        return False
    return True


def tag(body: dict[str, Any]) -> None:
    """Tag the ticket; idempotent."""
    _vendor("PUT", f"{body['ticket_id']}/add-tags", {"tags": ["mw-processed"]})


def reply(body: dict[str, Any]) -> None:
    """Answer the customer; not idempotent."""
    message = {"body": "We are on it.", "author_id": "agent-1"}
    _vendor("PUT", f"{body['ticket_id']}/send-message", message)


def read(body: dict[str, Any]) -> None:
    """Read the ticket."""
    _vendor("GET", body["ticket_id"], None)


def accepted() -> dict[str, Any]:
    """The API's response."""
    return {"statusCode": 200, "body": "{}"}


def _vendor(method: str, path: str, body: Any) -> None:  # noqa: ANN401 - JSON
    answer = requests.request(
        method,
        f"{os.environ['RICHPANEL_BASE_URL']}/v1/tickets/{path}",
        json=body,
        headers={"x-richpanel-key": os.environ["PEER_API_KEY"]},
        timeout=5,
    )
    answer.raise_for_status()
