"""Schedules with more trouble than a drawn one: what other seeds have, and more of what it has.

A drawn schedule has a few kinds of trouble at a time, so that what breaks is seen by itself.  What
breaks only where several meet is found sooner here; a seed stays one schedule all the same.

A schedule that stalls finds the most faults a run: workers stand still for longer than their leases,
and what they had begun is meanwhile taken over, replayed, resumed and swept.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import Any

from tests.simulation.faults import Fault
from tests.simulation.scenario import Scenario, delayed, scenario

LENDERS = range(900_000, 901_000)
"""The seeds whose trouble is borrowed."""
_OFTEN = (
    *("flips", "deploys", "replays", "redrives", "sweeps", "resumes", "approvals", "takes"),
    *("echoes", "ticks", "provoked", "bad_news", "is_written", "resends"),
)
_SELDOM = ("outage", "late_ttl", "away", "held", "sick", "quiet_until")
"""Each of these slows a whole schedule down.  Clocks are set by their own schedule alone: borrowed,
two of them would differ by more than what is promised."""
_LONG = (0.6, 0.7, 0.8, 0.95)
"""Sizes of the longest stand-stills: about the length of a lease, and far beyond it."""
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
        posts=tuple(delayed(rng, post, 0.15) for post in drawn.posts),
        faults=_with_more(rng, drawn.faults, before=last + 60, most=3),
    )
    return replace(found, provoked=_with_more(rng, found.provoked, before=12, most=2))


def stalled(seed: int) -> Scenario:
    """The scenario of a seed in which workers stand still for long; without facts."""
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
    """Sweeps far closer to one another than where nothing is left to do."""
    return tuple(300.0 * n * (1 + rng.random()) for n in range(1, times + 1))


def asked(rng: random.Random, share: float, which: int) -> tuple[tuple[float, int], ...]:
    """What an operator asks for, twice, in some schedules: when, and of which event."""
    if rng.random() >= share:
        return ()
    return tuple((rng.random() * 5_000, rng.randrange(which)) for _ in range(2))


@cache
def _lent(name: str) -> tuple[Any, ...]:
    """What the lenders have of a kind."""
    return tuple(had for had in (getattr(one, name) for one in _lenders()) if had not in _NONE)


@cache
def _lenders() -> tuple[Scenario, ...]:
    return tuple(map(scenario, LENDERS))


def _with_more(
    rng: random.Random, faults: tuple[Fault, ...], *, before: int, most: int
) -> tuple[Fault, ...]:
    more = [
        Fault(rng.randrange(before), rng.random(), rng.random(), pauses=rng.random() < 0.25)
        for _ in range(rng.randrange(most + 1))
    ]
    return tuple(sorted([*faults, *more], key=lambda fault: fault.at))
