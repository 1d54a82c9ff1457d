"""Handles unfinished rows, found by the sparse index: settle, resume, mark failed, notify, extend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.clock import iso, parsed
from chalicelib.errors import ProviderError
from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.effects import STOPPED_REPEATABLE
from chalicelib.once.event import EventStatus, StrandedEvent
from chalicelib.once.job import Recovery
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.once.recovery.rebuild import Rebuilder, rebuilt
from chalicelib.once.recovery.sweep import SweepActions
from chalicelib.once.settlement import Settlement, Verdict

STRANDED_AFTER = timedelta(minutes=2)
"""A `received` row older than this was never queued."""
HANDOFF_AFTER = timedelta(minutes=30)
"""Pause before the notification of a failed event is repeated."""
MESSAGE_GONE_AFTER = timedelta(hours=3)
"""Longer than any message waits for its next receive: a released event this old has lost its message."""
RESUMABLE_FOR = timedelta(days=29)
"""Rows of a parked event's actions expire after 30 days; later an operator must decide."""
MOST_ATTEMPTS = 10
"""An event with this many claims and no end has killed its workers; it is not sent again."""
LIMIT = 200


@dataclass(frozen=True, slots=True)
class RowSweep:
    """Handles every unfinished row; one run."""

    ledger: Ledger
    settlement: Settlement
    rebuilders: Mapping[str, Rebuilder]
    clock: Clock
    sweep: SweepActions

    def run(self) -> None:
        """Settle unknown actions first, so that their events resume in the same run."""
        actions = self.ledger.unsettled(limit=LIMIT)
        waiting = {action.event_key for action in actions if self._stays_unknown(action)}
        is_complete = len(actions) < LIMIT
        known = {action.event_key for action in actions}
        before = (self.clock.now() - STRANDED_AFTER).timestamp()
        found = self.ledger.stranded(older_than_epoch=before, limit=LIMIT)
        self.sweep.summary.oldest_seconds = self._oldest(found)
        for row in found:
            if not self.sweep.has_time:
                self.sweep.summary.problems.append("rows:out_of_time")
                return
            may_resume = row.key not in waiting and (is_complete or row.key in known)
            self._handle(row, may_resume=may_resume)

    def _oldest(self, found: Sequence[StrandedEvent]) -> int:
        """Seconds since the oldest of them was received.

        Handled rows move to the end of the index, so that a backlog larger than one run's limit is
        seen completely within a few runs.
        """
        received = (parsed(row.event.received_at) for row in found)
        ages = ((self.clock.now() - at).total_seconds() for at in received if at is not None)
        return int(max(ages, default=0))

    def _stays_unknown(self, action: UnsettledAction) -> bool:
        """Try to settle an action; True while its event must keep waiting."""
        summary = self.sweep.summary
        if not self.sweep.has_time or self.sweep.dry_run:
            summary.unknown += 1
            return True
        try:
            settled = self.settlement.judge(action)
        except ProviderError as error:
            summary.unknown += 1
            summary.problems.append(f"settle:{error.provider}:{error.reason}")
            return True
        match settled.verdict:
            case Verdict.HAPPENED:
                self.sweep.settle(action, ActionStatus.DONE, reason="settled", ref=settled.ref)
                return False
            case Verdict.NOT_HAPPENED:
                self.sweep.settle(action, ActionStatus.PENDING, reason=settled.saw)
                return False
            case Verdict.UNDECIDED:
                self.sweep.keep(action.key)
                is_repeatable = action.reason == STOPPED_REPEATABLE  # the worker repeats it
                summary.unknown += not is_repeatable
                return not is_repeatable

    def _handle(self, row: StrandedEvent, *, may_resume: bool) -> None:
        match row.status:
            case EventStatus.RECEIVED:
                self.sweep.summary.stranded += 1
                if self._send(row, Recovery.SWEEP):
                    self.sweep.queued(row.key)
                else:
                    self.sweep.keep(row.key)
            case EventStatus.PARKED:
                if may_resume and self._is_resumable(row) and self._send(row, Recovery.SETTLED):
                    self.sweep.summary.resumed += 1
                self.sweep.keep(row.key)
            case EventStatus.PROCESSING:
                self._handle_stalled(row)
            case EventStatus.FAILED if self._is_due(row, HANDOFF_AFTER):
                self._hand_off(row)
            case _:
                pass

    def _is_resumable(self, row: StrandedEvent) -> bool:
        """Parked for unknown outcomes, not for a plan that this version cannot read."""
        received = parsed(row.event.received_at)
        is_young = received is not None and self.clock.now() - received < RESUMABLE_FOR
        return is_young and (row.reason or "").startswith("unknown:")

    def _handle_stalled(self, row: StrandedEvent) -> None:
        """Handle a row whose worker died or released it.

        A claim on the last receive marks the row: once its lease has expired, the worker has died.
        A released row (lease 0) waits for its message, unless that has left the queue.
        """
        if row.lease_until_epoch > self.clock.now().timestamp():
            return
        was_released = row.lease_until_epoch == 0
        if was_released and not self._is_due(row, MESSAGE_GONE_AFTER):
            return
        if was_released and row.attempts < MOST_ATTEMPTS:
            self._send(row, Recovery.SWEEP)
            self.sweep.keep(row.key)  # else each run sends another copy until a worker claims one
        elif self.sweep.mark_failed(row.key):
            self._hand_off(row)

    def _hand_off(self, row: StrandedEvent) -> None:
        if self._send(row, Recovery.HANDOFF):
            self.sweep.summary.handoffs += 1
        self.sweep.keep(row.key)

    def _send(self, row: StrandedEvent, recovery: Recovery) -> bool:
        job = rebuilt(self.rebuilders, row.event)
        if job is None:
            self.sweep.summary.orphans += 1
            return False
        self.sweep.send(job, recovery)
        return True

    def _is_due(self, row: StrandedEvent, after: timedelta) -> bool:
        return row.updated_at < iso(self.clock.now() - after)
