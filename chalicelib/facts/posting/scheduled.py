"""One scheduled run: the writer, or, where no sink is configured, keeping facts from expiring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import TimeLeft
from chalicelib.facts.posting.compaction import Compaction
from chalicelib.facts.posting.nightly import Nightly
from chalicelib.facts.posting.writer import FactWriter
from chalicelib.once.ports import Log


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRun:
    """The schedule's handler for facts: runs the fact writer, or only keeps facts from expiring.

    Attributes:
        store: the stored facts.
        missing_sink: why facts cannot be posted, as a fixed code; None where they can.
        writer: builds the writer; called only where facts can be posted.
        compaction: builds the hourly compaction, which follows a run that waits for nothing.
        nightly: builds the nightly work, which follows the compaction.
    """

    store: FactLedger
    log: Log
    missing_sink: str | None
    writer: Callable[[], FactWriter]
    compaction: Callable[[], Compaction]
    nightly: Callable[[], Nightly]

    def __call__(self, *, time_left_seconds: TimeLeft) -> dict[str, Any]:
        """Run the fact writer once, then compaction and nightly work, and return the run's summary.

        If a sink is not configured, facts stay pending and are only kept from expiring.
        """
        age = self.store.oldest_pending_seconds()
        if age is not None:
            self.log.metric("mw.facts.oldest_pending_seconds", age)
        if self.missing_sink is not None:
            return self._only_prolong(f"held:{self.missing_sink}")
        summary = self.writer().run(time_left_seconds=time_left_seconds)
        night = None
        if summary.outcome in {"idle", "posted"}:
            self.compaction()(time_left_seconds=time_left_seconds)
            night = self.nightly()(time_left_seconds=time_left_seconds)
        return asdict(summary) | ({"night": night} if night else {})

    def _only_prolong(self, outcome: str) -> dict[str, Any]:
        """Only keep facts from expiring, and return a summary with the given outcome.

        The run is logged and counted only if facts wait, so a stage without facts stays silent.
        """
        prolonged = self.store.prolong()
        if self.store.pending_keys(at_most=1):
            self.log.event("facts.run", outcome=outcome, prolonged=prolonged)
            self.log.metric("mw.facts.waiting", outcome="held")
        return {"outcome": outcome, "prolonged": prolonged}
