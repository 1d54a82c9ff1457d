"""Table C: what was done, one row per action, redacted.

Example item::

    conversation_id          1042
    ts_action_id             2026-11-20T09:00:02.000Z#act:rp_tag:1042:route-returns-admin:c-77
    action_type              route
    action_payload_redacted  {"tag": "route-returns-admin"}
    idempotency_key          act:rp_tag:1042:route-returns-admin:c-77
    result                   success            or e.g. skipped:already, fail:http_400
    expires_at               1768813202         (60 days)

A row's key is derived from stored ledger values, so writing it again after a crash changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.once.ports import Clock
from chalicelib.once.store import Store
from chalicelib.redaction.json_values import redact_mapping

RETENTION = timedelta(days=60)

_ENCODER = json.JSONEncoder(sort_keys=True)


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One action as table C stores it; `Audit.write` redacts the payload."""

    conversation_id: str
    at: str
    action_id: str
    action_type: str
    payload: Mapping[str, str]
    idempotency_key: str
    result: str


class Audit:
    """Writes the audit trail in table C, one row for each action."""

    def __init__(self, *, table: Store, clock: Clock, retention: timedelta = RETENTION) -> None:
        self._table = table
        self._clock = clock
        self._retention = retention

    def write(self, rows: Sequence[AuditRow]) -> None:
        """Write audit rows in calls of 25 rows; writing a row again changes nothing."""
        expires_at = int((self._clock.now() + self._retention).timestamp())
        self._table.put_all(
            [
                {
                    "conversation_id": row.conversation_id,
                    "ts_action_id": f"{row.at}#{row.action_id}",
                    "action_type": row.action_type,
                    "action_payload_redacted": _ENCODER.encode(redact_mapping(dict(row.payload))),
                    "idempotency_key": row.idempotency_key,
                    "result": row.result,
                    "expires_at": expires_at,
                }
                for row in rows
            ]
        )
