"""Accepted events that are not finished, from the indexes of what is due and of what is held up; no scan."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from ops.session import Session

START = (0.0, "")
"""Before every row of the index of what is due."""


COUNTED = 200_000
"""Events that are counted at most."""


def count(session: Session) -> int:
    """How many events are unfinished, as far as the index knows."""
    return session.services.ledger.count_due(None, at_most=COUNTED)


def events(
    session: Session, *, limit: int, after: tuple[float, str] | None = None
) -> list[dict[str, Any]]:
    """Unfinished events, the first received first, at most `limit`: key, status, reason, times.

    They are those that are due longest; `after` as `Ledger.stranded`. A list from the beginning also has
    what a worker has again in this moment, as far as something has held it up before.
    """
    ledger = session.services.ledger
    found = [*ledger.stranded(limit=limit, after=after)]
    if after is None and len(found) < limit:
        held = {*session.services.incidents.keys(limit=COUNTED)} - {one.key for one in found}
        found += ledger.at_workers(sorted(held))
    return [
        {
            "event": one.key,
            "status": one.status,
            "reason": one.reason or one.last_reason,
            "received_at": one.event.received_at,
            "attempts": one.attempts,
            "due_at": iso(datetime.fromtimestamp(one.due_epoch or one.lease_until_epoch, UTC)),
            "due_epoch": one.due_epoch,
        }
        for one in sorted(found, key=lambda one: one.event.received_at)[:limit]
    ]
