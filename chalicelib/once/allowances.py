"""Sliding-window limits of effects per conversation or person, counted by conditional writes.

A row holds the times within the longest window and the action that took each, so that the window
slides exactly and taking twice for one action counts once.  Rows are in table A under opaque ids
and expire by its TTL::

    event_id    lim:auto_reply:customer:{opaque id}        expires_at  1763716152
    taken       [{"at": 1763629752, "by": "act:rp_reply:1042:c-77"}]    version 3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import ConditionFailed, Item, Store

TRIES = 5
"""Attempts to write a row of counts that other workers change at the same time."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of at most `count` effects within `window`; `name` is the reason given when it is reached."""

    name: str
    count: int
    window: timedelta


class Allowances:
    """Counts effects per conversation or customer against `Limit`s, in DynamoDB."""

    def __init__(self, *, table: Store, clock: Clock, prefix: str = "") -> None:
        self._table = table
        self._clock = clock
        self._prefix = prefix

    def with_prefix(self, prefix: str) -> Allowances:
        """A second counter of effects whose counts are separate: the keys of its rows contain the prefix."""
        return Allowances(table=self._table, clock=self._clock, prefix=prefix)

    def take(self, what: str, opaque_id: str, by: str, limits: Sequence[Limit]) -> str | None:
        """Count one effect, unless a limit forbids it.

        Args:
            what: the kind of effect, e.g. ``auto_reply:customer``.
            opaque_id: the conversation or customer it is counted for.
            by: the action's key; asking again with the same key is not counted again.
            limits: all of them must allow it.

        Returns:
            None where the effect is counted; else the name of the limit that forbids it.

        Raises:
            TransientError: the count could not be written.
        """
        row: Item = {}
        key = self._key(what, opaque_id)
        longest = max(limit.window for limit in limits)
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            now = self._clock.now().timestamp()
            taken = [
                entry
                for entry in row.get("taken", ())
                if entry["at"] > now - longest.total_seconds()
            ]
            if any(entry["by"] == by for entry in taken):
                return None
            for limit in limits:
                since = now - limit.window.total_seconds()
                if sum(entry["at"] > since for entry in taken) >= limit.count:
                    return limit.name
            try:
                self._put(key, row, [*taken, {"at": int(now), "by": by}], longest)
            except ConditionFailed as found:
                attempts.wait_or_raise(_contended("take_allowance"))
                row = found.item
            else:
                return None

    def reached_limit(self, what: str, opaque_id: str, limits: Sequence[Limit]) -> str | None:
        """The name of the first limit that allows no further effect, or None; this counts nothing."""
        row = self._table.get({"event_id": self._key(what, opaque_id)})
        now = self._clock.now().timestamp()
        times = [entry["at"] for entry in row["taken"]] if row else []
        for limit in limits:
            since = now - limit.window.total_seconds()
            if sum(at > since for at in times) >= limit.count:
                return limit.name
        return None

    def give_back(self, what: str, opaque_id: str, by: str) -> None:
        """Remove an action's effect from the count; does nothing where it is not counted.

        Raises:
            TransientError: the effect may still be counted.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            row = self._table.get({"event_id": self._key(what, opaque_id)})
            if row is None or all(entry["by"] != by for entry in row["taken"]):
                return
            kept = [entry for entry in row["taken"] if entry["by"] != by]
            version = row["version"]
            item = row | {"taken": kept, "version": version + 1}
            try:
                self._table.put(item, condition="#version = :version", version=version)
            except ConditionFailed:
                attempts.wait_or_raise(_contended("give_back_allowance"))
            else:
                return

    def _key(self, what: str, opaque_id: str) -> str:
        named = [self._prefix] if self._prefix else []
        return keys.joined("lim", *named, *what.split(":"), opaque_id)

    def _put(self, key: str, row: Item, taken: Sequence[Item], longest: timedelta) -> None:
        now = self._clock.now()
        version = row.get("version", 0)
        item = {
            "event_id": key,
            "taken": list(taken),
            "version": version + 1,
            "last_processed_at": iso(now),
            "expires_at": int((now + longest).timestamp()) + 1,
        }
        if row:
            self._table.put(item, condition="#version = :version", version=version)
        else:
            self._table.put(item, condition="attribute_not_exists(#event_id)")


def _contended(operation: str) -> TransientError:
    return TransientError("dynamodb", operation, reason=CONTENDED)
