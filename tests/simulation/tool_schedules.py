"""Schedules of one recipient who asks for a tool, while the company's endpoint fails."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.simulation.faults import Fault, drawn
from tests.simulation.scenario import Says, Scenario, Start, recipient, scenario
from tests.simulation.tools import REQUEST

_SAID = (REQUEST, REQUEST, REQUEST, "yes please", "yes please", "no", "tell me more", "STOP")


def with_tools(seed: int) -> Scenario:
    """The scenario of a seed in which a tool is asked for; without tickets and facts."""
    rng = random.Random(seed ^ 0x7001)
    channel = rng.choice(("whatsapp", "sms", "sms", "email"))
    to = recipient(channel, 0)
    begins = rng.choice((0.0, 60.0, 600.0)) * rng.random()
    down = (begins, begins + rng.choice((0.0, 60.0, 900.0, 3_600.0)))
    return replace(
        scenario(seed),
        neighbour="",
        posts=(),
        batches=(),
        writes=(),
        held="",
        quiet_until="",
        takes=(),
        approvals=(),
        resends=(),
        outage=(0.0, 0.0),
        starts=(Start(0.0, "req0", channel, to),),
        says=_says(rng, channel, to),
        tools=rng.choice(("plain", "confirmed")),
        endpoint=down if rng.random() < 0.9 else None,
        faults=tuple(drawn(rng, calls=200, most=6)),
        effect_faults=tuple(
            Fault(at, rng.random(), rng.random(), pauses=False)
            for at in range(8)
            if rng.random() < 0.2
        ),
        ticks=tuple(300.0 * n for n in range(1, 12)) if rng.random() < 0.5 else (),
    )


def _says(rng: random.Random, channel: str, to: str) -> tuple[Says, ...]:
    """A few messages; the first asks, and most are delivered more than once."""
    at, says = 0.0, []
    for message in range(rng.choice((1, 2, 2, 3, 4))):
        at += rng.choice((2.0, 60.0, 900.0, 5_000.0)) * rng.random()
        text = rng.choice(_SAID) if message else REQUEST
        said = Says(at, channel, to, message, text)
        says.append(said)
        says += [
            replace(said, at=at + rng.choice((0.0, 5.0, 900.0)) * rng.random(), is_copy=True)
            for _ in range(rng.choice((0, 1, 2)))
        ]
    return tuple(says)
