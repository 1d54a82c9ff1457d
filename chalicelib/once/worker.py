"""Processes one queue message: claim the event, run its plan, finish it, set it aside, or hand it back.

::

    delivery -> job -> flow.events -> for each event: claim -> `plan_run` -> end
                                                            -> not yet: `aside`

Returning acknowledges the message: every event has ended, or its row has a date.  Raising hands it back.
There is no other way to end it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from chalicelib.errors import (
    BusyError,
    HandBackError,
    LeaseLostError,
    MiddlewareError,
    PayloadError,
    SwitchesUnreadableError,
    UnavailableError,
    reason_of,
)
from chalicelib.once import reasons, trace
from chalicelib.once.backoff import SHORTEST_WAIT_SECONDS, Jitter, backoff, wait
from chalicelib.once.current_job import CurrentJob
from chalicelib.once.event import (
    LATE_SECONDS,
    LEASE_GRACE_SECONDS,
    Busy,
    EventFacts,
    EventStatus,
    Finished,
    Lease,
)
from chalicelib.once.flow import Elsewhere, Event, Flow, NotAnEvent, NotYet
from chalicelib.once.job import Job, Recovery, facts_of
from chalicelib.once.ports import UNDECIDED, Delivery, Modes, Outbox, Runtime

if TYPE_CHECKING:  # a worker that only stores jobs uses none of them
    from chalicelib.once.aside import SettingAside
    from chalicelib.once.ledger.events import Ledger
    from chalicelib.once.plan_run import PlanRun

_TAKEOVER: Mapping[Recovery | None, frozenset[EventStatus]] = {
    None: frozenset(),
    Recovery.SWEEP: frozenset(),
    Recovery.SETTLED: frozenset({EventStatus.PARKED}),
    Recovery.HANDOFF: frozenset({EventStatus.FAILED}),
    Recovery.OPERATOR: frozenset(
        {EventStatus.PARKED, EventStatus.FAILED, EventStatus.SKIPPED, EventStatus.PROCESSED}
    ),
}


class HandedBackError(MiddlewareError):
    """Raised so that a message stays on its queue; holds the reason as a fixed code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHandlers:
    """The functions and flows that handle each kind of job.

    Attributes:
        decode: reads a message of the queue and checks its seal.
        keepers: handle jobs that are only stored: idempotent writes under their own keys, no vendor
            call.
    """

    decode: Callable[[Delivery], Job]
    flows: Mapping[str, Flow]
    keepers: Mapping[str, Callable[[Any], None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Postponing:
    """The parts by which a job that has not ended comes back later.

    Attributes:
        put_back: puts a job on the queue again, in its own group.
    """

    aside: SettingAside
    outbox: Outbox
    put_back: Callable[[Job], None]
    jitter: Jitter = random.random


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """Processes queue messages: claims their events and runs the events' plans; built once per container.

    Attributes:
        current: records the job that each thread works on, for the vendors' clients.
    """

    handlers: JobHandlers
    ledger: Ledger
    plans: PlanRun
    postponing: Postponing
    runtime: Runtime
    current: CurrentJob = field(default_factory=CurrentJob)

    def process(self, delivery: Delivery) -> None:
        """Process one message of a queue; after returning, the message is acknowledged.

        Raises:
            HandedBackError: the message must stay on the queue; its visibility timeout is set to
                the earliest useful retry.
        """
        try:
            job = self.handlers.decode(delivery)
        except (HandBackError, PayloadError, UnavailableError) as error:
            raise HandedBackError(self._unread(delivery, error)) from None
        with trace.within(**trace.of_event(facts_of(job)), sqs_message_id=delivery.message_id):
            try:
                with self.current.working_on(
                    turns=job.turns, age_seconds=job.age_seconds(self.runtime.clock.now())
                ):
                    self._run(job, delivery)
            except Exception as error:  # noqa: BLE001 - whatever fails, the message stays
                reason = reason_of(error)
                delay = _pause(error, delivery, self.postponing.jitter)
            else:
                return
            self._hand_back(job, delivery, error_reason=reason, delay_seconds=delay)
        raise HandedBackError(reason)

    # --- one job ------------------------------------------------------------------------------

    def _run(self, job: Job, delivery: Delivery) -> None:
        keep = self.handlers.keepers.get(job.kind)
        if keep is not None:
            keep(job)
            return
        if job.recovery == Recovery.HANDOFF:
            self._repeat_escalation(job, delivery)
            return
        flow = self.handlers.flows[job.kind]
        is_container = flow.is_container(job)
        try:
            events = self._events(flow, job)
        except Exception as error:
            if is_container and self.postponing.aside.put_whole(flow, job, error):
                return
            if is_container and not delivery.is_last:
                self._note_return(job, error, delivery)
            raise
        if events is None:
            return
        try:
            self._run_each(flow, events, job, delivery)
        except MiddlewareError as error:
            if is_container and self.postponing.aside.put_whole(flow, job, error):
                return
            raise
        if is_container:
            flow.note_complete(job)
            self._record_end(
                job, EventStatus.PROCESSED, reasons.RESOLVED if events else reasons.NOTHING_NEW
            )

    def _events(self, flow: Flow, job: Job) -> Sequence[Event] | None:
        """The events of a job; None where the job has ended, waits, or went to another group."""
        try:
            return flow.events(job)
        except NotAnEvent as end:
            own = (
                job
                if end.event_key is None
                else job.model_copy(update={"event_key": end.event_key})
            )
            self._record_end(own, end.status, end.reason)
        except NotYet as not_yet:
            self.postponing.aside.put(job, not_yet)
        except Elsewhere as other:
            self.postponing.put_back(other.job)
            self.runtime.log.event("worker.moved_to_its_group", mw_trace_id=job.trace_id)
        return None

    def _run_each(self, flow: Flow, events: Sequence[Event], job: Job, delivery: Delivery) -> None:
        """Claim and run the events of a job in order, until `Flow.may_go_on` forbids the next one."""
        for number, event in enumerate(events):
            if number and not flow.may_go_on(events[number - 1]):
                return
            with trace.within(**trace.of_event(event.facts)):
                self._run_event(flow, event, job, delivery)

    def _run_event(self, flow: Flow, event: Event, job: Job, delivery: Delivery) -> None:
        modes = self.runtime.switches.current().modes
        lease = self._claim(event.facts, modes, job, delivery, is_watched=flow.is_watched)
        if lease is not None:
            event = replace(event, facts=lease.event, lease=lease)
            self._run_claimed(flow, event, lease, modes, job, delivery)

    def _claim(
        self, facts: EventFacts, modes: Modes, job: Job, delivery: Delivery, *, is_watched: bool
    ) -> Lease | None:
        """Claim an event and return its lease; None where the event has ended or is parked.

        A job that may reopen such an event gets the lease.

        Raises:
            BusyError: another worker has the event.
        """
        claimed = self.ledger.claim(
            facts,
            modes,
            lease_seconds=_time_left(delivery) + LEASE_GRACE_SECONDS,
            takeover=_TAKEOVER[job.recovery],
            last_chance=delivery.is_last,
            is_watched=is_watched,
            by=delivery.message_id if job.reopens else None,
            unless_asked=job.recovery == Recovery.HANDOFF,
        )
        match claimed:
            case Lease():
                return claimed
            case Busy():
                left = claimed.until_epoch - self.runtime.clock.now().timestamp()
                raise BusyError(reasons.BUSY, delay_seconds=max(SHORTEST_WAIT_SECONDS, left))
            case Finished():
                self.runtime.log.event(
                    "worker.duplicate_event",
                    status=claimed.status.value,
                    reason=claimed.reason,
                    mw_trace_id=facts.trace_id,
                )
                self.runtime.log.metric("mw.worker.duplicates")
                return None

    def _run_claimed(
        self, flow: Flow, event: Event, lease: Lease, modes: Modes, job: Job, delivery: Delivery
    ) -> None:
        self.runtime.log.event(
            "worker.job.start",
            attempt=lease.attempts,
            receive=delivery.receive_count,
            resumed=lease.plan is not None,
            mw_trace_id=event.facts.trace_id,
        )
        if lease.was_taken_over and not job.reopens:
            self.runtime.log.event("worker.lease_taken_over", attempt=lease.attempts)
            self.runtime.log.metric("mw.worker.lease_taken_over")
        try:
            self.plans.run(flow, event, lease, operator=job.recovery == Recovery.OPERATOR)
        except NotYet as not_yet:
            self.postponing.aside.put(job, not_yet, lease)
        except LeaseLostError:
            raise
        except Exception as error:
            # A container waits as a whole, with all of its events that have not ended.
            comes_back = self.postponing.aside.asked_pause(
                job, error
            ) is not None and flow.is_container(job)
            asked = None if comes_back else self.postponing.aside.wait_of(flow, event, job, error)
            if asked is not None:
                self.postponing.aside.put(job, asked, lease)
                return
            reason = reason_of(error)
            if not delivery.is_last or comes_back:
                returns_in = _pause(error, delivery, _longest)
                due_epoch = self.runtime.clock.now().timestamp() + returns_in + LATE_SECONDS
                self.ledger.release(lease, reason=reason, due_epoch=due_epoch)
            elif not self.plans.escalation.dead_letter(flow, lease, event, modes, reason):
                return
            raise

    # --- failures -----------------------------------------------------------------------------

    def _repeat_escalation(self, job: Job, delivery: Delivery) -> None:
        """Send the notification of a failed event that could not be sent before; the event stays failed."""
        modes = self.runtime.switches.current().modes
        lease = self._claim(facts_of(job), modes, job, delivery, is_watched=False)
        if lease is not None:
            self.plans.escalation.notify_late(self.handlers.flows[job.kind], lease, modes)

    def _note_return(self, job: Job, error: Exception, delivery: Delivery) -> None:
        """Store when a job whose events could not be read comes back from the queue.

        Without this row, only the queue would have the job.
        """
        returns = self.runtime.clock.now().timestamp() + _pause(error, delivery, _longest)
        due_epoch = returns + LATE_SECONDS
        try:
            self.ledger.set_aside(facts_of(job), reason=reason_of(error), due_epoch=due_epoch)
        except MiddlewareError:
            self.runtime.log.event("worker.return_not_noted", mw_trace_id=job.trace_id)

    def _unread(self, delivery: Delivery, error: MiddlewareError) -> str:
        """Set when a message from which no job could be read is received again; returns the reason.

        A message without this stage's seal will never have one.  It becomes a dead letter within seconds,
        so that it holds up its group no longer.
        """
        jitter = self.postponing.jitter
        match error:
            case UnavailableError():
                reason, pause = error.code, _pause(error, delivery, jitter)
            case PayloadError(code=reasons.UNSEALED):
                reason, pause = reasons.UNSEALED, SHORTEST_WAIT_SECONDS
            case _:
                reason, pause = reasons.UNDECODABLE, backoff(delivery.receive_count, jitter)
        self.runtime.log.event(
            "worker.body_parse_failed",
            reason=str(error),
            receive=delivery.receive_count,
            sqs_message_id=delivery.message_id,
        )
        self.runtime.log.metric("mw.worker.unread", reason=reason)
        self._defer(delivery, max(SHORTEST_WAIT_SECONDS, pause))
        return reason

    def _record_end(self, job: Job, status: EventStatus, reason: str) -> None:
        try:
            modes = self.runtime.switches.current().modes
        except SwitchesUnreadableError:
            modes = UNDECIDED
        self.ledger.record_end(facts_of(job), modes, status, reason=reason)
        self.runtime.log.event(
            f"worker.notification.{status.value}", reason=reason, mw_trace_id=job.trace_id
        )

    def _hand_back(
        self, job: Job, delivery: Delivery, *, error_reason: str, delay_seconds: float
    ) -> None:
        """Log why a message goes back to its queue, and set when it is received again.

        After the last receive, the event is recorded as failed and the message becomes a dead
        letter.
        """
        name = "system.dlq.message_written" if delivery.is_last else "worker.handed_back"
        self.runtime.log.event(
            name, reason=error_reason, receive=delivery.receive_count, mw_trace_id=job.trace_id
        )
        self.runtime.log.metric("mw.worker.handed_back", reason=error_reason.partition(":")[0])
        if delivery.is_last:
            try:
                self._record_end(job, EventStatus.FAILED, f"{reasons.DEAD_LETTER}{error_reason}")
            except MiddlewareError:
                self.runtime.log.event("worker.dead_letter_not_recorded")
        self._defer(delivery, delay_seconds)

    def _defer(self, delivery: Delivery, seconds: float) -> None:
        """Set when a message is received again; after the last receive it becomes a dead letter at once."""
        try:
            pause = 0.0 if delivery.is_last else seconds
            self.postponing.outbox.defer(delivery.receipt_handle, pause, lane=delivery.lane)
        except MiddlewareError:
            self.runtime.log.event("worker.defer_failed", sqs_message_id=delivery.message_id)


def _pause(error: Exception, delivery: Delivery, jitter: Jitter) -> float:
    """Seconds until a message is received again after an error: `backoff.wait`, one second at least."""
    return max(SHORTEST_WAIT_SECONDS, wait(error, delivery.receive_count, jitter))


def _longest() -> float:
    """The jitter that makes a wait the longest possible: 1."""
    return 1.0


def _time_left(delivery: Delivery) -> float:
    """The seconds until the function's timeout.

    A worker that was paused beyond it has lost its message and must claim nothing: the queue
    redelivers the message, and its event may have ended and been queued again since.

    Raises:
        HandBackError: no time is left.
    """
    left = delivery.time_left_seconds()
    if left <= 0:
        raise HandBackError(reasons.TIME_IS_UP, delay_seconds=SHORTEST_WAIT_SECONDS)
    return left
