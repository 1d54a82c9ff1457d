"""The one door in: a request becomes a queued job, or an error that says what is wrong.

A 2xx is returned only after the queue has the job.  With `ingress_ledger` a `received` row is
written first.  The row is dated, and until a worker claims it, it does not stop a repeated request.
So a crash between the row and the queue loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chalicelib.errors import RequestError, TooLargeError, UnavailableError
from chalicelib.once import body as bodies
from chalicelib.once import door, keys
from chalicelib.once.door import Answer, InboundRequest
from chalicelib.once.job import Job, Recovery, encode, facts_of, fits
from chalicelib.once.ports import Clock, Log, Outbox
from chalicelib.once.reasons import ENQUEUE_FAILED
from chalicelib.once.retry import Attempts, doubling_pauses

if TYPE_CHECKING:  # a cold door without a ledger does not load it
    from chalicelib.once.ledger.events import Ledger

FIRST_PAUSE_SECONDS = 0.25
"""The pause before the first retry of putting a job on the queue; each further pause is twice as long."""


def as_list_parser(
    parse: Callable[[InboundRequest], Job | None],
) -> Callable[[InboundRequest], Sequence[Job]]:
    """Turn a parser that returns a job or None into one that returns a list: of that job, or empty."""

    def listing(request: InboundRequest) -> Sequence[Job]:
        job = parse(request)
        return [] if job is None else [job]

    return listing


def _event_id(jobs: Sequence[Job]) -> Mapping[str, Any]:
    return {"event_id": jobs[0].event_key} if jobs else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """Accepts jobs from a webhook or from recovery and puts them on the queue.

    Attributes:
        ledger: used only with `ingress_ledger`.
        new_id: returns a unique id.
    """

    outbox: Outbox
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
        max_body_bytes: int = bodies.MAX_BYTES,
        patience_seconds: float = 0.0,
        answer: Callable[[Sequence[Job]], Mapping[str, Any]] = _event_id,
    ) -> Answer:
        """Handle one webhook request and answer it: check its size, then its sender, then queue its jobs.

        Args:
            source: the sender's name, for logs and metrics.
            headers: any case.
            body: the raw bytes.
            verify: raises `SignatureError`; runs before the body is parsed.
            parse: returns the jobs; an empty list where the request needs no work.
            max_body_bytes: a larger body is refused before anything of the request is read.
            patience_seconds: how long putting a job on the queue is retried, for a sender that
                never retries.
            answer: fields of a 200 body beside its status.
        """
        request = door.read_request(headers, body, self.clock, self.new_id)
        try:
            bodies.check_size(body, max_body_bytes)
            verify(request.headers)
            jobs = parse(request)
            self._accept_all(jobs, patience_seconds)
        except RequestError as error:
            door.log_rejected(self.log, source, error.code)
            return door.error_answer(error.status, error.code, error.message)
        except UnavailableError as error:
            status = 503 if error.code == ENQUEUE_FAILED else 500
            code = error.code if status == 503 else "internal_error"  # noqa: PLR2004
            door.log_failed(self.log, source, error.code)
            return door.error_answer(status, code, "try again later")
        if len(jobs) == 1:
            door.log_accepted(self.log, source, mw_trace_id=jobs[0].trace_id)
        else:
            door.log_accepted(self.log, source, jobs=len(jobs))
        return Answer(200, {"status": "accepted", **answer(jobs)})

    def accept(self, job: Job, *, recovery: Recovery | None = None, admission: str = "") -> None:
        """Put a job on the queue; after returning, the queue has the job, or the event needs no message.

        At ingress, copies of one event share a deduplication id.  A recovery send carries a nonce,
        or the queue would drop it for five minutes.  So does an event that is received again after
        its first attempt failed: its message is not a copy of the first.

        Args:
            job: the job to queue.
            recovery: why it is sent again; None at ingress.
            admission: `received_at` of its row, where the caller has already written one.

        Raises:
            TooLargeError: the queue takes no message of its size; at ingress only.
            UnavailableError: the job was not queued.
        """
        if recovery is None:
            if not fits(job):
                raise TooLargeError("payload_too_large", "the request is too large for the queue")
            received = self._note_received(job)
            if received is None:
                return
            nonce = admission or received or job.origin
        else:
            job = job.model_copy(update={"recovery": recovery})
            nonce = self.new_id()
        self._put(job, nonce)

    def put_back(self, job: Job) -> None:
        """Put a job that the queue has delivered on the queue again, at the end of its FIFO group.

        It has a new nonce, or the queue would drop it as a copy of the delivered message.

        Raises:
            UnavailableError: the job was not queued.
        """
        self._put(job, self.new_id())

    def _put(self, job: Job, nonce: str) -> None:
        self.outbox.put(
            encode(job),
            group_id=self.opaque().fifo_group(*job.group),
            deduplication_id=keys.fifo_deduplication_id(job.event_key, nonce),
            lane=job.lane,
        )

    def _accept_all(self, jobs: Sequence[Job], patience_seconds: float) -> None:
        """Put every job of a request on the queue; each is retried until so many seconds are over.

        If one fails, the sender repeats its request, and the jobs queued before are recognised as copies.

        Raises:
            UnavailableError: not all of them are queued.
        """
        gives_up = self.clock.monotonic() + patience_seconds
        for job in jobs:
            attempts = Attempts(self.clock, doubling_pauses(FIRST_PAUSE_SECONDS), until=gives_up)
            while True:
                try:
                    self.accept(job)
                    break
                except UnavailableError as error:
                    attempts.wait_or_raise(error)

    def _note_received(self, job: Job) -> str | None:
        """Write the row of the job's event, if the intake has a ledger.

        Returns:
            The row's time of receipt; empty without a ledger; None where the event needs no queue message.

        Raises:
            UnavailableError: the row was not written.
        """
        if self.ledger is None:
            return ""
        try:
            receipt = self.ledger().receive(facts_of(job))
        except Exception:  # noqa: BLE001 - whatever fails, nothing was queued
            raise UnavailableError(ENQUEUE_FAILED) from None
        return None if receipt is None else receipt.received_at
