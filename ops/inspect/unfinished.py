"""The one list of accepted events that are not finished, from the two sparse indexes that have them; no scan.

First what a worker has again in this moment, by key, as far as something has held it up before; then what
has a date, the longest due first.  The command, the pages of the console and their counts all read it.
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
"""Before every event of the list."""


COUNTED = 200_000
"""Events with a date that are counted at most."""


def count(session: Session) -> int:
    """How many events are unfinished, as far as the indexes know."""
    dated = session.services.ledger.count_due(None, at_most=COUNTED)
    return len({one.key for one in _at_workers(session, "")}) + dated


def events(
    session: Session, *, limit: int, after: tuple[float, str] = START
) -> list[dict[str, Any]]:
    """Unfinished events in the order of the list, at most `limit`: key, status, reason, times.

    Args:
        session: of the stage.
        limit: of the events returned.
        after: ``due_epoch`` and ``event`` of the last one of the page before; what a worker has is due
            at 0.
    """
    found: dict[str, StrandedEvent] = {}
    due, key = after
    if not due:
        found = {one.key: one for one in _at_workers(session, key)}
    if len(found) < limit:
        dated = session.services.ledger.stranded(limit=limit, after=after if due else START)
        found |= {one.key: one for one in dated}
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
        for one in sorted(found.values(), key=lambda one: (one.due_epoch, one.key))[:limit]
    ]


def _at_workers(session: Session, after: str) -> Iterator[StrandedEvent]:
    """What a worker has, by key, from a key on."""
    keys = [key for key in unfinished_keys.read(session).undated if key > after]
    yield from session.services.ledger.at_workers(keys)
