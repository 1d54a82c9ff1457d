"""The one door in: a request becomes a queued job, or an error that says what is wrong.

A 2xx is answered only after the queue has the job.  With `ingress_ledger` a `received` row is
written first; it never suppresses a retry until it is marked queued, so a crash between the row
and the queue loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import RequestError, UnavailableError
from chalicelib.once import door, keys
from chalicelib.once.door import Answer, InboundRequest
from chalicelib.once.job import Job, Recovery, encode, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log, OutboxPort

FIRST_PAUSE_SECONDS = 0.25
"""Before the queue is tried again; each further pause is twice as long."""


def listed(
    parse: Callable[[InboundRequest], Job | None],
) -> Callable[[InboundRequest], Sequence[Job]]:
    """A parse that gives one job, or none, as `Intake.receive` takes it."""

    def listing(request: InboundRequest) -> Sequence[Job]:
        job = parse(request)
        return [] if job is None else [job]

    return listing


def _event_id(jobs: Sequence[Job]) -> Mapping[str, Any]:
    return {"event_id": jobs[0].event_key} if jobs else {}


@dataclass(frozen=True, slots=True)
class Intake:
    """Accepts jobs, from a webhook or from recovery.

    Attributes:
        ledger: used only with `ingress_ledger`.
        new_id: makes an id that was never used before.
    """

    outbox: OutboxPort
    opaque: Callable[[], keys.OpaqueIds]
    clock: Clock
    log: Log
    new_id: Callable[[], str]
    ledger: Callable[[], Ledger] | None = None

    def receive(
        self,
        source: str,
        headers: Mapping[str, str],
        body: bytes,
        verify: Callable[[Mapping[str, str]], None],
        parse: Callable[[InboundRequest], Sequence[Job]],
        *,
        patience_seconds: float = 0.0,
        answer: Callable[[Sequence[Job]], Mapping[str, Any]] = _event_id,
    ) -> Answer:
        """Answer one webhook.

        Args:
            source: the sender's name, for logs and metrics.
            headers: any case.
            body: the raw bytes.
            verify: raises `SignatureError`; everything else of the request is read after it.
            parse: makes the jobs; none where the request stands for nothing.
            patience_seconds: how long the queue is tried again, for a sender that never repeats.
            answer: what the body of a 200 shows beside its status.
        """
        request = door.heard(headers, body, self.clock, self.new_id)
        try:
            verify(request.headers)
            jobs = parse(request)
            self._accept_all(jobs, patience_seconds)
        except RequestError as error:
            door.rejected(self.log, source, error.code)
            return door.refusal(error.status, error.code, error.message)
        except UnavailableError as error:
            status = 503 if error.code == "enqueue_failed" else 500
            code = error.code if status == 503 else "internal_error"  # noqa: PLR2004
            door.failed(self.log, source, error.code)
            return door.refusal(status, code, "try again later")
        if len(jobs) == 1:
            door.accepted(self.log, source, mw_trace_id=jobs[0].trace_id)
        else:
            door.accepted(self.log, source, jobs=len(jobs))
        return Answer(200, {"status": "accepted", **answer(jobs)})

    def accept(self, job: Job, *, recovery: Recovery | None = None, admission: str = "") -> None:
        """Put a job on the queue; returning means it is kept.

        At the front door copies of one event share a deduplication id; a recovery send carries a
        nonce, or the queue would swallow it for five minutes.  So does an event that is taken in
        anew: its message is no copy of the one that came to nothing.

        Args:
            job: what to keep.
            recovery: who sends it, where it is not the front door.
            admission: since when it is received, where its row was written before.

        Raises:
            UnavailableError: the job was not kept.
        """
        if recovery is None:
            received = self._note_received(job)
            if received is None:
                return
            nonce = admission or received
        else:
            job = job.model_copy(update={"recovery": recovery})
            nonce = self.new_id()
        self.outbox.put(
            encode(job),
            group_id=self.opaque().fifo_group(*job.group),
            deduplication_id=keys.fifo_deduplication_id(job.event_key, nonce),
        )
        self._note_queued(job)

    def _accept_all(self, jobs: Sequence[Job], patience_seconds: float) -> None:
        """Queue every job; those queued before one fails are recognised when they come again.

        Raises:
            UnavailableError: not all of them are kept.
        """
        gives_up = self.clock.monotonic() + patience_seconds
        for job in jobs:
            pause = FIRST_PAUSE_SECONDS
            while True:
                try:
                    self.accept(job)
                    break
                except UnavailableError:
                    if self.clock.monotonic() + pause >= gives_up:
                        raise
                self.clock.sleep(pause)
                pause *= 2

    def _note_received(self, job: Job) -> str | None:
        """Since when its row is received, if there is one; None when the queue has it already."""
        if self.ledger is None:
            return ""
        try:
            return self.ledger().receive(facts_of(job))
        except Exception:  # noqa: BLE001 - whatever fails, it was not kept
            raise UnavailableError("enqueue_failed") from None

    def _note_queued(self, job: Job) -> None:
        """Best effort: a row left `received` is queued once more by reconciliation, harmlessly."""
        if self.ledger is None:
            return
        try:
            self.ledger().queued(job.event_key)
        except Exception:  # noqa: BLE001 - the job is kept; the caller must not be told otherwise
            self.log.event("ingress.mark_failed", mw_trace_id=job.trace_id)
