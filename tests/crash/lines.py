"""The table of `python -m tests.crash`: one line for each flow, and their sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.crash.judging import Outcome

WIDTH = 56


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


def total(lines: Sequence[Line]) -> Line:
    """The sum of all lines."""
    found = Line("together")
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
            setattr(found, name, getattr(found, name) + getattr(line, name))
    return found
