"""A part of everything in half a minute: some kill points of every flow, and every fault once.

It chooses the same each time, so that what fails can be repeated.
"""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.crash.flow import Flow
from tests.crash.judging import Outcome
from tests.crash.proxy import Call
from tests.crash.rig import Rig
from tests.crash.runs import (
    ALSO_IGNORED,
    Undisturbed,
    disturbed,
    two_at_once,
    undisturbed,
    vendor_faults,
)

AT_ONCE = 2
"""Runs at a time, each on a rig of its own."""
TWICE = "two_at_once"
FAULTS = ("copy_lost", "ignored", "held", *ALSO_IGNORED[:-1], "stop_before", "stop_after", TWICE)
"""Every fault but kills; those that few flows can meet come first."""
_GOLDEN = 0.618
"""Spreads the points of consecutive flows over the beginning, the middle and the end."""


@dataclass(frozen=True, slots=True)
class Try:
    """One run: a fault at a call of a flow, or two of everything at once."""

    known: Undisturbed
    kind: str
    call: Call | None = None


@dataclass(slots=True)
class Sample:
    """A sample of flows.

    Attributes:
        outcomes: of each flow.
        untried: faults that none of the flows could meet.
    """

    knowns: Sequence[Undisturbed]
    outcomes: list[list[Outcome]] = field(default_factory=list)
    untried: Sequence[str] = ()


def sample(flows: Sequence[Flow], kills: int) -> Sample:
    """Run each flow undisturbed, killed at some points, and with its share of the faults."""
    with _rigs() as rigs, ThreadPoolExecutor(AT_ONCE) as pool:

        def known(flow: Flow) -> Undisturbed:
            with _taken(rigs) as rig:
                return undisturbed(rig, flow)

        def tried(attempt: Try) -> Outcome:
            with _taken(rigs) as rig:
                if attempt.call is None:
                    return two_at_once(rig, attempt.known)
                return disturbed(rig, attempt.known, attempt.call, attempt.kind)

        found = Sample(list(pool.map(known, flows)))
        dealt, found.untried = _dealt(found.knowns)
        tries = [
            [*_kills(known, number, kills), *faults]
            for number, (known, faults) in enumerate(zip(found.knowns, dealt, strict=True))
        ]
        outcomes = pool.map(tried, [attempt for listed in tries for attempt in listed])
        found.outcomes = [[next(outcomes) for _ in listed] for listed in tries]
    return found


def _kills(known: Undisturbed, number: int, kills: int) -> list[Try]:
    """Evenly spread points, at other places in each flow."""
    points = known.kill_points
    first = number * _GOLDEN % 1
    places = [int(len(points) * (first + kill) / kills) for kill in range(kills)]
    return [Try(known, f"kill_{points[at][1]}", points[at][0]) for at in places]


def _dealt(knowns: Sequence[Undisturbed]) -> tuple[list[list[Try]], list[str]]:
    """Each fault for the flow that can meet it and has the fewest; and those that none can meet."""
    dealt: list[list[Try]] = [[] for _ in knowns]
    untried = []
    for kind in FAULTS:
        able = [at for at, known in enumerate(knowns) if _can_meet(known, kind)]
        if not able:
            untried.append(kind)
            continue
        at = min(able, key=lambda place: (len(dealt[place]), len(knowns[place].calls)))
        dealt[at].append(Try(knowns[at], kind, _call(knowns[at], kind)))
    return dealt, untried


def _can_meet(known: Undisturbed, kind: str) -> bool:
    return kind == TWICE or _call(known, kind) is not None


def _call(known: Undisturbed, kind: str) -> Call | None:
    """The call that meets a fault: the last one that may."""
    if kind == TWICE:
        return None
    if kind.startswith("stop"):
        calls = known.boundaries
    elif kind == "copy_lost":
        calls = known.copies
    elif kind == "held":
        calls = known.of_effects
    else:
        calls = [effect for effect in known.of_effects if kind in vendor_faults(effect)]
    return calls[-1] if calls else None


@contextlib.contextmanager
def _rigs() -> Iterator[queue.Queue[Rig]]:
    rigs: queue.Queue[Rig] = queue.Queue()
    with contextlib.ExitStack() as opened:
        for _ in range(AT_ONCE):
            rigs.put(opened.enter_context(Rig.up()))
        yield rigs


@contextlib.contextmanager
def _taken(rigs: queue.Queue[Rig]) -> Iterator[Rig]:
    rig = rigs.get()
    try:
        yield rig
    finally:
        rigs.put(rig)
