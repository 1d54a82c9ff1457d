"""``python -m tests.crash``: kill the real functions at every call of every flow; prints one table."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.report import marked
from tests.crash.flow import Flow
from tests.crash.flows import FLOWS
from tests.crash.judging import Outcome
from tests.crash.rig import Rig
from tests.crash.runs import disturbed, every, late, undisturbed

KEPT = Path(marked.ROOT) / "bench" / "results" / "crash.json"
WIDTH = 44
MOST_MISSED = 20
"""At most one run in this many may miss its call."""


@dataclass(slots=True)
class Line:
    """One flow's line of the table.

    Attributes:
        parked: runs that ended with something parked, failed or dead-lettered.
        missed: runs in which the call was not made; a slow machine may repeat a call, which shifts
            the numbers of the others.
        beyond: the outcome of requests held beyond D.
    """

    name: str
    boundaries: int = 0
    runs: int = 0
    lost: int = 0
    duplicated: int = 0
    other: int = 0
    parked: int = 0
    missed: int = 0
    seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)
    beyond: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count a run."""
        self.runs += 1
        self.lost += outcome.is_lost
        self.duplicated += outcome.is_duplicated
        self.other += bool(outcome.problems) and not (outcome.is_lost or outcome.is_duplicated)
        self.parked += bool(outcome.parked)
        self.missed += not outcome.was_reached
        self.reasons += outcome.parked
        for problem in outcome.problems:
            print(f"RED {outcome.name}: {problem}", flush=True)

    @property
    def why(self) -> str:
        """The reasons of the parked runs."""
        return ", ".join(f"{reason} {count}" for reason, count in self.reasons.most_common())

    @property
    def cells(self) -> tuple[object, ...]:
        """The line as cells of the table."""
        counts = (self.boundaries, self.runs, self.lost, self.duplicated, self.other, self.parked)
        return (self.name, *counts, self.why)

    def __str__(self) -> str:
        name, *counts, why = self.cells
        widths = (11, 7, 6, 12, 7, 8)
        numbers = "".join(f"{n:>{width}}" for n, width in zip(counts, widths, strict=True))
        return f"{name:<{WIDTH}}{numbers}{self.seconds:>6.0f} s  {why}"


HEADS = ("flow", "boundaries", "runs", "lost", "duplicated", "other", "parked", "why parked")
HEAD = (
    f"{'flow':<{WIDTH}}{'boundaries':>11}{'runs':>7}{'lost':>6}{'duplicated':>12}"
    f"{'other':>7}{'parked':>8}{'time':>8}  why parked"
)


def main() -> int:
    """Run everything; 1 when a promise did not hold."""
    given = _arguments()
    if given.page:
        _write_page(json.loads(KEPT.read_text()))
        return 0
    lines: list[Line] = []
    with Rig.up() as rig:
        for flow in FLOWS:
            if given.flow in flow.name:
                lines.append(_line(rig, flow, given))
                print(lines[-1], flush=True)
                if given.keep:
                    _keep(lines[-1], given.stop_every)
    total = _total(lines)
    print("\n".join(["", HEAD, *(str(line) for line in lines), str(total)]))
    print("\nA request held in the network beyond D, which is not promised:")
    print("\n".join(f"  {told}" for line in lines for told in line.beyond))
    if total.missed:
        print(f"\n{total.missed} calls were not met")
    is_empty = total.missed * MOST_MISSED > total.runs
    return 1 if total.lost or total.duplicated or total.other or is_empty else 0


def _line(rig: Rig, flow: Flow, given: argparse.Namespace) -> Line:
    began = time.monotonic()
    known = undisturbed(rig, flow)
    line = Line(flow.name, len(known.boundaries))
    options = {"both_sides": given.both_sides, "stop_every": given.stop_every}
    for outcome in every(rig, known, **options, loses_aws_answers=given.aws):
        line.add(outcome)
    for call in late(known):
        outcome = disturbed(rig, known, call, "held_beyond")
        line.beyond.append(f"{outcome.name}: {'; '.join(outcome.problems) or 'nothing repeated'}")
    line.seconds = time.monotonic() - began
    return line


def _total(lines: list[Line]) -> Line:
    total = Line("together")
    for line in lines:
        for name in (
            "boundaries",
            "runs",
            "lost",
            "duplicated",
            "other",
            "parked",
            "missed",
            "seconds",
        ):
            setattr(total, name, getattr(total, name) + getattr(line, name))
    return total


def _keep(line: Line, stop_every: int) -> None:
    """Replace a flow's older line."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[line.name] = {
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="minutes"),
        "seconds": round(line.seconds),
        "stop_every": stop_every,
        "cells": line.cells,
        "beyond": line.beyond,
    }
    kept = {flow.name: kept[flow.name] for flow in FLOWS if flow.name in kept}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")


def _write_page(kept: Mapping[str, Any]) -> None:
    """Write the kept table into docs/reliability.md."""
    rows = [one["cells"] for one in kept.values()]
    together = ["together", *(sum(column) for column in list(zip(*rows, strict=True))[1:-1]), ""]
    minutes = sum(one["seconds"] for one in kept.values()) // 60
    sparsest = max(one["stop_every"] for one in kept.values())
    stops = "every call" if sparsest == 1 else f"every {sparsest}. call"
    lines = [
        (
            f"Run until {max(one['at'] for one in kept.values())}, {minutes} min on a shared"
            f" machine of {os.cpu_count()} cores; a process was paused at {stops}."
        ),
        "",
        *marked.table(HEADS, [*rows, together]),
        "",
        "Requests delayed beyond D, for which nothing is promised:",
        "",
        *(f"- {told}" for one in kept.values() for told in one["beyond"]),
    ]
    marked.write("reliability.md", "crashes", lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--flow", default="", help="only flows with this in their name")
    parser.add_argument(
        "--stop-every",
        type=int,
        default=1,
        help="pause a worker only at every n-th call",
    )
    parser.add_argument(
        "--both-sides", action="store_true", help="kill before and after, even if equivalent"
    )
    parser.add_argument("--aws", action="store_true", help="lose responses of AWS writes, too")
    parser.add_argument("--keep", action="store_true", help="keep each line for the page's table")
    parser.add_argument("--page", action="store_true", help="write the kept table into the page")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
