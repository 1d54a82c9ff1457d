"""Accepted events that are not finished, from the index of what is due; no scan."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from ops.session import Session


def events(session: Session, *, limit: int) -> list[dict[str, Any]]:
    """Unfinished events, the first received first, at most `limit`: key, status, reason, times."""
    found = session.services.ledger.stranded(limit=limit)
    return [
        {
            "event": one.key,
            "status": one.status,
            "reason": one.reason or one.last_reason,
            "received_at": one.event.received_at,
            "attempts": one.attempts,
            "due_at": iso(datetime.fromtimestamp(one.due_epoch, UTC)) if one.due_epoch else None,
        }
        for one in sorted(found, key=lambda one: one.event.received_at)[:limit]
    ]
