"""The actions of an event's stored plan, built as its worker builds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import MiddlewareError, SwitchesUnreadableError
from chalicelib.once import keys
from chalicelib.once.effect import Effect
from chalicelib.once.effects import StepAction
from chalicelib.once.escalation import EARLIER
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.lanes import TICKETS
from chalicelib.once.ledger import rows
from chalicelib.once.plan import Plan
from chalicelib.once.plan_run import step_actions
from chalicelib.once.ports import Switches
from chalicelib.outreach.messages.plan import FLOW as OUTREACH
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.sending import effects as outreach_actions
from chalicelib.outreach.sending.effects import SendData
from ops.inspect.ledger_rows import job_of
from ops.repair import preview
from ops.session import OpsError, Session


def actions(session: Session, row: Mapping[str, Any]) -> list[Effect]:
    """The planned actions; empty if there is no plan or this version cannot read it."""
    return [step_action.action for step in steps(session, row) or () for step_action in step]


def steps(session: Session, row: Mapping[str, Any]) -> list[list[StepAction]] | None:
    """The planned steps.

    Outreach's actions are built without its flow, which would read the conversation first.

    Returns:
        Empty if there is no plan, or it cannot be built here; None if a newer release made it, so
        that no worker of this release can read it.
    """
    if "plan" not in row:
        return []
    try:
        plan = Plan.decode(row["plan"])
        return step_actions(plan, _built(session, row, plan))
    except (ValueError, KeyError, IndexError):
        return None
    except (AttributeError, TypeError, OpsError, MiddlewareError, NotAnEvent):
        return []


def would_do(session: Session, row: Mapping[str, Any]) -> list[preview.Foreseen]:
    """What running an event again would do now, including a hand-off that an earlier run began."""
    return would_do_each(session, [row])[str(row["event_id"])]


def would_do_each(
    session: Session, events: Iterable[Mapping[str, Any]]
) -> dict[str, list[preview.Foreseen]]:
    """`would_do` for several events, by event key; the rows of all their actions are read at once."""
    built = [_Planned.of(session, row) for row in events]
    stored = _rows(session, [key for planned in built for key in planned.keys])
    now, epoch = switches(session), session.services.clock.now().timestamp()
    return {str(planned.row["event_id"]): planned.would_do(stored, now, epoch) for planned in built}


@dataclass(frozen=True, slots=True)
class _Planned:
    """The actions planned for one event.

    Attributes:
        steps: the result of `steps`; empty if the event will be planned again.
        handoff: the hand-off that an earlier run may have begun, or nothing.
    """

    row: Mapping[str, Any]
    steps: Sequence[Sequence[StepAction]] | None
    handoff: Sequence[Effect]

    @classmethod
    def of(cls, session: Session, row: Mapping[str, Any]) -> _Planned:
        planned = [] if _is_planned_again(row) else steps(session, row)
        known = [step_action.action.key for step in planned or () for step_action in step]
        return cls(row, planned, _handoff(session, row, known))

    @property
    def keys(self) -> list[str]:
        """The keys of every action."""
        planned = (step_action.action for step in self.steps or () for step_action in step)
        return [action.key for action in (*planned, *self.handoff)]

    def would_do(
        self, stored: Mapping[str, Mapping[str, Any]], now: Switches | None, epoch: float
    ) -> list[preview.Foreseen]:
        found = preview.of_event(self.row, self.steps, stored, now, now_epoch=epoch)
        if found[0].key == self.row["event_id"] and found[0].would == preview.STAYS:
            return found
        for action in self.handoff:
            found += preview.of_handoff(action, stored.get(action.key), tuple(found), now)
        return found


def switches(session: Session) -> Switches | None:
    """The current switches; None if they cannot be read."""
    try:
        return session.services.switches.current()
    except SwitchesUnreadableError:
        return None


def _built(session: Session, row: Mapping[str, Any], plan: Plan) -> list[Effect]:
    if plan.flow == OUTREACH:
        suffix = keys.suffix_of(row["event_id"], row.get("source_message_id"))
        sending = SendData(message=MessagePlan.of(plan))
        return [
            outreach_actions.build(
                action, conversation_id=row["conversation_id"], suffix=suffix, sending=sending
            )
            for action in plan.actions
        ]
    job = job_of(session, row)
    flow = session.services.worker.handlers.flows[job.kind]
    event = Event(rows.event(dict(row)), None)
    if job.lane == TICKETS:  # replies and closings are built from the flow's own event
        event = next(iter(flow.events(job)))
    return [flow.build(action, event, plan) for action in plan.actions]


def _is_planned_again(row: Mapping[str, Any]) -> bool:
    """Whether the event's plan is incomplete, so that an operator's job decides again."""
    try:
        return "plan" in row and Plan.decode(row["plan"]).lacks is not None
    except (ValueError, KeyError, IndexError, AttributeError, TypeError):
        return False


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
    return {str(row["event_id"]): row for row in found}
