"""A push dataset in memory; with sequence numbers it takes a repeated batch once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from chalicelib.facts.dataset import DIMENSIONS, FACT_EVENT, definition
from chalicelib.facts.model import Row
from local.vendors import powerbi
from local.vendors.wire import Request, WireAnswer
from tests.simulation.in_memory import InMemory

DATASET_ID = "dataset"
"""The same in every run: it is part of keys."""


class MemoryDataset(InMemory, powerbi.SimulatedPowerBi):
    """Rows by table.

    Args:
        now: the provider's clock, seconds.
        is_numbered: the product sends the numbers by which a repetition is recognised.

    Attributes:
        dataset_id: the only dataset.
    """

    changes: ClassVar[frozenset[str]] = frozenset({"post_rows", "clear_rows"})

    def __init__(self, now: Callable[[], float], *, is_numbered: bool) -> None:
        super().__init__(now=now)
        self.is_numbered = is_numbered
        self.dataset_id = ""
        self._batches: dict[str, list[tuple[int, int]]] = {}

    def build(self) -> None:
        """Create the dataset; schedules without facts need none."""
        made = self._create(definition())
        self._datasets = {DATASET_ID: made}
        made.id = self.dataset_id = DATASET_ID

    def landed(self, request: Request, operation: str, actions: Sequence[Any]) -> bool:
        """See `InMemory.landed`."""
        (action,) = actions
        if operation == "clear_rows":
            self._batches.pop(action.argument, None)
            return False
        number = int(request.headers.get(powerbi.SEQUENCE_NUMBER, 0)) or action.data.number
        size = len(self._of(action.argument).rows)
        self._batches.setdefault(action.argument, []).append((number, size))
        return True

    def refused(self) -> WireAnswer:
        """See `InMemory.refused`: the rows are at fault."""
        return WireAnswer(400, self.error_body(400))

    def batches_of(self) -> dict[str, list[int]]:
        """The batches that contained each fact."""
        found: dict[str, list[int]] = {}
        begin, rows = 0, self.rows_of(FACT_EVENT)
        for number, end in self._batches.get(FACT_EVENT, ()):
            for row in rows[begin:end]:
                found.setdefault(str(row["EventID"]), []).append(number)
            begin = end
        return found

    def rows_of(self, table: str) -> list[Row]:
        """The rows of a table."""
        return list(self._of(table).rows) if self.dataset_id else []

    def keys_of(self, table: str) -> frozenset[object]:
        """A dimension's keys: its first column."""
        return frozenset(next(iter(row.values())) for row in self.rows_of(table))

    def dimension_keys(self) -> dict[str, int]:
        """How often the most frequent key of each dimension occurs."""
        return {
            table: max(Counter(next(iter(row.values())) for row in rows).values())
            for table in DIMENSIONS
            if (rows := self.rows_of(table))
        }

    def _of(self, table: str) -> powerbi.DatasetTable:
        return self._datasets[self.dataset_id].tables[table]
