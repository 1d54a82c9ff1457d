"""The storage port: one table behind a few verbs.

`aws.dynamo.Table` implements it on DynamoDB and `tests/simulation/memory_table.py` in memory; one
contract suite, `tests/contracts/test_store.py`, runs over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from chalicelib.errors import TransientError
from chalicelib.once.reasons import TRANSACTION_CONFLICT

Item = dict[str, Any]


class ConditionFailed(Exception):  # noqa: N818 - a value of the protocol, not a fault
    """A write's condition did not hold; `item` is the stored row, empty when no row is stored."""

    def __init__(self, item: Item) -> None:
        super().__init__("condition failed")
        self.item = item


class TransactionRefused(Exception):  # noqa: N818 - a value of the protocol, not a fault
    """A condition of a transaction did not hold, so none of it was written.

    Attributes:
        found: one entry per write, in order: None where its condition held, else the item that was
            there, empty when there was none.
    """

    def __init__(self, found: Sequence[Item | None]) -> None:
        super().__init__("transaction refused")
        self.found = tuple(found)


class TransactionConflict(TransientError):  # noqa: N818 - a value of the protocol, not a fault
    """Another transaction was writing one of the items; nothing was written, and it may be repeated."""

    def __init__(self, operation: str) -> None:
        super().__init__("dynamodb", operation, reason=TRANSACTION_CONFLICT)


class Store(Protocol):
    """The port for one table; items are dicts of plain values."""

    name: str

    def put(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> None:
        """Write a whole item; raises `ConditionFailed` with the stored row if its condition does not hold."""
        ...

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
        """Change attributes of an item and return the whole new item.

        Args:
            key: the item's key.
            set_: attributes that take a value.
            condition: a condition expression over ``#attribute`` and ``:value`` names.
            add: numbers to add to, and sets to add members to.
            keep: attributes that take a value only where they have none.
            remove: attributes to remove.
            reading: False where the caller ignores the new item; it is not transferred then, and an
                empty one is returned.
            values: the condition's values.

        Raises:
            ConditionFailed: the condition does not hold; the error holds the stored row.
        """
        ...

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Item | None:
        """The item with this key; None where there is none."""
        ...

    def delete(self, key: Mapping[str, Any]) -> None:
        """Delete the item with this key; only operators may, no function has the right."""
        ...

    def query(self, **arguments: Any) -> list[Item]:  # noqa: ANN401 - boto3's own arguments
        """The items of one query page; arguments as boto3 takes them, plain values in `values`."""
        ...

    def query_all(self, *, at_most: int, **arguments: Any) -> list[Item]:  # noqa: ANN401
        """Up to `at_most` items of a query, over as many pages as needed."""
        ...

    def query_pages(self, **arguments: Any) -> Iterator[Item]:  # noqa: ANN401 - boto3's own arguments
        """The items of every query page; a page is fetched when it is needed.

        Arguments as `query` takes them.
        """
        ...

    def scan_page(
        self,
        *,
        limit: int,
        start: Item | None = None,
        **arguments: Any,  # noqa: ANN401
    ) -> tuple[list[Item], Item | None]:
        """The items of one page of the table, in no order, and the key of the next page; None at the end."""
        ...

    def scan_all(self, *, columns: Sequence[str]) -> list[Item]:
        """Every item of the table, each with these attributes only; for operators' commands alone."""
        ...

    def insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        """Insert items in one call; the result has False for an item whose key existed already.

        One `BatchExecuteStatement` of INSERTs: each is conditional on its key being new and costs
        one write unit, where a transaction would cost two.
        """
        ...

    def update_all(
        self,
        keys: Sequence[Mapping[str, Any]],
        *,
        set_: Mapping[str, Any],
        where: Mapping[str, Any],
    ) -> list[bool]:
        """Give existing rows the same values in one call; the result has False for a row left as it was.

        One `BatchExecuteStatement` of UPDATEs, each conditional on its own row and paid like an
        `UpdateItem`.

        Args:
            keys: the rows' keys.
            set_: attributes that take a value; those without one are left alone.
            where: attributes that must have these very values.
        """
        ...

    def put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Write whole items without a condition, 25 in a call.

        Raises:
            TransientError: also where some of them were left undone in every attempt.
        """
        ...

    def get_all(
        self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str] = ()
    ) -> list[Item]:
        """The existing items of these keys, 100 in a call; with `attributes`, only these of each item.

        Raises:
            TransientError: also where some of them were left undone in every attempt.
        """
        ...

    def putting(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> Item:
        """A write of a whole item, as a part of a transaction; arguments as `put` takes them."""
        ...

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
        """A change of an item, as a part of a transaction; arguments as `update` takes them.

        `add` may add members to a set, `discard` takes members from one.
        """
        ...

    def checking(self, key: Mapping[str, Any], *, condition: str, **values: object) -> Item:
        """A condition on an item that is not written, as a part of a transaction."""
        ...

    def transact(self, writes: Sequence[Item]) -> None:
        """Do all of the writes or none of them.

        Raises:
            TransactionRefused: a condition failed; the error holds the stored items.
            TransactionConflict: another transaction was writing one of the items.
            TransientError: anything else.
        """
        ...
