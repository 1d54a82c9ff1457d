"""Computes the units of a DynamoDB request, from the items before and after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb.types import Binary, TypeDeserializer

from bench.rig import units
from bench.rig.units import IN_TRANSACTION, Item, Layout

Wire = Mapping[str, Any]
"""A request, or a part of one, with DynamoDB's typed values."""
SEARCHES = {"Query": "query", "Scan": "scan"}
"""Operations that read several items and are charged together, with boto3's method names."""
_READS = {"GetItem", "BatchGetItem", *SEARCHES}
_DOUBLED = "TransactWriteItems"
_NOT_IN_A_SEARCH = {"FilterExpression", "ProjectionExpression", "Select"}
_AT_ONCE = 100
"""Maximum number of keys of one `BatchGetItem`, DynamoDB's limit."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an item: its table and its key, as pairs of name and value."""

    table: str
    key: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An item before a request.

    Attributes:
        before: the item; None where there is none.
        is_consistent: whether the request reads it consistently.
    """

    place: Place
    before: Item | None
    is_consistent: bool


@dataclass(frozen=True, slots=True)
class Charge:
    """The units of one request.

    Attributes:
        indexes: the part of `writes` that each index costs, by the index's name.
    """

    writes: float = 0.0
    reads: float = 0.0
    indexes: Counter[str] = field(default_factory=Counter)


class Weights:
    """Computes the units of one process's requests: call `before` and `charge` around each.

    It remembers items that it has read, so that a write costs only one additional request.  No other
    process may write meanwhile.

    Args:
        client: a DynamoDB client whose own requests are not counted.
    """

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - boto3 builds it at run time
        self._client = client
        self._known: dict[Place, Item | None] = {}
        names = client.list_tables()["TableNames"]
        described = (client.describe_table(TableName=name)["Table"] for name in names)
        self._layouts = {table["TableName"]: Layout.of(table) for table in described}

    def before(self, operation: str, asked: Wire) -> list[Found]:
        """The items that a request is about to read or write; empty for a query or scan."""
        named = dict(self._named(operation, asked))
        self._read([place for place in named if place not in self._known])
        return [
            Found(place, self._known[place], is_consistent)
            for place, is_consistent in named.items()
        ]

    def charge(self, operation: str, asked: Wire, found: Sequence[Found], answer: Wire) -> Charge:
        """The units of a request, from the items that `before` found and the request's answer."""
        if operation in SEARCHES:
            return Charge(reads=self._of_search(operation, asked))
        if operation in _READS:
            return Charge(reads=sum(map(_of_read, found)))
        refused = [bool(answer.get("Error"))] * len(found)
        if operation == "BatchExecuteStatement":
            refused = ["Error" in response for response in answer["Responses"]]
        self._read([item.place for item in found])
        times = IN_TRANSACTION if operation == _DOUBLED else 1
        indexes: Counter[str] = Counter()
        for item, is_refused in zip(found, refused, strict=True):
            if not is_refused:
                layout = self._layouts[item.place.table]
                by_index = layout.by_index(item.before, self._known[item.place])
                indexes.update({name: times * spent for name, spent in by_index.items()})
        return Charge(sum(map(self._of_write, found, refused)) * times, indexes=+indexes)

    def _of_write(self, item: Found, is_refused: bool) -> int:  # noqa: FBT001 - mapped over both
        if is_refused:
            return units.of_refused(item.before)
        return self._layouts[item.place.table].of_write(item.before, self._known[item.place])

    def _of_search(self, operation: str, asked: Wire) -> float:
        """The read units of a query or scan, for all items that it passes: filters save nothing."""
        whole = {name: value for name, value in asked.items() if name not in _NOT_IN_A_SEARCH}
        for kind, sign in (("ExpressionAttributeNames", "#"), ("ExpressionAttributeValues", ":")):
            used = set(re.findall(rf"{sign}\w+", whole.get("KeyConditionExpression", "")))
            if left := {k: v for k, v in whole.pop(kind, {}).items() if k in used}:
                whole[kind] = left
        call: Callable[..., Any] = getattr(self._client, SEARCHES[operation])
        passed = map(_plain, call(**whole)["Items"])
        return units.of_read(passed, is_consistent=bool(asked.get("ConsistentRead")))

    def _named(self, operation: str, asked: Wire) -> Iterator[tuple[Place, bool]]:
        """Each item that a request names, and whether it is read consistently."""
        for table, part, is_consistent in _parts(operation, asked):
            given = part.get("Key") or part["Item"]
            key = ((name, given[name]["S"]) for name in self._layouts[table].key)
            yield Place(table, tuple(key)), is_consistent

    def _read(self, places: Collection[Place]) -> None:
        """Read items again, consistently."""
        left = list(places)
        self._known |= dict.fromkeys(left)
        while left:
            asked: dict[str, Any] = {}
            for place in left[:_AT_ONCE]:
                of_table = asked.setdefault(place.table, {"Keys": [], "ConsistentRead": True})
                of_table["Keys"].append({name: {"S": value} for name, value in place.key})
            answer = self._client.batch_get_item(RequestItems=asked)
            assert not answer.get("UnprocessedKeys"), "an engine leaves nothing undone"
            for table, items in answer["Responses"].items():
                names = self._layouts[table].key
                plain = map(_plain, items)
                self._known |= {
                    Place(table, tuple((name, item[name]) for name in names)): item
                    for item in plain
                }
            del left[:_AT_ONCE]


def _of_read(item: Found) -> float:
    return units.of_read([item.before or {}], is_consistent=item.is_consistent)


def _parts(operation: str, asked: Wire) -> Iterator[tuple[str, Wire, bool]]:
    """For each item that a request names: table, part with its key, whether it is read consistently."""
    if operation == "BatchGetItem":
        for table, of_table in asked["RequestItems"].items():
            for key in of_table["Keys"]:
                yield table, {"Key": key}, bool(of_table.get("ConsistentRead"))
    elif operation == "TransactWriteItems":
        for write in (part for parts in asked["TransactItems"] for part in parts.values()):
            yield write["TableName"], write, True
    elif operation == "BatchWriteItem":
        for table, requests in asked["RequestItems"].items():
            yield from ((table, part, True) for parts in requests for part in parts.values())
    elif operation == "BatchExecuteStatement":
        yield from map(_statement, asked["Statements"])
    elif "Key" in asked or "Item" in asked:
        yield asked["TableName"], asked, bool(asked.get("ConsistentRead"))


def _statement(statement: Wire) -> tuple[str, Wire, bool]:
    """The table and attributes of a PartiQL INSERT or UPDATE; of an UPDATE the condition comes last."""
    (table,) = re.findall(r'^(?:INSERT INTO|UPDATE) "([^"]+)"', statement["Statement"])
    names = re.findall(r"['\"](\w+)['\"]\s*[:=]\s*\?", statement["Statement"])
    return table, {"Item": dict(zip(names, statement["Parameters"], strict=True))}, True


def _plain(item: Wire) -> Item:
    plain = TypeDeserializer()
    found = {name: plain.deserialize(value) for name, value in item.items()}
    return {
        name: bytes(value) if isinstance(value, Binary) else value for name, value in found.items()
    }
