"""What became of an action whose outcome is not known: asked of the vendor, or said by a person."""

from __future__ import annotations

from typing import Any

from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery
from chalicelib.once.ledger import rows
from ops.inspect.events import job_of
from ops.session import OpsError, Session

SAID = {
    "done": ActionStatus.DONE,
    "not-done": ActionStatus.PENDING,
    "abandon": ActionStatus.ABANDONED,
}


def unsettled(session: Session, *, limit: int) -> list[UnsettledAction]:
    """Actions whose outcome is not known, oldest first."""
    return list(session.services.ledger.unsettled(limit=limit))


def ask(session: Session, action_key: str) -> dict[str, Any]:
    """What the vendor shows; writes nothing but what it saw."""
    settled = session.services.settlement.judge(_unknown(session, action_key))
    return {"action": action_key, "verdict": settled.verdict.value, "saw": settled.saw}


def say(session: Session, action_key: str, outcome: str, *, ref: str | None) -> dict[str, Any]:
    """Settle it as a person says, and let its event go on."""
    action = _unknown(session, action_key)
    status = SAID[outcome]
    if not session.services.ledger.settle(action, status, ref=ref, reason=f"operator:{outcome}"):
        raise OpsError(f"{action_key} was settled by somebody else meanwhile")
    event = session.row(action.event_key)
    goes_on = event["status"] == EventStatus.PARKED
    if goes_on:
        session.services.intake.accept(job_of(session, event), recovery=Recovery.SETTLED)
    return {"action": action_key, "status": status.value, "event_goes_on": goes_on}


def _unknown(session: Session, action_key: str) -> UnsettledAction:
    row = session.row(action_key)
    if row["status"] != ActionStatus.UNKNOWN:
        raise OpsError(f"{action_key} is {row['status']}, so there is nothing to settle")
    return rows.unsettled(dict(row))
