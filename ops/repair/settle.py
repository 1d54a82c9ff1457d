"""Settles an action whose outcome is unknown: by asking the vendor, or as an operator decides."""

from __future__ import annotations

from typing import Any

from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery
from chalicelib.once.ledger import rows
from ops.inspect.events import job_of
from ops.session import OpsError, Session

OUTCOMES = {
    "done": ActionStatus.DONE,
    "not-done": ActionStatus.PENDING,
    "abandon": ActionStatus.ABANDONED,
}


def unsettled(session: Session, *, limit: int) -> list[UnsettledAction]:
    """Actions whose outcome is unknown, oldest first."""
    return list(session.services.ledger.unsettled(limit=limit))


def ask(session: Session, action_key: str) -> dict[str, Any]:
    """Ask the vendor whether the effect happened; the action itself is not settled."""
    settled = session.services.settlement.judge(_unknown(session, action_key))
    return {"action": action_key, "verdict": settled.verdict.value, "saw": settled.saw}


def settle(session: Session, action_key: str, outcome: str, *, ref: str | None) -> dict[str, Any]:
    """Settle an action as the operator decides, and resume its event if that is parked."""
    action = _unknown(session, action_key)
    status = OUTCOMES[outcome]
    if not session.services.ledger.settle(action, status, ref=ref, reason=f"operator:{outcome}"):
        raise OpsError(f"{action_key} was settled by someone else meanwhile")
    event = session.row(action.event_key)
    resumes = event["status"] == EventStatus.PARKED
    if resumes:
        session.services.intake.accept(job_of(session, event), recovery=Recovery.SETTLED)
    return {"action": action_key, "status": status.value, "event_goes_on": resumes}


def _unknown(session: Session, action_key: str) -> UnsettledAction:
    row = session.row(action_key)
    if row["status"] != ActionStatus.UNKNOWN:
        raise OpsError(f"{action_key} is {row['status']}: there is nothing to settle")
    return rows.unsettled(dict(row))
