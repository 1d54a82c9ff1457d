"""Rows of table A as jobs again, one by one or by a paced scan; memory does not grow with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chalicelib.once.job import Job
from chalicelib.once.ledger import rows
from chalicelib.once.ports import Clock
from chalicelib.once.recovery.rebuild import rebuilt
from chalicelib.once.store import Item
from ops.session import OpsError, Session

PAGE = 500


def job_of(session: Session, row: Mapping[str, Any]) -> Job:
    """The job of a stored event."""
    job = rebuilt(session.services.rebuilders, rows.event(dict(row)))
    if job is None:
        raise OpsError(f"no job can be made of {row['event_id']}: its system does not rebuild")
    return job


def scan(
    session: Session,
    condition: str,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    *,
    after: str | None = None,
) -> Iterator[Item]:
    """Rows of table A that fulfil a filter expression, page by page, in the table's own order.

    Args:
        session: the stage.
        condition: the filter expression, its names and values without their colons.
        names: of attributes.
        values: plain ones.
        after: go on behind this key, which an earlier scan gave last.
    """
    start = None if after is None else {"event_id": {"S": after}}
    while True:
        found, start = session.ledger_table.scan_page(
            limit=PAGE,
            start=start,
            FilterExpression=condition,
            ExpressionAttributeNames=dict(names),
            values=dict(values),
        )
        yield from found
        if start is None:
            return


def events_of(
    session: Session,
    *,
    status: str,
    since: str,
    until: str,
    reason: str | None = None,
    after: str | None = None,
) -> Iterator[Item]:
    """Events that ended so, perhaps for a reason that begins so, received in a time, by a scan.

    Behind a key, where an earlier one ended.
    """
    return scan(
        session,
        "begins_with(#k, :evt) AND #s = :status AND #r BETWEEN :since AND :until"
        + (" AND begins_with(#reason, :reason)" if reason else ""),
        {"#k": "event_id", "#s": "status", "#r": "received_at"}
        | ({"#reason": "reason"} if reason else {}),
        {"evt": "evt:", "status": status, "since": since, "until": until}
        | ({"reason": reason} if reason else {}),
        after=after,
    )


class Pace:
    """So many a second, and no more."""

    def __init__(self, clock: Clock, per_second: float) -> None:
        self._clock = clock
        self._gap = 1.0 / per_second
        self._next = clock.monotonic()

    def wait(self) -> None:
        """Sleep until the next one may go."""
        now = self._clock.monotonic()
        if self._next > now:
            self._clock.sleep(self._next - now)
        self._next = max(self._next, now) + self._gap
