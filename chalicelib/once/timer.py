"""The timer: the rows about which something must be done, and from when.

A row has a date while it has ``due_shard``, a kind and a shard such as ``event#3``, and ``due_at``, the
epoch seconds from which something must be done about it.  The shard is a hash of the row's key, so that a
burst has no hot partition.

A date is the durable half of every wait.  What goes on a queue beside it only makes a wait shorter, and
may be lost, doubled, early or late.  The index of dates holds keys alone and lags; the rows behind it are
read consistently.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from chalicelib.once.store import ConditionFailed, Item, Store

INDEX = "due-index"
SHARD = "due_shard"
DUE = "due_at"
SHARDS = 4
"""Partitions per kind; stored rows depend on it."""
DATE = (SHARD, DUE)
"""The attributes of a date; a row without them is in no index."""
PAGE = 1_000
"""Dates of one call: keys alone are small."""
ROWS = 100
"""Rows of one batch."""
_FOREVER = 1e11
"""After every date, in epoch seconds."""

Date = tuple[float, str]
"""When a row is due, in epoch seconds, and its key."""


def partition(kind: str, key: str) -> str:
    """The index partition of a row."""
    return f"{kind}#{int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % SHARDS}"


def dated(kind: str, key: str, epoch: float) -> Item:
    """The attributes of a row that is due from `epoch` on."""
    return {SHARD: partition(kind, key), DUE: int(epoch)}


@dataclass(frozen=True, slots=True)
class Timer:
    """The dates of one table."""

    table: Store

    def due(self, epoch: float | None, *, kind: str, limit: int) -> list[Date]:
        """Dates of a kind up to a time, or all without one; the longest due first."""
        until = _FOREVER if epoch is None else epoch
        return self._read("<=", until, kind, limit, lambda _: True)

    def after(self, epoch: float, key: str, *, kind: str, limit: int) -> list[Date]:
        """Dates of a kind that follow a row in the order of `due`.

        Args:
            epoch: from which on that row is due.
            key: that row's.
            kind: as `due`.
            limit: of the dates returned; a list is read on by its last row.
        """
        return self._read(">=", epoch, kind, limit, lambda date: date > (epoch, key))

    def each(self, epoch: float, *, kind: str) -> Iterator[Item]:
        """Rows of a kind that are due by a time, the longest due first; read page by page."""
        last: Date = (0.0, "")
        while True:
            dates = self.after(*last, kind=kind, limit=ROWS)
            ripe = [date for date in dates if date[0] <= epoch]
            yield from (row for row in self.rows(ripe) if row[DUE] <= epoch)
            if len(ripe) < ROWS:
                return
            last = ripe[-1]

    def count(self, epoch: float | None, *, kind: str, at_most: int) -> int:
        """How many rows of a kind are due by a time; None counts every date.  The index lags."""
        return len(self.due(epoch, kind=kind, limit=at_most))

    def rows(self, dates: Sequence[Date]) -> list[Item]:
        """The rows of these dates, in their order, without those that have no date any more."""
        found = {
            row["event_id"]: row
            for row in self.table.get_all([{"event_id": key} for _, key in dates])
            if DUE in row
        }
        return [found[key] for _, key in dates if key in found]

    def move(self, kind: str, key: str, *, seen: float, to: float | None, **more: int) -> bool:
        """Give a row its next date, or none, if it still has the date that was seen.

        Args:
            kind: of the row.
            key: of the row.
            seen: the date that was read, epoch seconds.
            to: the next date, epoch seconds; None removes it.
            more: further attributes to set.

        Returns:
            False where it was dated or ended since; then nothing changes.
        """
        again = {} if to is None else dated(kind, key, to)
        try:
            self.table.update(
                {"event_id": key},
                set_={**again, **more},
                remove=() if again else DATE,
                condition=f"#{DUE} = :seen",
                seen=int(seen),
                reading=False,
            )
        except ConditionFailed:
            return False
        return True

    def _read(
        self, order: str, epoch: float, kind: str, limit: int, wanted: Callable[[Date], bool]
    ) -> list[Date]:
        found: list[Date] = []
        for shard in range(SHARDS):
            rows = self.table.query_pages(
                IndexName=INDEX,
                KeyConditionExpression=f"#{SHARD} = :shard AND #{DUE} {order} :epoch",
                ExpressionAttributeNames={f"#{name}": name for name in DATE},
                Limit=min(limit, PAGE),
                values={"shard": f"{kind}#{shard}", "epoch": epoch},
            )
            dates = ((float(row[DUE]), str(row["event_id"])) for row in rows)
            found += islice(filter(wanted, dates), limit)
        return sorted(found)[:limit]
