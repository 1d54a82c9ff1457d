"""Finds lost and unfinished events and sends them through the normal door.

It reads, settles records and enqueues again; only the worker acts.  Running it twice, concurrently
or beside live traffic is harmless: its jobs carry the same event keys, one run at a time holds the
sweep's lease, and the next run continues an interrupted one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from chalicelib.once.event import LEASE_GRACE_SECONDS
from chalicelib.once.intake import Intake
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.recovery.cursor import SweepCursor, Sweeps
from chalicelib.once.recovery.rebuilders import Rebuilder
from chalicelib.once.recovery.sweep import Summary, SweepActions, SweepPart
from chalicelib.once.recovery.unfinished import RowSweep
from chalicelib.once.settlement import Settlement

WINDOW = timedelta(hours=24)
"""How far back the sweep lists open tickets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciler:
    """Runs the sweep, which finds lost and unfinished events and queues them; built once per container.

    Attributes:
        rebuilders: make a job from a row, by the first two parts of its event key.
        parts: each system's own comparison with its provider.
    """

    ledger: Ledger
    sweeps: Sweeps
    intake: Intake
    settlement: Settlement
    rebuilders: Mapping[str, Rebuilder]
    parts: Sequence[SweepPart] = ()

    def sweep(
        self,
        *,
        time_left_seconds: Callable[[], float],
        window: timedelta = WINDOW,
        dry_run: bool = False,
        after: int | None = None,
    ) -> Summary:
        """Run the sweep once; where the function's time runs out it stops and the summary says so.

        Args:
            time_left_seconds: time left until the function's timeout.
            window: how far back open tickets are listed.
            dry_run: only count what would be done; writes nothing and takes no lease.
            after: the ticket number after which a dry run begins; any other run goes on where the
                last one ended.
        """
        summary = Summary()
        sweep = SweepActions(
            ledger=self.ledger,
            intake=self.intake,
            summary=summary,
            time_left_seconds=time_left_seconds,
            dry_run=dry_run,
        )
        if dry_run:
            self._run(SweepCursor("dry-run", 0, number=after), sweep, window)
            return summary
        cursor = self.sweeps.take(lease_seconds=time_left_seconds() + LEASE_GRACE_SECONDS)
        if cursor is None:
            summary.listing = "busy"
            self.intake.log.event("reconcile.busy")
            return summary
        cursor = self._run(cursor, sweep, window)
        self.sweeps.end(cursor, asdict(summary))
        self._report(summary)
        return summary

    def _run(self, cursor: SweepCursor, sweep: SweepActions, window: timedelta) -> SweepCursor:
        """Handle the rows that are due, then run every system's part of the sweep.

        A part that fails adds its reason to the summary and does not stop the others.
        """
        rows = RowSweep(
            ledger=self.ledger,
            settlement=self.settlement,
            rebuilders=self.rebuilders,
            clock=self.intake.clock,
            sweep=sweep,
        )
        rows.run()
        since = self.intake.clock.now() - window
        for part in self.parts:
            with sweep.guard("part"):
                cursor = part.run(cursor, sweep, since=since)
        return cursor

    def _report(self, summary: Summary) -> None:
        self.intake.log.event("reconcile.summary", **asdict(summary))
        # Every name is written in full: a test compares alarms and dashboard with these literals.
        self.intake.log.metric("mw.reconcile.requeued", summary.requeued)
        self.intake.log.metric("mw.reconcile.missing", summary.missing + summary.texts_missing)
        self.intake.log.metric("mw.reconcile.stranded", summary.stranded)
        self.intake.log.metric("mw.reconcile.settled", summary.settled)
        self.intake.log.metric("mw.reconcile.unknown", summary.unknown)
        self.intake.log.metric("mw.reconcile.buried", summary.buried)
        self.intake.log.metric("mw.reconcile.handoffs", summary.handoffs)
        if summary.failures:
            self.intake.log.metric("mw.reconcile.failures", sum(summary.failures.values()))
        if summary.oldest_seconds is not None:
            self.intake.log.metric("mw.reconcile.oldest_unfinished_seconds", summary.oldest_seconds)
        if summary.problems or summary.listing != "complete":
            self.intake.log.metric("mw.reconcile.incomplete")
