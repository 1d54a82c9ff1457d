"""Takes one message off the queue: claim the event, run its plan, finish it, or hand it back.

::

    delivery -> job -> flow.events -> for each event:
        claim -> (flow.plan -> store) -> effects step by step -> audit -> state -> finish

A message is acknowledged by returning and handed back by raising; nothing else ends it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chalicelib import trace
from chalicelib.actions import Action, AddTag
from chalicelib.clock import parsed
from chalicelib.effects import Attempt, Effects, StepAction
from chalicelib.errors import (
    BusyError,
    HandBackError,
    LeaseLostError,
    MiddlewareError,
    PayloadError,
    ProviderError,
    SwitchesUnreadableError,
    UnavailableError,
)
from chalicelib.flows import Escalates, Event, Flow, NotAnEvent, Watched, suffix
from chalicelib.jobs import Job, Recovery, decode, facts_of
from chalicelib.plans import Plan
from chalicelib.ports import (
    UNDECIDED,
    ActionRow,
    ActionStatus,
    AuditPort,
    AuditRow,
    Busy,
    Clock,
    Delivery,
    EventStatus,
    Finished,
    Lease,
    LedgerPort,
    Log,
    Modes,
    OutboxPort,
    Switches,
    SwitchesPort,
)

LEASE_GRACE_SECONDS = 130.0
"""Added to the function's time left: clock skew up to 120 s, and Lambda's late kill."""
BACKOFF_BASE_SECONDS = 4.0
BACKOFF_CAP_SECONDS = 900.0
"""Exponential with full jitter, for our own faults: a poison message ends within the hour."""
OUTAGE_WAITS_SECONDS = (10.0, 30.0, 120.0, 600.0, 900.0, 1200.0, 1500.0, 1500.0, 1500.0)
"""For what others must mend first: nine waits of 7,360 s in all, so that ten receives outlast an
outage of two hours; a quarter more by jitter, and never shorter than asked for."""
ATTENTION_TAG = "middleware_error_needs_attention"

_TAKEOVER: Mapping[Recovery | None, frozenset[EventStatus]] = {
    None: frozenset(),
    Recovery.SWEEP: frozenset(),
    Recovery.SETTLED: frozenset({EventStatus.PARKED}),
    Recovery.HANDOFF: frozenset({EventStatus.FAILED}),
    Recovery.OPERATOR: frozenset(
        {EventStatus.PARKED, EventStatus.FAILED, EventStatus.SKIPPED, EventStatus.PROCESSED}
    ),
}


_REOPENING = frozenset({Recovery.SETTLED, Recovery.OPERATOR})
"""Claims on purpose of what had ended: nobody left it behind."""


class _PlanNotKnownHere(Exception):  # noqa: N818 - leads to parking, not to a fault
    """A stored plan of another version names what this one does not have."""


class HandedBackError(MiddlewareError):
    """Raised to the queue so that the message stays; says why in one fixed word."""


@dataclass(frozen=True, slots=True)
class Worker:
    """Everything one delivery needs; built once per container."""

    ledger: LedgerPort
    audit: AuditPort
    switches: SwitchesPort
    effects: Effects
    outbox: OutboxPort
    flows: Mapping[str, Flow]
    clock: Clock
    log: Log
    keepers: Mapping[str, Callable[[Any], None]] = field(default_factory=dict)
    """Rooms for jobs that are only kept: idempotent writes under keys of their own, no vendor."""
    jitter: Callable[[], float] = random.random

    def process(self, delivery: Delivery) -> None:
        """Work on one message.

        Raises:
            HandedBackError: the message must stay on the queue; its visibility is set to the
                time after which another try makes sense.
        """
        try:
            job = decode(delivery.body)
        except (HandBackError, PayloadError) as error:
            self._undecodable(delivery, reason=str(error))
            raise HandedBackError("undecodable") from None
        with trace.within(**trace.of_event(facts_of(job)), sqs_message_id=delivery.message_id):
            try:
                self._run(job, delivery)
            except Exception as error:  # noqa: BLE001 - whatever fails, the message stays
                reason = _reason_of(error)[0]
                wait = self._wait(error, delivery.receive_count)
            else:
                return
            self._hand_back(job, delivery, error_reason=reason, delay_seconds=wait)
        raise HandedBackError(reason)

    # --- one job ------------------------------------------------------------------------------

    def _run(self, job: Job, delivery: Delivery) -> None:
        keep = self.keepers.get(job.kind)
        if keep is not None:
            keep(job)
            return
        if job.recovery == Recovery.HANDOFF:
            self._repeat_handoff(job, delivery)
            return
        flow = self.flows[job.kind]
        try:
            events = flow.events(job)
        except NotAnEvent as end:
            self._record_end(job, end.status, end.reason)
            return
        for event in events:
            with trace.within(**trace.of_event(event.facts)):
                self._run_event(flow, event, job, delivery)
        if flow.is_container(job):
            outcome = "resolved" if events else "nothing_new"
            self._record_end(job, EventStatus.PROCESSED, outcome)

    def _run_event(self, flow: Flow, event: Event, job: Job, delivery: Delivery) -> None:
        modes = self.switches.current().modes
        claimed = self.ledger.claim(
            event.facts,
            modes,
            lease_seconds=delivery.time_left_seconds + LEASE_GRACE_SECONDS,
            takeover=_TAKEOVER[job.recovery],
            last_chance=delivery.is_last,
            is_watched=isinstance(flow, Watched),
            by=delivery.message_id if job.recovery in _REOPENING else None,
        )
        match claimed:
            case Finished():
                self.log.event(
                    "worker.duplicate_event",
                    status=claimed.status.value,
                    reason=claimed.reason,
                    mw_trace_id=event.facts.trace_id,
                )
                self.log.metric("mw.worker.duplicates")
            case Busy():
                left = claimed.until_epoch - self.clock.now().timestamp()
                raise BusyError("busy", delay_seconds=max(1.0, left))
            case Lease():
                event = replace(event, facts=claimed.event)
                self._run_claimed(flow, event, claimed, modes, job, delivery)

    def _run_claimed(
        self, flow: Flow, event: Event, lease: Lease, modes: Modes, job: Job, delivery: Delivery
    ) -> None:
        self.log.event(
            "worker.job.start",
            attempt=lease.attempts,
            receive=delivery.receive_count,
            resumed=lease.plan is not None,
            mw_trace_id=event.facts.trace_id,
        )
        if lease.was_left and job.recovery not in _REOPENING:
            self.log.event("worker.lease_taken_over", attempt=lease.attempts)
            self.log.metric("mw.worker.lease_taken_over")
        try:
            self._run_plan(flow, event, lease, operator=job.recovery == Recovery.OPERATOR)
        except LeaseLostError:
            raise
        except Exception as error:
            reason = _reason_of(error)[0]
            if delivery.is_last:
                self._dead_letter(flow, lease, event, modes, reason)
            else:
                self.ledger.release(lease, reason=reason)
            raise

    def _run_plan(self, flow: Flow, event: Event, lease: Lease, *, operator: bool) -> None:
        switches = self.switches.current()
        try:
            plan = self._plan(flow, event, lease, switches)
            steps = _steps(flow, plan, event)
        except NotAnEvent as end:
            self.ledger.finish(lease, end.status, reason=end.reason)
            self.log.event("worker.skipped", reason=end.reason, mw_trace_id=event.facts.trace_id)
            return
        except _PlanNotKnownHere:
            self.ledger.finish(lease, EventStatus.PARKED, reason="plan_not_known_here")
            self.log.event("worker.parked", reason="plan_not_known_here")
            return
        attempt = Attempt(lease=lease, modes=switches.modes, operator=operator)
        rows: dict[str, ActionRow] = {}
        for step in steps:
            rows |= self.effects.perform(attempt, step, rows)
        built = [item.action for step in steps for item in step]
        self._finish(flow, event, lease, plan, built, rows, attempt)

    def _plan(self, flow: Flow, event: Event, lease: Lease, switches: Switches) -> Plan:
        """The stored plan, or a new one stored before anything starts."""
        if lease.plan is not None:
            return _stored_plan(lease.plan)
        plan = flow.plan(event, switches)
        self.ledger.store_plan(
            lease, plan.packed(), intent=plan.facts.get("intent"), modes=switches.modes
        )
        return plan

    def _finish(
        self,
        flow: Flow,
        event: Event,
        lease: Lease,
        plan: Plan,
        built: Sequence[Action],
        rows: dict[str, ActionRow],
        attempt: Attempt,
    ) -> None:
        status, reason = _outcome(rows)
        if status == EventStatus.FAILED:
            rows |= self._escalate(flow, event, attempt, built, rows)
        self.audit.write(_audit_rows(built, rows))
        if not flow.conclude(lease, event, plan, rows):
            self.log.event("worker.state_superseded", mw_trace_id=event.facts.trace_id)
        self.ledger.finish(lease, status, reason=reason)
        self.log.event(
            f"worker.{status.value}",
            reason=reason,
            attempt=lease.attempts,
            intent=plan.facts.get("intent"),
            mw_trace_id=event.facts.trace_id,
        )
        self.log.metric("mw.worker.events", outcome=status.value)
        received = parsed(event.facts.received_at)
        if received is not None:
            waited = self.clock.now() - received
            self.log.metric("mw.worker.lag_ms", round(waited.total_seconds() * 1000))

    def _escalate(
        self,
        flow: Flow,
        event: Event,
        attempt: Attempt,
        built: Sequence[Action],
        rows: Mapping[str, ActionRow],
    ) -> dict[str, ActionRow]:
        """Give the conversation to a person; a ticket that is gone cannot be given."""
        action = _escalation(flow, event, _outcome(rows)[1] or "")
        if action is None or action.key in rows:
            return {}
        if isinstance(action, AddTag) and not any(one.vendor == action.vendor for one in built):
            return {}
        escalated = self.effects.perform(attempt, [StepAction(action)], rows)
        self.audit.write(_audit_rows([action], escalated))
        return escalated

    # --- the end of the road ------------------------------------------------------------------

    def _dead_letter(
        self, flow: Flow, lease: Lease, event: Event, modes: Modes, reason: str
    ) -> None:
        """The queue's last receive has failed: say so on the row and ask a person."""
        is_told = True
        try:
            self._ask_a_person(flow, lease, event, modes, reason)
        except MiddlewareError as error:
            is_told = False
            self.log.event("worker.escalation_failed", reason=_reason_of(error)[0])
        self.ledger.finish(
            lease, EventStatus.FAILED, reason=f"dead_letter:{reason}", handoff_due=not is_told
        )

    def _repeat_handoff(self, job: Job, delivery: Delivery) -> None:
        """The event has failed and stays so; the person who was never told is told now."""
        modes = self.switches.current().modes
        claimed = self.ledger.claim(
            facts_of(job),
            modes,
            lease_seconds=delivery.time_left_seconds + LEASE_GRACE_SECONDS,
            takeover=_TAKEOVER[Recovery.HANDOFF],
            last_chance=delivery.is_last,
        )
        match claimed:
            case Finished():
                return
            case Busy():
                left = claimed.until_epoch - self.clock.now().timestamp()
                raise BusyError("busy", delay_seconds=max(1.0, left))
            case Lease():
                self._tell_at_last(self.flows[job.kind], claimed, modes)

    def _tell_at_last(self, flow: Flow, lease: Lease, modes: Modes) -> None:
        event = Event(lease.event, None)
        try:
            self._ask_a_person(flow, lease, event, modes, "repeated")
        except MiddlewareError:
            self.ledger.finish(lease, EventStatus.FAILED, handoff_due=True)
            raise
        self.ledger.finish(lease, EventStatus.FAILED)
        self.log.event("worker.handoff_repeated", mw_trace_id=event.facts.trace_id)

    def _ask_a_person(
        self, flow: Flow, lease: Lease, event: Event, modes: Modes, reason: str
    ) -> None:
        """Put the tag that a person looks for on the ticket, or do what the flow says."""
        action = _escalation(flow, event, f"dead_letter:{reason}")
        if action is None:
            return
        rows = self.effects.perform(Attempt(lease=lease, modes=modes), [StepAction(action)], {})
        self.audit.write(_audit_rows([action], rows))

    def _undecodable(self, delivery: Delivery, *, reason: str) -> None:
        self.log.event(
            "worker.body_parse_failed",
            reason=reason,
            receive=delivery.receive_count,
            sqs_message_id=delivery.message_id,
        )
        self.log.metric("mw.worker.undecodable")
        self._defer(delivery, max(1.0, self._backoff(delivery.receive_count)))

    def _record_end(self, job: Job, status: EventStatus, reason: str) -> None:
        try:
            modes = self.switches.current().modes
        except SwitchesUnreadableError:
            modes = UNDECIDED
        self.ledger.record(facts_of(job), modes, status, reason=reason)
        self.log.event(
            f"worker.notification.{status.value}", reason=reason, mw_trace_id=job.trace_id
        )

    def _hand_back(
        self, job: Job, delivery: Delivery, *, error_reason: str, delay_seconds: float
    ) -> None:
        """Set when the message comes again, and say why it stays."""
        name = "system.dlq.message_written" if delivery.is_last else "worker.handed_back"
        self.log.event(
            name, reason=error_reason, receive=delivery.receive_count, mw_trace_id=job.trace_id
        )
        self.log.metric("mw.worker.handed_back", reason=error_reason.partition(":")[0])
        if delivery.is_last:
            try:
                self._record_end(job, EventStatus.FAILED, f"dead_letter:{error_reason}")
            except MiddlewareError:
                self.log.event("worker.dead_letter_not_recorded")
        self._defer(delivery, max(1.0, delay_seconds))

    def _defer(self, delivery: Delivery, seconds: float) -> None:
        try:
            self.outbox.defer(delivery.receipt_handle, seconds)
        except MiddlewareError:
            self.log.event("worker.defer_failed", sqs_message_id=delivery.message_id)

    def _wait(self, error: Exception, receive_count: int) -> float:
        """How long the message stays away: as others need, or as a fault of ours deserves."""
        asked = _reason_of(error)[1]
        if isinstance(error, HandBackError) and asked is not None:
            return asked
        if isinstance(error, ProviderError | HandBackError | UnavailableError):
            number = min(receive_count, len(OUTAGE_WAITS_SECONDS)) - 1
            wait = OUTAGE_WAITS_SECONDS[number] * (1.0 + self.jitter() / 4)
            return max(wait, asked or 0.0)
        return self._backoff(receive_count)

    def _backoff(self, receive_count: int) -> float:
        """Exponential with full jitter."""
        ceiling = min(BACKOFF_CAP_SECONDS, BACKOFF_BASE_SECONDS * 2.0**receive_count)
        return ceiling * self.jitter()


def _reason_of(error: Exception) -> tuple[str, float | None]:
    """A fixed word for an error and the wait it asks for; never the error's own text."""
    match error:
        case HandBackError():
            return error.reason, error.delay_seconds
        case ProviderError():
            return f"{error.provider}_{error.reason}", error.retry_after
        case MiddlewareError():
            return type(error).__name__, None
        case _:
            return f"bug_{type(error).__name__}", None


def _escalation(flow: Flow, event: Event, reason: str) -> Action | None:
    """What gives a failed event to a person: the flow's own way, or else a tag on its ticket."""
    if isinstance(flow, Escalates):
        return flow.escalation(event, reason)
    return AddTag(event.facts.conversation_id, ATTENTION_TAG, suffix(event))


def _stored_plan(text: str) -> Plan:
    try:
        return Plan.decode(text)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise _PlanNotKnownHere from None


def _steps(flow: Flow, plan: Plan, event: Event) -> list[list[StepAction]]:
    """The plan's actions built for their event, dependencies named by key."""
    try:
        built = [flow.build(planned, event, plan) for planned in plan.actions]
        keys = [action.key for action in built]
        numbered = iter(zip(plan.actions, built, strict=True))
        return [
            [
                StepAction(action, tuple(keys[n] for n in planned.depends_on), planned.already)
                for planned, action in (next(numbered) for _ in step)
            ]
            for step in plan.steps
        ]
    except (KeyError, IndexError):
        raise _PlanNotKnownHere from None


def _outcome(rows: Mapping[str, ActionRow]) -> tuple[EventStatus, str | None]:
    """How an event ends, from how its actions did."""
    for row in rows.values():
        if row.status == ActionStatus.UNKNOWN:
            return EventStatus.PARKED, f"unknown:{row.reason}"
    for row in rows.values():
        if row.status == ActionStatus.REFUSED:
            return EventStatus.FAILED, f"refused:{row.reason}"
    held = [r.reason for r in rows.values() if r.status == ActionStatus.SKIPPED]
    withheld = next((reason for reason in held if reason not in ("already", None)), None)
    return EventStatus.PROCESSED, f"withheld:{withheld}" if withheld else None


def _audit_rows(built: Sequence[Action], rows: Mapping[str, ActionRow]) -> list[AuditRow]:
    return [
        AuditRow(
            conversation_id=action.conversation_id,
            at=rows[action.key].finished_at or "",
            action_id=action.key,
            action_type=action.audit_type,
            payload=action.payload(),
            idempotency_key=action.key,
            result=_result(rows[action.key]),
        )
        for action in built
    ]


def _result(row: ActionRow) -> str:
    word = {ActionStatus.DONE: "success", ActionStatus.REFUSED: "fail"}.get(row.status, row.status)
    return f"{word}:{row.reason}" if row.reason else str(word)
