"""Key first: the API stores the event's key before the enqueue, the worker a key before each action."""

from __future__ import annotations

import json
from typing import Any

from bench.peers import flow


def enter(*, shift_seconds: float) -> None:
    """Do nothing, as this design reads no clock."""
    del shift_seconds


def api(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Store the event's key and enqueue; a duplicate gets a 2xx and is not enqueued again."""
    del context
    body = json.loads(event["body"])
    if flow.is_new(f"evt:{body['message_id']}"):
        flow.enqueue(body)
    return flow.accepted()


def worker(event: dict[str, Any], context: object) -> None:
    """Perform each action if its key is new, after storing the key."""
    del context
    for record in event["Records"]:
        body = json.loads(record["body"])
        flow.read(body)
        if flow.is_new(f"act:tag:{body['message_id']}"):
            flow.tag(body)
        if flow.is_new(f"act:reply:{body['message_id']}"):
            flow.reply(body)
