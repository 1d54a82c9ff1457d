"""The actions of an event's stored plan, built as its worker builds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.errors import MiddlewareError, SwitchesUnreadableError
from chalicelib.once import keys
from chalicelib.once.effect import Effect
from chalicelib.once.escalation import EARLIER
from chalicelib.once.flow import Event
from chalicelib.once.lanes import TICKETS
from chalicelib.once.ledger import rows
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach.messages.plan import FLOW as OUTREACH
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.sending import effects as outreach_actions
from chalicelib.outreach.sending.effects import SendData
from ops.inspect.ledger_rows import job_of
from ops.repair import preview
from ops.session import OpsError, Session


def actions(session: Session, row: Mapping[str, Any]) -> list[Effect]:
    """The planned actions; empty if there is no plan or this version cannot read it.

    Outreach's are built without its flow, which would read the conversation first.
    """
    if "plan" not in row:
        return []
    try:
        plan = Plan.decode(row["plan"])
        if plan.flow == OUTREACH:
            suffix = keys.suffix_of(row["event_id"], row.get("source_message_id"))
            sending = SendData(message=MessagePlan.of(plan))
            return [
                outreach_actions.build(
                    one, conversation_id=row["conversation_id"], suffix=suffix, sending=sending
                )
                for one in plan.actions
            ]
        flow = session.services.worker.handlers.flows[job_of(session, row).kind]
        event = Event(rows.event(dict(row)), None)
        return [flow.build(one, event, plan) for one in plan.actions]
    except (ValueError, KeyError, AttributeError, TypeError, OpsError, MiddlewareError):
        return []


def would_do(session: Session, row: Mapping[str, Any]) -> list[preview.Foreseen]:
    """What running an event again would do now, a hand-off that an earlier run has begun included."""
    planned = actions(session, row)
    handoff = _handoff(session, row, [one.key for one in planned])
    stored = _rows(session, [one.key for one in (*planned, *handoff)])
    now = switches(session)
    found = preview.of_event(
        row,
        planned,
        stored,
        now,
        now_epoch=session.services.clock.now().timestamp(),
    )
    if found[0].key == row["event_id"] and found[0].would == preview.STAYS:
        return found
    for action in handoff:
        found += preview.of_handoff(action, stored.get(action.key), tuple(found), now)
    return found


def switches(session: Session) -> Switches | None:
    """The switches as they are now; None where they cannot be read."""
    try:
        return session.services.switches.current()
    except SwitchesUnreadableError:
        return None


def _handoff(session: Session, row: Mapping[str, Any], keys_of: Sequence[str]) -> list[Effect]:
    """The hand-off that an earlier run may have begun, unless the plan has it."""
    if row.get("attempts", 0) == 0:
        return []
    try:
        job = job_of(session, row)
        flow = session.services.worker.handlers.flows[job.kind]
        is_outreach = job.lane != TICKETS
        if is_outreach and session.services.outreach.desk.show(row["conversation_id"]) is None:
            return []  # nothing to hand off: the flow would free the start that never opened it
        action = flow.escalation(Event(rows.event(dict(row)), None), EARLIER)
    except (ValueError, KeyError, AttributeError, TypeError, OpsError, MiddlewareError):
        return []
    return [] if action is None or action.key in keys_of else [action]


def _rows(session: Session, wanted: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    found = session.ledger_table.get_all(
        [{"event_id": key} for key in dict.fromkeys(wanted)],
        attributes=["event_id", "status", "reason", "started"],
    )
    return {str(one["event_id"]): one for one in found}
