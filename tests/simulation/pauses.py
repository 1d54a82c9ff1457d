"""Variants of a schedule: a worker is paused once, at each of its calls in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.simulation.faults import PAUSES, Fault
from tests.simulation.scenario import Scenario
from tests.simulation.world import World

BEYOND_THE_LEASE = (0.4, PAUSES[-1])
"""Before the call, until another worker has done the work."""
WITHIN_THE_LEASE = (0.1, 140.0)
"""Before the call, for longer than switches are cached, with time left for a request."""


def paused_at_each_call(
    scenario: Scenario, pause: tuple[float, float], *, every: int = 1
) -> Iterator[World]:
    """Each of those variants, or every n-th of them, run to its end."""
    pick, seconds = pause
    size = (PAUSES.index(seconds) + 0.5) / len(PAUSES)
    for at in range(0, World(scenario).run().network.calls, every):
        paused = Fault(at, pick, size, pauses=True)
        yield World(replace(scenario, faults=(paused,))).run()
