"""``python -m tests.simulation.explore``: small worlds whole, every interleaving up to a bound.

Two workers, a sweep, waits and one fault of any kind are interleaved before every call of the real
code.  A schedule is its deviations from the default (who runs, goes on, and nothing fails).  A fault
weighs two, any other deviation one, and the lightest schedules come first, so that a violation is
found by a short one.  A run is followed until it meets a state that another had; then its future is
known.
"""

from __future__ import annotations

import argparse
import gc
import heapq
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.simulation.fixed_schedules import TEXT, refund, schedule
from tests.simulation.scenario import Scenario
from tests.simulation.shrink import minimal
from tests.simulation.small_world import SmallWorld

Deviations = tuple[tuple[int, str], ...]
"""At which steps something other than the default happens, and what."""

WORLDS: dict[str, Scenario] = {
    "a send": schedule(starts=(TEXT,)),
    "a step of two": schedule(posts=refund("t0")),
}
"""One event each: an opening by SMS; a ticket with two tags in a step, a reply and a close."""
MOST_STATES = 100_000
MOST_SECONDS = 600.0
"""Of processor time, for each world."""


@dataclass(slots=True)
class Explored:
    """What an exploration has seen.

    Attributes:
        complete: every schedule that weighs less than this was run.
        is_whole: nothing is left to run.
        met: how often each fault was met at each kind of call.
        broken: the shortest schedule that violates a promise, with what it says.
    """

    states: set[int] = field(default_factory=set)
    runs: int = 0
    ended: int = 0
    complete: int = 0
    is_whole: bool = False
    met: Counter[str] = field(default_factory=Counter)
    broken: tuple[Deviations, list[str]] | None = None


def explore(
    scenario: Scenario, *, states: int = MOST_STATES, seconds: float = MOST_SECONDS
) -> Explored:
    """Run schedule after schedule until all are run, a bound is met, or a promise is broken."""
    found = Explored()
    ends = time.process_time() + seconds
    frontier: list[tuple[int, int, Deviations]] = [(0, 0, ())]
    while frontier:
        if len(found.states) >= states or time.process_time() > ends:
            return found
        count, _, deviations = heapq.heappop(frontier)
        found.complete = count
        more, violations = _run(scenario, deviations, found)
        for number, longer in enumerate(more):
            weight = count + (2 if longer[-1][1].startswith("fault") else 1)
            heapq.heappush(frontier, (weight, found.runs * 1_000 + number, longer))
        if violations:
            found.broken = shortest(scenario, deviations), violations
            return found
    found.is_whole = True
    return found


def _run(
    scenario: Scenario, deviations: Deviations, found: Explored
) -> tuple[list[Deviations], list[str]]:
    """One schedule: what may be run next, and the promises it breaks."""
    world = SmallWorld(scenario)
    with world.running():
        return _run_in(world, deviations, found)


def _run_in(
    world: SmallWorld, deviations: Deviations, found: Explored
) -> tuple[list[Deviations], list[str]]:
    world.begin()
    wanted, last = dict(deviations), max((at for at, _ in deviations), default=-1)
    more: list[Deviations] = []
    found.runs += 1
    step = 0
    while options := world.options():
        if step > last:
            state = world.fingerprint()
            if state in found.states:
                return more, _violations(world)
            found.states.add(state)
            more += [(*deviations, (step, option)) for option in options[1:]]
        chosen = wanted.get(step, options[0])
        if step == last and chosen.startswith("fault"):
            found.met[f"{world.waiting[int(options[0].split()[1])].name} {chosen}"] += 1
        world.take(chosen if chosen in options else options[0])
        step += 1
    found.ended += 1
    world.end()
    return more, _violations(world)


def replayed(scenario: Scenario, deviations: Sequence[tuple[int, str]]) -> list[str]:
    """The promises that one schedule breaks; what does not fit any more is left out."""
    world = SmallWorld(scenario)
    wanted, step = dict(deviations), 0
    with world.running():
        world.begin()
        while options := world.options():
            chosen = wanted.get(step, options[0])
            world.take(chosen if chosen in options else options[0])
            step += 1
        world.end()
    return _violations(world)


def shortest(scenario: Scenario, deviations: Deviations) -> Deviations:
    """The deviations without which nothing is broken."""
    return tuple(minimal(deviations, lambda some: bool(replayed(scenario, some))))


def _violations(world: SmallWorld) -> list[str]:
    return [str(violation) for violation in world.oracle.violations]


def main(arguments: list[str] | None = None) -> int:
    """Explore; 1 when a promise did not hold."""
    options = _options(arguments)
    gc.freeze()
    gc.set_threshold(20_000)
    is_broken = False
    for name, scenario in WORLDS.items():
        if options.world in name:
            started = time.process_time()
            found = explore(scenario, states=options.states, seconds=options.seconds)
            _print(name, found, time.process_time() - started)
            is_broken |= found.broken is not None
    return int(is_broken)


def _print(name: str, found: Explored, seconds: float) -> None:
    bound = "whole" if found.is_whole else f"whole below weight {found.complete}"
    print(f"{name}: {len(found.states):,} states, {found.runs:,} runs, {bound}, {seconds:.0f} s")
    print(f"  {found.ended:,} runs to the end, the others to a state that was known")
    print(f"  {len(found.met)} faults at kinds of calls: {', '.join(sorted(found.met))}")
    if found.broken is not None:
        deviations, violations = found.broken
        print(f"  BROKEN by {', '.join(f'{what} at {at}' for at, what in deviations)}")
        for violation in violations:
            print(f"  {violation}")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.explore", description=__doc__)
    parser.add_argument("--world", default="", help="worlds with this in their name")
    parser.add_argument("--states", type=int, default=MOST_STATES, help="of each world")
    parser.add_argument(
        "--seconds", type=float, default=MOST_SECONDS, help="of processor time, for each"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
