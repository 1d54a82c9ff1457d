"""A push dataset in memory; with sequence numbers it takes a repeated batch once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chalicelib.facts.dataset import DIMENSIONS, FACT_EVENT
from chalicelib.facts.model import Row


class MemoryDataset:
    """Rows by table.

    Args:
        is_numbered: a batch with a known number counts as a repetition.
        landed: what happened, by action key.
    """

    target = "memory"

    def __init__(self, *, is_numbered: bool, landed: Counter[str]) -> None:
        self.is_numbered = is_numbered
        self._landed = landed
        self._rows: dict[str, list[tuple[int, Row]]] = {}
        self._numbers: set[tuple[str, int]] = set()

    def append(self, key: str, table: str, number: int, rows: Sequence[Row]) -> None:
        """Add rows."""
        self._landed[key] += 1
        if self.is_numbered and (table, number) in self._numbers:
            return
        self._numbers.add((table, number))
        self._rows.setdefault(table, []).extend((number, row) for row in rows)

    def clear(self, table: str) -> None:
        """Delete every row of a table."""
        self._rows.pop(table, None)

    def batches_of(self) -> dict[str, list[int]]:
        """The batches that contained each fact."""
        found: dict[str, list[int]] = {}
        for number, row in self._rows.get(FACT_EVENT, ()):
            found.setdefault(str(row["EventID"]), []).append(number)
        return found

    def rows_of(self, table: str) -> list[Row]:
        """The rows of a table."""
        return [row for _, row in self._rows.get(table, ())]

    def keys_of(self, table: str) -> frozenset[object]:
        """A dimension's keys: its first column."""
        return frozenset(next(iter(row.values())) for row in self.rows_of(table))

    def dimension_keys(self) -> dict[str, int]:
        """How often the most frequent key of each dimension occurs."""
        return {
            table: max(
                Counter(next(iter(row.values())) for _, row in self._rows[table]).values(),
                default=0,
            )
            for table in DIMENSIONS
            if table in self._rows
        }
