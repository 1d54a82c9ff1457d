"""Brings a stage back after its ledger was restored from a backup, without repeating effects.

The restored ledger lacks the effects since the backup, so they would be done again.  First the
stage enters shadow mode.  Then the audit trail's finished actions are written back, and the sweep
queues lost events.  Only then does the stage leave shadow mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.once.journal import is_entry
from chalicelib.once.ledger.restored import SUCCESS, Restored
from chalicelib.shared import new_owner
from ops.session import EXIT_UNUSABLE, OpsError, Session
from ops.stage import switches

PAGE = 100
SEEN_BY_ALL_SECONDS = 45.0
"""The time until every container knows a switch: the cache's 30 seconds, and time for a call to end."""
MARGIN = timedelta(minutes=15)
"""How long before the backup the audit trail is read: clocks differ, and a call takes time."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The counts of actions found in the audit trail.

    Attributes:
        read: finished actions since the backup.
        written: of those, the number missing in the ledger.
    """

    read: int
    written: int


def enter_shadow(session: Session) -> None:
    """Stop every effect by shadow mode, and wait until every container knows."""
    if switches.read(session)["shadow_mode"] != "true":
        switches.write(session, "shadow_mode", "true")
    session.services.clock.sleep(SEEN_BY_ALL_SECONDS)


def remember(session: Session, backup: str, *, dry_run: bool = False) -> Remembered:
    """Write back the rows of actions that the audit trail shows as done since the backup.

    Args:
        session: the stage.
        backup: ISO time of the backup.
        dry_run: only count.

    Raises:
        OpsError: the stage is not in shadow.
    """
    if switches.read(session)["shadow_mode"] != "true":
        raise OpsError("not in shadow mode: python -m ops switch set shadow_mode true")
    services = session.services
    days = timedelta(days=services.settings.ledger_retention_days)
    ledger = Restored(
        table=session.ledger_table, clock=services.clock, new_owner=new_owner, retention=days
    )
    read = written = 0
    for row in finished_effects(session, margin_before(backup)):
        read += 1
        key = str(row["idempotency_key"])
        if dry_run:
            stored = session.ledger_table.get({"event_id": key})
            written += stored is None or stored["status"] != "done"
        else:
            written += ledger.remember(
                key,
                conversation_id=str(row["conversation_id"]),
                action_type=str(row["action_type"]),
                at=str(row["ts_action_id"]).partition("#")[0],
            )
    return Remembered(read, written)


def margin_before(backup: str) -> str:
    """The backup's time less a margin, as ISO; before everything that the backup may lack."""
    at = parsed(backup)
    if at is None:
        raise OpsError(f"{backup} is not a time", code=EXIT_UNUSABLE)
    return iso(at - MARGIN)


def finished_effects(session: Session, at: str) -> Iterator[Mapping[str, Any]]:
    """Yield the audit rows of effects that succeeded since a time; scans the whole trail."""
    start = None
    while True:
        page, start = session.audit_table.scan_page(limit=PAGE, start=start)
        for row in page:
            is_done = str(row.get("result", "")).partition(":")[0] == SUCCESS
            if not is_entry(row) and is_done and str(row["ts_action_id"]) >= at:
                yield row
        if start is None:
            return


def reasons_not_ready(session: Session) -> list[str]:
    """Why the stage may not be released yet; empty if it may."""
    found = []
    if switches.read(session)["shadow_mode"] != "true":
        found.append("shadow_mode is not on: there is nothing to release")
    last = session.services.sweeps.last()
    if last is None or last["summary"]["listing"] != "complete" or last["summary"]["problems"]:
        found.append("the last sweep was not complete: python -m ops reconcile --since <backup>")
    elif last["summary"]["requeued"]:
        found.append("the last sweep still queued events: run it again when they have ended")
    waiting = session.services.ledger.stranded(limit=1)
    if waiting:
        found.append("events are unfinished: python -m ops unfinished")
    return found
