"""What events and actions of table A share: writing, reading, and finding the unfinished ones.

`layout` lists every attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from chalicelib.clock import iso
from chalicelib.once.action import ActionRow, ActionStatus, UnsettledAction
from chalicelib.once.event import EventFacts, StrandedEvent
from chalicelib.once.ledger.layout import required
from chalicelib.once.ports import Clock, Modes
from chalicelib.once.sharded import UnfinishedIndex
from chalicelib.once.store import ConditionFailed, Item, Store

RETENTION = timedelta(days=30)
MINE = "#owner = :owner AND #fence = :fence"
"""Condition: the row is still held by the writer's lease."""

NewOwner = Callable[[], str]
"""Makes an owner id that no other claim has."""


class LedgerRows:
    """Base of the ledgers of events and of actions.

    Args:
        retention: how long a row is kept, and with it the promise that its key acts once.
    """

    def __init__(
        self,
        table: Store,
        clock: Clock,
        new_owner: NewOwner,
        *,
        retention: timedelta = RETENTION,
    ) -> None:
        self._table = table
        self._unfinished = UnfinishedIndex(table, sorted_by="last_processed_at")
        self._clock = clock
        self._new_owner = new_owner
        self._retention = retention

    def keep(self, key: str) -> bool:
        """Extend the life of an unfinished row; False where the row is finished or gone."""
        try:
            self._table.update(
                {"event_id": key},
                set_={"expires_at": self._expiry(), "last_processed_at": self._now()},
                condition="attribute_exists(#unfinished)",
            )
        except ConditionFailed:
            return False
        return True

    def _marked(self, marks: Sequence[str], before_epoch: float, limit: int) -> list[Item]:
        """Rows of the sparse index, mark by mark, oldest first, at most `limit` of each mark."""
        before = iso_of_epoch(before_epoch)
        return [
            row
            for mark in marks
            for row in self._unfinished.oldest(mark, limit=limit, before=before)
        ]

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

    def _expiry(self) -> int:
        return int((self._clock.now() + self._retention).timestamp())


def action(item: Item, *, mine: bool = False, started: bool = False) -> ActionRow:
    """An action row; `started` is for a pending row that an earlier claim left behind."""
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
    """What a settler needs of an action row."""
    return UnsettledAction(
        key=item["event_id"],
        kind=item["action_kind"],
        conversation_id=item["conversation_id"],
        event_key=item["event_key"],
        started_epoch=item["started_epoch"],
        horizon_epoch=item["horizon"],
        probe=item.get("probe", {}),
        looks=item.get("looks", 0),
        looked_epoch=item.get("looked_epoch", 0.0),
        reason=item.get("reason"),
        owner=item["owner"],
    )


def event(item: Item) -> EventFacts:
    """What a stored event row says of its event."""
    return EventFacts(
        event_key=item["event_id"],
        conversation_id=item["conversation_id"],
        received_at=item["received_at"],
        payload_sha256=item["payload_sha256"],
        payload_bytes=item["payload_bytes"],
        source=item["source"],
        source_message_id=item.get("source_message_id"),
        trace_id=item.get("trace_id", ""),
    )


def stranded(item: Item) -> StrandedEvent:
    """A row of the sparse index."""
    return StrandedEvent(
        key=item["event_id"],
        status=item["status"],
        event=event(item),
        updated_at=item["last_processed_at"],
        reason=item.get("reason"),
        attempts=item.get("attempts", 0),
        lease_until_epoch=item.get("lease_until", 0),
    )


def iso_of_epoch(epoch: float) -> str:
    """Epoch seconds as the ISO text rows hold."""
    return iso(datetime.fromtimestamp(epoch, UTC))
