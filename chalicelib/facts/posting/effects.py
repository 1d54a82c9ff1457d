"""The effects of the fact writer: add rows to a table, and replace a table's rows.

An effect's rows are not stored: they are built again from the facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.facts import keys as fact_keys
from chalicelib.facts.model import Row, Sink
from chalicelib.once.effect import Effect, EffectKind, Executor, Perform, Settle, kinds

_VENDOR = "powerbi"


@dataclass(frozen=True, slots=True)
class RowsData:
    """A numbered batch of rows for one sink, as an effect carries it.

    The number is never used for other rows.
    """

    target: str
    number: int
    rows: tuple[Row, ...]


def rows(kind: EffectKind, target: str, table: str, number: int, batch: tuple[Row, ...]) -> Effect:
    """The effect that adds rows to a table of a sink, or replaces the table's rows, depending on `kind`."""
    return Effect(
        kind,
        fact_keys.rows_action(target, table, number),
        conversation_id=table,
        argument=table,
        audit_type="post_rows",
        payload={"table": table, "rows": str(len(batch))},
        data=RowsData(target, number, batch),
    )


def _append(sinks: Mapping[str, Sink]) -> Perform:
    def perform(actions: Sequence[Effect], *, deadline_seconds: float) -> None:
        for action in actions:
            batch: RowsData = action.data
            sinks[batch.target].append(
                action.argument, batch.number, batch.rows, deadline_seconds=deadline_seconds
            )

    return perform


def _replace(sinks: Mapping[str, Sink]) -> Perform:
    def perform(actions: Sequence[Effect], *, deadline_seconds: float) -> None:
        for action in actions:
            batch: RowsData = action.data
            sinks[batch.target].replace(
                action.argument, batch.number, batch.rows, deadline_seconds=deadline_seconds
            )

    return perform


KINDS = kinds(
    # After an unknown outcome the rows are sent again under the same number: measures count a fact once.
    POST_FACTS := EffectKind(
        "post_facts",
        _VENDOR,
        Settle.REPEATABLE,
        reaches_customer=False,
        executor=lambda parts: Executor(_append(parts.sinks)),
    ),
    # A POST that adds keys is never repeated, because a duplicate key breaks the relationship.
    INSERT_DIMENSION := EffectKind(
        "insert_dimension",
        _VENDOR,
        Settle.NONE,
        reaches_customer=False,
        executor=lambda parts: Executor(_append(parts.sinks)),
    ),
    # The table is cleared, then filled with exactly these keys.  This is not repeated while a request
    # may still reach the sink: a late one would insert every key twice.
    REPLACE_DIMENSION := EffectKind(
        "replace_dimension",
        _VENDOR,
        Settle.NONE,
        reaches_customer=False,
        executor=lambda parts: Executor(_replace(parts.sinks)),
    ),
)
"""The kinds of effects of the fact writer; their parts are those of `posting.build.Posting`."""
