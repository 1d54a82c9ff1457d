"""Lists accepted events that are not finished, from the two sparse indexes, without a scan.

First come events that a worker has at this moment after an earlier delay, by key; then events with
a due date, the longest due first.  The command and the console's pages and counts all read this
list.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.event import StrandedEvent
from ops.inspect.explain import unfinished_keys
from ops.session import Session

START = (0.0, "")
"""The position before the first event of the list."""


COUNTED = 200_000
"""The most events with a due date that are counted."""


def count(session: Session) -> int:
    """The number of unfinished events in the indexes."""
    dated = session.services.ledger.count_due(None, at_most=COUNTED)
    return len({worker.key for worker in _at_workers(session, "")}) + dated


def events(
    session: Session, *, limit: int, after: tuple[float, str] = START
) -> list[dict[str, Any]]:
    """Unfinished events in the order of the list, at most `limit`: key, status, reason, times.

    Args:
        session: of the stage.
        limit: the most events to return.
        after: ``due_epoch`` and ``event`` of the previous page's last event; an event at a worker
            is due at 0.
    """
    found: dict[str, StrandedEvent] = {}
    due, key = after
    if not due:
        found = {event.key: event for event in _at_workers(session, key)}
    if len(found) < limit:
        dated = session.services.ledger.stranded(limit=limit, after=after if due else START)
        found |= {event.key: event for event in dated}
    return [
        {
            "event": event.key,
            "status": event.status,
            "reason": event.reason or event.last_reason,
            "received_at": event.event.received_at,
            "attempts": event.attempts,
            "due_at": iso(datetime.fromtimestamp(event.due_epoch or event.lease_until_epoch, UTC)),
            "due_epoch": event.due_epoch,
        }
        for event in sorted(found.values(), key=lambda event: (event.due_epoch, event.key))[:limit]
    ]


def _at_workers(session: Session, after: str) -> Iterator[StrandedEvent]:
    """Yield the events at workers whose keys follow `after`."""
    keys = [key for key in unfinished_keys.read(session).undated if key > after]
    yield from session.services.ledger.at_workers(keys)
