"""All writes of a sweep, its summary and the interface of its parts; a dry run writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from chalicelib.errors import reason_of
from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.event import LATE_SECONDS, SWEPT, StrandedEvent
from chalicelib.once.intake import Intake
from chalicelib.once.job import Job, Recovery, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.reasons import DEAD_LETTER, WORKER_DIED
from chalicelib.once.recovery.cursor import SweepCursor

RESERVE_SECONDS = 40.0
"""The time reserved at the end of the function: one page, one send and the summary must still fit."""


class SweepPart(Protocol):
    """A system's own part of the sweep, such as finding events that a provider lists and no row shows."""

    def run(self, cursor: SweepCursor, sweep: SweepActions, *, since: datetime) -> SweepCursor:
        """Handle the provider's changes since a time; returns the sweep's position for the next run.

        An interruption is recorded in the summary.
        """
        ...


@dataclass(slots=True)
class Summary:
    """The counts of one run of the sweep; stored, logged, and returned by the function.

    Attributes:
        listed: open tickets seen.
        missing: of those, how many had an unprocessed comment.
        texts: received texts that a carrier lists.
        texts_missing: of those, how many had not arrived by a webhook.
        requeued: jobs put on the queue, for any reason.
        stranded: events received by a webhook that no worker has claimed in time.
        settled: unknown actions whose outcome is now known.
        unknown: actions that stay unknown.
        resumed: parked events sent again.
        buried: events marked failed because their worker died on the last receive.
        handoffs: failed events sent to notify a person again.
        left_behind: events sent again because no message brought them back in time.
        orphans: unfinished rows that cannot be rebuilt as jobs.
        walked: ticket numbers read one by one where listing is forbidden.
        oldest_seconds: age of the oldest unfinished event seen, since its receipt or the time until
            which it waited; 0 where none is left, None where the rows could not be read.
        remaining: rows that were due and are left for the next runs, where time ran out.
        done_in_seconds: when the last of those will be done, at the pace of this run.
        problems: what went wrong, each once.
        failures: how many steps of each kind (settle, event, ticket, part, ...) raised; the others
            went on.
        listing: complete, out_of_time, forbidden:..., interrupted:..., or busy.
    """

    listed: int = 0
    missing: int = 0
    texts: int = 0
    texts_missing: int = 0
    requeued: int = 0
    stranded: int = 0
    settled: int = 0
    unknown: int = 0
    resumed: int = 0
    buried: int = 0
    handoffs: int = 0
    left_behind: int = 0
    orphans: int = 0
    walked: int = 0
    oldest_seconds: int | None = None
    remaining: int = 0
    done_in_seconds: int = 0
    listing: str = "complete"
    problems: list[str] = field(default_factory=list)
    failures: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepActions:
    """The writes that one run of the sweep may make, each counted in its summary.

    Attributes:
        time_left_seconds: time left until the function's timeout.
        dry_run: nothing is written or sent; the summary counts what would be.
    """

    ledger: Ledger
    intake: Intake
    summary: Summary
    time_left_seconds: Callable[[], float]
    dry_run: bool = False

    @property
    def has_time(self) -> bool:
        """Whether the function has time left for one more step of the sweep."""
        return self.time_left_seconds() > RESERVE_SECONDS

    @contextmanager
    def guard(self, kind: str, *, but: tuple[type[Exception], ...] = ()) -> Iterator[list[str]]:
        """Within this block an error is counted in the summary, and the sweep goes on after the block.

        Errors of the types in `but` stop the sweep.  Yields a list, which holds the error's code
        once the block has ended.
        """
        raised: list[str] = []
        try:
            yield raised
        except but:
            raise
        except Exception as error:  # noqa: BLE001 - one row never stops a sweep
            self.summary.failures[kind] = self.summary.failures.get(kind, 0) + 1
            problem = f"{kind}:{reason_of(error)}"
            raised.append(problem)
            if problem not in self.summary.problems:
                self.summary.problems.append(problem)

    def send(self, job: Job, recovery: Recovery) -> None:
        """Put a job on the queue and count it; raises `UnavailableError`."""
        if not self.dry_run:
            self.intake.accept(job, recovery=recovery)
        self.summary.requeued += 1

    def send_once(self, job: Job, *, is_unkept: bool = False) -> bool:
        """Write the row of a job's event and queue the job; the row stops later runs from sending it again.

        Args:
            job: of the event.
            is_unkept: the sender's request may have written the row without reaching the queue.  So the
                job is queued once although its event has a row, unless a worker or the sweep has
                handled the row.

        Returns:
            False where nothing was sent because the event has a row, which says when it is due.

        Raises:
            UnavailableError: the job was not queued.
        """
        if not self.dry_run:
            receipt = self.ledger.receive(facts_of(job))
            is_wanted = receipt and (receipt.is_new or (is_unkept and receipt.reason is None))
            if not is_wanted:
                return False
        self.send(job, Recovery.SWEEP)
        if is_unkept and not self.dry_run:
            due_epoch = self.intake.clock.now().timestamp() + LATE_SECONDS
            self.ledger.set_aside(facts_of(job), reason=SWEPT, due_epoch=due_epoch)
        return True

    def settle(
        self, action: UnsettledAction, status: ActionStatus, *, reason: str, ref: str | None = None
    ) -> None:
        """Store the outcome of an action that was unknown, and count it."""
        if not self.dry_run:
            self.ledger.settle(action, status, ref=ref, reason=reason)
        self.summary.settled += 1

    def mark_failed(self, event_key: str) -> bool:
        """Mark an event failed whose worker died on the last receive; False while a worker holds it."""
        is_marked = self.dry_run or self.ledger.mark_failed(
            event_key, reason=f"{DEAD_LETTER}{WORKER_DIED}"
        )
        self.summary.buried += is_marked
        return is_marked

    def set_due(self, found: StrandedEvent | UnsettledAction, due_epoch: float) -> None:
        """Store when the sweep handles an unfinished row next, and keep the row longer.

        A row that was given another time, or that ended, is not changed.
        """
        if not self.dry_run:
            self.ledger.set_due(found, due_epoch)
