"""One finished action done once more because a person asked: a nonce marks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chalicelib.once import keys
from chalicelib.once.action import Action, ActionRow
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent
from chalicelib.once.job import ActionResend, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.once.recovery.rebuild import Rebuilder, rebuilt


@dataclass(frozen=True, slots=True)
class Again:
    """What is done once more.

    Attributes:
        source: the event that did it, as its own flow reads it.
        plan: what that event had decided.
        flow: whose event it is.
    """

    job: ActionResend
    source: Event
    plan: Plan
    flow: Flow


class ResendFlow(Flow):
    """`flows.Flow` for resends; builds with the flow of the event whose action it repeats."""

    def __init__(
        self, ledger: Ledger, flows: Mapping[str, Flow], rebuilders: Mapping[str, Rebuilder]
    ) -> None:
        self._ledger = ledger
        self._flows = flows
        self._rebuilders = rebuilders

    def events(self, job: ActionResend) -> Sequence[Event]:
        """See `flows.Flow.events`."""
        stored = self._ledger.stored(job.source_event_key)
        source_job = rebuilt(self._rebuilders, stored.event) if stored else None
        if stored is None or stored.plan is None or source_job is None:
            raise NotAnEvent(EventStatus.FAILED, "source_event_gone")
        flow = self._flows[source_job.kind]
        found = [one for one in flow.events(source_job) if one.facts == stored.event]
        if not found:
            raise NotAnEvent(EventStatus.FAILED, "source_event_not_rebuilt")
        return [Event(facts_of(job), Again(job, found[0], Plan.decode(stored.plan), flow))]

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        del switches
        again: Again = event.subject
        for planned in again.plan.actions:
            built = again.flow.build(planned, again.source, again.plan)
            if built.key == again.job.action_key:
                once = PlannedAction(planned.kind, planned.arg)
                facts = {**again.plan.facts, "resend_of": again.job.source_event_key}
                return Plan(flow="resend", steps=((once,),), facts=facts)
        raise NotAnEvent(EventStatus.FAILED, "action_not_in_plan")

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        """See `flows.Flow.build`."""
        del plan
        again: Again = event.subject
        marked = replace(again.source, nonce=again.job.nonce)
        return again.flow.build(planned, marked, again.plan)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `flows.Flow.conclude`: nothing is learnt from doing a thing again."""
        del lease, event, plan, rows
        return True

    def escalation(self, event: Event, reason: str) -> Action | None:
        """See `flow.Flow.escalation`: as the flow of the repeated action does it."""
        source_key = event.facts.event_key.rpartition(keys.RESEND)[0]
        stored = self._ledger.stored(source_key)
        source_job = rebuilt(self._rebuilders, stored.event) if stored else None
        if source_job is None:
            return None
        return self._flows[source_job.kind].escalation(Event(event.facts, None), reason)
