"""DynamoDB behind three verbs: plain values in, plain values out, one translation of errors.

Only `ConditionalCheckFailed` ever means "somebody was here before"; every other error is raised as
`TransientError`, whose caller hands the work back.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import TransientError

Item = dict[str, Any]

_CONDITION_FAILED = {"ConditionalCheckFailedException", "ConditionalCheckFailed"}


class ConditionFailed(Exception):  # noqa: N818 - a value of the protocol, not a fault
    """A conditional write found another row; `item` is that row, or empty when there is none."""

    def __init__(self, item: Item) -> None:
        super().__init__("condition failed")
        self.item = item


class TransactionRefused(Exception):  # noqa: N818 - a value of the protocol, not a fault
    """Conditions of a transaction failed, and nothing of it was written.

    Attributes:
        found: one entry per write, in order: None where its condition held, else the item that
            was there, empty when there was none.
    """

    def __init__(self, found: Sequence[Item | None]) -> None:
        super().__init__("transaction refused")
        self.found = tuple(found)


class Table:
    """One table, by its name.

    Args:
        attributes: what the table calls an attribute that its users know by another name, e.g.
            ``{"event_id": "pk"}``; applied to items, keys and expressions in both directions.
    """

    def __init__(
        self,
        client: Any,  # noqa: ANN401 - boto3 builds it at run time
        name: str,
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        self._client = client
        self.name = name
        self._stored = dict(attributes or {})
        self._known = {stored: known for known, stored in self._stored.items()}

    def put(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> None:
        """Put a whole item; raises `ConditionFailed` with the row that was there."""
        self._call("put_item", Item=self._out(item), **self._conditional(condition, values))

    def update(
        self,
        key: Mapping[str, Any],
        *,
        set_: Mapping[str, Any],
        condition: str = "",
        add: Mapping[str, int] | None = None,
        keep: Mapping[str, Any] | None = None,
        remove: Sequence[str] = (),
        reading: bool = True,
        **values: object,
    ) -> Item:
        """Change attributes and return the whole new item.

        Args:
            key: the item's key.
            set_: attributes that take a value.
            condition: a condition expression over ``#attribute`` and ``:value`` names.
            add: numbers to add to.
            keep: attributes that take a value only where they have none.
            remove: attributes to take away.
            reading: False where nobody looks at the new item; it is not sent then, and what is
                returned is empty.
            values: the condition's values.
        """
        names: dict[str, str] = {}
        wire: dict[str, Any] = {}
        assignments = []
        for name, value in _present(set_):
            names[f"#{name}"], wire[f":s_{name}"] = self._name(name), value
            assignments.append(f"#{name}=:s_{name}")
        for name, value in _present(keep or {}):
            names[f"#{name}"], wire[f":k_{name}"] = self._name(name), value
            assignments.append(f"#{name}=if_not_exists(#{name},:k_{name})")
        expression = "SET " + ",".join(assignments)
        if add:
            names |= {f"#{name}": self._name(name) for name in add}
            wire |= {f":a_{name}": value for name, value in add.items()}
            expression += " ADD " + ",".join(f"#{name} :a_{name}" for name in add)
        if remove:
            names |= {f"#{name}": self._name(name) for name in remove}
            expression += " REMOVE " + ",".join(f"#{name}" for name in remove)
        extra = self._conditional(
            condition, {**wire, **{f":{k}": v for k, v in values.items()}}, names
        )
        answer = self._call(
            "update_item",
            Key=self._out(key),
            UpdateExpression=expression,
            ReturnValues="ALL_NEW" if reading else "NONE",
            **extra,
        )
        return self._in(answer.get("Attributes", {}))

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Item | None:
        """One item, or None."""
        answer = self._call("get_item", Key=self._out(key), ConsistentRead=consistent)
        return self._in(answer["Item"]) if "Item" in answer else None

    def insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        """Insert new items in one call; False marks one whose key was there already.

        One `BatchExecuteStatement` of INSERTs: each is conditional on its key being new and costs
        one write unit, where a transaction would cost two.
        """
        statements = []
        for item in items:
            wire = self._out(item)
            names = ",".join(f"'{name}':?" for name in wire)
            statements.append(
                {
                    "Statement": f'INSERT INTO "{self.name}" VALUE {{{names}}}',
                    "Parameters": list(wire.values()),
                }
            )
        return self._batch(statements, refused="DuplicateItem")

    def update_all(
        self,
        keys: Sequence[Mapping[str, Any]],
        *,
        set_: Mapping[str, Any],
        where: Mapping[str, Any],
    ) -> list[bool]:
        """Give existing rows the same new values in one call; False marks one left as it was.

        One `BatchExecuteStatement` of UPDATEs, each conditional on its own row and paid like an
        `UpdateItem`.  Several assignments are parted by commas: the reference names only repeated
        ``SET``, DynamoDB Local takes both.

        Args:
            keys: the rows' keys.
            set_: attributes that take a value; those without one are left alone.
            where: attributes that must have these very values.
        """
        changes, conditions = self._out(set_), self._out(where)
        assigned = ",".join(f'"{name}"=?' for name in changes)
        statements = []
        for key in keys:
            at = self._out(key) | conditions
            met = " AND ".join(f'"{name}"=?' for name in at)
            statements.append(
                {
                    # Names are the code's own; every value is a parameter.
                    "Statement": f'UPDATE "{self.name}" SET {assigned} WHERE {met}',  # noqa: S608
                    "Parameters": [*changes.values(), *at.values()],
                }
            )
        return self._batch(statements, refused="ConditionalCheckFailed")

    def put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Put items without a condition, 25 in a call; what was not taken is tried once more."""
        for start in range(0, len(items), 25):
            requests = {
                self.name: [
                    {"PutRequest": {"Item": self._out(item)}} for item in items[start : start + 25]
                ]
            }
            for _ in range(3):
                answer = _call(self._client, "batch_write_item", RequestItems=requests)
                requests = answer.get("UnprocessedItems") or {}
                if not requests:
                    break
            else:
                raise TransientError("dynamodb", "batch_write_item", reason="unprocessed")

    def get_all(
        self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str]
    ) -> list[Item]:
        """Those of the keys that exist, 100 in a call, projected to the attributes."""
        found: list[Item] = []
        names = {f"#{name}": self._name(name) for name in attributes}
        for start in range(0, len(keys), 100):
            requests: dict[str, Any] = {
                self.name: {
                    "Keys": [self._out(key) for key in keys[start : start + 100]],
                    "ProjectionExpression": ",".join(names),
                    "ExpressionAttributeNames": names,
                    "ConsistentRead": True,
                }
            }
            for _ in range(3):
                answer = _call(self._client, "batch_get_item", RequestItems=requests)
                found += [self._in(item) for item in answer["Responses"].get(self.name, [])]
                requests = answer.get("UnprocessedKeys") or {}
                if not requests:
                    break
            else:
                raise TransientError("dynamodb", "batch_get_item", reason="unprocessed")
        return found

    def query(self, **arguments: Any) -> list[Item]:  # noqa: ANN401 - boto3's own arguments
        """Items of one query page; arguments as boto3 takes them, plain values in `values`."""
        return self._page(arguments)[0]

    def query_all(self, *, at_most: int, **arguments: Any) -> list[Item]:  # noqa: ANN401
        """The same over as many pages as it takes to find so many items."""
        found: list[Item] = []
        start: Item | None = None
        while len(found) < at_most:
            more = {"ExclusiveStartKey": start} if start else {}
            items, start = self._page({**arguments, **more, "Limit": at_most - len(found)})
            found += items
            if not start:
                break
        return found

    def scan_all(self, *, columns: Sequence[str]) -> list[Item]:
        """Every item, projected to the attributes; for operators, never for a function."""
        found: list[Item] = []
        start: Item | None = None
        names = {f"#{name}": self._name(name) for name in columns}
        while True:
            more = {"ExclusiveStartKey": start} if start else {}
            answer = self._call(
                "scan",
                ConsistentRead=True,
                ProjectionExpression=",".join(names),
                ExpressionAttributeNames=names,
                **more,
            )
            found += [self._in(item) for item in answer["Items"]]
            start = answer.get("LastEvaluatedKey")
            if not start:
                return found

    def _page(self, arguments: Mapping[str, Any]) -> tuple[list[Item], Item | None]:
        asked = dict(arguments)
        values = {f":{k}": v for k, v in asked.pop("values", {}).items()}
        names = {k: self._name(v) for k, v in asked.pop("ExpressionAttributeNames", {}).items()}
        if names:
            asked["ExpressionAttributeNames"] = names
        answer = self._call("query", ExpressionAttributeValues=to_wire(values), **asked)
        return [self._in(item) for item in answer["Items"]], answer.get("LastEvaluatedKey")

    def scan_page(
        self,
        *,
        limit: int,
        start: Item | None = None,
        **arguments: Any,  # noqa: ANN401
    ) -> tuple[list[Item], Item | None]:
        """Items of one page in no order, and where the next page starts; None at the end."""
        values = arguments.pop("values", {})
        if values:
            arguments["ExpressionAttributeValues"] = to_wire(
                {f":{k}": v for k, v in values.items()}
            )
        if start is not None:
            arguments["ExclusiveStartKey"] = start
        answer = self._call("scan", Limit=limit, **arguments)
        return [from_wire(item) for item in answer["Items"]], answer.get("LastEvaluatedKey")

    def delete(self, key: Mapping[str, Any]) -> None:
        """Delete an item; for operators, no function may."""
        self._call("delete_item", Key=to_wire(key))

    def query_pages(self, **arguments: Any) -> Iterator[Item]:  # noqa: ANN401 - boto3's own arguments
        """Items of every query page, fetched as they are read; arguments as `query` takes them."""
        values = to_wire({f":{k}": v for k, v in arguments.pop("values", {}).items()})
        while True:
            answer = self._call("query", ExpressionAttributeValues=values, **arguments)
            yield from map(from_wire, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            arguments["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def putting(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> Item:
        """One write of `transact`: as `put`."""
        arguments = {"Item": to_wire(item), **_conditional(condition, values)}
        return {"Put": {"TableName": self.name, **arguments}}

    def updating(
        self,
        key: Mapping[str, Any],
        *,
        set_: Mapping[str, Any],
        condition: str = "",
        add: Mapping[str, int | frozenset[str]] | None = None,
        keep: Mapping[str, Any] | None = None,
        remove: Sequence[str] = (),
        discard: Mapping[str, frozenset[str]] | None = None,
        **values: object,
    ) -> Item:
        """One write of `transact`: as `update`; `add` may add to a set, `discard` takes from one."""
        arguments = _update(key, set_, condition, add or {}, keep or {}, remove, values)
        if discard:
            expression = " DELETE " + ",".join(f"#{name} :d_{name}" for name in discard)
            arguments["UpdateExpression"] = (arguments["UpdateExpression"] + expression).strip()
            names = arguments.setdefault("ExpressionAttributeNames", {})
            names |= {f"#{name}": name for name in discard}
            wire = arguments.setdefault("ExpressionAttributeValues", {})
            wire |= to_wire({f":d_{name}": value for name, value in discard.items()})
        return {"Update": {"TableName": self.name, **arguments}}

    def checking(self, key: Mapping[str, Any], *, condition: str, **values: object) -> Item:
        """One condition of `transact` on an item that is not written."""
        arguments = {"Key": to_wire(key), **_conditional(condition, values)}
        return {"ConditionCheck": {"TableName": self.name, **arguments}}

    def transact(self, writes: Sequence[Item]) -> None:
        """Do all of the writes or none of them.

        Raises:
            TransactionRefused: a condition failed; tells which, and what was there.
            TransientError: anything else, a conflict with another transaction included.
        """
        _call(self._client, "transact_write_items", TransactItems=list(writes))

    def _call(self, operation: str, **arguments: object) -> Any:  # noqa: ANN401
        try:
            return _call(self._client, operation, TableName=self.name, **arguments)
        except ConditionFailed as found:
            raise ConditionFailed(self._renamed(found.item)) from None

    def _batch(self, statements: Sequence[Mapping[str, Any]], *, refused: str) -> list[bool]:
        """Send statements in one call; False marks one whose own condition did not hold."""
        answer = _call(self._client, "batch_execute_statement", Statements=statements)
        taken = []
        for response in answer["Responses"]:
            code = response.get("Error", {}).get("Code")
            if code not in (None, refused):
                raise TransientError("dynamodb", "batch_execute_statement", reason=str(code))
            taken.append(code is None)
        return taken

    def _conditional(
        self, condition: str, values: Mapping[str, Any], names: Mapping[str, str] | None = None
    ) -> Item:
        found = _conditional(condition, values, names)
        used = found.get("ExpressionAttributeNames")
        if used:
            found["ExpressionAttributeNames"] = {k: self._name(v) for k, v in used.items()}
        return found

    def _name(self, known: str) -> str:
        return self._stored.get(known, known)

    def _out(self, item: Mapping[str, Any]) -> Item:
        return to_wire({self._name(name): value for name, value in item.items()})

    def _in(self, item: Mapping[str, Any]) -> Item:
        return self._renamed(from_wire(item))

    def _renamed(self, item: Item) -> Item:
        return {self._known.get(name, name): value for name, value in item.items()}


def _call(client: Any, operation: str, **arguments: object) -> Any:  # noqa: ANN401
    try:
        return getattr(client, operation)(**arguments)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        if code in _CONDITION_FAILED:
            raise ConditionFailed(from_wire(error.response.get("Item", {}))) from None
        if code == "TransactionCanceledException":
            raise _cancelled(operation, error.response.get("CancellationReasons", [])) from None
        raise TransientError("dynamodb", operation, reason=code) from None
    except BotoCoreError as error:
        raise TransientError("dynamodb", operation, reason=type(error).__name__) from None


def _cancelled(
    operation: str, reasons: Sequence[Mapping[str, Any]]
) -> TransactionRefused | TransientError:
    """Only a failed condition says something of the items; a conflict or a throttle is no answer."""
    codes = {str(reason.get("Code", "None")) for reason in reasons} - {"None"}
    if not codes or codes - {"ConditionalCheckFailed"}:
        other = min(codes - {"ConditionalCheckFailed"}, default="cancelled")
        return TransientError("dynamodb", operation, reason=other)
    return TransactionRefused(
        [
            from_wire(reason.get("Item", {})) if reason.get("Code") in _CONDITION_FAILED else None
            for reason in reasons
        ]
    )


def to_wire(item: Mapping[str, Any]) -> Item:
    """Plain values as DynamoDB's typed ones; None values are left out, floats become numbers."""
    return {name: _typed(value) for name, value in item.items() if value is not None}


def from_wire(item: Mapping[str, Any]) -> Item:
    """DynamoDB's typed values as plain ones; numbers become int or float."""
    return {name: _plain(value) for name, value in item.items()}


def _update(
    key: Mapping[str, Any],
    set_: Mapping[str, Any],
    condition: str,
    add: Mapping[str, int] | Mapping[str, int | frozenset[str]],
    keep: Mapping[str, Any],
    remove: Sequence[str],
    values: Mapping[str, object],
) -> Item:
    """An update's arguments as DynamoDB takes them."""
    names: dict[str, str] = {}
    wire: dict[str, Any] = {}
    assignments = []
    for name, value in _present(set_):
        names[f"#{name}"], wire[f":s_{name}"] = name, value
        assignments.append(f"#{name}=:s_{name}")
    for name, value in _present(keep):
        names[f"#{name}"], wire[f":k_{name}"] = name, value
        assignments.append(f"#{name}=if_not_exists(#{name},:k_{name})")
    expression = "SET " + ",".join(assignments) if assignments else ""
    if add:
        names |= {f"#{name}": name for name in add}
        wire |= {f":a_{name}": value for name, value in add.items()}
        expression += " ADD " + ",".join(f"#{name} :a_{name}" for name in add)
    if remove:
        names |= {f"#{name}": name for name in remove}
        expression += " REMOVE " + ",".join(f"#{name}" for name in remove)
    extra = _conditional(condition, {**wire, **{f":{k}": v for k, v in values.items()}}, names)
    return {"Key": to_wire(key), "UpdateExpression": expression.strip(), **extra}


def _conditional(
    condition: str, values: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Item:
    found: Item = {}
    used = dict(names or {})
    if condition:
        used |= _names_in(condition)
        found = {
            "ConditionExpression": condition,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    if used:
        found["ExpressionAttributeNames"] = used
    if values:
        wire = {k if k.startswith(":") else f":{k}": v for k, v in values.items()}
        found["ExpressionAttributeValues"] = to_wire(wire)
    return found


@cache
def _names_in(expression: str) -> Mapping[str, str]:
    """The ``#attribute`` names of an expression; there are a dozen expressions in all."""
    words = "".join(c if c.isalnum() or c in "#:_" else " " for c in expression).split()
    return {f"#{word[1:]}": word[1:] for word in words if word.startswith("#")}


def _present(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in values.items() if value is not None]


def _typed(value: Any) -> Item:  # noqa: ANN401
    """As boto3's own serializer does it, with floats, in a fifth of its time."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case float() if math.isfinite(value):
            return {"N": str(Decimal(str(value)))}
        case Decimal():
            return {"N": str(value)}
        case None:
            return {"NULL": True}
        case Mapping():
            return {"M": {name: _typed(one) for name, one in value.items()}}
        case list() | tuple():
            return {"L": [_typed(one) for one in value]}
        case set() | frozenset():
            return _typed_set(value)
        case bytes():
            return {"B": value}
        case _:
            raise TypeError(f"{type(value).__name__} cannot be stored")


def _typed_set(values: set[Any] | frozenset[Any]) -> Item:
    if values and all(isinstance(one, str) for one in values):
        return {"SS": sorted(values)}
    if values and all(type(one) in (int, float) for one in values):
        return {"NS": [_typed(one)["N"] for one in values]}
    raise TypeError("only a set of texts or of numbers, and no empty one, can be stored")


def _plain(typed: Mapping[str, Any]) -> Any:  # noqa: ANN401
    ((kind, value),) = typed.items()
    match kind:
        case "S" | "BOOL" | "B":
            return value
        case "N":
            return _number(value)
        case "M":
            return {name: _plain(one) for name, one in value.items()}
        case "L":
            return [_plain(one) for one in value]
        case "SS" | "BS":
            return set(value)
        case "NS":
            return {_number(one) for one in value}
        case "NULL":
            return None
        case _:
            raise TypeError(f"{kind} is no kind of value of DynamoDB")


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else float(number)
