"""The one table: figures of ours beside another's from the same run, against their targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        section: which part of the bench measured it.
        unit: what `ours` and `theirs` are counted in.
        ours, theirs: the figures; None where there is nothing to compare with.
        peer: who `theirs` is.
        target: the limit of `ratio` where `theirs` is given, else of `ours`; None where the
            figure is only reported.
        at_least: the target is a lower limit.
        is_exact: counted, so that missing it fails the run; timings never do.
        note: what must be known to read it.
    """

    section: str
    name: str
    unit: str
    ours: float
    theirs: float | None = None
    peer: str = ""
    target: float | None = None
    at_least: bool = False
    is_exact: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours by theirs."""
        return self.ours / self.theirs if self.theirs else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        limit = self.target if self.theirs is None else self.target * self.theirs
        return self.ours >= limit if self.at_least else self.ours <= limit

    def as_json(self) -> dict[str, Any]:
        """The row with what follows from it."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Row:
        """The row that `as_json` wrote."""
        return cls(**{name: raw[name] for name in cls.__slots__})


def printed(rows: Iterable[Row]) -> Iterator[str]:
    """The table as lines of text."""
    for section, members in groupby(rows, key=lambda row: row.section):
        yield ""
        yield section
        for row in members:
            beside = f"{number(row.theirs):>10} {row.peer}" if row.theirs is not None else ""
            ratio = f"{row.ratio:.2f}x" if row.ratio is not None else ""
            yield (
                f"  {row.name:<46}{number(row.ours):>10} {row.unit:<14}{beside:<40}"
                f"{ratio:>7}  {verdict(row)}"
            )


def markdown(rows: Iterable[Row]) -> Iterator[str]:
    """The table for a page."""
    yield "| figure | ours | beside | ratio | target | |"
    yield "|---|---:|---:|---:|---:|---|"
    for row in rows:
        beside = f"{number(row.theirs)} ({row.peer})" if row.theirs is not None else ""
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        sign = "≥" if row.at_least else "≤"
        target = f"{sign} {row.target:g}" if row.target is not None else ""
        met = {None: "", True: "met", False: "**missed**"}[row.met]
        note = f"{met}; {row.note}" if met and row.note else met or row.note
        figure = f"{number(row.ours)} {row.unit}"
        yield f"| {row.name} | {figure} | {beside} | {ratio} | {target} | {note} |"


def verdict(row: Row) -> str:
    """The target and whether it is met."""
    if row.target is None:
        return row.note
    sign = ">=" if row.at_least else "<="
    found = "met" if row.met else "MISSED"
    return f"{found} ({sign} {row.target:g})" + (f"; {row.note}" if row.note else "")


def number(value: float | None) -> str:
    """A figure with the digits it deserves."""
    if value is None:
        return ""
    if value == int(value) or abs(value) >= 100:  # noqa: PLR2004 - three digits say enough
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"  # noqa: PLR2004
