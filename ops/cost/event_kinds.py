"""What one event of each kind uses, counted at the wire by `python -m bench.measures.event_counts`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

COUNTED = Path(__file__).with_name("counted.json")


@dataclass(frozen=True, slots=True)
class EventCount:
    """One event, from its request at the door to its end in the worker.

    Attributes:
        name: of the kind.
        actions: how many it had.
        doors: requests at the gateway.
        door_calls, worker_calls: requests to AWS of each function.
        queue_requests: sends, and Lambda's receive and delete of each message.
        writes, reads: DynamoDB's units, those of transactions doubled.
        door_writes: of `writes`, those at the door.
        index_units: write units of the worker by index; they are part of `writes`.
        vendors: requests by vendor.
        log_bytes: what door and worker write, without metrics.
        metric_bytes: what metrics add to it.
        carrier: messages by the price that they cost.
        model_calls: of a language model.
    """

    name: str
    actions: int = 0
    doors: int = 1
    door_calls: int = 0
    worker_calls: int = 0
    queue_requests: int = 0
    writes: float = 0.0
    reads: float = 0.0
    door_writes: float = 0.0
    index_units: Mapping[str, float] = field(default_factory=dict)
    vendors: Mapping[str, int] = field(default_factory=dict)
    log_bytes: int = 0
    metric_bytes: int = 0
    carrier: Mapping[str, int] = field(default_factory=dict)
    model_calls: int = 0


@cache
def counted() -> Mapping[str, EventCount]:
    """Every kind by its name, in the order of the bench."""
    rows: Sequence[dict[str, object]] = json.loads(COUNTED.read_text())["kinds"]
    return {str(row["name"]): EventCount(**row) for row in rows}  # type: ignore[arg-type]
