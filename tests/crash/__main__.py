"""``python -m tests.crash``: kill the real functions at every call of every flow; one table."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.crash.flow import Flow
from tests.crash.flows import FLOWS
from tests.crash.judging import Outcome
from tests.crash.rig import Rig
from tests.crash.runs import disturbed, every, late, undisturbed

WIDTH = 44


@dataclass(slots=True)
class Line:
    """One flow's line of the table."""

    flow: Flow
    boundaries: int = 0
    runs: int = 0
    lost: int = 0
    duplicated: int = 0
    other: int = 0
    parked: int = 0
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
        self.reasons += outcome.parked
        for problem in outcome.problems:
            print(f"RED {outcome.name}: {problem}", flush=True)

    def __str__(self) -> str:
        reasons = ", ".join(f"{reason} {count}" for reason, count in self.reasons.most_common())
        return (
            f"{self.flow.name:<{WIDTH}}{self.boundaries:>11}{self.runs:>7}{self.lost:>6}"
            f"{self.duplicated:>12}{self.other:>7}{self.parked:>8}{self.seconds:>6.0f} s  {reasons}"
        )


HEAD = (
    f"{'flow':<{WIDTH}}{'boundaries':>11}{'runs':>7}{'lost':>6}{'duplicated':>12}"
    f"{'other':>7}{'parked':>8}{'time':>8}  why parked"
)


def main() -> int:
    """Run everything; 1 when a promise did not hold."""
    given = _arguments()
    lines: list[Line] = []
    with Rig.up() as rig:
        for flow in FLOWS:
            if given.flow in flow.name:
                lines.append(_line(rig, flow, given.stop_every))
                print(lines[-1], flush=True)
    total = Line(Flow())
    total.flow.name = "together"
    for line in lines:
        for name in ("boundaries", "runs", "lost", "duplicated", "other", "parked", "seconds"):
            setattr(total, name, getattr(total, name) + getattr(line, name))
    print(f"\n{HEAD}\n" + "\n".join(str(line) for line in [*lines, total]))
    print("\nA request held in the network beyond D, which is not promised:")
    for line in lines:
        for told in line.beyond:
            print(f"  {told}")
    return 1 if total.lost or total.duplicated or total.other else 0


def _line(rig: Rig, flow: Flow, stop_every: int) -> Line:
    began = time.monotonic()
    known = undisturbed(rig, flow)
    line = Line(flow, len(known.boundaries))
    for outcome in every(rig, known, stop_every=stop_every):
        line.add(outcome)
    for call in late(known):
        outcome = disturbed(rig, known, call, "held_beyond")
        line.beyond.append(f"{outcome.name}: {'; '.join(outcome.problems) or 'nothing repeated'}")
    line.seconds = time.monotonic() - began
    return line


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--flow", default="", help="only flows with this in their name")
    parser.add_argument(
        "--stop-every", type=int, default=1, help="stop a worker at every so many calls only"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
