"""AWS calls and DynamoDB units of each kind of event, counted at the wire."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.rig.kinds import KINDS, Kind
from bench.rig.system import System


@dataclass(frozen=True, slots=True)
class Count:
    """The AWS calls and DynamoDB units of one event.

    Attributes:
        actions: how many actions the event had.
        limit_calls: the limit of DynamoDB calls; None if there is none.
        limit_writes: the limit of write units.
    """

    name: str
    actions: int
    aws_calls: int
    dynamodb_calls: int
    writes: float
    reads: float
    vendor_calls: int
    limit_calls: int | None = None
    limit_writes: int | None = None


def measure(system: System) -> list[Count]:
    """Count a webhook at the API, then every kind of event in the worker, each after a warm-up."""
    for kind in KINDS:
        kind.send(system, f"warm-up {KINDS.index(kind)}")
        system.work()
    return [_door(system), *(_of(system, kind) for kind in KINDS)]


def _door(system: System) -> Count:
    body = system.message("counted")
    system.reset_counts()
    with system.meter.weighing():
        system.post(body)
    count = _read(system, "webhook at the door", 0, (None, 0))
    system.work()
    return count


def _of(system: System, kind: Kind) -> Count:
    kind.send(system, f"count {KINDS.index(kind)}")
    before = system.actions_begun()
    system.read_switches()
    system.reset_counts()
    with system.meter.weighing():
        assert system.work() == 1
    counted = _read(system, kind.name, 0, (None, None))
    actions = system.actions_begun() - before
    calls, writes = kind.limits(actions, counted.vendor_calls)
    return replace(counted, actions=actions, limit_calls=calls, limit_writes=writes)


def _read(system: System, name: str, actions: int, limits: tuple[int | None, int | None]) -> Count:
    meter = system.meter
    return Count(
        name,
        actions,
        meter.total,
        meter.of("dynamodb"),
        meter.writes,
        meter.reads,
        system.vendor_calls(),
        *limits,
    )
