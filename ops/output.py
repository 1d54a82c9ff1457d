"""Tables for people, JSON for programs, a progress bar; only results go to standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ops.marks import visible

T = TypeVar("T")
Facts = TypeVar("Facts", bound=Mapping[str, object])
Records = TypeVar("Records", bound=Sequence[Mapping[str, object]])

_WIDEST = 10_000
"""The longest table line, in characters, when the output is not a terminal."""
_FOLDED = 60
_STYLES = {
    "ok": "green",
    "done": "green",
    "processed": "green",
    "success": "green",
    "warn": "yellow",
    "skipped": "yellow",
    "parked": "yellow",
    "unknown": "yellow",
    "pending": "yellow",
    "fail": "red",
    "failed": "red",
    "refused": "red",
}


class JsonLines(tuple[Mapping[str, object], ...]):
    """A result that `--json` prints as JSON lines, one object a line."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Output:
    """A command's output: tables for a person, or with `--json` one document."""

    as_json: bool = False

    def show(self, data: Any) -> None:  # noqa: ANN401 - JSON
        """Print the result as JSON if `--json` was given; otherwise print nothing."""
        if self.as_json and isinstance(data, JsonLines):
            sys.stdout.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in data)
        elif self.as_json:
            sys.stdout.write(json.dumps(data, default=str, indent=2) + "\n")

    def say(self, text: str, *, style: str = "") -> None:
        """Print a line for people."""
        if not self.as_json:
            _console().print(Text(visible(text), style=style))

    def table(
        self,
        columns: Sequence[str],
        lines: Iterable[Sequence[object]],
        folded: Collection[str] = (),
    ) -> None:
        """Print a table for people; cells that are a known status are coloured.

        Args:
            columns: the columns' names.
            lines: rows with a cell for each column.
            folded: columns of at most `_FOLDED` characters; a longer cell has several lines.
        """
        if self.as_json:
            return
        shown = Table(box=None, pad_edge=False)
        for column in columns:
            most = _FOLDED if column in folded else None
            shown.add_column(column, overflow="fold", max_width=most)
        for line in lines:
            cells = ["" if cell is None else str(cell) for cell in line]
            shown.add_row(*(Text(visible(cell), style=_STYLES.get(cell, "")) for cell in cells))
        console = _console()
        if not console.is_terminal:  # a program needs whole values
            limit = console.options.update(max_width=_WIDEST)
            console.width = max(console.width, console.measure(shown, options=limit).maximum)
        console.print(shown)

    def records(
        self, columns: Sequence[str], rows: Records, folded: Collection[str] = ()
    ) -> Records:
        """Print a table of some attributes of each row; return the rows, for a command's document."""
        self.table(columns, [[row.get(name) for name in columns] for row in rows], folded)
        return rows

    def facts(self, facts: Facts) -> Facts:
        """Print names and values, one pair a line; return them, for a command's document."""
        self.table(["", ""], list(facts.items()))
        return facts

    def following(self, items: Iterable[T], what: str, *, total: int | None = None) -> Iterator[T]:
        """Yield the items, with a progress bar on standard error if that is a terminal."""
        if self.as_json or not sys.stderr.isatty():
            yield from items
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            yield from progress.track(items, total=total, description=what)

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Show a spinner on standard error while work goes on, if that is a terminal."""
        if self.as_json or not sys.stderr.isatty():
            yield
            return
        with Console(stderr=True).status(what):
            yield


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False, soft_wrap=False)
