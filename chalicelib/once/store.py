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
    """A conditional write found another row; `item` is that row, or empty when there is none."""

    def __init__(self, item: Item) -> None:
        super().__init__("condition failed")
        self.item = item


class TransactionRefused(Exception):  # noqa: N818 - a value of the protocol, not a fault
    """Conditions of a transaction failed; none of it was written.

    Attributes:
        found: one entry per write, in order: None where its condition held, else the item that
            was there, empty when there was none.
    """

    def __init__(self, found: Sequence[Item | None]) -> None:
        super().__init__("transaction refused")
        self.found = tuple(found)


class TransactionConflict(TransientError):  # noqa: N818 - a value of the protocol, not a fault
    """Another transaction was writing one of the items; nothing was written, and it may be repeated."""

    def __init__(self, operation: str) -> None:
        super().__init__("dynamodb", operation, reason=TRANSACTION_CONFLICT)


class Store(Protocol):
    """Plain values in, plain values out; one table."""

    name: str

    def put(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> None:
        """Put a whole item; raises `ConditionFailed` with the row that was there."""
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
        """Change attributes and return the whole new item.

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
        """
        ...

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Item | None:
        """One item, or None."""
        ...

    def delete(self, key: Mapping[str, Any]) -> None:
        """Delete an item; only operators may, no function has the right."""
        ...

    def query(self, **arguments: Any) -> list[Item]:  # noqa: ANN401 - boto3's own arguments
        """Items of one query page; arguments as boto3 takes them, plain values in `values`."""
        ...

    def query_all(self, *, at_most: int, **arguments: Any) -> list[Item]:  # noqa: ANN401
        """Up to `at_most` items, over as many query pages as needed."""
        ...

    def query_pages(self, **arguments: Any) -> Iterator[Item]:  # noqa: ANN401 - boto3's own arguments
        """Items of every query page, fetched as they are read; arguments as `query` takes them."""
        ...

    def scan_page(
        self,
        *,
        limit: int,
        start: Item | None = None,
        **arguments: Any,  # noqa: ANN401
    ) -> tuple[list[Item], Item | None]:
        """Items of one page in no order, and where the next page starts; None at the end."""
        ...

    def scan_all(self, *, columns: Sequence[str]) -> list[Item]:
        """Every item, projected to the attributes; only for operators."""
        ...

    def insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        """Insert new items in one call; False marks one whose key was there already.

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
        """Give existing rows the same new values in one call; False marks one left as it was.

        One `BatchExecuteStatement` of UPDATEs, each conditional on its own row and paid like an
        `UpdateItem`.

        Args:
            keys: the rows' keys.
            set_: attributes that take a value; those without one are left alone.
            where: attributes that must have these very values.
        """
        ...

    def put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Put items without a condition, 25 in a call.

        Raises:
            TransientError: also where some of them were left undone in every attempt.
        """
        ...

    def get_all(
        self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str] = ()
    ) -> list[Item]:
        """The items that exist, 100 in a call; with `attributes`, only these of each item.

        Raises:
            TransientError: also where some of them were left undone in every attempt.
        """
        ...

    def putting(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> Item:
        """One write of `transact`: as `put`."""
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
        """One write of `transact`: as `update`; `add` may add to a set, `discard` takes from one."""
        ...

    def checking(self, key: Mapping[str, Any], *, condition: str, **values: object) -> Item:
        """One condition of `transact` on an item that is not written."""
        ...

    def transact(self, writes: Sequence[Item]) -> None:
        """Do all of the writes or none of them.

        Raises:
            TransactionRefused: a condition failed; says which, and what was there.
            TransactionConflict: another transaction was writing one of the items.
            TransientError: anything else.
        """
        ...
