"""Table C: what was done, one row per action, redacted.

Example item::

    conversation_id          1042
    ts_action_id             2026-11-20T09:00:02.000Z#act:rp_tag:1042:route-returns-admin:c-77
    action_type              route
    action_payload_redacted  {"tag": "route-returns-admin"}
    idempotency_key          act:rp_tag:1042:route-returns-admin:c-77
    result                   success            or e.g. skipped:already, fail:http_400
    expires_at               1768813202         (60 days)

A row's key is made of what the ledger stored, so writing it again after a crash changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

from chalicelib.dynamo import Table
from chalicelib.ports import AuditRow, Clock
from chalicelib.redaction import redact_mapping

RETENTION = timedelta(days=60)

_ENCODER = json.JSONEncoder(sort_keys=True)


class Audit:
    """`ports.AuditPort` on DynamoDB."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def write(self, rows: Sequence[AuditRow]) -> None:
        """See `ports.AuditPort.write`."""
        expires_at = int((self._clock.now() + RETENTION).timestamp())
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
