"""The effects of the fact writer: rows added to a table, and a table's rows replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from chalicelib.facts import keys as fact_keys
from chalicelib.facts.model import Row, Sink
from chalicelib.once.action import Action, Executor, Settle


@dataclass(frozen=True, slots=True)
class _Rows:
    """One numbered batch; the number is never used for other rows.

    The ledger does not store the rows again: they are built from the facts.
    """

    target: str
    table: str
    number: int
    rows: tuple[Row, ...] = field(repr=False)

    vendor: ClassVar[str] = "powerbi"
    reaches_customer: ClassVar[bool] = False
    is_id_global: ClassVar[bool] = False

    @property
    def key(self) -> str:
        """See `once.action.Action`."""
        return fact_keys.rows_action(self.target, self.table, self.number)

    @property
    def conversation_id(self) -> str:
        """See `once.action.Action`."""
        return self.table

    @property
    def audit_type(self) -> str:
        """See `once.action.Action`."""
        return "post_rows"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action`."""
        return {"table": self.table, "rows": str(len(self.rows))}

    def probe(self) -> Mapping[str, str]:
        """See `once.action.Action`."""
        return {}


@dataclass(frozen=True, slots=True)
class PostFacts(_Rows):
    """Add facts: repeated under the same number after an unknown outcome; measures count once."""

    kind: ClassVar[str] = "post_facts"
    settle: ClassVar[Settle] = Settle.REPEATABLE


@dataclass(frozen=True, slots=True)
class InsertDimension(_Rows):
    """Add keys to a dimension: never repeated, as a duplicate key breaks the relationship."""

    kind: ClassVar[str] = "insert_dimension"
    settle: ClassVar[Settle] = Settle.NONE


@dataclass(frozen=True, slots=True)
class ReplaceDimension(_Rows):
    """Make a dimension hold exactly these keys: clear the table, then fill it.

    Not repeated while a request may still land: a late one would insert every key twice.
    """

    kind: ClassVar[str] = "replace_dimension"
    settle: ClassVar[Settle] = Settle.NONE


def append(sinks: Mapping[str, Sink]) -> Executor:
    """The executor of `PostFacts` and `InsertDimension`; sinks by their target."""

    def perform(actions: Sequence[Action], *, deadline_seconds: float) -> None:
        for action in actions:
            if not isinstance(action, PostFacts | InsertDimension):
                raise TypeError("only rows to be added belong here")
            sinks[action.target].append(
                action.table, action.number, action.rows, deadline_seconds=deadline_seconds
            )

    return perform


def replace(sinks: Mapping[str, Sink]) -> Executor:
    """The executor of `ReplaceDimension`; sinks by their target."""

    def perform(actions: Sequence[Action], *, deadline_seconds: float) -> None:
        for action in actions:
            if not isinstance(action, ReplaceDimension):
                raise TypeError("only tables to be replaced belong here")
            sinks[action.target].replace(
                action.table, action.number, action.rows, deadline_seconds=deadline_seconds
            )

    return perform
