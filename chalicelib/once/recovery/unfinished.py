"""Unfinished rows, by the sparse index: settled, resumed, buried, handed off, kept alive."""

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
from chalicelib.once.recovery.sweep import Hands
from chalicelib.once.settlement import Settlement, Verdict

STRANDED_AFTER = timedelta(minutes=2)
"""A `received` row older than this was never queued."""
HANDOFF_AFTER = timedelta(minutes=30)
"""How long a repeated hand-off is given before it is repeated again."""
STALLED_AFTER = timedelta(hours=3)
"""Longer than a message that is handed back again and again may wait for its next receive."""
RESUMABLE_FOR = timedelta(days=29)
"""The actions a parked event has done are remembered for 30 days; later it is for a person."""
MOST_ATTEMPTS = 10
"""An event claimed so often and not ended has killed its workers; it is not sent again."""
LIMIT = 200


@dataclass(frozen=True, slots=True)
class RowSweep:
    """Looks after every unfinished row; one run."""

    ledger: Ledger
    settlement: Settlement
    rebuilders: Mapping[str, Rebuilder]
    clock: Clock
    hands: Hands

    def run(self) -> None:
        """Settle what can be settled first, so that its events go on in the same run."""
        actions = self.ledger.unsettled(limit=LIMIT)
        waiting = {action.event_key for action in actions if self._stays_unknown(action)}
        is_complete = len(actions) < LIMIT
        known = {action.event_key for action in actions}
        before = (self.clock.now() - STRANDED_AFTER).timestamp()
        found = self.ledger.stranded(older_than_epoch=before, limit=LIMIT)
        self.hands.summary.oldest_seconds = self._oldest(found)
        for row in found:
            if not self.hands.has_time:
                self.hands.summary.problems.append("rows:out_of_time")
                return
            may_resume = row.key not in waiting and (is_complete or row.key in known)
            self._look_after(row, may_resume=may_resume)

    def _oldest(self, found: Sequence[StrandedEvent]) -> int:
        """Seconds since the oldest of them was received; what is looked at goes to the back.

        Of more than so many as one run looks at, every one is seen within a few runs.
        """
        received = (parsed(row.event.received_at) for row in found)
        ages = ((self.clock.now() - at).total_seconds() for at in received if at is not None)
        return int(max(ages, default=0))

    def _stays_unknown(self, action: UnsettledAction) -> bool:
        """Ask what became of an action; True while its event must go on waiting."""
        summary = self.hands.summary
        if not self.hands.has_time or self.hands.dry_run:
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
                self.hands.settle(action, ActionStatus.DONE, reason="settled", ref=settled.ref)
                return False
            case Verdict.NOT_HAPPENED:
                self.hands.settle(action, ActionStatus.PENDING, reason=settled.saw)
                return False
            case Verdict.UNDECIDED:
                self.hands.keep(action.key)
                is_repeatable = action.reason == STOPPED_REPEATABLE  # the worker simply does it
                summary.unknown += not is_repeatable
                return not is_repeatable

    def _look_after(self, row: StrandedEvent, *, may_resume: bool) -> None:
        match row.status:
            case EventStatus.RECEIVED:
                self.hands.summary.stranded += 1
                if self._send(row, Recovery.SWEEP):
                    self.hands.queued(row.key)
                else:
                    self.hands.keep(row.key)
            case EventStatus.PARKED:
                if may_resume and self._is_resumable(row) and self._send(row, Recovery.SETTLED):
                    self.hands.summary.resumed += 1
                self.hands.keep(row.key)
            case EventStatus.PROCESSING:
                self._left_by_its_worker(row)
            case EventStatus.FAILED if self._is_due(row, HANDOFF_AFTER):
                self._hand_off(row)
            case _:
                pass

    def _is_resumable(self, row: StrandedEvent) -> bool:
        """Parked for outcomes that were unknown, and not for what this version cannot read."""
        received = parsed(row.event.received_at)
        is_young = received is not None and self.clock.now() - received < RESUMABLE_FOR
        return is_young and (row.reason or "").startswith("unknown:")

    def _left_by_its_worker(self, row: StrandedEvent) -> None:
        """On its last receive a claim leaves a mark: when the lease is over, its worker has died.

        A row that was released (its lease is 0) waits for its message, unless that has gone.
        """
        if row.lease_until_epoch > self.clock.now().timestamp():
            return
        was_released = row.lease_until_epoch == 0
        if was_released and not self._is_due(row, STALLED_AFTER):
            return
        if was_released and row.attempts < MOST_ATTEMPTS:
            self._send(row, Recovery.SWEEP)
            self.hands.keep(row.key)  # else each run sends another copy until a worker claims one
        elif self.hands.bury(row.key):
            self._hand_off(row)

    def _hand_off(self, row: StrandedEvent) -> None:
        if self._send(row, Recovery.HANDOFF):
            self.hands.summary.handoffs += 1
        self.hands.keep(row.key)

    def _send(self, row: StrandedEvent, recovery: Recovery) -> bool:
        job = rebuilt(self.rebuilders, row.event)
        if job is None:
            self.hands.summary.orphans += 1
            return False
        self.hands.send(job, recovery)
        return True

    def _is_due(self, row: StrandedEvent, after: timedelta) -> bool:
        return row.updated_at < iso(self.clock.now() - after)
