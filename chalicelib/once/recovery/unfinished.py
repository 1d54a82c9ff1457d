"""Handles what is due, found by the sparse index: settle, resume, send again, mark failed, notify.

Every look moves its row on to the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.clock import parsed
from chalicelib.errors import ProviderError
from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.effects import STOPPED_REPEATABLE
from chalicelib.once.event import LATE_SECONDS, EventStatus, StrandedEvent
from chalicelib.once.job import Recovery
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.once.recovery.rebuild import Rebuilder, rebuilt
from chalicelib.once.recovery.sweep import SweepActions
from chalicelib.once.settlement import SECOND_CHECK_SECONDS, Settlement, Verdict

RESUMABLE_FOR = timedelta(days=29)
"""Rows of a parked event's actions expire after 30 days; later an operator must decide."""
LOOKS_PER_AGE = 8
"""The pause between two looks is this part of the age: every run looks at young rows."""
LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class RowSweep:
    """Looks at every row that is due; one run."""

    ledger: Ledger
    settlement: Settlement
    rebuilders: Mapping[str, Rebuilder]
    clock: Clock
    sweep: SweepActions

    def run(self) -> None:
        """Settle unknown actions first, so that their events resume in the same run."""
        for action in self.ledger.unsettled(due_by_epoch=self._now(), limit=LIMIT):
            self._settle(action)
        # A row that is looked at again and again is never due later than this.
        by_epoch = self._now() + LATE_SECONDS
        found = self.ledger.stranded(due_by_epoch=by_epoch, limit=LIMIT)
        self.sweep.summary.oldest_seconds = self._oldest(found)
        for row in found:
            if row.due_epoch > self._now():
                continue
            if not self.sweep.has_time:
                self.sweep.summary.problems.append("rows:out_of_time")
                return
            self._handle(row)

    def _oldest(self, found: Sequence[StrandedEvent]) -> int:
        """Seconds since the oldest of them was received that no message and no wait explains."""
        now = self._now()
        stuck = [one for one in found if one.due_epoch <= now or one.status != "processing"]
        received = (parsed(row.event.received_at) for row in stuck)
        return int(max((now - at.timestamp() for at in received if at is not None), default=0))

    # --- actions ------------------------------------------------------------------------------

    def _settle(self, action: UnsettledAction) -> None:
        """Try to settle an action whose outcome is unknown."""
        summary = self.sweep.summary
        if not self.sweep.has_time or self.sweep.dry_run:
            summary.unknown += 1
            return
        try:
            settled = self.settlement.judge(action)
        except ProviderError as error:
            summary.unknown += 1
            summary.problems.append(f"settle:{error.provider}:{error.reason}")
            self.sweep.keep(action, self._next_look(action.started_epoch))
            return
        match settled.verdict:
            case Verdict.HAPPENED:
                self.sweep.settle(action, ActionStatus.DONE, reason="settled", ref=settled.ref)
            case Verdict.NOT_HAPPENED:
                self.sweep.settle(action, ActionStatus.PENDING, reason=settled.saw)
            case Verdict.UNDECIDED:
                summary.unknown += action.reason != STOPPED_REPEATABLE  # the worker repeats it
                self.sweep.keep(action, self._next_look(action.started_epoch))

    # --- events -------------------------------------------------------------------------------

    def _handle(self, row: StrandedEvent) -> None:
        """Do what is due, and date the row's next look."""
        late = self._now() + LATE_SECONDS
        match row.status:
            case EventStatus.RECEIVED:
                self.sweep.summary.stranded += 1
                if self._send(row, Recovery.SWEEP):
                    self.sweep.queued(row.key)
                else:
                    self.sweep.keep(row, late)
            case EventStatus.PARKED:
                if self._may_resume(row) and self._send(row, Recovery.SETTLED):
                    self.sweep.summary.resumed += 1
                    self.sweep.keep(row, late)
                else:
                    parked_at = parsed(row.updated_at)
                    self.sweep.keep(row, self._next_look(parked_at.timestamp() if parked_at else 0))
            case EventStatus.PROCESSING:
                self._handle_stalled(row, late)
            case EventStatus.FAILED:
                self._hand_off(row)
                self.sweep.keep(row, late)
            case _:  # a worker of the previous release ended it
                self.sweep.keep(row, None)

    def _may_resume(self, row: StrandedEvent) -> bool:
        """Parked for outcomes that are known now, not for a plan that this version cannot read."""
        received = parsed(row.event.received_at)
        age = self._now() - received.timestamp() if received is not None else float("inf")
        if age >= RESUMABLE_FOR.total_seconds() or not (row.reason or "").startswith("unknown:"):
            return False
        reasons = self.ledger.still_unknown(row.waits_for).values() if row.waits_for else ()
        return all(reason == STOPPED_REPEATABLE for reason in reasons)  # the worker repeats those

    def _handle_stalled(self, row: StrandedEvent, late: float) -> None:
        """Handle an event that no delivery has claimed again in time."""
        if row.lease_until_epoch >= self._now():  # claimed since the index was read
            if row.due_epoch:
                self.sweep.keep(row, row.lease_until_epoch + 1)
        elif row.is_last_receive and row.lease_until_epoch:  # its worker died: nothing follows
            if self.sweep.mark_failed(row.key):
                self._hand_off(row)
        else:
            if self._send(row, Recovery.SWEEP):
                self.sweep.summary.left_behind += 1
            self.sweep.keep(row, late)

    def _hand_off(self, row: StrandedEvent) -> None:
        if self._send(row, Recovery.HANDOFF):
            self.sweep.summary.handoffs += 1

    def _send(self, row: StrandedEvent, recovery: Recovery) -> bool:
        job = rebuilt(self.rebuilders, row.event)
        if job is None:
            self.sweep.summary.orphans += 1
            return False
        self.sweep.send(job, recovery)
        return True

    def _now(self) -> float:
        return self.clock.now().timestamp()

    def _next_look(self, since_epoch: float) -> float:
        """When to look again at what has waited since a time."""
        pause = (self._now() - since_epoch) / LOOKS_PER_AGE
        return self._now() + min(LATE_SECONDS, max(SECOND_CHECK_SECONDS, pause))
