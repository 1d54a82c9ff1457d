"""A level that all containers share: one row, changed by conditional writes.

Example item of table A::

    event_id       pace:richpanel        version  7
    tokens         3.5                   filled_at  1763629752.2
    lines          {"new": 1763629790.4}
    expires_at     1763802552            last_processed_at  2026-11-20T09:00:02.000Z
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.retry import Attempts, at_once
from chalicelib.once.store import ConditionFailed, Item, Store
from chalicelib.vendors.level import Level

TRIES = 8
"""Attempts at the row, which every worker of the lane changes."""
_KEPT_FOR = timedelta(days=2)


class SharedLevel:
    """`level.Levels` of one vendor on table A.

    Args:
        table: table A.
        provider: the vendor.
    """

    def __init__(self, table: Store, provider: str, clock: Clock) -> None:
        self._table = table
        self._key = keys.joined("pace", provider)
        self._clock = clock
        self._seen: Item = {}

    def change(self, decide: Callable[[Level | None], Level | None]) -> None:
        """See `level.Levels.change`.

        The row as this container saw it last is tried first, which saves reading it.  Another
        thread may replace it meanwhile: the row decided on and the one replaced must be the same.
        """
        attempts = Attempts(self._clock, at_once(TRIES))
        while True:
            seen = self._seen
            level = decide(_level(seen))
            if level is None:
                return
            try:
                self._seen = self._put(level, seen)
            except ConditionFailed as found:
                self._seen = found.item
                attempts.failed(TransientError("dynamodb", "take_turn", reason="contended"))
            else:
                return

    def read(self) -> Level | None:
        """The level as it is stored, for operators."""
        return _level(self._table.get({"event_id": self._key}) or {})

    def _put(self, level: Level, seen: Item) -> Item:
        now = self._clock.now()
        item = {
            "event_id": self._key,
            "tokens": level.tokens,
            "filled_at": level.filled_at,
            "lines": dict(level.lines),
            "version": int(seen.get("version", 0)) + 1,
            "last_processed_at": iso(now),
            "expires_at": int((now + _KEPT_FOR).timestamp()),
        }
        if seen:
            self._table.put(item, condition="#version = :version", version=seen["version"])
        else:
            self._table.put(item, condition="attribute_not_exists(#event_id)")
        return item


def _level(row: Item) -> Level | None:
    if not row:
        return None
    lines = {name: float(until) for name, until in row["lines"].items()}
    return Level(row["tokens"], row["filled_at"], lines)
