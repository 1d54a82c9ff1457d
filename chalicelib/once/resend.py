"""Repeats one finished action for an operator; a nonce makes its keys distinct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chalicelib.once import keys, reasons
from chalicelib.once.action import ActionRow
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent
from chalicelib.once.job import ActionResend, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.once.recovery.rebuilders import Rebuilder, rebuilt


@dataclass(frozen=True, slots=True)
class RepeatedAction:
    """An action to repeat for an operator, with the event and the plan that performed it first.

    Attributes:
        source: the event that performed it first, read again by its own flow.
        plan: the stored plan of that event.
        flow: the flow of that event.
    """

    job: ActionResend
    source: Event
    plan: Plan
    flow: Flow


class ResendFlow(Flow):
    """The flow of resends: it repeats an action, which the flow that performed it first builds."""

    def __init__(
        self, ledger: Ledger, flows: Mapping[str, Flow], rebuilders: Mapping[str, Rebuilder]
    ) -> None:
        self._ledger = ledger
        self._flows = flows
        self._rebuilders = rebuilders

    def events(self, job: ActionResend) -> Sequence[Event]:
        """The one event of a resend, with the action to repeat read again from its source event's row.

        Raises:
            NotAnEvent: the source event is gone or cannot be read again.
        """
        stored = self._ledger.stored(job.source_event_key)
        source_job = rebuilt(self._rebuilders, stored.event) if stored else None
        if stored is None or stored.plan is None or source_job is None:
            raise NotAnEvent(EventStatus.FAILED, reasons.SOURCE_EVENT_GONE)
        flow = self._flows[source_job.kind]
        found = [event for event in flow.events(source_job) if event.facts == stored.event]
        if not found:
            raise NotAnEvent(EventStatus.FAILED, reasons.SOURCE_EVENT_NOT_REBUILT)
        return [Event(facts_of(job), RepeatedAction(job, found[0], Plan.decode(stored.plan), flow))]

    def plan(self, event: Event, switches: Switches) -> Plan:
        """A plan of the one action to repeat.

        Raises:
            NotAnEvent: the source event's plan does not contain the action.
        """
        del switches
        repeated: RepeatedAction = event.subject
        missing: str = reasons.ACTION_NOT_IN_PLAN
        for planned in repeated.plan.actions:
            try:
                built = repeated.flow.build(planned, repeated.source, repeated.plan)
            except KeyError:  # a kind that only another release knows
                missing = reasons.PLAN_NOT_KNOWN_HERE
                continue
            if built.key == repeated.job.action_key:
                once = PlannedAction(planned.kind, planned.arg)
                facts = {**repeated.plan.facts, "resend_of": repeated.job.source_event_key}
                return Plan(flow="resend", steps=((once,),), facts=facts)
        raise NotAnEvent(EventStatus.FAILED, missing)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """The effect that repeats the action, built by the action's own flow; its key ends in the nonce."""
        del plan
        repeated: RepeatedAction = event.subject
        marked = replace(repeated.source, nonce=repeated.job.nonce)
        return repeated.flow.build(planned, marked, repeated.plan)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Store nothing: a repetition changes no conversation's state."""
        del lease, event, plan, rows
        return True

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """The action that notifies a person of a failed resend, as the repeated action's flow names it.

        None where the source event is gone.
        """
        source_key = event.facts.event_key.rpartition(keys.RESEND)[0]
        stored = self._ledger.stored(source_key)
        source_job = rebuilt(self._rebuilders, stored.event) if stored else None
        if source_job is None:
            return None
        return self._flows[source_job.kind].escalation(Event(event.facts, None), reason)
