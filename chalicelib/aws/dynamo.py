"""`once.store.Store` on DynamoDB; `dynamo_calls` maps the errors of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chalicelib.aws import expressions
from chalicelib.aws.dynamo_calls import call
from chalicelib.aws.typed_values import from_wire, to_wire
from chalicelib.errors import TransientError
from chalicelib.once.reasons import UNPROCESSED
from chalicelib.once.store import ConditionFailed, Item, TransactionRefused

BATCH_TRIES = 3
"""The most requests for the parts of a batch that DynamoDB leaves undone, the first one included."""


class Table:
    """One DynamoDB table, by its name, as the port `once.store.Store`.

    Args:
        attributes: stored names of attributes that callers know by another name, for example
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
        """Write a whole item by `PutItem`; raises `ConditionFailed` with the row that was there."""
        self._call("put_item", **self._put(item, condition, values))

    def update(
        self,
        key: Mapping[str, Any],
        *,
        set_: Mapping[str, Any],
        condition: str = "",
        add: Mapping[str, float | frozenset[str]] | None = None,
        keep: Mapping[str, Any] | None = None,
        remove: Sequence[str] = (),
        reading: bool = True,
        **values: object,
    ) -> Item:
        """Change an item by `UpdateItem`; returns the new item, or an empty one without `reading`.

        Raises:
            ConditionFailed: the condition does not hold; the error holds the stored row.
        """
        arguments = expressions.update(
            key, set_, condition, add or {}, keep or {}, remove, {}, values
        )
        answer = self._call(
            "update_item",
            ReturnValues="ALL_NEW" if reading else "NONE",
            **self._as_stored(arguments),
        )
        return self._in(answer.get("Attributes", {}))

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Item | None:
        """The item with this key, or None; a strongly consistent read unless `consistent` is False."""
        answer = self._call("get_item", Key=self._out(key), ConsistentRead=consistent)
        return self._in(answer["Item"]) if "Item" in answer else None

    def delete(self, key: Mapping[str, Any]) -> None:
        """Delete the item with this key by `DeleteItem`."""
        self._call("delete_item", Key=self._out(key))

    def query(self, **arguments: Any) -> list[Item]:  # noqa: ANN401 - boto3's own arguments
        """The items of one query page; plain values for the expression are given in `values`."""
        return self._page("query", arguments)[0]

    def query_all(self, *, at_most: int, **arguments: Any) -> list[Item]:  # noqa: ANN401
        """Up to `at_most` items of a query, over as many pages as needed."""
        found: list[Item] = []
        start: Item | None = None
        while len(found) < at_most:
            limit = at_most - len(found)
            items, start = self._page("query", {**arguments, "Limit": limit}, start)
            found += items
            if not start:
                break
        return found

    def query_pages(self, **arguments: Any) -> Iterator[Item]:  # noqa: ANN401 - boto3's own arguments
        """The items of every query page; a page is fetched when its first item is read."""
        return self._pages("query", arguments)

    def scan_page(
        self,
        *,
        limit: int,
        start: Item | None = None,
        **arguments: Any,  # noqa: ANN401
    ) -> tuple[list[Item], Item | None]:
        """The items of one scan page, and the key where the next page starts; None at the end."""
        return self._page("scan", {**arguments, "Limit": limit}, start)

    def scan_all(self, *, columns: Sequence[str]) -> list[Item]:
        """Every item of the table with these columns only, by a consistent scan."""
        asked = {"ConsistentRead": True, **_projected(columns)}
        return list(self._pages("scan", asked))

    def insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        """Insert items by one `BatchExecuteStatement`; the result has False for a key that existed."""
        statements = [expressions.insertion(self.name, self._out(item)) for item in items]
        return self._batch(statements, refused="DuplicateItem")

    def update_all(
        self,
        keys: Sequence[Mapping[str, Any]],
        *,
        set_: Mapping[str, Any],
        where: Mapping[str, Any],
    ) -> list[bool]:
        """Update rows by one `BatchExecuteStatement`; the result has False for a row that `where` rejects."""
        changes, conditions = self._out(set_), self._out(where)
        statements = [
            expressions.replacement(self.name, changes, self._out(key) | conditions) for key in keys
        ]
        return self._batch(statements, refused="ConditionalCheckFailed")

    def put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Write items by `BatchWriteItem`, 25 in a call; unprocessed ones are sent again.

        Raises:
            TransientError: some were left unprocessed in every attempt.
        """
        for start in range(0, len(items), 25):
            puts = [{"PutRequest": {"Item": self._out(item)}} for item in items[start : start + 25]]
            for _ in self._insisting("batch_write_item", puts, left="UnprocessedItems"):
                pass

    def get_all(
        self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str] = ()
    ) -> list[Item]:
        """The existing items of these keys by `BatchGetItem`, 100 in a call.

        Unprocessed keys are requested again.

        Raises:
            TransientError: some were left unprocessed in every attempt.
        """
        found: list[Item] = []
        for start in range(0, len(keys), 100):
            asked = {
                "Keys": [self._out(key) for key in keys[start : start + 100]],
                "ConsistentRead": True,
                **(self._as_stored(_projected(attributes)) if attributes else {}),
            }
            for answer in self._insisting("batch_get_item", asked, left="UnprocessedKeys"):
                found += [self._in(item) for item in answer["Responses"].get(self.name, [])]
        return found

    def putting(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> Item:
        """A `Put` of a whole item, as one write of a transaction."""
        return {"Put": {"TableName": self.name, **self._put(item, condition, values)}}

    def updating(
        self,
        key: Mapping[str, Any],
        *,
        set_: Mapping[str, Any],
        condition: str = "",
        add: Mapping[str, float | frozenset[str]] | None = None,
        keep: Mapping[str, Any] | None = None,
        remove: Sequence[str] = (),
        discard: Mapping[str, frozenset[str]] | None = None,
        **values: object,
    ) -> Item:
        """An `Update` of an item, as one write of a transaction."""
        arguments = expressions.update(
            key, set_, condition, add or {}, keep or {}, remove, discard or {}, values
        )
        return {"Update": {"TableName": self.name, **self._as_stored(arguments)}}

    def checking(self, key: Mapping[str, Any], *, condition: str, **values: object) -> Item:
        """A `ConditionCheck` of an item that is not written, as a part of a transaction."""
        arguments = {"Key": to_wire(key), **expressions.conditional(condition, values)}
        return {"ConditionCheck": {"TableName": self.name, **self._as_stored(arguments)}}

    def transact(self, writes: Sequence[Item]) -> None:
        """Do all of the writes or none of them, by `TransactWriteItems`.

        Raises:
            TransactionRefused: a condition failed; the error holds the stored items.
            TransactionConflict: another transaction was writing one of the items.
            TransientError: anything else.
        """
        try:
            call(self._client, "transact_write_items", TransactItems=list(writes))
        except TransactionRefused as refused:
            found = [None if item is None else self._renamed(item) for item in refused.found]
            raise TransactionRefused(found) from None

    def _call(self, operation: str, **arguments: object) -> Any:  # noqa: ANN401
        try:
            return call(self._client, operation, TableName=self.name, **arguments)
        except ConditionFailed as found:
            raise ConditionFailed(self._renamed(found.item)) from None

    def _page(
        self, operation: str, arguments: Mapping[str, Any], start: Item | None = None
    ) -> tuple[list[Item], Item | None]:
        """The items of one page of a query or a scan, and the key where the next page starts, or None."""
        asked = dict(arguments)
        values = asked.pop("values", {})
        if values:
            asked["ExpressionAttributeValues"] = to_wire({f":{k}": v for k, v in values.items()})
        if start:
            asked["ExclusiveStartKey"] = start
        answer = self._call(operation, **self._as_stored(asked))
        return [self._in(item) for item in answer["Items"]], answer.get("LastEvaluatedKey")

    def _pages(self, operation: str, arguments: Mapping[str, Any]) -> Iterator[Item]:
        start: Item | None = None
        while True:
            items, start = self._page(operation, arguments, start)
            yield from items
            if not start:
                return

    def _batch(self, statements: Sequence[Mapping[str, Any]], *, refused: str) -> list[bool]:
        """Send statements in one call; the result has True for each one done.

        It has False for a statement whose own condition did not hold.

        Raises:
            TransientError: a statement failed for another reason.
        """
        answer = call(self._client, "batch_execute_statement", Statements=statements)
        taken = []
        for response in answer["Responses"]:
            code = response.get("Error", {}).get("Code")
            if code not in (None, refused):
                raise TransientError("dynamodb", "batch_execute_statement", reason=str(code))
            taken.append(code is None)
        return taken

    def _insisting(self, operation: str, asked: object, *, left: str) -> Iterator[Any]:
        """The responses to a batch request; parts that a response leaves undone are requested again.

        Raises:
            TransientError: some parts were left undone in every attempt.
        """
        requests = {self.name: asked}
        for _ in range(BATCH_TRIES):
            answer = call(self._client, operation, RequestItems=requests)
            yield answer
            requests = answer.get(left) or {}
            if not requests:
                return
        raise TransientError("dynamodb", operation, reason=UNPROCESSED)

    def _put(self, item: Mapping[str, Any], condition: str, values: Mapping[str, Any]) -> Item:
        arguments = {"Item": to_wire(item), **expressions.conditional(condition, values)}
        return self._as_stored(arguments)

    def _as_stored(self, arguments: Item) -> Item:
        """The arguments of a request, with each attribute renamed to its stored name."""
        if not self._stored:
            return arguments
        for part in {"Item", "Key"} & arguments.keys():
            arguments[part] = {self._name(k): v for k, v in arguments[part].items()}
        used = arguments.get("ExpressionAttributeNames")
        if used:
            arguments["ExpressionAttributeNames"] = {k: self._name(v) for k, v in used.items()}
        return arguments

    def _name(self, known: str) -> str:
        return self._stored.get(known, known)

    def _out(self, item: Mapping[str, Any]) -> Item:
        return to_wire({self._name(name): value for name, value in item.items()})

    def _in(self, item: Mapping[str, Any]) -> Item:
        return self._renamed(from_wire(item))

    def _renamed(self, item: Item) -> Item:
        return {self._known.get(name, name): value for name, value in item.items()}


def _projected(attributes: Sequence[str]) -> Item:
    """The arguments by which a read returns only these attributes."""
    names = {f"#{name}": name for name in attributes}
    return {"ProjectionExpression": ",".join(names), "ExpressionAttributeNames": names}
