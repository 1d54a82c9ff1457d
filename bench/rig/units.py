"""The units of reads and writes by DynamoDB's rules, from the items' sizes; local engines charge less.

A write costs a unit for each 1,024 bytes of the item before or after, whichever is larger.  Each index is
written as well if its entry appears, disappears or changes, and twice if the entry's key changes: the old
entry is deleted and a new one put.  A transaction doubles its writes.  AWS does not say whether this
includes the indexes, so the doubled figure is an upper bound.  A read costs a unit for each 4,096 bytes,
and half if it is eventually consistent.
Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html,
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

from chalicelib.once.item_size import UNIT_BYTES, size_of_item

READ_BYTES = 4096
IN_TRANSACTION = 2

Item = Mapping[str, Any]
"""An item of plain values, as boto3 deserializes them."""


@dataclass(frozen=True, slots=True)
class Index:
    """One secondary index.

    Attributes:
        key: the index's key attributes; an item that lacks one of them has no entry.
        projected: the attributes of an entry, including the keys; None for all.
    """

    key: tuple[str, ...]
    projected: frozenset[str] | None
    name: str

    def entry(self, item: Item | None) -> Item | None:
        """The index's entry for an item; None where it has none."""
        if item is None or any(name not in item for name in self.key):
            return None
        return {k: v for k, v in item.items() if self.projected is None or k in self.projected}

    def of_write(self, before: Item | None, after: Item | None) -> int:
        """The units that a write of the table costs in this index."""
        old, new = self.entry(before), self.entry(after)
        if old == new:
            return 0
        if old and new and [old[name] for name in self.key] == [new[name] for name in self.key]:
            return max(_units(old), _units(new))
        return sum(_units(item) for item in (old, new) if item)


@dataclass(frozen=True, slots=True)
class Layout:
    """A table's keys and indexes."""

    key: tuple[str, ...]
    indexes: tuple[Index, ...] = ()

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        """The layout of a table, from the answer of ``DescribeTable``."""
        key = _key(table)
        declared = (table.get(f"{kind}SecondaryIndexes") or [] for kind in ("Local", "Global"))
        return cls(key, tuple(_index(index, key) for indexes in declared for index in indexes))

    def of_write(self, before: Item | None, after: Item | None) -> int:
        """The units of a write outside of a transaction, indexes included.

        Args:
            before: the item before; None where there was none.
            after: the item after, the same one where only a condition was checked; None once deleted.
        """
        there = max(_units(item) for item in (before or {}, after or {}))
        return there + sum(self.by_index(before, after).values())

    def by_index(self, before: Item | None, after: Item | None) -> dict[str, int]:
        """The part of `of_write` that each index costs, by the index's name."""
        return {index.name: index.of_write(before, after) for index in self.indexes}


def of_refused(before: Item | None) -> int:
    """The units of a write whose condition failed: those of the existing item, at least one."""
    return _units(before or {})


def of_read(items: Iterable[Item], *, is_consistent: bool) -> float:
    """The units of reading one item, or of a query over several, whose sizes are added up first."""
    units = max(1, ceil(sum(map(size_of_item, items)) / READ_BYTES))
    return units if is_consistent else units / 2


def _units(item: Item) -> int:
    return max(1, ceil(size_of_item(item) / UNIT_BYTES))


def _key(described: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(part["AttributeName"] for part in described["KeySchema"])


def _index(described: Mapping[str, Any], key: tuple[str, ...]) -> Index:
    projection = described["Projection"]
    if projection["ProjectionType"] == "ALL":
        return Index(_key(described), None, described["IndexName"])
    more = projection.get("NonKeyAttributes", ())
    projected = frozenset({*key, *_key(described), *more})
    return Index(_key(described), projected, described["IndexName"])
