"""Mark first: the worker creates a record; if one exists, the message counts as a duplicate."""

from __future__ import annotations

import json
from typing import Any

from bench.peers import flow


def enter(*, shift_seconds: float) -> None:
    """Do nothing, as this design reads no clock."""
    del shift_seconds


def api(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Enqueue and respond."""
    del context
    flow.enqueue(json.loads(event["body"]))
    return flow.accepted()


def worker(event: dict[str, Any], context: object) -> None:
    """Ignore the message if its record exists; otherwise do the work."""
    del context
    for record in event["Records"]:
        body = json.loads(record["body"])
        if not flow.is_new(f"conversation:{body['message_id']}"):
            continue
        flow.read(body)
        flow.tag(body)
        flow.reply(body)
