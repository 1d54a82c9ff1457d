"""``python -m tests.simulation --runs 20000 --seed 1``: run schedules, print what they showed."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter

from tests.simulation.scenario import scenario
from tests.simulation.shrink import shrunk
from tests.simulation.world import World


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 when a promise did not hold."""
    options = _options(arguments)
    totals: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    failing: list[int] = []
    gc.freeze()  # what was imported is never garbage
    started = time.process_time()
    for seed in range(options.seed, options.seed + options.runs):
        world = World(scenario(seed)).run()
        _count(world, totals, faults)
        if world.oracle.violations:
            failing.append(seed)
            _print_violation(seed, world)
            if len(failing) >= options.stop_after:
                break
    seconds = time.process_time() - started
    _print_totals(totals, faults, failing, seconds)
    if failing and not options.no_shrink:
        _print_shrunk(failing[0])
    return 1 if failing else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed; one a run")
    parser.add_argument("--stop-after", type=int, default=5, help="failing runs")
    parser.add_argument("--no-shrink", action="store_true")
    return parser.parse_args(arguments)


def _count(world: World, totals: Counter[str], faults: Counter[str]) -> None:
    totals["runs"] += 1
    totals["deliveries"] += world.deliveries
    totals["calls"] += world.network.calls
    faults.update(world.network.applied)
    faults.update(world.happened)
    for row in world.ledger.rows.values():
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
    """What an event is of: its system by its key."""
    _, system, first = event_key.split(":")[:3]
    if system != "rp":
        return f"outreach: {system}"
    return "tickets" if first.startswith("s") else "provoking tickets"


def _print_violation(seed: int, world: World) -> None:
    for violation in world.oracle.violations[:4]:
        print(f"seed {seed}: {violation}")


def _print_totals(
    totals: Counter[str], faults: Counter[str], failing: list[int], seconds: float
) -> None:
    print()
    for name, number in sorted(totals.items()):
        print(f"{name:34}{number:>12,}")
    print(f"{'processor seconds':34}{seconds:>12.1f}")
    print(f"{'runs per second':34}{totals['runs'] / seconds:>12,.0f}")
    print(f"{'events per second':34}{totals['events'] / seconds:>12,.0f}")
    print(f"{'deliveries per second':34}{totals['deliveries'] / seconds:>12,.0f}")
    print("\nfaults")
    for name, number in faults.most_common():
        print(f"  {name:32}{number:>12,}")
    print(f"\nviolating runs: {len(failing)}")


def _print_shrunk(seed: int) -> None:
    world = shrunk(seed)
    print(f"\nseed {seed}, shrunk to {len(world.scenario.faults)} faults:")
    for violation in world.oracle.violations:
        print(f"  {violation}")
    for line in world.trace or []:
        print(f"  {line}")


if __name__ == "__main__":
    sys.exit(main())
