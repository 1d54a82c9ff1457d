"""Makes a failing schedule as short as possible: first its faults, then its workload."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from tests.simulation.scenario import Scenario
from tests.simulation.world import World

_T = TypeVar("_T")

_LISTS = (
    *("faults", "posts", "starts", "says", "batches"),
    *("flips", "deploys", "replays", "redrives", "sweeps", "writes"),
    *("ticks", "effect_faults", "unavailable", "jumps", "resumes"),
    *("approvals", "takes", "desk", "resends", "failing"),
)


def shrunk(full: Scenario) -> World:
    """The shortest schedule found that breaks the same promise in the same way, run with a trace."""
    ways = _broken(full)

    def still_fails(candidate: Scenario) -> bool:
        return bool(ways & _broken(candidate))

    best = full
    for _ in range(2):
        for name in _LISTS:
            best = _without(best, name, still_fails)
    return World(best, trace=True).run()


def minimal(items: Sequence[_T], fails: Callable[[Sequence[_T]], bool]) -> list[_T]:
    """Delta debugging: a subset that still fails and from which no item can be removed."""
    kept, size = list(items), max(1, len(items) // 2)
    while kept:
        start, removed = 0, False
        while start < len(kept):
            candidate = kept[:start] + kept[start + size :]
            if fails(candidate):
                kept, removed = candidate, True
            else:
                start += size
        if size == 1 and not removed:
            break
        size = max(1, size // 2)
    return kept


def _without(best: Scenario, name: str, still_fails: Callable[[Scenario], bool]) -> Scenario:
    def fails(items: Sequence[object]) -> bool:
        return still_fails(replace(best, **{name: tuple(items)}))

    return replace(best, **{name: tuple(minimal(getattr(best, name), fails))})


def _broken(candidate: Scenario) -> set[str]:
    """The violations without keys and numbers, which differ between schedules."""
    return {
        _OF_ONE_RUN.sub("", str(violation))
        for violation in World(candidate).run().oracle.violations
    }


_OF_ONE_RUN = re.compile(r"\S+:\S+|\d+")
