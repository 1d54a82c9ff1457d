"""Settles an action whose outcome is unknown: by asking the vendor, or as an operator decides.

An operator's decision and its journal entry are one transaction.  The row keeps the attempt that
was decided on.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery
from chalicelib.once.ledger import rows
from ops import journal
from ops.inspect.explain import plain_words
from ops.inspect.ledger_rows import job_of
from ops.session import OvertakenError, Session, TooEarlyError

OUTCOMES = {
    "done": ActionStatus.DONE,
    "not-done": ActionStatus.PENDING,
    "abandon": ActionStatus.ABANDONED,
}
_PHONE_SHOWN = 4


def unsettled(
    session: Session, *, limit: int, after: tuple[float, str] | None = None
) -> list[UnsettledAction]:
    """Actions of unknown outcome, the longest due first; `after` is (due epoch, key) of the last seen."""
    return list(session.services.ledger.unsettled(limit=limit, after=after))


def ask(session: Session, action_key: str) -> dict[str, Any]:
    """Ask the vendor whether the effect happened; settles nothing."""
    settled = session.services.settlement.judge(_unknown(session, action_key))
    return {"action": action_key, "verdict": settled.verdict.value, "saw": settled.saw}


def at_stake(session: Session, action_key: str) -> dict[str, Any]:
    """The facts that an operator must see before settling: recipient, age, the vendor's last answer."""
    action = _unknown(session, action_key)
    now = session.services.clock.now().timestamp()
    looked = f"{int((now - action.looked_epoch) / 60)} minutes ago" if action.looks else "never"
    return {
        "action": action_key,
        "kind": action.kind,
        "to": recipient(session, action.conversation_id),
        "company": company(session, action.conversation_id),
        "started": f"{int((now - action.started_epoch) / 60)} minutes ago",
        "may still arrive": f"until {_lands_until(action)}" if now < action.horizon_epoch else "no",
        "looks that showed nothing": action.looks,
        "last look": looked,
        "why unknown": plain_words.reason(action.reason or ""),
    }


def recipient(session: Session, conversation_id: str) -> str:
    """The recipient of a conversation, masked, with the channel; for a ticket its id."""
    record = session.services.outreach.desk.show(conversation_id)
    if record is None:
        return f"ticket {conversation_id}"
    name, at, domain = record.primary_channel.partition("@")
    masked = f"{name[:1]}***@{domain}" if at else f"***{name[-_PHONE_SHOWN:]}"
    return f"{masked} by {record.channel.value}"


def company(session: Session, conversation_id: str) -> str:
    """The company of a conversation, for display; a ticket's is "the stage's own"."""
    return company_id(session, conversation_id) or "the stage's own"


def company_id(session: Session, conversation_id: str) -> str:
    """The company id of a conversation; empty for a ticket."""
    record = session.services.outreach.desk.show(conversation_id)
    return record.company_id if record else ""


def settle(
    session: Session,
    action_key: str,
    outcome: str,
    *,
    ref: str | None,
    because: str = "",
    seen_start: int | None = None,
    once: str = "",
    force: bool = False,
) -> dict[str, Any]:
    """Settle an action as the operator decides, and resume its event if it is parked.

    Args:
        session: the stage.
        action_key: the action.
        outcome: one of `OUTCOMES`.
        ref: the vendor's id of the effect, if known.
        because: why, for the journal.
        seen_start: the start of the attempt that the operator saw, in epoch seconds; a newer
            attempt is refused.  None for the newest.
        once: the id of the submitted form, so that it counts once.
        force: settle as not done although the request may still arrive; needs a reason.

    Raises:
        OvertakenError: the outcome is no longer unknown, or the attempt is a newer one.
        TooEarlyError: the request may still arrive, so that the effect could happen twice.
    """
    action = _unknown(session, action_key)
    if seen_start not in (None, int(action.started_epoch)):
        raise OvertakenError(f"{action_key} was attempted once more meanwhile")
    status = OUTCOMES[outcome]
    if status == ActionStatus.PENDING and not (force and because.strip()):
        _refuse_too_early(session, action)
    row = session.row(action_key)
    act = journal.act(
        session,
        "settle",
        action_key,
        result=outcome,
        row=row,
        reason=because,
        once=once,
        ref=ref,
    )
    is_settled = session.services.ledger.settle(
        action,
        status,
        ref=ref,
        reason=f"operator:{outcome}",
        entry=journal.writes(session, act),
    )
    if not is_settled:
        raise OvertakenError(f"{action_key} was settled by someone else meanwhile")
    event = session.row(action.event_key)
    resumes = event["status"] == EventStatus.PARKED
    if resumes:
        session.services.intake.accept(job_of(session, event), recovery=Recovery.SETTLED)
    return {"action": action_key, "status": status.value, "event_goes_on": resumes}


def _refuse_too_early(session: Session, action: UnsettledAction) -> None:
    """Refuse to repeat an effect while its first request may still arrive."""
    if session.services.clock.now().timestamp() < action.horizon_epoch:
        until = _lands_until(action)
        raise TooEarlyError(
            f"its request may still arrive until {until}: wait until then;"
            " --force with a --reason settles it now",
            until=until,
        )


def _lands_until(action: UnsettledAction) -> str:
    """The ISO time until which the request may take effect, or words if the row lacks it."""
    if math.isinf(action.horizon_epoch):
        return "a time that is not known"
    return iso(datetime.fromtimestamp(action.horizon_epoch, UTC))


def _unknown(session: Session, action_key: str) -> UnsettledAction:
    row = session.row(action_key)
    if row["status"] != ActionStatus.UNKNOWN:
        raise OvertakenError(f"{action_key} is {row['status']}: there is nothing to settle")
    return rows.unsettled(dict(row))
