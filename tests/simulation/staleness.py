"""Reads that are behind: an index, or a read that does not ask for consistency.

While a table lags, such a read shows it as it was some seconds ago.  DynamoDB's indexes follow in
less than a second as a rule and in seconds under load; its tables' own copies within about two.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.simulation.memory_table import Key, MemoryTable

if TYPE_CHECKING:
    from chalicelib.once.store import Item

TABLE_SECONDS = 2.0
"""How far a copy of a table itself may be behind."""
INDEX_SECONDS = (0.05, 0.5, 3.0, 10.0)
Lag = tuple[float, float, float]
"""From when to when, in seconds from the start, and by how much."""


class Versions:
    """Remembers what the writes to a table replaced, to show it as it was."""

    def __init__(self, table: MemoryTable, now: Callable[[], float]) -> None:
        self._table = table
        self._now = now
        self._replaced: list[tuple[float, Key, Item | None]] = []
        table.replaced = self._note

    def _note(self, key: Key, before: Item | None) -> None:
        self._replaced.append((self._now(), key, before))

    def before(self, moment: float) -> MemoryTable:
        """The table as it was."""
        rows = dict(self._table.rows)
        for at, key, before in reversed(self._replaced):
            if at <= moment:
                break
            if before is None:
                rows.pop(key, None)
            else:
                rows[key] = before
        return self._table.copy(rows)


def is_behind(arguments: dict[str, Any]) -> float | None:
    """How many seconds such a query may be behind at most; None where it is consistent."""
    if "IndexName" in arguments:
        return max(INDEX_SECONDS)
    return None if arguments.get("ConsistentRead") else TABLE_SECONDS


def drawn(rng: random.Random) -> tuple[Lag, ...]:
    """The lags of a schedule: in one of six, for some minutes or throughout."""
    if rng.random() >= 1 / 6:
        return ()
    start, seconds = rng.choice((0.0, rng.random() * 600)), rng.choice((120.0, 900.0, 200_000.0))
    return ((start, start + seconds, rng.choice(INDEX_SECONDS)),)
