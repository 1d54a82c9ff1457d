"""The cost of an event while the tables grow: units must not change, time is reported.

The tables are on dynoxide, whose indexes are trees as DynamoDB's are; MiniStack's are lists.
"""

from __future__ import annotations

import statistics
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from bench.report.sizes import Sizes
from bench.rig.system import System

WRITERS_BATCH = 25


@dataclass(frozen=True, slots=True)
class Point:
    """A routed event at one size of the ledger.

    Attributes:
        items: rows of other events already in the ledger.
        ms: median wall time of one event, engine and vendor included.
        calls: DynamoDB calls per event; the run fails unless they are equal for all events.
        writes, reads: DynamoDB units of one further event.
    """

    items: int
    ms: float
    calls: int
    writes: float
    reads: float


def measure(system: System, sizes: Sizes) -> list[Point]:
    """Measure a point at each size, on one growing ledger."""
    _warm_up(system, "warm-up")
    template = _template(system)
    points, there = [], 0
    for items in sizes.ledgers:
        _fill(system, template, items - there)
        there = items
        _warm_up(system, f"warm-up-{items:07d}")  # filling outlasts what the worker caches
        points.append(_point(system, items, sizes.growth_events))
    return points


def _warm_up(system: System, name: str) -> None:
    system.post(system.message(name))
    system.work()


def _point(system: System, items: int, events: int) -> Point:
    seconds, calls = [], set()
    for number in range(events):
        system.post(system.message(f"at-{items:07d}-{number:03d}"))
        system.meter.reset()
        started = time.perf_counter()
        assert system.work() == 1
        seconds.append(time.perf_counter() - started)
        calls.add(system.meter.of("dynamodb"))
    system.post(system.message(f"at-{items:07d}-weighed"))
    system.meter.reset()
    with system.meter.weighing():
        assert system.work() == 1
    (always,) = calls
    median = statistics.median(seconds) * 1000
    return Point(items, median, always, system.meter.writes, system.meter.reads)


def _template(system: System) -> dict[str, Any]:
    """A row that the ledger itself wrote, to be copied."""
    key = {"event_id": {"S": f"evt:rp:warm-up:{system.comment_of('warm-up')}"}}
    table = system.stage.tables["IdempotencyTable"]
    row: dict[str, Any] = system.aws.client("dynamodb").get_item(TableName=table, Key=key)["Item"]
    return row


def _fill(system: System, template: dict[str, Any], count: int) -> None:
    table, dynamodb = system.stage.tables["IdempotencyTable"], system.aws.client("dynamodb")
    rows = _rows(template, count)
    while batch := list(islice(rows, WRITERS_BATCH)):
        left = {table: [{"PutRequest": {"Item": row}} for row in batch]}
        while left:
            left = dynamodb.batch_write_item(RequestItems=left).get("UnprocessedItems") or {}


def _rows(template: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    for _ in range(count):
        ticket = uuid.uuid4().hex[:12]
        yield {
            **template,
            "event_id": {"S": f"evt:rp:{ticket}:c-1"},
            "conversation_id": {"S": ticket},
        }
