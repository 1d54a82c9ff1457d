"""Schedules of one recipient in which persons, switches and quiet hours hold messages back.

In a random schedule these seldom coincide; here most of them do, around few messages.
"""

from __future__ import annotations

import random
from dataclasses import replace

from tests.simulation import wordings
from tests.simulation.denser import asked, often
from tests.simulation.faults import Fault
from tests.simulation.scenario import (
    ANSWERS,
    HELD,
    QUIET_UNTIL,
    SWITCHES,
    Flip,
    Says,
    Scenario,
    Start,
    recipient,
    scenario,
)


def with_handoffs(seed: int) -> Scenario:
    """The scenario of a seed in which messages wait for persons; without tickets and facts."""
    rng = random.Random(seed ^ 0x5A2D)
    channel = rng.choice(("whatsapp", "sms", "email"))
    to = recipient(channel, 0)
    starts = [Start(0.0, "req0", channel, to)]
    if rng.random() < 0.3:
        starts.append(Start(rng.random() * 800, "req1", channel, to))
    return replace(
        scenario(seed),
        neighbour="",
        posts=(),
        batches=(),
        writes=(),
        resends=(),
        deploys=(),
        outage=(0.0, 0.0),
        starts=tuple(starts),
        says=wordings.drawn(seed, _says(rng, channel, to)),
        flips=_flips(rng),
        held=rng.choice(("", HELD[0], *HELD)),
        quiet_until=rng.choice(("", *QUIET_UNTIL)),
        approvals=times(rng, rng.choice((1, 1, 2, 3))),
        takes=times(rng, 1 if rng.random() < 0.15 else 0),
        ticks=often(rng, 11) if rng.random() < 0.5 else (),
        resumes=asked(rng, 0.3, 6),
        replays=asked(rng, 0.3, 6),
        effect_faults=tuple(
            Fault(at, rng.random(), rng.random(), pauses=False)
            for at in range(3)
            if rng.random() < 0.25
        ),
        faults=_faults(rng),
        desk=times(rng, rng.choice((0, 2, 4, 6))),
    )


def _says(rng: random.Random, channel: str, to: str) -> tuple[Says, ...]:
    texts = (*ANSWERS, "can a human call me", "tell me more")
    at, says = 0.0, []
    for message in range(rng.choice((1, 1, 2, 3))):
        at += rng.choice((2.0, 60.0, 900.0, 5_000.0)) * rng.random()
        said = Says(at, channel, to, message, rng.choice(texts))
        says.append(said)
        if rng.random() < 0.2:
            says.append(replace(said, at=at + rng.random() * 900, is_copy=True))
    return tuple(says)


def _flips(rng: random.Random) -> tuple[Flip, ...]:
    flips = []
    for name in rng.sample(SWITCHES, rng.choice((0, 1, 1, 2))):
        stops, on = name != "automation_enabled", rng.random() * 1_500
        off = on + rng.choice((10.0, 200.0, 1_000.0, 3_000.0))
        flips += [Flip(on, name, stops), Flip(off, name, not stops)]
    return tuple(sorted(flips, key=lambda flip: flip.at))


def _faults(rng: random.Random) -> tuple[Fault, ...]:
    """A few faults, most of them where the first message is opened and handed off."""
    faults = [
        Fault(
            rng.randrange(4, rng.choice((24, 60, 120))),
            rng.random(),
            rng.random(),
            pauses=rng.random() < 0.3,
        )
        for _ in range(rng.choice((1, 1, 2, 3)))
    ]
    return tuple(sorted(faults, key=lambda fault: fault.at))


def times(rng: random.Random, count: int, within: float = 9_000.0) -> tuple[float, ...]:
    """So many times, in seconds from the start."""
    return tuple(rng.random() * within for _ in range(count))
