"""The list of hand-offs: what waits for a person, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from chalicelib.conversations.records import Item, Record
from chalicelib.dynamo import ConditionFailed, Table

PARTITION = "handoffs"
WAITING = "waiting"


class Handoffs:
    """The partition ``handoffs`` of the conversations table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def waiting(self) -> Iterator[Item]:
        """Everything that nobody has closed."""
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
                key(str(record.handoff["id"]), record.opaque_id),
                set_={"handoff_state": state, "ttl": int(expires_at.timestamp())},
                condition="#handoff_state = :waiting",
                waiting=WAITING,
            )
        except ConditionFailed:
            return False
        return True


def key(handoff_id: str, opaque_id: str) -> Item:
    """Where a hand-off stands on the list."""
    return {"primary_channel": PARTITION, "conversation_id": f"{handoff_id}#{opaque_id}"}
