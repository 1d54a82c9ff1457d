"""Schedules of one recipient in which events fail until they are dead letters.

Operators redrive and replay them afterwards; hand-offs have happened meanwhile.
"""

from __future__ import annotations

import random
from dataclasses import replace

from tests.simulation.handoffs import times, with_handoffs
from tests.simulation.scenario import HELD, Scenario

LONGEST = 60_000.0
"""Seconds within which all requests fall: ten receives take at least 7,360."""
_LASTS = (3_000.0, 9_000.0, 20_000.0, 40_000.0)
_PLANNED = ("evt:reply", "evt:reply", "evt:start", "evt:release", "evt:")


def with_dead_letters(seed: int) -> Scenario:
    """The scenario of a seed in which planning, sending or both fail for hours."""
    rng = random.Random(seed ^ 0xE8)
    drawn = with_handoffs(seed)
    failing = [
        (name, begins, begins + rng.choice(_LASTS))
        for name in (rng.choice(_PLANNED), "act:send")
        for begins in (rng.random() * 300,)
        if rng.random() < 0.6
    ]
    return replace(
        drawn,
        failing=tuple(failing),
        approvals=times(rng, rng.choice((1, 2, 3, 4)), LONGEST),
        takes=times(rng, 1 if rng.random() < 0.15 else 0, LONGEST),
        redrives=times(rng, rng.choice((0, 0, 1, 2)), LONGEST),
        replays=_asked(rng, rng.choice((0, 1, 2))),
        resumes=_asked(rng, rng.choice((0, 1, 2, 3))),
        held=rng.choice(("", *HELD)),
        faults=drawn.faults if rng.random() < 0.5 else (),
        is_written=rng.random() < 0.5,
    )


def _asked(rng: random.Random, count: int) -> tuple[tuple[float, int], ...]:
    return tuple((when, rng.randrange(6)) for when in times(rng, count, LONGEST))
