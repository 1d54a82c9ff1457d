"""Schedules with more faults than a plain one: more of its own, and some borrowed from other seeds.

A plain schedule has few kinds of faults at a time, so that each defect shows by itself.  Defects
that need several faults are found sooner here; a seed still gives one schedule.

A stalled schedule finds the most defects per run: workers are paused for longer than their leases,
and their work is taken over, replayed, resumed and swept meanwhile.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import Any

from tests.simulation.faults import Fault
from tests.simulation.scenario import Scenario, delayed, scenario

LENDERS = range(900_000, 901_000)
"""The seeds from which faults are borrowed."""
_OFTEN = (
    *("flips", "deploys", "replays", "redrives", "sweeps", "resumes", "approvals", "takes"),
    *("echoes", "ticks", "effect_faults", "bad_news", "is_written", "resends"),
)
_SELDOM = ("outage", "late_ttl", "unavailable", "held", "failing_ticket", "quiet_until")
"""Each of these slows a whole schedule down.  Clock errors are never borrowed: two of them could
then differ by more than the promised limit."""
_LONG = (0.6, 0.7, 0.8, 0.95)
"""Sizes of the longest pauses: about the length of a lease, and far beyond it."""
_NONE = ((), "", False, (0.0, 0.0), ("", 0.0))


def denser(seed: int) -> Scenario:
    """The denser scenario of a seed; the same in every process and version."""
    rng = random.Random(seed ^ 0x313A)
    drawn = scenario(seed)
    borrowed = {
        name: rng.choice(lent)
        for names, share in ((_OFTEN, 0.15), (_SELDOM, 0.04))
        for name in names
        if rng.random() < share and getattr(drawn, name) in _NONE and (lent := _lent(name))
    }
    last = max((fault.at for fault in drawn.faults), default=150)
    found = replace(
        drawn,
        **borrowed,
        neighbour="",  # in a schedule of neighbours nothing else may be wrong
        posts=tuple(delayed(rng, post, 0.15) for post in drawn.posts),
        faults=_with_more(rng, drawn.faults, before=last + 60, most=3),
    )
    return replace(found, effect_faults=_with_more(rng, found.effect_faults, before=12, most=2))


def stalled(seed: int) -> Scenario:
    """The scenario of a seed in which workers are paused for long; without facts."""
    rng = random.Random(seed ^ 0x57A1)
    drawn = denser(seed)
    last = max((fault.at for fault in drawn.faults), default=80) + 60
    before = min(last, 250) if rng.random() < 0.5 else last
    more = [
        Fault(rng.randrange(before), rng.random(), rng.choice(_LONG), pauses=True)
        for _ in range(rng.choice((2, 3, 5)))
    ]
    longer = [
        replace(fault, size=rng.choice(_LONG)) if fault.pauses else fault for fault in drawn.faults
    ]
    return replace(
        drawn,
        batches=(),
        writes=(),
        faults=tuple(sorted([*longer, *more], key=lambda fault: fault.at)),
        resends=drawn.resends + asked(rng, 0.5, 20),
        replays=drawn.replays + asked(rng, 0.5, 6),
        resumes=drawn.resumes + asked(rng, 0.3, 6),
        ticks=drawn.ticks if rng.random() < 0.5 else often(rng, 7),
    )


def often(rng: random.Random, times: int) -> tuple[float, ...]:
    """Times of frequent sweeps, on about the real schedule."""
    return tuple(300.0 * n * (1 + rng.random()) for n in range(1, times + 1))


def asked(rng: random.Random, share: float, which: int) -> tuple[tuple[float, int], ...]:
    """An operator's two requests in some schedules: when, and for which event."""
    if rng.random() >= share:
        return ()
    return tuple((rng.random() * 5_000, rng.randrange(which)) for _ in range(2))


@cache
def _lent(name: str) -> tuple[Any, ...]:
    """The values of a field that the lending scenarios have."""
    return tuple(
        had
        for had in (getattr(scenario, name) for scenario in _lending_scenarios())
        if had not in _NONE
    )


@cache
def _lending_scenarios() -> tuple[Scenario, ...]:
    return tuple(map(scenario, LENDERS))


def _with_more(
    rng: random.Random, faults: tuple[Fault, ...], *, before: int, most: int
) -> tuple[Fault, ...]:
    more = [
        Fault(rng.randrange(before), rng.random(), rng.random(), pauses=rng.random() < 0.25)
        for _ in range(rng.randrange(most + 1))
    ]
    return tuple(sorted([*faults, *more], key=lambda fault: fault.at))
