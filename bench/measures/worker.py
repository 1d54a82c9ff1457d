"""Processor time for one event of each kind, by our worker and by Powertools, measured in turns."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.measures.powertools import Powertools
from bench.report.event_figures import SAME_GRAIN
from bench.report.sizes import Sizes
from bench.rig.kinds import KINDS, Kind
from bench.rig.system import System
from local.stack.pump import lane_handler, lane_pump

PEERS = {SAME_GRAIN: True, "a key per request": False}


@dataclass(slots=True)
class Side:
    """One implementation: a handler with its processor time and its requests.

    Attributes:
        seconds: processor time of each invocation, of the handler's thread alone, as the engine and
            the vendor run in other processes and threads.
        aws_calls, dynamodb_calls, vendor: calls of the last event.
        writes, reads: units of the first event.
    """

    handler: Callable[[dict[str, Any], Any], Any]
    seconds: list[float] = field(default_factory=list)
    aws_calls: int = 0
    dynamodb_calls: int = 0
    writes: float = 0.0
    reads: float = 0.0
    vendor: int = 0
    is_counting: bool = False

    def __call__(self, event: dict[str, Any], context: Any) -> Any:  # noqa: ANN401 - Lambda's
        """Invoke the handler and record its processor time."""
        started = time.thread_time()
        answer = self.handler(event, context)
        if self.is_counting:
            self.seconds.append(time.thread_time() - started)
        return answer

    def us(self, percentile: int) -> float:
        """A percentile of the processor time, in microseconds."""
        return statistics.quantiles(self.seconds, n=100)[percentile - 1] * 1e6


def measure(system: System, sizes: Sizes) -> dict[str, dict[str, Side]]:
    """Measure all; returns figures by kind of event, then by side (``ours`` or one of `PEERS`)."""
    found = {}
    for kind in (kind for kind in KINDS if kind.is_timed):
        sides = {"ours": Side(lane_handler(system.app))}
        if kind.is_peer_work:
            for name, per_action in PEERS.items():
                sides[name] = Side(Powertools(system, key_per_action=per_action))
        for number in range(sizes.warm_up + sizes.events):
            for name, side in sides.items():
                weighs = system.meter.weighing() if number == 0 else contextlib.nullcontext()
                with weighs:
                    _one(system, kind, side, f"{KINDS.index(kind)}-{name}-{number}")
                if number == 0:
                    side.writes, side.reads = system.meter.writes, system.meter.reads
                if number < sizes.warm_up:
                    side.seconds.clear()
        found[kind.name] = sides
    return found


def _one(system: System, kind: Kind, side: Side, name: str) -> None:
    """Run one event through one side; its preparation is not counted."""
    pump = lane_pump(system.stage, side)
    ours, system.pump = system.pump, pump
    try:
        kind.send(system, name)
        side.is_counting = True
        system.read_switches()  # otherwise an event pays for reading them after they expire
        system.reset_counts()
        done = pump.pump_one()
        assert done is not None
        assert done.error is None, (kind.name, done.error)
    finally:
        side.is_counting = False
        system.pump = ours
    side.aws_calls, side.dynamodb_calls = system.meter.total, system.meter.of("dynamodb")
    side.vendor = system.vendor_calls()
