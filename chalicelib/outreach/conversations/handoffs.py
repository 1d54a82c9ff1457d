"""The list of hand-offs: conversations that wait for a person, and how each hand-off ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from chalicelib.once.store import ConditionFailed, Item, Store
from chalicelib.outreach.conversations.records import Record

PARTITION = "handoffs"
WAITING = "waiting"
REPLACED = "replaced"
"""A later hand-off, which holds a message, took its place."""
TAKEN = "taken-"
"""Begins the id of a conversation's hand-off once a person has taken it; its entry keeps its key."""


class Handoffs:
    """The partition ``handoffs`` of the conversations table."""

    def __init__(self, table: Store) -> None:
        self._table = table

    def waiting(self) -> Iterator[Item]:
        """Every open hand-off."""
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p",
            FilterExpression="handoff_state = :waiting",
            values={"p": PARTITION, "waiting": WAITING},
        )
        yield from found

    def close(self, record: Record, state: str, expires_at: datetime) -> bool:
        """Mark a hand-off as approved or taken; False when it was closed before."""
        try:
            self._table.update(
                key(str(record.handoff["id"]).removeprefix(TAKEN), record.opaque_id),
                set_={"handoff_state": state, "ttl": int(expires_at.timestamp())},
                condition="#handoff_state = :waiting",
                waiting=WAITING,
            )
        except ConditionFailed:
            return False
        return True

    def closing(self, record: Record, state: str, expires_at: datetime) -> Item:
        """The same as one write of a transaction, which fails where it was closed before."""
        return self._table.updating(
            key(str(record.handoff["id"]), record.opaque_id),
            set_={"handoff_state": state, "ttl": int(expires_at.timestamp())},
            condition="#handoff_state = :waiting",
            waiting=WAITING,
        )


def gives_way(record: Record, handoff: Mapping[str, Any]) -> bool:
    """Whether the current hand-off holds no message and the new one does.

    Not once a person has taken it over: they answer manually, and no held message is sent any more.
    """
    if not record.is_handed_off or not handoff["held"] or record.handoff["id"] == handoff["id"]:
        return False
    return not record.handoff["held"] and "taken_by" not in record.handoff


def entry(record: Record, handoff: Mapping[str, Any], state: str) -> Item:
    """The list's item of a hand-off."""
    return {
        **key(str(handoff["id"]), record.opaque_id),
        "points_to": record.key,
        "opaque_id": record.opaque_id,
        "company_id": record.company_id,
        "project_id": record.project_id,
        "handoff_state": state,
        "ttl": record.item["ttl"],
        **{name: handoff[name] for name in ("held", "reason", "since")},
    }


def key(handoff_id: str, opaque_id: str) -> Item:
    """Key of the list's item of a hand-off."""
    return {"primary_channel": PARTITION, "conversation_id": f"{handoff_id}#{opaque_id}"}
