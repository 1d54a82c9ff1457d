"""The sparse index of what is due, spread over a few partitions.

A row is in the index while it has ``due_shard``, a kind and a shard such as ``event#3``, and
``due_at``, the epoch seconds from which something must be done about it.  The shard is a hash of the
row's key, so that a burst has no hot partition.

Rows of the previous release are in the old index by ``unfinished``, a mark and a shard.  It is only
read; a row leaves it with the first write that dates or ends it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice

from chalicelib.once.store import Item, Store

INDEX = "due-index"
SHARD = "due_shard"
DUE = "due_at"
SHARDS = 4
"""Partitions per kind; stored rows depend on it."""
OLD_INDEX = "unfinished-index"
OLD_ATTRIBUTE = "unfinished"
NOT_DUE = (OLD_ATTRIBUTE, SHARD, DUE)
"""A row without these is in neither index."""
_FOREVER, _LAST = 1e11, "9"
"""After every date, as epoch seconds and as an ISO time."""


def partition(kind: str, key: str) -> str:
    """The index partition of a row."""
    return f"{kind}#{int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % SHARDS}"


def due(kind: str, key: str, epoch: float) -> Item:
    """The attributes of a row that is due from `epoch` on."""
    return {SHARD: partition(kind, key), DUE: int(epoch)}


@dataclass(frozen=True, slots=True)
class DueIndex:
    """Reads the indexes of one table; they lag it.

    Attributes:
        old_range: the old index's range key, an ISO time.
    """

    table: Store
    old_range: str

    def until(self, epoch: float | None, *, kind: str, limit: int) -> list[Item]:
        """Rows of a kind, of which those due by a time; the longest due first, at most `limit`."""
        return self._oldest(INDEX, kind, (SHARD, DUE), epoch or _FOREVER, limit)

    def after(self, epoch: float, key: str, *, kind: str, limit: int) -> list[Item]:
        """Rows of a kind that follow a row in the order of `until`; at most `limit`.

        Args:
            epoch: from which on that row is due.
            key: that row's.
            kind: as `until`.
            limit: of the rows returned; a list is read on by its last row.
        """
        found: list[Item] = []
        for shard in range(SHARDS):
            rows = self.table.query_pages(
                IndexName=INDEX,
                KeyConditionExpression=f"#{SHARD} = :shard AND #{DUE} >= :since",
                ExpressionAttributeNames={f"#{name}": name for name in (SHARD, DUE)},
                Limit=limit,
                values={"shard": f"{kind}#{shard}", "since": epoch},
            )
            later = (row for row in rows if (row[DUE], str(row["event_id"])) > (epoch, key))
            found += islice(later, limit)
        found.sort(key=lambda row: (row[DUE], str(row["event_id"])))
        return found[:limit]

    def old(self, until: str | None, *, mark: str, limit: int) -> list[Item]:
        """Rows of the old index by their mark, oldest first; at most `limit`."""
        keys = (OLD_ATTRIBUTE, self.old_range)
        return self._oldest(OLD_INDEX, mark, keys, until or _LAST, limit)

    def _oldest(
        self, index: str, kind: str, keys: tuple[str, str], until: float | str, limit: int
    ) -> list[Item]:
        hash_key, range_key = keys
        found: list[Item] = []
        for shard in range(SHARDS):
            found += self.table.query_all(
                at_most=limit,
                IndexName=index,
                KeyConditionExpression=f"#{hash_key} = :shard AND #{range_key} <= :until",
                ExpressionAttributeNames={f"#{name}": name for name in keys},
                values={"shard": f"{kind}#{shard}", "until": until},
            )
        found.sort(key=lambda row: (row[range_key], str(row["event_id"])))
        return found[:limit]
