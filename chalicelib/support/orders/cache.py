"""Rows in table A that remember what a shop said of an order, without a word of the order itself.

Example row (key ``act:shopify_lookup:{conversation_id}:{keyed hash of the order number}``)::

    status done      action_type lookup      fresh_until 1763629752
    facts  {"outcome": "found", "status": "confirmed", "created_at": "2026-11-16T10:00:00.000Z",
            "shipping_method": "Standard", "requester": "9f...", "has_tracking": ""}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.once.ports import Clock
from chalicelib.once.store import Store

RETENTION = timedelta(days=7)


class Lookups:
    """`orders.Lookups` on DynamoDB."""

    def __init__(self, table: Store, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def read(self, key: str) -> Mapping[str, str] | None:
        """Facts of a lookup that are still fresh.

        A read that may be a second old is good enough.
        """
        row = self._table.get({"event_id": key}, consistent=False)
        if row is None or row.get("fresh_until", 0) <= self._clock.now().timestamp():
            return None
        return dict(row["facts"])

    def write(
        self, key: str, conversation_id: str, facts: Mapping[str, str], *, fresh_seconds: float
    ) -> None:
        """Keep facts for a while.

        The last one wins.
        """
        now = self._clock.now()
        payload = json.dumps(dict(facts), sort_keys=True).encode()
        self._table.put(
            {
                "event_id": key,
                "conversation_id": conversation_id,
                "created_at": iso(now),
                "received_at": iso(now),
                "last_processed_at": iso(now),
                "expires_at": int((now + RETENTION).timestamp()),
                "fresh_until": int(now.timestamp() + fresh_seconds),
                "status": "done",
                "action_type": "lookup",
                "mode": "automation_candidate",
                "safe_mode": False,
                "automation_enabled": True,
                "payload_sha256": hashlib.sha256(payload).hexdigest(),
                "payload_bytes": len(payload),
                "facts": dict(facts),
            }
        )
