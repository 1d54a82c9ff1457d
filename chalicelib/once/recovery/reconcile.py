"""Finds what was lost or left hanging and sends it through the normal door.

It reads, settles records and re-enqueues; only the worker acts.  Running it twice, at once, or
beside live traffic does no harm: what it sends carries the same event keys, one run at a time holds
the sweep's lease, and a run that is cut off is continued by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.once.event import LEASE_GRACE_SECONDS
from chalicelib.once.intake import Intake
from chalicelib.once.job import Recovery
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log
from chalicelib.once.recovery.cursor import SweepCursor, Sweeps
from chalicelib.once.recovery.rebuild import LeftBehind, Rebuilder
from chalicelib.once.recovery.sweep import Hands, Summary, SweepPart
from chalicelib.once.recovery.unfinished import RowSweep
from chalicelib.once.settlement import Settlement

WINDOW = timedelta(hours=24)
"""How far back open tickets are listed."""
LEFT_BEHIND_AFTER = timedelta(minutes=15)
LEFT_BEHIND_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Sweeps; built once per container.

    Attributes:
        rebuilders: who makes a job from a row, by the first two parts of its event key.
        left_behind: who finds conversations that began and never came on.
        parts: each system's own look at its provider.
    """

    ledger: Ledger
    sweeps: Sweeps
    intake: Intake
    settlement: Settlement
    rebuilders: Mapping[str, Rebuilder]
    clock: Clock
    log: Log
    left_behind: Sequence[LeftBehind] = ()
    parts: Sequence[SweepPart] = ()

    def sweep(
        self,
        *,
        time_left_seconds: Callable[[], float],
        window: timedelta = WINDOW,
        dry_run: bool = False,
    ) -> Summary:
        """One run; stops when the function's time runs out and says so.

        Args:
            time_left_seconds: what the function's time-out leaves.
            window: how far back open tickets are listed.
            dry_run: only tell what would be done; leaves no trace and takes no lease.
        """
        summary = Summary()
        hands = Hands(self.ledger, self.intake, summary, time_left_seconds, dry_run)
        if dry_run:
            self._run(SweepCursor("dry-run", 0), hands, window)
            return summary
        cursor = self.sweeps.take(lease_seconds=time_left_seconds() + LEASE_GRACE_SECONDS)
        if cursor is None:
            summary.listing = "busy"
            self.log.event("reconcile.busy")
            return summary
        cursor = self._run(cursor, hands, window)
        self.sweeps.end(cursor, asdict(summary))
        self._report(summary)
        return summary

    def _run(self, cursor: SweepCursor, hands: Hands, window: timedelta) -> SweepCursor:
        """Every part in turn; one that fails leaves its reason and does not stop the others."""
        rows = RowSweep(self.ledger, self.settlement, self.rebuilders, self.clock, hands)
        self._try("rows", hands.summary, rows.run)
        self._try("left_behind", hands.summary, lambda: self._bring_on(hands))
        since = self.clock.now() - window
        for part in self.parts:
            cursor = part.run(cursor, hands, since=since)
        return cursor

    def _bring_on(self, hands: Hands) -> None:
        """Conversations that began and never came on, from their own record."""
        older_than = self.clock.now() - LEFT_BEHIND_AFTER
        for find in self.left_behind:
            for job in find(older_than=older_than, limit=LEFT_BEHIND_LIMIT):
                if not hands.has_time:
                    return
                hands.send(job, Recovery.SWEEP)
                hands.keep(job.event_key)  # else the next run sends it again, claimed or not
                hands.summary.left_behind += 1

    def _try(self, part: str, summary: Summary, run: Callable[[], None]) -> None:
        try:
            run()
        except MiddlewareError as error:
            summary.problems.append(f"{part}:{reason_of(error)}")

    def _report(self, summary: Summary) -> None:
        self.log.event("reconcile.summary", **asdict(summary))
        # Each name stands in full: alarms and the dashboard are held against these very words.
        self.log.metric("mw.reconcile.requeued", summary.requeued)
        self.log.metric("mw.reconcile.missing", summary.missing)
        self.log.metric("mw.reconcile.stranded", summary.stranded)
        self.log.metric("mw.reconcile.settled", summary.settled)
        self.log.metric("mw.reconcile.unknown", summary.unknown)
        self.log.metric("mw.reconcile.buried", summary.buried)
        self.log.metric("mw.reconcile.handoffs", summary.handoffs)
        if summary.oldest_seconds is not None:
            self.log.metric("mw.reconcile.oldest_unfinished_seconds", summary.oldest_seconds)
        if summary.problems or summary.listing != "complete":
            self.log.metric("mw.reconcile.incomplete")
