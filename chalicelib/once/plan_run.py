"""Runs a claimed event's plan: decide and store, act step by step, audit, conclude, end.

::

    (flow.plan -> store) -> effects step by step -> audit -> flow.conclude -> finish

Every write repeats harmlessly: an event that is claimed again resumes its stored plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.clock import parsed
from chalicelib.once.action import ActionRow
from chalicelib.once.audit import Audit
from chalicelib.once.effect import Effect
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.escalation import Escalation
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.outcome import audit_rows, event_end, unknown_keys
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Runtime, Switches
from chalicelib.once.reasons import PLAN_NOT_KNOWN_HERE


class _UnreadablePlan(Exception):  # noqa: N818 - leads to parking, not to a fault
    """A stored plan of another version names a kind of action unknown to this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRun:
    """Runs the plan of a claimed event: makes or reads it, performs it, and writes the event's end."""

    ledger: Ledger
    audit: Audit
    effects: Effects
    escalation: Escalation
    runtime: Runtime

    def run(self, flow: Flow, event: Event, lease: Lease, *, operator: bool) -> None:
        """Run the plan of a claimed event until the event ends or is parked.

        Raises:
            NotYet: it is not the time for the event.
            MiddlewareError: the event has not ended, and is tried again.
        """
        switches = self.runtime.switches.current()
        try:
            plan = self._plan(flow, event, lease, switches, operator=operator)
            steps = _steps(flow, plan, event)
        except NotAnEvent as end:
            self._end_early(flow, event, Attempt(lease, switches.modes), end)
            return
        except _UnreadablePlan:
            self._park(lease, PLAN_NOT_KNOWN_HERE, {})
            return
        attempt = Attempt(lease, switches.modes, operator=operator, decided=switches)
        rows: dict[str, ActionRow] = {}
        for step in steps:
            rows |= self.effects.perform(attempt, step, rows)
        built = [item.action for step in steps for item in step]
        self._finish(flow, event, lease, plan, built, rows, attempt)

    def _plan(
        self, flow: Flow, event: Event, lease: Lease, switches: Switches, *, operator: bool
    ) -> Plan:
        """The event's stored plan, checked again; or a new one, which is stored before anything starts.

        Raises:
            NotAnEvent: the event needs no action.
        """
        if lease.plan is not None:
            plan = _stored_plan(lease.plan)
            if plan.lacks is None or not operator:
                flow.recheck(event, plan, switches)
                return plan
        plan = flow.plan(event, switches)
        self.ledger.store_plan(
            lease, plan.packed(), intent=plan.facts.get("intent"), modes=switches.modes
        )
        return plan

    def _end_early(self, flow: Flow, event: Event, attempt: Attempt, end: NotAnEvent) -> None:
        """End an event that needs no action; an escalation that an earlier run started is finished first.

        The event is parked instead if the outcome of that escalation is unknown.  An event that ends as
        failed ends at once.
        """
        if end.status != EventStatus.FAILED:
            asked = self.escalation.finish_earlier(flow, event, attempt, {})
            status, reason = event_end(asked)
            if status == EventStatus.PARKED:
                self._park(attempt.lease, reason, asked)
                return
        self.ledger.finish(attempt.lease, end.status, reason=end.reason)
        self.runtime.log.event(
            "worker.skipped", reason=end.reason, mw_trace_id=event.facts.trace_id
        )

    def _park(self, lease: Lease, reason: str | None, rows: Mapping[str, ActionRow]) -> None:
        waits_for = unknown_keys(rows)
        self.ledger.finish(lease, EventStatus.PARKED, reason=reason, waits_for=waits_for)
        self.runtime.log.event("worker.parked", reason=reason)
        self.runtime.log.metric("mw.worker.events", outcome="parked")

    def _finish(
        self,
        flow: Flow,
        event: Event,
        lease: Lease,
        plan: Plan,
        built: Sequence[Effect],
        rows: dict[str, ActionRow],
        attempt: Attempt,
    ) -> None:
        status, reason = event_end(rows)
        if status == EventStatus.FAILED:
            rows |= self.escalation.escalate_refused(flow, event, attempt, rows)
            waits_for: list[str] = []
        else:
            judged = rows | self.escalation.finish_earlier(flow, event, attempt, rows)
            status, reason = event_end(judged)
            waits_for = unknown_keys(judged)
            if plan.lacks is not None and status == EventStatus.PROCESSED:
                status, reason = EventStatus.FAILED, plan.lacks
        at = _vendor(built, waits_for)
        self.audit.write(audit_rows(built, rows))
        if not flow.conclude(lease, event, plan, rows):
            self.runtime.log.event("worker.state_superseded", mw_trace_id=event.facts.trace_id)
        self.ledger.finish(lease, status, reason=reason, waits_for=waits_for, at_vendor=at)
        self.runtime.log.event(
            f"worker.{status.value}",
            reason=reason,
            attempt=lease.attempts,
            intent=plan.facts.get("intent"),
            mw_trace_id=event.facts.trace_id,
        )
        self.runtime.log.metric("mw.worker.events", outcome=status.value)
        received = parsed(event.facts.received_at)
        if received is not None:
            waited = self.runtime.clock.now() - received
            self.runtime.log.metric("mw.worker.lag_ms", round(waited.total_seconds() * 1000))


def _vendor(built: Sequence[Effect], unknown: Sequence[str]) -> str:
    """The vendor of the first planned action whose outcome is unknown; empty where there is none."""
    return next((effect.kind.vendor for effect in built if effect.key in unknown), "")


def _stored_plan(text: str) -> Plan:
    try:
        return Plan.decode(text)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise _UnreadablePlan from None


def step_actions(plan: Plan, built: Sequence[Effect]) -> list[list[StepAction]]:
    """The built effects of a plan, step by step, each with the keys of the actions it depends on."""
    keys = [action.key for action in built]
    numbered = iter(zip(plan.actions, built, strict=True))
    return [
        [
            StepAction(action, tuple(keys[n] for n in planned.depends_on), planned.already)
            for planned, action in (next(numbered) for _ in step)
        ]
        for step in plan.steps
    ]


def _steps(flow: Flow, plan: Plan, event: Event) -> list[list[StepAction]]:
    try:
        return step_actions(plan, [flow.build(planned, event, plan) for planned in plan.actions])
    except (KeyError, IndexError):
        raise _UnreadablePlan from None
