"""What events and actions of table A share: writing, reading, and finding the unfinished ones.

`layout` lists every attribute.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.once.action import ActionRow, ActionStatus, UnsettledAction
from chalicelib.once.event import EventFacts, StrandedEvent
from chalicelib.once.ledger.layout import required
from chalicelib.once.ports import Clock, Modes
from chalicelib.once.store import Item, Store
from chalicelib.once.timer import DUE, Timer

RETENTION = timedelta(days=30)
EVENT = "event"
ACTION = "action"
"""Kinds of rows in the index of due rows."""
MINE = "#owner = :owner AND #fence = :fence"
"""The condition that the row is still held by the writer's lease."""

NewOwner = Callable[[], str]
"""Makes an owner id for a lease, which no other claim has."""


class LedgerRows:
    """The base class of the ledgers of events and of actions: common attributes, and rows that are due.

    Args:
        retention: how long a row is kept; as long as it is, an effect under its key happens once.
    """

    def __init__(
        self,
        *,
        table: Store,
        clock: Clock,
        new_owner: NewOwner,
        retention: timedelta = RETENTION,
    ) -> None:
        self._table = table
        self._timer = Timer(table)
        self._clock = clock
        self._new_owner = new_owner
        self._retention = retention

    def set_due(self, found: StrandedEvent | UnsettledAction, due_epoch: float) -> bool:
        """Store when the sweep handles an unfinished row next, and keep the row longer.

        Args:
            found: as it was read.
            due_epoch: when the sweep handles it next.

        Returns:
            False where another time was stored or the row has ended since; then nothing changes.
        """
        kind = EVENT if isinstance(found, StrandedEvent) else ACTION
        life = self._expiry(due_epoch)
        seen = found.due_epoch
        return self._timer.move(kind, found.key, seen=seen, to=due_epoch, expires_at=life)

    def _dated(
        self,
        kind: str,
        by_epoch: float | None,
        limit: int,
        *,
        after: tuple[float, str] | None = None,
    ) -> list[Item]:
        """Rows of events or of actions that are due by a time, or the rows that follow a given row.

        Without a time, every row with a due time.  `after` is the given row: when it is due, and its key.
        """
        if after is not None:
            dates = self._timer.after(*after, kind=kind, limit=limit)
        else:
            dates = self._timer.due(by_epoch, kind=kind, limit=limit)
        return self._timer.rows(dates)

    def _required(self, received_at: str, conversation_id: str, modes: Modes) -> Item:
        return required(
            now=self._now(),
            received_at=received_at,
            expires_at=self._expiry(),
            conversation_id=conversation_id,
            modes=modes,
        )

    def _now(self) -> str:
        return iso(self._clock.now())

    def _epoch(self) -> float:
        return self._clock.now().timestamp()

    def _expiry(self, from_epoch: float = 0.0) -> int:
        return int(max(from_epoch, self._epoch()) + self._retention.total_seconds())


def action(item: Item, *, mine: bool = False, started: bool = False) -> ActionRow:
    """An action's row as `ActionRow`; `started` marks a pending row that an earlier claim left behind."""
    return ActionRow(
        key=item["event_id"],
        status=ActionStatus(item["status"]),
        reason=item.get("reason"),
        ref=item.get("ref"),
        finished_at=item.get("finished_at"),
        mine=mine,
        started=started,
        unsettled=unsettled(item) if "horizon" in item else None,
    )


def unsettled(item: Item) -> UnsettledAction:
    """An action's row as `UnsettledAction`; missing attributes have defaults, so no row stops a sweep."""
    return UnsettledAction(
        key=item["event_id"],
        kind=item.get("action_kind", ""),
        conversation_id=item.get("conversation_id", ""),
        event_key=item.get("event_key", ""),
        started_epoch=item.get("started_epoch", 0),
        horizon_epoch=item.get("horizon", math.inf),
        probe=item.get("probe", {}),
        looks=item.get("looks", 0),
        looked_epoch=item.get("looked_epoch", 0.0),
        reason=item.get("reason"),
        owner=item.get("owner", ""),
        due_epoch=item.get(DUE, 0.0),
        tries=item.get("tries", ()),
    )


def event(item: Item) -> EventFacts:
    """The `EventFacts` that an event's row holds."""
    return EventFacts(
        event_key=item["event_id"],
        conversation_id=item.get("conversation_id", ""),
        received_at=item.get("received_at", ""),
        payload_sha256=item.get("payload_sha256", ""),
        payload_bytes=item.get("payload_bytes", 0),
        source=item.get("source", ""),
        source_message_id=item.get("source_message_id"),
        trace_id=item.get("trace_id", ""),
    )


def stranded(item: Item) -> StrandedEvent:
    """The row of an unfinished event as `StrandedEvent`."""
    return StrandedEvent(
        key=item["event_id"],
        status=item.get("status", ""),
        event=event(item),
        updated_at=item.get("last_processed_at", ""),
        reason=item.get("reason"),
        attempts=item.get("attempts", 0),
        lease_until_epoch=item.get("lease_until", 0),
        is_last_receive=item.get("last_receive", False),
        waits_for=tuple(item.get("waits_for", ())),
        due_epoch=item.get(DUE, 0.0),
        is_asked=item.get("asked", False),
        last_reason=item.get("last_reason"),
        until_epoch=item.get("until"),
        turns=item.get("turns", 0),
    )
