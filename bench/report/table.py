"""The result table: our figures, a peer's figures of the same run, and the targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of a run, with its comparison and target.

    Attributes:
        section: the part of the bench that measured it.
        unit: the unit of `ours` and `theirs`.
        ours, theirs: the figures; `theirs` is None if there is no comparison.
        peer: the name of the comparison.
        target: the limit of `ratio` if `theirs` is given, otherwise of `ours`; None if the figure
            is only reported.
        at_least: the target is a lower limit.
        is_exact: whether it is a count, named ``what: which``; a count that differs from the expected
            one fails the run, a timing never does.
        note: a remark for the reader.
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
        """Ours divided by theirs."""
        return self.ours / self.theirs if self.theirs else None

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; None if there is none."""
        if self.target is None:
            return None
        limit = self.target if self.theirs is None else self.target * self.theirs
        return self.ours >= limit if self.at_least else self.ours <= limit

    def as_json(self) -> dict[str, Any]:
        """The row with its ratio and whether the target is met."""
        return {**asdict(self), "ratio": self.ratio, "met": self.is_met}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Row:
        """The row from the JSON that `as_json` returned."""
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
    """The table as lines of Markdown."""
    yield "| figure | ours | beside | ratio | target | |"
    yield "|---|---:|---:|---:|---:|---|"
    for row in rows:
        beside = f"{number(row.theirs)} ({row.peer})" if row.theirs is not None else ""
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        sign = "≥" if row.at_least else "≤"
        target = f"{sign} {row.target:g}" if row.target is not None else ""
        met = {None: "", True: "met", False: "**missed**"}[row.is_met]
        note = f"{met}; {row.note}" if met and row.note else met or row.note
        figure = f"{number(row.ours)} {row.unit}"
        yield f"| {row.name} | {figure} | {beside} | {ratio} | {target} | {note} |"


def matrix(counted: Mapping[str, float]) -> Iterator[str]:
    """Counts named ``what: which`` as a Markdown table, a line for each ``what``.

    Each ``which`` is a column.
    """
    lines: dict[str, dict[str, float]] = {}
    for name, value in counted.items():
        what, _, which = name.rpartition(": ")
        lines.setdefault(what, {})[which] = value
    heads = list(dict.fromkeys(which for line in lines.values() for which in line))
    yield f"| | {' | '.join(heads)} |"
    yield f"|---|{'---:|' * len(heads)}"
    for what, line in lines.items():
        yield f"| {what} | {' | '.join(number(line.get(which)) for which in heads)} |"


def verdict(row: Row) -> str:
    """The target of a row and whether it is met; without a target the row's note."""
    if row.target is None:
        return row.note
    sign = ">=" if row.at_least else "<="
    found = "met" if row.is_met else "MISSED"
    return f"{found} ({sign} {row.target:g})" + (f"; {row.note}" if row.note else "")


def number(value: float | None) -> str:
    """A figure with about three significant digits."""
    if value is None:
        return ""
    if value == int(value) or abs(value) >= 100:  # noqa: PLR2004 - three digits say enough
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"  # noqa: PLR2004
