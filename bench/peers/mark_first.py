"""The mark first: the worker creates the record; who finds it takes the message for a duplicate."""

from __future__ import annotations

import json
from typing import Any

from bench.peers import flow


def enter(*, shift_seconds: float) -> None:
    """Nothing here looks at the clock."""
    del shift_seconds


def api(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Enqueue and answer."""
    del context
    flow.enqueue(json.loads(event["body"]))
    return flow.accepted()


def worker(event: dict[str, Any], context: object) -> None:
    """A record that exists ends the message; else the work is done."""
    del context
    for record in event["Records"]:
        body = json.loads(record["body"])
        if not flow.is_new(f"conversation:{body['message_id']}"):
            continue
        flow.read(body)
        flow.tag(body)
        flow.reply(body)
