"""``python -m tests.simulation --runs 7000 --seed 1``: run schedules and print the results."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.simulation import crowds, recorded
from tests.simulation.aimed import aimed, plain
from tests.simulation.dead_letters import with_dead_letters
from tests.simulation.denser import denser, stalled
from tests.simulation.handoffs import with_handoffs
from tests.simulation.pairs import with_pairs
from tests.simulation.scenario import Scenario, scenario
from tests.simulation.shrink import shrunk
from tests.simulation.tool_schedules import with_tools
from tests.simulation.world import World

_KINDS = {
    "plain": plain,
    "aimed": aimed,
    "mixed": scenario,
    "denser": denser,
    "stalled": stalled,
    "handed": with_handoffs,
    "dying": with_dead_letters,
    "paired": with_pairs,
    "tools": with_tools,
}
"""How the schedule of a seed is drawn, by kind; docs/reliability-simulation.md says what each is for."""
SHARE = 500
"""Seeds that a process runs before it reports."""


@dataclass(slots=True)
class Found:
    """The results of some seeds.

    Attributes:
        broken: the violating seeds, each with its violations.
        seconds: of processor time.
    """

    totals: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    broken: dict[int, list[str]] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, other: Found) -> None:
        """Add the results of other seeds."""
        self.totals.update(other.totals)
        self.faults.update(other.faults)
        self.broken.update(other.broken)
        self.seconds += other.seconds


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 when a promise did not hold."""
    options = _options(arguments)
    if options.schedule:
        return _run_again(options.schedule)
    draw = _KINDS[options.kind]
    if options.record:
        for seed in range(options.seed, options.seed + options.runs):
            print(recorded.record(draw(seed), options.record))
        return 0
    gc.freeze()  # imported modules are never garbage
    gc.set_threshold(20_000)  # a world is garbage as a whole: fewer collections are 6 % faster
    found = Found()
    for share in _shares(options, draw):
        found.add(share)
        for seed, violations in share.broken.items():
            for violation in violations:
                print(f"seed {seed}: {violation}", flush=True)
        if len(found.broken) >= options.stop_after:
            break
    _print_totals(found)
    if found.broken and not options.no_shrink:
        _print_shrunk(draw(min(found.broken)))
    return 1 if found.broken else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed; one a run")
    parser.add_argument("--jobs", type=int, default=1, help="processes; a soak has one a core")
    parser.add_argument("--stop-after", type=int, default=5, help="failing runs")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--schedule", type=Path, help="a recorded schedule, to be run again")
    parser.add_argument("--record", type=Path, help="the folder to write the seeds' schedules to")
    parser.add_argument("--kind", choices=_KINDS, default="plain", help="of the schedules")
    return parser.parse_args(arguments)


def _run_again(file: Path) -> int:
    """Run a recorded schedule and print what it breaks, and what it broke when it was recorded."""
    was = recorded.read(file)
    found = recorded.violations(was.schedule)
    for title, violations in (("recorded", was.violations), ("now", found)):
        print(f"{title}:", *(violations or ["nothing broken"]), sep="\n  ")
    return 1 if found else 0


def _shares(options: argparse.Namespace, draw: Callable[[int], Scenario]) -> Iterator[Found]:
    """The results, share by share."""
    end = options.seed + options.runs
    shares = [range(first, min(first + SHARE, end)) for first in range(options.seed, end, SHARE)]
    run = partial(_run, draw)
    if options.jobs == 1:
        yield from map(run, shares)
        return
    with ProcessPoolExecutor(options.jobs) as pool:
        try:
            yield from pool.map(run, shares)
        finally:
            pool.shutdown(cancel_futures=True)


def _run(draw: Callable[[int], Scenario], seeds: range) -> Found:
    found = Found()
    started = time.process_time()
    for seed in seeds:
        world = World(draw(seed)).run()
        _count(world, found.totals, found.faults)
        if world.oracle.violations:
            found.broken[seed] = [str(violation) for violation in world.oracle.violations[:4]]
    found.seconds = time.process_time() - started
    return found


def _count(world: World, totals: Counter[str], faults: Counter[str]) -> None:
    totals["runs"] += 1
    totals["deliveries"] += world.deliveries
    totals["calls"] += world.network.calls
    for name, number in world.network.requests.items():
        totals[f"requests to {name.partition(':')[0]}"] += number
    faults.update(world.network.applied)
    faults.update(world.happened)
    for row in world.ledger.rows.values():
        if row["event_id"].startswith(crowds.PREFIX):
            continue
        if row["event_id"].startswith("evt:"):
            totals["events"] += 1
            totals[f"events {row['status']}"] += 1
            totals[f"events of {_kind(row['event_id'])}"] += 1
        elif "action_kind" in row:
            totals["actions"] += 1
            totals[f"actions {row['status']}"] += 1
    for row in world.facts.rows.values():
        if row["event_id"].startswith("HUBSPOT:"):
            totals["events"] += 1
            totals[f"events {row['status']}"] += 1
            totals["events of facts"] += 1
    totals["dead letters"] += len(world.queue.dead)


def _kind(event_key: str) -> str:
    """The system of an event, by its key."""
    _, system, first = event_key.split(":")[:3]
    if system != "rp":
        return f"outreach: {system}"
    return "tickets" if first.startswith("s") else "provoking tickets"


def _print_totals(found: Found) -> None:
    totals, seconds = found.totals, found.seconds
    print()
    for name, number in sorted(totals.items()):
        print(f"{name:34}{number:>12,}")
    print(f"{'processor seconds':34}{seconds:>12.1f}")
    for name in ("runs", "events", "deliveries"):
        print(f"{name + ' per second':34}{totals[name] / seconds:>12,.0f}")
    print("\nfaults")
    for name, number in found.faults.most_common():
        print(f"  {name:32}{number:>12,}")
    print(f"\nviolating runs: {len(found.broken)}")


def _print_shrunk(full: Scenario) -> None:
    world = shrunk(full)
    print(f"\nseed {full.seed}, shrunk to {len(world.scenario.faults)} faults:")
    for violation in world.oracle.violations:
        print(f"  {violation}")
    for line in world.trace or []:
        print(f"  {line}")


if __name__ == "__main__":
    sys.exit(main())
