"""Replays events under the same keys, which is safe; resends one action under a new key, which acts.

A replay reopens skipped, refused and failed actions and repeats none that is done.  A resend
performs an action once more at an operator's request: its key ends in ``:resend:{nonce}``, and the
audit trail records it like any action.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.action import ActionStatus
from chalicelib.once.job import ActionResend, Recovery
from chalicelib.once.ledger import rows
from ops.inspect.events import Pace, job_of
from ops.session import OpsError, Session

_MAY_RESEND = {ActionStatus.DONE, ActionStatus.ABANDONED}


def replay(
    session: Session, found: Iterable[Mapping[str, Any]], *, per_second: float
) -> Iterator[str]:
    """Put events on the queue again at a limited rate; yields their keys."""
    pace = Pace(session.services.clock, per_second)
    for row in found:
        pace.wait()
        session.services.intake.accept(job_of(session, row), recovery=Recovery.OPERATOR)
        yield str(row["event_id"])


def resend(session: Session, action_key: str, nonce: str) -> ActionResend:
    """Perform a finished action once more; the same nonce does so only once.

    Raises:
        OpsError: there is no such action, it is not finished, or its event cannot be rebuilt.
    """
    row = session.row(action_key)
    if row["status"] not in _MAY_RESEND:
        raise OpsError(
            f"{action_key} is {row['status']}: replay its event, or settle it; only a finished"
            " action can be resent"
        )
    source = session.row(row["event_key"])
    job = job_of(session, source)
    if "plan" not in source or job.kind != "ticket_message":
        raise OpsError(f"{action_key} cannot be resent: its event has no plan of its own")
    services = session.services
    facts = rows.event(dict(source))
    again = ActionResend(
        event_key=f"{facts.event_key}{keys.RESEND}{nonce}",
        conversation_id=facts.conversation_id,
        received_at=iso(services.clock.now()),
        source="operator",
        trace_id=facts.trace_id or nonce,
        source_event_key=facts.event_key,
        action_key=action_key,
        nonce=nonce,
    )
    services.intake.accept(again, recovery=Recovery.OPERATOR)
    return again
