"""Lookups that found no order, cached in table A without order number or address.

Example row (key ``act:shopify_lookup:{conversation_id}:{keyed hash of the order number}``)::

    status done      action_type lookup      fresh_until 1763629752
    facts  {"outcome": "not_found", "requester": "9f..."}
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
from chalicelib.once.store import Store

RETENTION = timedelta(days=7)


class LookupCache:
    """The cache of order lookups that found nothing, in table A."""

    def __init__(self, *, table: Store, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def read(self, key: str) -> Mapping[str, str] | None:
        """The stored result of an order lookup while it is fresh; else None.

        The read is eventually consistent: it may miss a result that was just written.
        """
        row = self._table.get({"event_id": key}, consistent=False)
        if row is None or row.get("fresh_until", 0) <= self._clock.now().timestamp():
            return None
        return dict(row["facts"])

    def write(
        self, key: str, conversation_id: str, facts: Mapping[str, str], *, fresh_seconds: float
    ) -> None:
        """Store the result of an order lookup, which is fresh for `fresh_seconds`; the last write wins."""
        now = self._clock.now()
        payload = json.dumps(dict(facts), sort_keys=True).encode()
        self._table.put(
            {
                "event_id": key,
                **required(
                    now=iso(now),
                    received_at=iso(now),
                    expires_at=int((now + RETENTION).timestamp()),
                    conversation_id=conversation_id,
                    modes=Switches().modes,
                ),
                "fresh_until": int(now.timestamp() + fresh_seconds),
                "status": ActionStatus.DONE.value,
                "action_type": "lookup",
                "payload_sha256": hashlib.sha256(payload).hexdigest(),
                "payload_bytes": len(payload),
                "facts": dict(facts),
            }
        )
