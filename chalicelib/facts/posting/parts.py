"""A partition of the archive: one day of facts or one dimension, its parts, and what is current in them.

::

    FactEvent/day=2026-11-20/1763629452123.ndjson.gz          one batch's facts of the day
    FactEvent/day=2026-11-20/whole-1763629452123.ndjson.gz    the current rows of all parts up to that number
    DimAgent/whole-1763629452123.ndjson.gz                    a dimension likewise

For each key the row in the newest part is current: the part with the highest number, and of two with
the same number the whole one.  So parts may be added, merged and repeated at any time, and the
partition reads the same.  A fact that was corrected to another day leaves a row in its former day that
says so and is no fact, because each day is read alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.facts.dataset import DIM_AGENT, DIM_DATE, DIM_METRIC, FACT_EVENT
from chalicelib.facts.model import Fact, Row

MOVED_TO = "MovedTo"
"""Column of a row that is no fact: the day that a corrected fact is on now."""
_KEYS = {FACT_EVENT: "EventID", DIM_AGENT: "AgentID", DIM_METRIC: "MetricID", DIM_DATE: "Date"}
"""Key column by table.  Any other table, such as `DimShift`, is its newest part alone."""
_NAME = re.compile(r"(?P<folder>(?P<table>\w+)/.*?)(?P<whole>whole-)?(?P<number>\d+)\.ndjson\.gz")


@dataclass(frozen=True, slots=True)
class ArchivePart:
    """A part of a partition of the archive, which is one object with rows.

    Attributes:
        name: name of the object, from the archive's root.
        number: number of the batch; for a whole part the highest number among the parts that it
            merges.
        modified: epoch seconds of the last change, by the storage's clock.
    """

    name: str
    number: int
    is_whole: bool
    modified: float


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition of the archive, the unit that a query reads: one day of facts, or one dimension.

    Attributes:
        folder: ``FactEvent/day=2026-11-20/`` or ``DimAgent/``.
        parts: the partition's parts, newest first.
    """

    folder: str
    parts: Sequence[ArchivePart]

    @property
    def table(self) -> str:
        """The name of the table that the partition belongs to."""
        return self.folder.partition("/")[0]

    @property
    def whole(self) -> ArchivePart | None:
        """The newest whole part, which merges all earlier parts; None before the first compaction."""
        return next((part for part in self.parts if part.is_whole), None)

    @property
    def next_whole_name(self) -> str:
        """The object name for a new whole part, which merges all present parts of the partition."""
        return f"{self.folder}whole-{self.parts[0].number}.ndjson.gz"

    def current_rows(
        self, rows_of: Callable[[ArchivePart], Iterable[dict[str, Any]]]
    ) -> Iterator[tuple[ArchivePart, dict[str, Any]]]:
        """Each current row of the partition, after the part that has it.

        Rows that say that a fact has moved to another day are included.
        """
        column = _KEYS.get(self.table)
        seen: set[str] = set()
        for part in self.parts if column else self.parts[:1]:
            for row in rows_of(part):
                if column:
                    key = str(row[column])
                    if key in seen:
                        continue
                    seen.add(key)
                yield part, row

    def replaced_parts(self, giving: Iterable[ArchivePart]) -> Sequence[ArchivePart]:
        """The parts that are older than the newest whole part and have no current row, oldest first.

        It is empty where there is no whole part.

        Args:
            giving: the parts that still have current rows; none of them is returned.
        """
        whole, needed = self.whole, set(giving)
        if whole is None:
            return []
        older = self.parts[self.parts.index(whole) + 1 :]
        return [part for part in reversed(older) if part not in needed]


def partitions(found: Iterable[tuple[str, float]]) -> list[Partition]:
    """The archive's partitions that these objects form, in the order of their folders.

    Args:
        found: name and time of each object; an object that is no part is left out.
    """
    folders: dict[str, list[ArchivePart]] = {}
    for name, modified in found:
        if match := _NAME.fullmatch(name):
            part = ArchivePart(name, int(match["number"]), match["whole"] is not None, modified)
            folders.setdefault(match["folder"], []).append(part)
    return [
        Partition(
            folder, sorted(parts, key=lambda part: (part.number, part.is_whole), reverse=True)
        )
        for folder, parts in sorted(folders.items())
    ]


def moved_row(fact: Fact, day: str) -> Row:
    """The row that stays in the partition of a fact's former day when the fact moves to another day."""
    return {"EventID": fact.key, "FactDateKey": f"{day}T00:00:00", MOVED_TO: fact.date}
