"""`chalicelib.aws.dynamo.Table` in memory: the same verbs, the same conditions, the same results.

The real ledger, state and audit run on it.  `tests/contracts` runs one suite over this and over
the engines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from chalicelib.once.store import ConditionFailed, Item, TransactionRefused
from tests.simulation.expressions import condition as compiled
from tests.simulation.expressions import key_condition, values_in

Key = tuple[Any, ...]


class MemoryTable:
    """One table.

    Args:
        name: for messages.
        key: its key attributes, hash key first.
        indexes: index name to its key attributes; a row without all of them is not in the index.

    Attributes:
        replaced: called before each write with the key and the row that it replaces.
    """

    def __init__(
        self,
        name: str,
        key: tuple[str, ...],
        indexes: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.name = name
        self.key = key
        self.rows: dict[Key, Item] = {}
        self._indexes = dict(indexes or {})
        if len(key) > 1:
            self._indexes[""] = key
        self._listed: dict[str, dict[Any, dict[Key, Item]]] = {index: {} for index in self._indexes}
        self.replaced: Callable[[Key, Item | None], None] | None = None

    def copy(self, rows: Mapping[Key, Item]) -> MemoryTable:
        """A table of the same kind with these rows."""
        indexes = {name: names for name, names in self._indexes.items() if name}
        made = MemoryTable(self.name, self.key, indexes)
        for key, row in rows.items():
            made._keep(key, row)
        return made

    def put(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> None:
        """See `chalicelib.aws.dynamo.Table.put`."""
        new = _stored(item)
        key = self._key(new)
        self._check(key, condition, values)
        self._keep(key, new)

    def update(
        self,
        key: Mapping[str, Any],
        *,
        set_: Mapping[str, Any],
        condition: str = "",
        add: Mapping[str, float | frozenset[str]] | None = None,
        keep: Mapping[str, Any] | None = None,
        remove: Sequence[str] = (),
        discard: Mapping[str, frozenset[str]] | None = None,
        reading: bool = True,
        **values: object,
    ) -> Item:
        """See `chalicelib.aws.dynamo.Table.update`; `discard` only within a transaction."""
        at = self._key(key)
        changes, kept = _stored(set_), _stored(keep or {})
        self._refuse_overlap(changes, kept, add or {}, discard or {}, remove)
        found = self._check(at, condition, values)
        row = dict(found) if found else _stored(key)
        for name, value in kept.items():
            row.setdefault(name, value)
        row.update(changes)
        for name, more in (add or {}).items():
            if isinstance(more, frozenset):
                row[name] = row.get(name, set()) | more
            else:
                row[name] = row.get(name, 0) + more
        for name, gone in (discard or {}).items():
            row[name] = row.get(name, set()) - gone
            if not row[name]:
                del row[name]  # DynamoDB keeps no empty set
        for name in remove:
            row.pop(name, None)
        self._keep(at, row)
        return _copied(row) if reading else {}

    def putting(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> Item:
        """See `chalicelib.aws.dynamo.Table.putting`."""
        key = self._key(_stored(item))
        return {
            "table": self,
            "key": key,
            "check": lambda: self._check(key, condition, values),
            "do": lambda: self.put(item),
        }

    def updating(
        self, key: Mapping[str, Any], *, condition: str = "", set_: Mapping[str, Any], **more: Any
    ) -> Item:
        """See `chalicelib.aws.dynamo.Table.updating`."""
        changes = ("add", "keep", "remove", "discard")
        values = {name: value for name, value in more.items() if name not in changes}
        rest = {name: value for name, value in more.items() if name in changes}
        return {
            "table": self,
            "key": self._key(key),
            "check": lambda: self._check(self._key(key), condition, values),
            "do": lambda: self.update(key, set_=set_, **rest, reading=False),
        }

    def checking(self, key: Mapping[str, Any], *, condition: str, **values: object) -> Item:
        """See `chalicelib.aws.dynamo.Table.checking`."""
        at = self._key(key)
        return {
            "table": self,
            "key": at,
            "check": lambda: self._check(at, condition, values),
            "do": lambda: None,
        }

    def transact(self, writes: Sequence[Item]) -> None:
        """See `chalicelib.aws.dynamo.Table.transact`: all of them or none, each item once."""
        named = {(write["table"].name, write["key"]) for write in writes}
        if len(named) != len(writes):
            raise ValueError("two writes of one transaction name the same item")
        found: list[Item | None] = []
        for write in writes:
            try:
                write["check"]()
            except ConditionFailed as failed:
                found.append(failed.item)
            else:
                found.append(None)
        if any(item is not None for item in found):
            raise TransactionRefused(found)
        for write in writes:
            write["do"]()

    def scan_page(
        self,
        *,
        limit: int,
        start: Item | None = None,
        values: Mapping[str, object] | None = None,
        FilterExpression: str = "",  # noqa: N803 - boto3's own
        ExpressionAttributeNames: Mapping[str, str] | None = None,  # noqa: N803
        ProjectionExpression: str = "",  # noqa: N803 - whole rows hold what is asked for
        ConsistentRead: bool = True,  # noqa: N803 - there is one copy
    ) -> tuple[list[Item], Item | None]:
        """See `chalicelib.aws.dynamo.Table.scan_page`."""
        del ProjectionExpression, ConsistentRead
        names = ExpressionAttributeNames or {}
        matches = compiled(re.sub(r"#\w+", lambda found: f"#{names[found[0]]}", FilterExpression))
        keys = list(self.rows)
        first = keys.index(self._key(start)) + 1 if start else 0
        page = keys[first : first + limit]
        is_last = first + limit >= len(keys)
        last = None if is_last else dict(zip(self.key, page[-1], strict=True))
        rows = (self.rows[key] for key in page)
        return [_copied(row) for row in rows if matches(row, dict(values or {}))], last

    def delete(self, key: Mapping[str, Any]) -> None:
        """Delete a row, as TTL does."""
        at = self._key(key)
        row = self.rows.pop(at, None)
        if row is not None:
            if self.replaced is not None:
                self.replaced(at, row)
            self._unlist(at, row)

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Item | None:
        """See `chalicelib.aws.dynamo.Table.get`."""
        del consistent
        row = self.rows.get(self._key(key))
        return None if row is None else _copied(row)

    def insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        """See `chalicelib.aws.dynamo.Table.insert_all`."""
        inserted = []
        for item in items:
            new = _stored(item)
            key = self._key(new)
            inserted.append(key not in self.rows)
            if inserted[-1]:
                self._keep(key, new)
        return inserted

    def update_all(
        self,
        keys: Sequence[Mapping[str, Any]],
        *,
        set_: Mapping[str, Any],
        where: Mapping[str, Any],
    ) -> list[bool]:
        """See `chalicelib.aws.dynamo.Table.update_all`."""
        expected = _stored(where)
        changed = []
        for key in keys:
            row = self.rows.get(self._key(key), {})
            changed.append(all(row.get(name) == value for name, value in expected.items()))
            if changed[-1]:
                self.update(key, set_=set_, reading=False)
        return changed

    def put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        """See `chalicelib.aws.dynamo.Table.put_all`."""
        for item in items:
            self.put(item)

    def get_all(
        self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str] = ()
    ) -> list[Item]:
        """See `chalicelib.aws.dynamo.Table.get_all`."""
        found = [self.rows.get(self._key(key)) for key in keys]
        return [
            _copied({name: row[name] for name in attributes or row if name in row})
            for row in found
            if row is not None
        ]

    def query(self, **arguments: Any) -> list[Item]:
        """See `chalicelib.aws.dynamo.Table.query`: one page, in the order of the range key."""
        index = arguments.get("IndexName", "")
        keys = self._indexes[index]
        names = tuple(arguments.get("ExpressionAttributeNames", {}).items())
        matches, partition = key_condition(arguments["KeyConditionExpression"], keys[0], names)
        values = arguments.get("values", {})
        listed = self._listed[index].get(values[partition])
        if not listed:
            return []
        found = [row for row in listed.values() if matches(row, values)]
        if len(found) > 1:
            found.sort(
                key=lambda row: tuple([row[name] for name in keys]),
                reverse=not arguments.get("ScanIndexForward", True),
            )
        return [_copied(row) for row in found[: arguments.get("Limit", len(found))]]

    def query_all(self, *, at_most: int, **arguments: Any) -> list[Item]:
        """See `chalicelib.aws.dynamo.Table.query_all`."""
        return self.query(**arguments, Limit=at_most)

    def query_pages(self, **arguments: Any) -> Iterator[Item]:
        """See `chalicelib.aws.dynamo.Table.query_pages`."""
        return iter(
            self.query(**{name: value for name, value in arguments.items() if name != "Limit"})
        )

    def expire(self, before: float) -> int:
        """Delete the rows that expired before a time, as a late TTL does; returns how many."""
        stale = [key for key, row in self.rows.items() if row.get("expires_at", before) < before]
        for key in stale:
            self.delete(dict(zip(self.key, key, strict=True)))
        return len(stale)

    def _key(self, item: Mapping[str, Any]) -> Key:
        if len(self.key) == 1:
            return (item[self.key[0]],)
        return tuple([item[name] for name in self.key])

    def _keep(self, key: Key, row: Item) -> None:
        if self.replaced is not None:
            self.replaced(key, self.rows.get(key))
        if self._indexes:
            before = self.rows.get(key)
            if before is not None:
                self._unlist(key, before)
            for index, names in self._indexes.items():
                for name in names:
                    if name not in row:
                        break
                else:
                    self._listed[index].setdefault(row[names[0]], {})[key] = row
        self.rows[key] = row

    def _unlist(self, key: Key, row: Item) -> None:
        for index, names in self._indexes.items():
            partition = self._listed[index].get(row.get(names[0]))
            if partition is not None:
                partition.pop(key, None)

    def _check(self, key: Key, condition: str, values: Mapping[str, Any]) -> Item | None:
        found = self.rows.get(key)
        if not condition and not values:
            return found
        if values.keys() != values_in(condition) or None in values.values():
            given = {name for name, value in values.items() if value is not None}
            if given != values_in(condition):
                raise ValueError(f"{self.name}: values that its condition does not use, or lacks")
        if condition and not compiled(condition)(found or {}, values):
            raise ConditionFailed(_copied(found or {}))
        return found

    def _refuse_overlap(self, *parts: Mapping[str, Any] | Sequence[str]) -> None:
        """DynamoDB refuses an update that names one attribute in two clauses, or a key."""
        named: set[str] = set(self.key)
        count = len(named)
        for part in parts:
            named.update(part)
            count += len(part)
        if len(named) != count:
            raise ValueError(f"{self.name}: one attribute is in two clauses, or is a key")


def _stored(item: Mapping[str, Any]) -> Item:
    """An item as DynamoDB returns it: no None, whole floats as ints, new containers."""
    return {
        name: value if value.__class__ in _SCALARS else _plain(value)
        for name, value in item.items()
        if value is not None
    }


def _copied(row: Mapping[str, Any]) -> Item:
    return {
        name: _plain(value) if value.__class__ in _CONTAINERS else value
        for name, value in row.items()
    }


_CONTAINERS = frozenset({dict, list, tuple, set, frozenset})
_SCALARS = frozenset({str, int, bool})


def _plain(value: Any) -> Any:
    kind = value.__class__
    if kind in _SCALARS:
        return value
    if kind is float:
        return int(value) if value.is_integer() else value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, set | frozenset):
        return set(value)
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
