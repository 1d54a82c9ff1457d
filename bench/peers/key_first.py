"""The key first: persisted at the door before the enqueue, and before each action in the worker."""

from __future__ import annotations

import json
from typing import Any

from bench.peers import flow


def enter(*, shift_seconds: float) -> None:
    """Nothing here looks at the clock."""
    del shift_seconds


def api(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Persist the event's key; a duplicate is answered and not enqueued again."""
    del context
    body = json.loads(event["body"])
    if flow.is_new(f"evt:{body['message_id']}"):
        flow.enqueue(body)
    return flow.accepted()


def worker(event: dict[str, Any], context: object) -> None:
    """Each action behind its own key."""
    del context
    for record in event["Records"]:
        body = json.loads(record["body"])
        flow.read(body)
        if flow.is_new(f"act:tag:{body['message_id']}"):
            flow.tag(body)
        if flow.is_new(f"act:reply:{body['message_id']}"):
            flow.reply(body)
