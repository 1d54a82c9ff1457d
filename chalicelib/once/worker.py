"""Processes one queue message: claim the event, run its plan, finish it, or hand it back.

::

    delivery -> job -> flow.events -> for each event:
        claim -> (flow.plan -> store) -> effects step by step -> audit -> state -> finish

Returning acknowledges the message; raising hands it back.  There is no other way to end it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chalicelib.clock import parsed
from chalicelib.errors import (
    BusyError,
    HandBackError,
    LeaseLostError,
    MiddlewareError,
    PacedError,
    PayloadError,
    SwitchesUnreadableError,
    UnavailableError,
    reason_of,
)
from chalicelib.once import trace
from chalicelib.once.action import Action, ActionRow
from chalicelib.once.audit import Audit
from chalicelib.once.backoff import (
    SHORTEST_WAIT_SECONDS,
    Jitter,
    asked_pause,
    backoff,
    is_rate_limited,
    wait,
)
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.escalation import Escalation
from chalicelib.once.event import (
    LATE_SECONDS,
    LEASE_GRACE_SECONDS,
    Busy,
    EventStatus,
    Finished,
    Lease,
)
from chalicelib.once.flow import Elsewhere, Event, Flow, NotAnEvent, Waits
from chalicelib.once.job import Job, Recovery, facts_of
from chalicelib.once.later import MAX_DELAY_SECONDS
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.outcome import audit_rows, event_end, unknown_of
from chalicelib.once.plan import Plan
from chalicelib.once.ports import (
    UNDECIDED,
    Clock,
    Delivery,
    Log,
    Modes,
    Outbox,
    Switches,
    SwitchesPort,
)
from chalicelib.once.turn import Turn

_TAKEOVER: Mapping[Recovery | None, frozenset[EventStatus]] = {
    None: frozenset(),
    Recovery.SWEEP: frozenset(),
    Recovery.SETTLED: frozenset({EventStatus.PARKED}),
    Recovery.HANDOFF: frozenset({EventStatus.FAILED}),
    Recovery.OPERATOR: frozenset(
        {EventStatus.PARKED, EventStatus.FAILED, EventStatus.SKIPPED, EventStatus.PROCESSED}
    ),
}


class _UnreadablePlan(Exception):  # noqa: N818 - leads to parking, not to a fault
    """A stored plan of another version names a kind of action unknown to this one."""


class HandedBackError(MiddlewareError):
    """Raised so that the message stays on the queue; holds the reason as a fixed code."""


@dataclass(frozen=True, slots=True)
class Worker:
    """Processes messages; built once per container."""

    decode: Callable[[str], Job]
    ledger: Ledger
    audit: Audit
    switches: SwitchesPort
    effects: Effects
    escalation: Escalation
    outbox: Outbox
    put_back: Callable[[Job], None]
    """Puts a job on the queue again, in its own group."""
    forward: Callable[[Job, str], None]
    """Puts a job that arrived in another lane into its own; the message's id makes it one."""
    put_later: Callable[[Job, float], None]
    """Likewise, after so many seconds, at most `later.MAX_DELAY_SECONDS`."""
    flows: Mapping[str, Flow]
    clock: Clock
    log: Log
    keepers: Mapping[str, Callable[[Any], None]] = field(default_factory=dict)
    """Handlers of jobs that are only stored: idempotent writes under their own keys, no vendor call."""
    jitter: Jitter = random.random
    turn: Turn = field(default_factory=Turn)
    """Shared with the vendors' clients: whose job this thread works on."""

    def process(self, delivery: Delivery) -> None:
        """Process one message.

        Raises:
            HandedBackError: the message must stay on the queue; its visibility timeout is set to
                the earliest useful retry.
        """
        try:
            job = self.decode(delivery.body)
        except (HandBackError, PayloadError) as error:
            self._undecodable(delivery, reason=str(error))
            raise HandedBackError("undecodable") from None
        with trace.within(**trace.of_event(facts_of(job)), sqs_message_id=delivery.message_id):
            try:
                self._take_up(job, delivery)
            except Exception as error:  # noqa: BLE001 - whatever fails, the message stays
                reason = reason_of(error)
                delay = _pause(error, delivery, self.jitter)
            else:
                return
            self._hand_back(job, delivery, error_reason=reason, delay_seconds=delay)
        raise HandedBackError(reason)

    # --- one job ------------------------------------------------------------------------------

    def _take_up(self, job: Job, delivery: Delivery) -> None:
        """Work on a job, unless it came before the time that it was set aside until."""
        left = 0.0 if job.slot is None else job.slot - self.clock.now().timestamp()
        if left > SHORTEST_WAIT_SECONDS:
            self.put_later(job, left)
            return
        with self.turn.of(waits=job.waits, age_seconds=self._age(job)):
            self._run(job, delivery)

    def _run(self, job: Job, delivery: Delivery) -> None:
        if job.lane != delivery.lane:
            self.forward(job, delivery.message_id)
            self.log.event("worker.moved_to_its_lane", mw_trace_id=job.trace_id)
            return
        keep = self.keepers.get(job.kind)
        if keep is not None:
            keep(job)
            return
        if job.recovery == Recovery.HANDOFF:
            self._repeat_escalation(job, delivery)
            return
        flow = self.flows[job.kind]
        events = self._events(flow, job, delivery)
        if events is None or not self._run_each(flow, events, job, delivery):
            return
        if flow.is_container(job):
            flow.resolved(job)
            outcome = "resolved" if events else "nothing_new"
            self._record_end(job, EventStatus.PROCESSED, outcome)

    def _events(self, flow: Flow, job: Job, delivery: Delivery) -> Sequence[Event] | None:
        """The events of a job; None where it has ended, waits, or went to another group."""
        try:
            return flow.events(job)
        except NotAnEvent as end:
            own = (
                job
                if end.event_key is None
                else job.model_copy(update={"event_key": end.event_key})
            )
            self._record_end(own, end.status, end.reason)
        except Waits as wait:
            self._put_aside(job, wait)
        except Elsewhere as other:
            self.put_back(other.job)
            self.log.event("worker.moved_to_its_group", mw_trace_id=job.trace_id)
        except Exception as error:
            if not self._waits_as_a_whole(flow, job, error):
                if flow.is_container(job) and not delivery.is_last:
                    self._note_return(job, error, delivery)
                raise
        return None

    def _run_each(self, flow: Flow, events: Sequence[Event], job: Job, delivery: Delivery) -> bool:
        """Run the events in order; False where their container waits before the end."""
        for event in events:
            with trace.within(**trace.of_event(event.facts)):
                try:
                    self._run_event(flow, event, job, delivery)
                except MiddlewareError as error:
                    if not self._waits_as_a_whole(flow, job, error):
                        raise
                    return False
        return True

    def _run_event(self, flow: Flow, event: Event, job: Job, delivery: Delivery) -> None:
        modes = self.switches.current().modes
        claimed = self.ledger.claim(
            event.facts,
            modes,
            lease_seconds=_time_left(delivery) + LEASE_GRACE_SECONDS,
            takeover=_TAKEOVER[job.recovery],
            last_chance=delivery.is_last,
            is_watched=flow.is_watched,
            by=delivery.message_id if job.reopens else None,
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
                raise BusyError("busy", delay_seconds=max(SHORTEST_WAIT_SECONDS, left))
            case Lease():
                event = replace(event, facts=claimed.event, lease=claimed)
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
        if lease.was_taken_over and not job.reopens:
            self.log.event("worker.lease_taken_over", attempt=lease.attempts)
            self.log.metric("mw.worker.lease_taken_over")
        try:
            self._run_plan(flow, event, lease, operator=job.recovery == Recovery.OPERATOR)
        except Waits as wait:
            self._let_wait(lease, job, wait)
        except LeaseLostError:
            raise
        except Exception as error:
            waits = self._waits_alone(flow, event, job, error)
            if waits is not None:
                self._let_wait(lease, job, waits)
                return
            reason = reason_of(error)
            if not delivery.is_last or self._will_wait_as_a_whole(flow, job, error):
                returns_in = _pause(error, delivery, _longest)
                due_epoch = self.clock.now().timestamp() + returns_in + LATE_SECONDS
                self.ledger.release(lease, reason=reason, due_epoch=due_epoch)
            elif not self.escalation.dead_letter(flow, lease, event, modes, reason):
                return
            raise

    def _let_wait(self, lease: Lease, job: Job, wait: Waits) -> None:
        """Release the event until its time and acknowledge its message, so that nothing is behind it.

        The row alone carries a long wait, and one whose time is past: the sweep finds it.  For a
        short one a copy of the job comes back by the queue `later`, and the row is due only if that
        copy is lost.
        """
        left = wait.due_epoch - self.clock.now().timestamp()
        due_epoch = wait.due_epoch
        if 0 < left <= MAX_DELAY_SECONDS:
            try:
                self.put_later(_with_slot(job, wait), left)
                due_epoch += LATE_SECONDS
            except UnavailableError:
                self.log.event("worker.later_failed", mw_trace_id=job.trace_id)
        self.ledger.release(lease, reason=wait.reason, due_epoch=due_epoch)
        self.log.event("worker.waits", reason=wait.reason, mw_trace_id=job.trace_id)

    # --- waiting for a vendor -----------------------------------------------------------------

    def _waits_alone(self, flow: Flow, event: Event, job: Job, error: Exception) -> Waits | None:
        """Until when a claimed event waits for its vendor outside its queue, if it does."""
        pause = self._asked_pause(job, error)
        if pause is None or flow.is_container(job):
            return None
        return self._listed(flow, event, error, pause)

    def _will_wait_as_a_whole(self, flow: Flow, job: Job, error: Exception) -> bool:
        return flow.is_container(job) and self._asked_pause(job, error) is not None

    def _waits_as_a_whole(self, flow: Flow, job: Job, error: Exception) -> bool:
        """Whether a container waits for its vendor, with all of its events that have not ended."""
        pause = self._asked_pause(job, error)
        if pause is None or not flow.is_container(job):
            return False
        waits = self._listed(flow, Event(facts_of(job), None), error, pause)
        if waits is not None:
            self._put_aside(job, waits)
        return waits is not None

    def _asked_pause(self, job: Job, error: Exception) -> float | None:
        return asked_pause(error, age_seconds=self._age(job), jitter=self.jitter)

    def _listed(self, flow: Flow, event: Event, error: Exception, pause: float) -> Waits | None:
        due_epoch = self.clock.now().timestamp() + pause
        try:
            is_listed = flow.set_aside(event, due_epoch)
        except MiddlewareError:
            return None  # its message goes back to the queue, which keeps the order, too
        if not is_listed:
            return None
        self.log.metric("mw.worker.set_aside", reason=reason_of(error).partition(":")[0])
        is_turn = isinstance(error, PacedError) or is_rate_limited(error)
        return Waits(reason_of(error), due_epoch, is_in_line=True, is_turn=is_turn)

    def _put_aside(self, job: Job, wait: Waits) -> None:
        """Let a job wait of which no event is claimed; what its conversation lists gets a row first.

        It has no row yet: the copy must be on the queue before the message is acknowledged.
        """
        if wait.is_in_line:
            self.ledger.note_return(facts_of(job), reason=wait.reason, returns_epoch=wait.due_epoch)
        left = wait.due_epoch - self.clock.now().timestamp()
        # Behind an event that comes by the sweep, one looks again when the sweep has run.
        self.put_later(_with_slot(job, wait), left if left > 0 else MAX_DELAY_SECONDS)
        self.log.event("worker.waits", reason=wait.reason, mw_trace_id=job.trace_id)

    def _age(self, job: Job) -> float:
        received = parsed(job.received_at)
        return (self.clock.now() - received).total_seconds() if received is not None else 0.0

    def _run_plan(self, flow: Flow, event: Event, lease: Lease, *, operator: bool) -> None:
        switches = self.switches.current()
        try:
            plan = self._plan(flow, event, lease, switches)
            steps = _steps(flow, plan, event)
        except NotAnEvent as end:
            self._end_early(flow, event, Attempt(lease, switches.modes), end)
            return
        except _UnreadablePlan:
            self._park(lease, "plan_not_known_here", {})
            return
        attempt = Attempt(lease, switches.modes, operator=operator, decided=switches)
        rows: dict[str, ActionRow] = {}
        for step in steps:
            rows |= self.effects.perform(attempt, step, rows)
        built = [item.action for step in steps for item in step]
        self._finish(flow, event, lease, plan, built, rows, attempt)

    def _plan(self, flow: Flow, event: Event, lease: Lease, switches: Switches) -> Plan:
        """The stored plan, or a new one stored before anything starts."""
        if lease.plan is not None:
            plan = _stored_plan(lease.plan)
            flow.recheck(event, plan, switches)
            return plan
        plan = flow.plan(event, switches)
        self.ledger.store_plan(
            lease, plan.packed(), intent=plan.facts.get("intent"), modes=switches.modes
        )
        return plan

    def _end_early(self, flow: Flow, event: Event, attempt: Attempt, end: NotAnEvent) -> None:
        """End an event that needs no action; an escalation that an earlier run started is finished first."""
        if end.status != EventStatus.FAILED:
            asked = self.escalation.finish_earlier(flow, event, attempt, {})
            status, reason = event_end(asked)
            if status == EventStatus.PARKED:
                self._park(attempt.lease, reason, asked)
                return
        self.ledger.finish(attempt.lease, end.status, reason=end.reason)
        self.log.event("worker.skipped", reason=end.reason, mw_trace_id=event.facts.trace_id)

    def _park(self, lease: Lease, reason: str | None, rows: Mapping[str, ActionRow]) -> None:
        waits_for = unknown_of(rows)
        self.ledger.finish(lease, EventStatus.PARKED, reason=reason, waits_for=waits_for)
        self.log.event("worker.parked", reason=reason)
        self.log.metric("mw.worker.events", outcome="parked")

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
        status, reason = event_end(rows)
        if status == EventStatus.FAILED:
            rows |= self.escalation.escalate_refused(flow, event, attempt, rows)
            waits_for: list[str] = []
        else:
            judged = rows | self.escalation.finish_earlier(flow, event, attempt, rows)
            status, reason = event_end(judged)
            waits_for = unknown_of(judged)
        self.audit.write(audit_rows(built, rows))
        if not flow.conclude(lease, event, plan, rows):
            self.log.event("worker.state_superseded", mw_trace_id=event.facts.trace_id)
        self.ledger.finish(lease, status, reason=reason, waits_for=waits_for)
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

    # --- failures -----------------------------------------------------------------------------

    def _repeat_escalation(self, job: Job, delivery: Delivery) -> None:
        """Repeat the notification of a failed event that could not be sent; the event stays failed."""
        modes = self.switches.current().modes
        claimed = self.ledger.claim(
            facts_of(job),
            modes,
            lease_seconds=_time_left(delivery) + LEASE_GRACE_SECONDS,
            takeover=_TAKEOVER[Recovery.HANDOFF],
            last_chance=delivery.is_last,
        )
        match claimed:
            case Finished():
                return
            case Busy():
                left = claimed.until_epoch - self.clock.now().timestamp()
                raise BusyError("busy", delay_seconds=max(SHORTEST_WAIT_SECONDS, left))
            case Lease():
                self.escalation.notify_late(self.flows[job.kind], claimed, modes)

    def _note_return(self, job: Job, error: Exception, delivery: Delivery) -> None:
        """Leave a row of a notification that could not be read: until then only the queue has it."""
        returns = self.clock.now().timestamp() + _pause(error, delivery, _longest)
        try:
            self.ledger.note_return(facts_of(job), reason=reason_of(error), returns_epoch=returns)
        except MiddlewareError:
            self.log.event("worker.return_not_noted", mw_trace_id=job.trace_id)

    def _undecodable(self, delivery: Delivery, *, reason: str) -> None:
        self.log.event(
            "worker.body_parse_failed",
            reason=reason,
            receive=delivery.receive_count,
            sqs_message_id=delivery.message_id,
        )
        self.log.metric("mw.worker.undecodable")
        pause = backoff(delivery.receive_count, self.jitter)
        self._defer(delivery, max(SHORTEST_WAIT_SECONDS, pause))

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
        """Set when the message is redelivered, and log why."""
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
        self._defer(delivery, delay_seconds)

    def _defer(self, delivery: Delivery, seconds: float) -> None:
        """Set when the message is received again; after the last receive it is a dead letter at once."""
        try:
            pause = 0.0 if delivery.is_last else seconds
            self.outbox.defer(delivery.receipt_handle, pause, lane=delivery.lane)
        except MiddlewareError:
            self.log.event("worker.defer_failed", sqs_message_id=delivery.message_id)


def _with_slot(job: Job, wait: Waits) -> Job:
    """The job that comes back, with its time if its conversation lists it."""
    if not wait.is_in_line:
        return job
    waits = job.waits + wait.is_turn
    return job.model_copy(update={"slot": wait.due_epoch, "waits": waits})


def _pause(error: Exception, delivery: Delivery, jitter: Jitter) -> float:
    """Seconds before the message is received again."""
    return max(SHORTEST_WAIT_SECONDS, wait(error, delivery.receive_count, jitter))


def _longest() -> float:
    """The jitter of the longest wait."""
    return 1.0


def _time_left(delivery: Delivery) -> float:
    """Seconds until the function's timeout.

    A worker that was paused beyond it has lost its message and must claim nothing: the queue
    redelivers the message, and its event may have ended and been queued again since.

    Raises:
        HandBackError: no time is left.
    """
    left = delivery.time_left_seconds()
    if left <= 0:
        raise HandBackError("time_is_up", delay_seconds=SHORTEST_WAIT_SECONDS)
    return left


def _stored_plan(text: str) -> Plan:
    try:
        return Plan.decode(text)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise _UnreadablePlan from None


def _steps(flow: Flow, plan: Plan, event: Event) -> list[list[StepAction]]:
    """The steps of a plan with their actions built and dependencies given by key."""
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
        raise _UnreadablePlan from None
