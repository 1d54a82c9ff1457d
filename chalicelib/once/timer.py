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
"""Partitions of the index of due rows for each kind; stored rows depend on the number."""
DATE = (SHARD, DUE)
"""The attributes of a row that is due at some time; a row without them is in no index."""
PAGE = 1_000
"""The most keys that are read in one call: keys alone are small."""
ROWS = 100
"""The most rows that are read in one call."""
_FOREVER = 1e11
"""A time later than that of every row, in epoch seconds."""

Date = tuple[float, str]
"""When a row is due, in epoch seconds, and the row's key."""


def partition(kind: str, key: str) -> str:
    """The partition of the index of due rows to which a row of a kind belongs."""
    return f"{kind}#{int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % SHARDS}"


def due_attributes(kind: str, key: str, epoch: float) -> Item:
    """The attributes that make a row due from `epoch` on."""
    return {SHARD: partition(kind, key), DUE: int(epoch)}


@dataclass(frozen=True, slots=True)
class Timer:
    """Finds the rows of one table that are due, and changes when they are due."""

    table: Store

    def due(self, epoch: float | None, *, kind: str, limit: int) -> list[Date]:
        """The keys of a kind's rows that are due by a time, the longest due first, each with when it is due.

        Without a time, every row of the kind that has one is listed.
        """
        until = _FOREVER if epoch is None else epoch
        return self._read("<=", until, kind, limit, lambda _: True)

    def after(self, epoch: float, key: str, *, kind: str, limit: int) -> list[Date]:
        """The next keys of a kind's rows after a given row, in the order of `due`, each with when it is due.

        Args:
            epoch: when the given row is due.
            key: of the given row.
            kind: of the rows.
            limit: the most that are returned; for the next page, call again with the last one.
        """
        return self._read(">=", epoch, kind, limit, lambda date: date > (epoch, key))

    def due_rows(self, epoch: float, *, kind: str) -> Iterator[Item]:
        """The rows of a kind that are due by a time, the longest due first; read page by page."""
        last: Date = (0.0, "")
        while True:
            dates = self.after(*last, kind=kind, limit=ROWS)
            ripe = [date for date in dates if date[0] <= epoch]
            yield from (row for row in self.rows(ripe) if row[DUE] <= epoch)
            if len(ripe) < ROWS:
                return
            last = ripe[-1]

    def count(self, epoch: float | None, *, kind: str, at_most: int) -> int:
        """How many rows of a kind are due by a time, `at_most` at most; None counts every row with a time.

        The index that is counted may lag behind the table.
        """
        return len(self.due(epoch, kind=kind, limit=at_most))

    def rows(self, dates: Sequence[Date]) -> list[Item]:
        """The rows with these keys, in the given order; rows that have no due time any more are left out."""
        found = {
            row["event_id"]: row
            for row in self.table.get_all([{"event_id": key} for _, key in dates])
            if DUE in row
        }
        return [found[key] for _, key in dates if key in found]

    def move(self, kind: str, key: str, *, seen: float, to: float | None, **more: int) -> bool:
        """Store another time at which a row is due, or none, if the row still has the time that was read.

        Args:
            kind: of the row.
            key: of the row.
            seen: the time that was read, epoch seconds.
            to: the next time, epoch seconds; None so that the row is not due at any time.
            more: further attributes to set.

        Returns:
            False where the row was given another time or has ended since; then nothing changes.
        """
        again = {} if to is None else due_attributes(kind, key, to)
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
