"""The sparse index of unfinished rows, spread over a few partitions.

A row is in the index while it has the attribute ``unfinished``: a mark and a shard, for example
``parked#3``.  The shard is a hash of the row's key, so that a burst of one mark has no hot
partition.  Both tables that hold unfinished rows use it: table A sorted by ``last_processed_at``,
the facts' by ``created_at``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from chalicelib.once.store import Item, Store

INDEX = "unfinished-index"
ATTRIBUTE = "unfinished"
SHARDS = 4
"""Partitions per mark; stored rows depend on it."""
_LAST = "9"
"""Sorts after every ISO time."""


def partition(mark: str, key: str) -> str:
    """The index partition of a row that is unfinished in the way `mark` names."""
    return f"{mark}#{int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % SHARDS}"


@dataclass(frozen=True, slots=True)
class UnfinishedIndex:
    """Reads the index of one table.

    Attributes:
        sorted_by: the index's range key, an ISO time.
    """

    table: Store
    sorted_by: str

    def oldest(self, mark: str, *, limit: int, before: str = _LAST) -> list[Item]:
        """Rows of a mark over all shards, oldest first; the index lags its table.

        Args:
            mark: the part of the stored value before ``#``.
            limit: the most rows returned.
            before: an ISO time; only rows whose range key is earlier.
        """
        found: list[Item] = []
        for shard in range(SHARDS):
            found += self.table.query_all(
                at_most=limit,
                IndexName=INDEX,
                KeyConditionExpression=f"#{ATTRIBUTE} = :shard AND #{self.sorted_by} < :before",
                ExpressionAttributeNames={
                    f"#{ATTRIBUTE}": ATTRIBUTE,
                    f"#{self.sorted_by}": self.sorted_by,
                },
                values={"shard": f"{mark}#{shard}", "before": before},
            )
        found.sort(key=lambda row: (str(row[self.sorted_by]), str(row["event_id"])))
        return found[:limit]
