"""Everything a sweep changes, in one place; a dry run looks and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.intake import Intake
from chalicelib.once.job import Job, Recovery, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.recovery.cursor import SweepCursor

RESERVE_SECONDS = 40.0
"""Kept of the function's time: one page, one send and the summary must still fit."""


class SweepPart(Protocol):
    """A system's own part of the sweep: it looks for what its provider lists and no row shows."""

    def run(self, cursor: SweepCursor, hands: Hands, *, since: datetime) -> SweepCursor:
        """Look at what changed since a time; returns where the next run goes on.

        What interrupts it is written into the summary.
        """
        ...


@dataclass(slots=True)
class Summary:
    """One run in numbers; stored, logged, and the function's answer.

    Attributes:
        listed: open tickets seen.
        missing: of those, how many had something nobody had processed.
        requeued: jobs put on the queue, for whatever reason.
        stranded: events received at the door and never queued.
        settled: unknown actions whose outcome is known now.
        unknown: those that stay unknown.
        resumed: parked events that go on.
        buried: events whose worker died on the last receive.
        handoffs: failed events of which a person is told once more.
        left_behind: conversations brought on from their own record.
        orphans: unfinished rows nobody could make a job of.
        walked: ticket numbers looked at where listing is forbidden.
        oldest_seconds: how long ago the oldest unfinished event seen was received; 0 where none
            is left, None where the rows could not be looked at.
        listing: complete, out_of_time, forbidden:..., interrupted:..., or busy.
    """

    listed: int = 0
    missing: int = 0
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
    listing: str = "complete"
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Hands:
    """What one run may do.

    Attributes:
        time_left_seconds: what the function's time-out leaves.
        dry_run: nothing is written or sent; the numbers tell what would be.
    """

    ledger: Ledger
    intake: Intake
    summary: Summary
    time_left_seconds: Callable[[], float]
    dry_run: bool = False

    @property
    def has_time(self) -> bool:
        """There is time for one more step."""
        return self.time_left_seconds() > RESERVE_SECONDS

    def send(self, job: Job, recovery: Recovery) -> None:
        """Put a job on the queue; raises `UnavailableError`."""
        if not self.dry_run:
            self.intake.accept(job, recovery=recovery)
        self.summary.requeued += 1

    def send_once(self, job: Job) -> None:
        """Put a job on the queue that has a row of its own, which tells later runs of it."""
        if not self.dry_run:
            self.ledger.receive(facts_of(job))
        self.send(job, Recovery.SWEEP)
        self.queued(job.event_key)

    def queued(self, event_key: str) -> None:
        """Mark a received row as queued."""
        if not self.dry_run:
            self.ledger.queued(event_key)

    def settle(
        self, action: UnsettledAction, status: ActionStatus, *, reason: str, ref: str | None = None
    ) -> None:
        """Settle an unknown action's row."""
        if not self.dry_run:
            self.ledger.settle(action, status, ref=ref, reason=reason)
        self.summary.settled += 1

    def bury(self, event_key: str) -> bool:
        """End an event whose worker died on its last receive."""
        is_buried = self.dry_run or self.ledger.bury(event_key, reason="dead_letter:worker_died")
        self.summary.buried += is_buried
        return is_buried

    def keep(self, key: str) -> None:
        """An unfinished row was looked after: it does not expire, and others come before it."""
        if not self.dry_run:
            self.ledger.keep(key)
