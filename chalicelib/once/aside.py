"""Sets an event aside: the one way in which a job waits outside its FIFO queue.

The order is: date the row, put a copy of the job on the queue `later`, let the caller acknowledge the
message.  The row brings the event back; the copy only shortens a wait of minutes, and may be lost.  A
crash in between leaves the row, the message, or both; each leads to the same wait.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.errors import MiddlewareError, PacedError, UnavailableError, reason_of
from chalicelib.once.backoff import Jitter, asked_pause, is_rate_limited
from chalicelib.once.event import COPY_SECONDS, Lease
from chalicelib.once.flow import Event, Flow, NotYet
from chalicelib.once.job import Job, facts_of
from chalicelib.once.later import MAX_DELAY_SECONDS, MOST_ROUNDS
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingAside:
    """Makes an event wait: stores in its row when it is due, and sends a copy of its job.

    Attributes:
        send_later: puts a copy of a job on the queue `later` for so many seconds.
        jitter: spreads the return of events that wait for the same vendor.
    """

    ledger: Callable[[], Ledger]
    send_later: Callable[[Job, float], None]
    clock: Clock
    log: Log
    jitter: Jitter = random.random

    def put(self, job: Job, wait: NotYet, lease: Lease | None = None) -> None:
        """Let a job wait outside its queue; once this returns, the job's queue message may be acknowledged.

        The event's row stores when the event is due.  A copy of the job goes over the queue `later` if the
        wait is short.  Without a lease, nothing is done if a worker has claimed the event's row or the
        event has ended.

        Args:
            job: the job that waits.
            wait: why, and until when.
            lease: of the claimed event that waits; None where the job's event is not claimed.

        Raises:
            TransientError: the row was not written.
            LeaseLostError: another claim has the event.
        """
        turns = job.turns + wait.is_turn
        left = wait.until_epoch - self.clock.now().timestamp()
        is_copied = 0 < left <= MAX_DELAY_SECONDS and job.rounds < MOST_ROUNDS
        due_epoch = wait.until_epoch + (COPY_SECONDS if is_copied else 0.0)
        ledger, until = self.ledger(), wait.until_epoch
        if lease is not None:
            ledger.release(
                lease, reason=wait.reason, due_epoch=due_epoch, until_epoch=until, turns=turns
            )
        elif not ledger.set_aside(
            facts_of(job), reason=wait.reason, due_epoch=due_epoch, until_epoch=until, turns=turns
        ):
            return  # a claim has the row, or the event has ended
        if is_copied:
            again = job.model_copy(update={"turns": turns, "rounds": job.rounds + 1})
            try:
                self.send_later(again, left)
            except UnavailableError:
                self.log.event("worker.later_failed", mw_trace_id=job.trace_id)
        self.log.event("worker.waits", reason=wait.reason, mw_trace_id=job.trace_id)

    def put_whole(self, flow: Flow, job: Job, error: Exception) -> bool:
        """Let a job that holds several events wait as a whole, if the error asks for a pause.

        Returns:
            Whether the job waits now; False where `wait_of` gives no wait.
        """
        wait = self.wait_of(flow, Event(facts_of(job), None), job, error)
        if wait is not None:
            self.put(job, wait)
        return wait is not None

    def wait_of(self, flow: Flow, event: Event, job: Job, error: Exception) -> NotYet | None:
        """The wait outside the queue that an error asks for, as a `NotYet`.

        Returns:
            None where the error asks for no pause, or the flow cannot keep the order while the
                event waits: then its message goes back to the queue.
        """
        pause = self.asked_pause(job, error)
        if pause is None:
            return None
        try:
            until = flow.let_wait(event, self.clock.now().timestamp() + pause)
        except MiddlewareError:
            return None  # its message goes back to the queue, which keeps the order as well
        if until is None:
            return None
        self.log.metric("mw.worker.set_aside", reason=reason_of(error).partition(":")[0])
        is_turn = isinstance(error, PacedError) or is_rate_limited(error)
        return NotYet(reason_of(error), until, is_turn=is_turn)

    def asked_pause(self, job: Job, error: Exception) -> float | None:
        """Seconds until the vendor may be called again; None where error and job's age ask for no pause."""
        age_seconds = job.age_seconds(self.clock.now())
        return asked_pause(error, age_seconds=age_seconds, jitter=self.jitter)
