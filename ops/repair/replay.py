"""Replays events under their own keys, which repeats no effect; resends one action under a new key.

A replay reopens skipped, refused and failed actions and repeats none that is done.  A resend
performs an action once more at an operator's request: its key ends in ``:resend:{nonce}``, and the
audit trail records it like any action.  The journal first records who asks.  For an ended event,
that entry and a mark on the row are one transaction; the sweep follows the mark if the message is
lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.action import ActionStatus
from chalicelib.once.effect import Effect
from chalicelib.once.job import ActionResend, Recovery
from chalicelib.once.ledger import rows
from chalicelib.once.store import Item
from ops import journal
from ops.inspect import planned
from ops.inspect.ledger_rows import LoopPace, job_of
from ops.repair import preview
from ops.session import OpsError, OvertakenError, Session

_MAY_RESEND = {ActionStatus.DONE, ActionStatus.ABANDONED}


def replay(
    session: Session,
    found: Iterable[Mapping[str, Any]],
    *,
    per_second: float,
    because: str = "",
    once: str = "",
) -> Iterator[str]:
    """Put events on the queue again at a limited rate; yield their keys.

    Raises:
        OvertakenError: the form with the id `once` was already submitted.
    """
    pace = LoopPace(session.services.clock, per_second)
    for row in found:
        pace.wait()
        job = job_of(session, row)
        record_request(session, "replay", row, because=because, once=once)
        session.services.intake.accept(job, recovery=Recovery.OPERATOR)
        yield str(row["event_id"])


def record_request(
    session: Session,
    what: str,
    row: Mapping[str, Any],
    *,
    because: str,
    once: str = "",
    **evidence: str,
) -> None:
    """Enter in the journal who wants an event run again; mark the row of an ended event.

    Raises:
        OvertakenError: the form with the id `once` was already submitted.
    """
    key = str(row["event_id"])
    act = journal.act(session, what, key, row=row, reason=because, once=once, **evidence)
    entry = journal.writes(session, act)
    if session.services.ledger.ask_again(key, entry=entry):
        return
    if not session.services.journal.enter(act) and once:
        raise OvertakenError(journal.SENT)


def resend(session: Session, action_key: str, nonce: str, *, because: str = "") -> ActionResend:
    """Perform a finished action once more; the same nonce does so only once.

    Raises:
        OpsError: the action does not exist or is not finished, or its event cannot be rebuilt.
    """
    row, source, _ = _resendable(session, action_key)
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
    journal.enter(
        session, "resend", action_key, row=row, reason=because, nonce=nonce, event=again.event_key
    )
    services.intake.accept(again, recovery=Recovery.OPERATOR)
    return again


def resend_would_do(
    session: Session, action_key: str, nonce: str | None = None
) -> list[preview.Foreseen]:
    """Predict what a resend would do now; arguments and errors as `resend`, None for a new nonce."""
    _, source, action = _resendable(session, action_key)
    again = f"{source['event_id']}{keys.RESEND}{nonce}"
    if nonce and session.ledger_table.get({"event_id": again}) is not None:
        return [preview.Foreseen(action_key, preview.DONE, "that nonce was used before")]
    return preview.of_resend(action, planned.switches(session))


def _resendable(session: Session, action_key: str) -> tuple[Item, Item, Effect]:
    """The rows of a finished action and of its event, and the planned action."""
    row = dict(session.row(action_key))
    if row["status"] not in _MAY_RESEND:
        raise OpsError(
            f"{action_key} is {row['status']}: replay its event, or settle it; only a finished"
            " action can be resent"
        )
    source = dict(session.row(row["event_key"]))
    if "plan" not in source or job_of(session, source).kind != "ticket_message":
        raise OpsError(f"{action_key} cannot be resent: its event has no plan of its own")
    for action in planned.actions(session, source):
        if action.key == action_key:
            return row, source, action
    raise OpsError(f"{action_key} cannot be resent: it is not in its event's plan")
