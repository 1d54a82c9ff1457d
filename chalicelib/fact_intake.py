"""Answers Aloware and HubSpot: 2xx only when every job of the request is on the queue.

Trouble of our own is 503, so that HubSpot sends again; Aloware never does, so within the request
the queue is tried again for some seconds before that is admitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chalicelib import doors
from chalicelib.doors import Answer
from chalicelib.errors import RequestError, UnavailableError
from chalicelib.intake import Intake
from chalicelib.job_kinds import AlowareDelivery, HubSpotBatch
from chalicelib.ports import Clock, Log
from chalicelib.sources import InboundRequest

FactJob = AlowareDelivery | HubSpotBatch
FIRST_PAUSE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class FactIntake:
    """The door of the facts; what it accepts goes in by `Intake.accept` like everything else."""

    intake: Intake
    clock: Clock
    log: Log
    new_id: Callable[[], str]

    def receive(
        self,
        source: str,
        headers: Mapping[str, str],
        body: bytes,
        verify: Callable[[Mapping[str, str]], None],
        parse: Callable[[InboundRequest], Sequence[FactJob]],
        *,
        patience_seconds: float = 0.0,
    ) -> Answer:
        """Answer one webhook.

        Args:
            source: the sender's name, for logs and metrics.
            headers: any case.
            body: the raw bytes.
            verify: raises `SignatureError`; everything else of the request is read after it.
            parse: makes the jobs; none for a test payload.
            patience_seconds: no new try at the queue is begun after so long.
        """
        request = doors.heard(headers, body, self.clock, self.new_id)
        try:
            verify(request.headers)
            jobs = parse(request)
            self._accept(jobs, patience_seconds)
        except RequestError as error:
            doors.rejected(self.log, source, error.code)
            return doors.refusal(error.status, error.code, error.message)
        except UnavailableError as error:
            doors.failed(self.log, source, error.code)
            return doors.refusal(503, "unavailable", "try again later")
        doors.accepted(self.log, source, jobs=len(jobs))
        return Answer(200, {"status": "accepted", "kept": len(jobs)})

    def _accept(self, jobs: Sequence[FactJob], patience_seconds: float) -> None:
        """Queue every job; what is queued already when one fails is recognised when it comes again.

        Raises:
            UnavailableError: not all of them are kept.
        """
        gives_up = self.clock.monotonic() + patience_seconds
        for job in jobs:
            pause = FIRST_PAUSE_SECONDS
            while True:
                try:
                    self.intake.accept(job)
                    break
                except UnavailableError:
                    if self.clock.monotonic() + pause >= gives_up:
                        raise
                self.clock.sleep(pause)
                pause *= 2
