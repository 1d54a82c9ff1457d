"""Order lookups cached in table A, without personal data of the order.

Example row (key ``act:shopify_lookup:{conversation_id}:{keyed hash of the order number}``)::

    status done      action_type lookup      fresh_until 1763629752
    facts  {"outcome": "found", "status": "confirmed", "created_at": "2026-11-16T10:00:00.000Z",
            "shipping_method": "Standard", "requester": "9f...", "has_tracking": ""}

A second row, ``ref:order:{keyed hash of the order number}``, names the newest ticket that asked about an
order, so that an operator who has the order's number finds the ticket by key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus
from chalicelib.once.ledger.layout import required
from chalicelib.once.ports import Clock, Switches
from chalicelib.once.store import Item, Store

RETENTION = timedelta(days=7)
POINTER_RETENTION = timedelta(days=30)
"""As long as the ticket's events are kept."""


class Lookups:
    """The cache of lookups, on DynamoDB."""

    def __init__(self, table: Store, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def read(self, key: str) -> Mapping[str, str] | None:
        """The facts of a lookup while they are fresh; eventually consistent."""
        row = self._table.get({"event_id": key}, consistent=False)
        if row is None or row.get("fresh_until", 0) <= self._clock.now().timestamp():
            return None
        return dict(row["facts"])

    def write(
        self,
        key: str,
        conversation_id: str,
        facts: Mapping[str, str],
        *,
        pointer: str,
        fresh_seconds: float,
    ) -> None:
        """Store facts for `fresh_seconds`, and which ticket asked; the last write wins.

        Args:
            key: of the lookup.
            conversation_id: the ticket.
            facts: what the shop returned.
            pointer: key of the row that names the order's newest ticket.
            fresh_seconds: how long the facts may be used.
        """
        now = self._clock.now()
        payload = json.dumps(dict(facts), sort_keys=True).encode()
        common = {
            "status": ActionStatus.DONE.value,
            "payload_sha256": hashlib.sha256(payload).hexdigest(),
            "payload_bytes": len(payload),
        }
        fresh_until = int(now.timestamp() + fresh_seconds)
        lookup = {"action_type": "lookup", "fresh_until": fresh_until, "facts": dict(facts)}
        self._table.put({**self._row(key, conversation_id, RETENTION), **common, **lookup})
        self._table.put({**self._row(pointer, conversation_id, POINTER_RETENTION), **common})

    def _row(self, key: str, conversation_id: str, retention: timedelta) -> Item:
        now = self._clock.now()
        return {
            "event_id": key,
            **required(
                now=iso(now),
                received_at=iso(now),
                expires_at=int((now + retention).timestamp()),
                conversation_id=conversation_id,
                modes=Switches().modes,
            ),
        }


def newest_ticket(row: Item | None) -> str | None:
    """The ticket that an order's row names; None where there is none."""
    return str(row["conversation_id"]) if row else None
