"""Schedules of one recipient who asks for a tool, while the company's endpoint fails."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.simulation.faults import Fault, Port, drawn
from tests.simulation.scenario import Says, Scenario, Start, recipient, scenario
from tests.simulation.tools import AGREED, REQUEST

_SAID = (REQUEST, REQUEST, REQUEST, "yes please", "yes please", "no", "tell me more", "STOP")
_LOST = ("lands_and_no_answer", "lands_late_and_no_answer", "crash_after", "crash_and_lands_late")

_AGREEING = 2


def with_tools(seed: int) -> Scenario:
    """The scenario of a seed in which a tool is asked for; without tickets and facts.

    In every fifth one the recipient agrees, and writes again while the acknowledgement is open.
    """
    found = _with_tools(seed)
    return _agreeing(random.Random(seed ^ 0xA62EE), found) if seed % 5 == _AGREEING else found


def _with_tools(seed: int) -> Scenario:
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


def _agreeing(rng: random.Random, found: Scenario) -> Scenario:
    """A question, a yes, and a message soon after it; the outcome of a send or two is not known."""
    channel, to = found.starts[0].channel, found.starts[0].recipient
    asks = rng.uniform(5.0, 60.0)
    agrees = asks + rng.uniform(30.0, 200.0)
    again = agrees + rng.choice((3.0, 60.0, 400.0, 900.0)) * rng.random()
    said = ((asks, REQUEST), (agrees, AGREED), (again, rng.choice(("no", "tell me more"))))
    lost = [
        Fault(
            at,
            (Port.EFFECT.value.index(rng.choice(_LOST)) + 0.5) / len(Port.EFFECT.value),
            rng.random(),
            False,
        )
        for at in sorted(rng.sample(range(2, 7), rng.choice((1, 2))))
    ]
    return replace(
        found,
        tools="confirmed",
        quiet_period=0,
        says=tuple(Says(at, channel, to, n, text) for n, (at, text) in enumerate(said)),
        faults=tuple(drawn(rng, calls=200, most=1)),
        effect_faults=tuple(lost),
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
