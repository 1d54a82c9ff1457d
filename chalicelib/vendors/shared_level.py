"""A level that all containers share: one row, moved by conditional writes.

Example item of table A::

    event_id       pace:richpanel        empty_at    1763629752.2
    line_new       1763629790.4          line_again  1763629761.0
    expires_at     1763802552            last_processed_at  2026-11-20T09:00:02.000Z

A write moves a time by an amount, on the condition that the time is within the decision's
bounds.  So two containers that ask at once both succeed with one write each.  Only if one of them
has taken the last tokens, or begun a line, the other decides again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import ConditionFailed, Item, Store
from chalicelib.vendors.level import EMPTY, Level, LevelAnswer, LevelStep

TRIES = 8
"""Attempts to write the level's row, which every worker of the lane changes."""
_KEPT_FOR = timedelta(days=2)
_LINE = "line_"


class SharedLevel:
    """The level of a vendor's token bucket in table A, which all containers share.

    Args:
        table: table A.
        provider: the vendor.
    """

    def __init__(self, *, table: Store, provider: str, clock: Clock) -> None:
        self._table = table
        self._key = keys.joined("pace", provider)
        self._clock = clock
        self._seen: Item = {}

    def take(self, decide: Callable[[Level], LevelStep]) -> LevelAnswer:
        """Make one decision about the token bucket's level and store it by a conditional write.

        It is made on the row as this container saw it last, which saves a read.  If the row has
        changed beyond the decision's bounds, another is made on the new row.

        Raises:
            TransientError: others changed the row in every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            step = decide(_level(self._seen))
            try:
                self._seen = self._write(step)
            except ConditionFailed as found:
                self._seen = found.item
                attempts.wait_or_raise(TransientError("dynamodb", "take_turn", reason=CONTENDED))
            else:
                return step.answer(_level(self._seen))

    def read(self) -> Level | None:
        """The stored level of a vendor's token bucket, for operators; None where there is no row."""
        found = self._table.get({"event_id": self._key})
        return None if found is None else _level(found)

    def _write(self, step: LevelStep) -> Item:
        now = self._clock.now()
        set_: dict[str, Any] = {
            "last_processed_at": iso(now),
            "expires_at": int((now + _KEPT_FOR).timestamp()),
        }
        add: dict[str, float] = {}
        conditions: list[str] = []
        bounds: dict[str, Any] = {}
        for name, move in step.moves.items():
            attribute = name if name == EMPTY else _LINE + name
            if move.to is not None:
                set_[attribute] = move.to
            elif move.by:
                add[attribute] = move.by
            if move.low is not None:
                conditions.append(f"#{attribute} >= :low_{name}")
                bounds[f"low_{name}"] = move.low
            if move.high is not None:
                absent = f"attribute_not_exists(#{attribute}) OR " if move.low is None else ""
                conditions.append(f"({absent}#{attribute} <= :high_{name})")
                bounds[f"high_{name}"] = move.high
        return self._table.update(
            {"event_id": self._key},
            set_=set_,
            add=add,
            condition=" AND ".join(conditions),
            **bounds,
        )


def _level(row: Item) -> Level:
    times = {name.removeprefix(_LINE): at for name, at in row.items() if name.startswith(_LINE)}
    return Level({name: float(at) for name, at in {**times, EMPTY: row.get(EMPTY, 0.0)}.items()})
