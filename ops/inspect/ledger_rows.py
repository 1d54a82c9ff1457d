"""Rebuilds jobs from rows of table A, and scans the table page by page at a limited rate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chalicelib.once.job import Job
from chalicelib.once.ledger import rows
from chalicelib.once.ports import Clock
from chalicelib.once.recovery.rebuilders import rebuilt
from chalicelib.once.store import Item
from ops.session import OpsError, Session

PAGE = 500


def job_of(session: Session, row: Mapping[str, Any]) -> Job:
    """Rebuild the job of a stored event.

    Raises:
        OpsError: the row does not hold enough.
    """
    job = _rebuilt(session, row)
    if job is None:
        raise OpsError(
            f"{row['event_id']} cannot be rebuilt: its row does not hold enough, or its person was erased"
        )
    return job


def with_jobs(
    session: Session, found: Iterable[Mapping[str, Any]], left_out: list[str]
) -> Iterator[Mapping[str, Any]]:
    """The rows whose jobs can be rebuilt; the keys of the others are added to `left_out`."""
    for row in found:
        if can_run(session, row):
            yield row
        else:
            left_out.append(str(row["event_id"]))


def can_run(session: Session, row: Mapping[str, Any]) -> bool:
    """Whether the job of a stored event can be rebuilt."""
    return _rebuilt(session, row) is not None


def _rebuilt(session: Session, row: Mapping[str, Any]) -> Job | None:
    return rebuilt(session.services.rebuilders, rows.event(dict(row)))


def scan(
    session: Session,
    condition: str,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    *,
    after: str | None = None,
) -> Iterator[Item]:
    """Yield the rows of table A that match a filter expression, in the table's own order.

    Args:
        session: the stage.
        condition: the filter expression.
        names: placeholders of attribute names, with their ``#``.
        values: placeholders of plain values, without their colon.
        after: continue after this key, the last one of an earlier scan.
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
    """Scan for events of a status received in a period.

    Args:
        session: the stage.
        status: the status to match.
        since: received at this ISO time or later.
        until: received at this ISO time or earlier.
        reason: match only reasons with this prefix.
        after: continue after this key, the last one of an earlier scan.
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


class LoopPace:
    """Limits a loop to a rate per second."""

    def __init__(self, clock: Clock, per_second: float) -> None:
        self._clock = clock
        self._gap = 1.0 / per_second
        self._next = clock.monotonic()

    def wait(self) -> None:
        """Sleep until the next iteration is due."""
        now = self._clock.monotonic()
        if self._next > now:
            self._clock.sleep(self._next - now)
        self._next = max(self._next, now) + self._gap
