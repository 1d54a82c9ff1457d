"""The effects of the fact writer: rows added to a table, and a table's rows replaced.

The ledger does not store the rows again: they are built from the facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.facts import keys as fact_keys
from chalicelib.facts.model import Row, Sink
from chalicelib.once.effect import Effect, EffectKind, Hands, Perform, Settle, kinds

_VENDOR = "powerbi"


@dataclass(frozen=True, slots=True)
class RowsData:
    """One numbered batch; the number is never used for other rows."""

    target: str
    number: int
    rows: tuple[Row, ...]


def rows(kind: EffectKind, target: str, table: str, number: int, batch: tuple[Row, ...]) -> Effect:
    """RowsData for one table of one sink, to be added or to replace it."""
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
        for one in actions:
            batch: RowsData = one.data
            sinks[batch.target].append(
                one.argument, batch.number, batch.rows, deadline_seconds=deadline_seconds
            )

    return perform


def _replace(sinks: Mapping[str, Sink]) -> Perform:
    def perform(actions: Sequence[Effect], *, deadline_seconds: float) -> None:
        for one in actions:
            batch: RowsData = one.data
            sinks[batch.target].replace(
                one.argument, batch.number, batch.rows, deadline_seconds=deadline_seconds
            )

    return perform


KINDS = kinds(
    # Repeated under the same number after an unknown outcome; measures count once.
    POST_FACTS := EffectKind(
        "post_facts",
        _VENDOR,
        Settle.REPEATABLE,
        reaches_customer=False,
        hands=lambda parts: Hands(_append(parts.sinks)),
    ),
    # Adds keys: never repeated, as a duplicate key breaks the relationship.
    INSERT_DIMENSION := EffectKind(
        "insert_dimension",
        _VENDOR,
        Settle.NONE,
        reaches_customer=False,
        hands=lambda parts: Hands(_append(parts.sinks)),
    ),
    # Makes a dimension hold exactly these keys: clears the table, then fills it.  Not repeated while a
    # request may still land: a late one would insert every key twice.
    REPLACE_DIMENSION := EffectKind(
        "replace_dimension",
        _VENDOR,
        Settle.NONE,
        reaches_customer=False,
        hands=lambda parts: Hands(_replace(parts.sinks)),
    ),
)
"""The kinds of effects of the fact writer; their parts are those of `posting.build.Posting`."""
