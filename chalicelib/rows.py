"""Table A's rows as values: how a stored item reads."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from chalicelib.clock import iso
from chalicelib.dynamo import Item
from chalicelib.ports import (
    ActionRow,
    ActionStatus,
    EventFacts,
    StrandedEvent,
    UnsettledAction,
)

NewOwner = Callable[[], str]
"""Makes an owner id that no other claim ever had."""


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
