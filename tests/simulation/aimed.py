"""Small worlds with faults at the protocol's own windows, and the mix that a plain seed draws from.

A world of one or two events has few calls, so that a fault often meets the window in which it could
do harm; and what follows is drawn to keep that window open: a worker sleeps beyond its lease while
the vendor fails for its successors, a request lands late while sweeps look for it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.simulation import partials, spoils, wordings
from tests.simulation.dead_letters import with_dead_letters
from tests.simulation.denser import denser, stalled
from tests.simulation.faults import PAUSES, Fault, Port, drawn
from tests.simulation.handoffs import with_handoffs
from tests.simulation.scenario import (
    ANSWERS,
    CALLS_OF,
    CANARY,
    QUESTIONS,
    SWITCHES,
    TEXTS,
    Batch,
    Flip,
    Post,
    Says,
    Scenario,
    Start,
    recipient,
    scenario,
    tickets_alone,
)

_LOST = (
    *("crash_and_lands_late", "lands_and_no_answer", "lands_late_and_no_answer"),
    *("never_lands_and_no_answer", "crash_after", "crash_and_never_lands", "refused"),
)
_KNOWN_FAILURE = 7.5 / len(Port.EFFECT.value)
"""The draw of a refused connection: the worker knows that nothing was sent."""
_NOTHING = ("posts", "flips", "deploys", "replays", "redrives", "sweeps")
_LONGEST = (len(PAUSES) - 0.5) / len(PAUSES)
_OVERSLEPT = (0.32, 0.62)
"""Draws of a fault whose pause begins before or after its call and outlasts the visibility of its
message: the next worker has the event when the sleeper wakes."""


def plain(seed: int) -> Scenario:
    """What a seed is by default: one of every kind, most often a small world or a mixed one."""
    kinds: tuple[Callable[[int], Scenario], ...] = (
        *(aimed, scenario, aimed, denser, aimed, stalled, aimed, scenario),
        *(aimed, with_handoffs, aimed, with_dead_letters, aimed),
    )
    return kinds[seed % len(kinds)](seed)


def aimed(seed: int) -> Scenario:
    """The small world of a seed."""
    rng = random.Random(seed ^ 0xA13D)
    what, calls = _small(rng)
    quiet: dict[str, Any] = dict.fromkeys(_NOTHING, ())
    base = replace(
        tickets_alone(seed),
        **(quiet | what),
        outage=(0.0, 0.0),
        ingress_ledger=rng.random() < 0.5,
        sender_repeats=rng.random() < 0.8,
        reply=rng.choice(("reply_queried", "reply_queried", "reply_keyed", "reply_blind")),
        faults=(),
        ticks=(400.0, 1_100.0) if rng.random() < 0.3 else (),
    )
    window = rng.choice((_overslept, _overslept, _overslept, _lost, _lost, _any))
    found = replace(base, **window(rng, calls))
    found = replace(found, **_people(rng), says=wordings.drawn(seed, found.says))
    return replace(found, **_at_the_wire(random.Random(seed ^ 0x317E)))


def _small(rng: random.Random) -> tuple[dict[str, Any], int]:
    """One event or two, and about how many calls they make."""
    match rng.choice(("provoking", "provoking", "own", "text", "text", "mail", "facts")):
        case "provoking":
            return {"posts": _posts(rng, "t0", TEXTS)}, 26
        case "own":
            return {"posts": _posts(rng, "s0", QUESTIONS)}, 26
        case "facts":
            # HubSpot numbers no object 0.
            batch = Batch(0.0, tuple(range(1, 1 + rng.choice((1, 3)))))
            return {"batches": (batch,), "writes": (5.0, 400.0)}, 30
        case channel:
            name = "email" if channel == "mail" else rng.choice(("sms", "whatsapp"))
            to = recipient(name, 0)
            says = (Says(20.0, name, to, 0, rng.choice(ANSWERS)),) if rng.random() < 0.6 else ()
            starts = (Start(0.0, "req0", name, to),)
            calls = CALLS_OF["start"] + len(says) * CALLS_OF["says"]
            return {"starts": starts, "says": says}, calls


def _posts(rng: random.Random, ticket: str, texts: tuple[str, ...]) -> tuple[Post, ...]:
    """One message, perhaps with a copy, perhaps with a second message."""
    text, form = (
        f"{rng.choice(texts)} My email is {CANARY}@example.com",
        rng.choice(("id", "id", "thin")),
    )
    first = Post(0.0, ticket, "c0", text, form, is_copy=False)
    more = []
    if rng.random() < 0.3:
        more.append(replace(first, at=rng.choice((0.3, 90.0, 310.0, 1_000.0)), is_copy=True))
    if rng.random() < 0.3:
        at, text = (
            rng.choice((0.5, 60.0, 800.0)),
            f"{rng.choice(texts)} My email is {CANARY}@example.com",
        )
        more.append(Post(at, ticket, "c1", text, "id", is_copy=False, wrote_at=at))
    return (first, *more)


def _overslept(rng: random.Random, calls: int) -> dict[str, Any]:
    """A worker sleeps beyond its lease; its successors cannot finish meanwhile, or die."""
    sleep = Fault(rng.randrange(2, calls), rng.uniform(*_OVERSLEPT), _LONGEST, pauses=True)
    found: dict[str, Any] = {"faults": (sleep,)}
    match rng.choice(("failing", "failing", "stopped", "stopped", "dying", "alone")):
        case "failing":
            found["failing"] = (("act:", 30.0, 3_000.0),)
        case "stopped":
            found["failing"] = (("act:", 30.0, 3_000.0),)
            on = rng.uniform(722.0, 742.0)  # when a successor has tried, before the sleeper wakes
            name = rng.choice(("kill_switch", "shadow_mode"))
            found["flips"] = (Flip(on, name, value=True), Flip(on + 1_500.0, name, value=False))
        case "dying":
            kind = rng.choice((0.01, 0.2, 0.4))  # in every port: a crash, or the call fails
            more = Fault(sleep.at + 2 + rng.randrange(16), kind, rng.random(), pauses=False)
            found["faults"] = (sleep, more)
        case _:
            pass
    if rng.random() < 0.4:  # its own request fails: it sleeps before it notes that, or near there
        at = rng.randrange(3)
        sleep = replace(sleep, at=rng.randrange(9, 17), pick=rng.uniform(0.32, 0.5))
        found["faults"] = (sleep, *found["faults"][1:])
        found["effect_faults"] = (Fault(at, _KNOWN_FAILURE, rng.random(), pauses=False),)
    if rng.random() < 0.2:
        found["deploys"] = (rng.uniform(50.0, 700.0),)
    return found


def _lost(rng: random.Random, calls: int) -> dict[str, Any]:
    """The answer to a request is lost; sometimes something else fails beside it."""
    kind, kinds = rng.choice(_LOST), Port.EFFECT.value
    pick = (kinds.index(kind) + 0.5) / len(kinds)
    lost = Fault(rng.randrange(3), pick, rng.uniform(0.3, 1.0), pauses=False)
    more = (_one(rng, calls),) if rng.random() < 0.4 else ()
    ticks = tuple(at * (1 + rng.random() / 4) for at in range(150, 3_000, 300))
    return {"effect_faults": (lost,), "faults": more, "ticks": ticks}


def _any(rng: random.Random, calls: int) -> dict[str, Any]:
    """Faults of any kind among the first calls."""
    return {"faults": tuple(drawn(rng, calls=calls)), "flips": _flips(rng)}


def _at_the_wire(rng: random.Random) -> dict[str, Any]:
    """Sometimes the vendors' answers are spoiled, or batches are done in part."""
    found: dict[str, Any] = {"texts_unreported": rng.random() < 0.2}
    if rng.random() < 0.3:
        found["spoils"] = (spoils.one_of(rng, answers=4),)
    if rng.random() < 0.3:
        found["partials"] = partials.drawn(rng, batches=5)
    return found


def _one(rng: random.Random, calls: int) -> Fault:
    return Fault(rng.randrange(calls), rng.random(), rng.random(), pauses=rng.random() < 0.3)


def _flips(rng: random.Random) -> tuple[Flip, ...]:
    name = rng.choice(SWITCHES)
    stops, on = name != "automation_enabled", rng.random() * 60.0
    return (Flip(on, name, stops), Flip(on + rng.choice((100.0, 1_500.0)), name, not stops))


def _people(rng: random.Random) -> dict[str, Any]:
    """An operator, sometimes."""
    found: dict[str, Any] = {}
    if rng.random() < 0.25:
        found["replays"] = ((rng.choice((60.0, 700.0, 2_000.0)) * rng.random(), 0),)
    if rng.random() < 0.15:
        found["resends"] = ((2_000.0 * rng.random(), rng.randrange(3)),)
    if rng.random() < 0.15:
        found["redrives"] = (9_000.0 * rng.random(),)
    return found
