"""Once a night: changed names and shifts reach the report, and every sink is counted.

::

    first run after 02:00 of FACTS_TIMEZONE -> claim the night -> refresh dimensions
        -> compare the counts by day -> the night is over, or tried again by the next run
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from zoneinfo import ZoneInfo

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.facts.model import TimeLeft
from chalicelib.facts.posting.comparison import Comparison, FactCheck
from chalicelib.facts.posting.writer import ENOUGH_SECONDS, FactWriter
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventFacts, EventStatus, Finished, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Runtime

FROM_HOUR = 2
SILENT_SECONDS = 3 * 86_400
"""A source without a fact for longer than a weekend is reported, as long as the ledger knows it."""
_SHOWN = 20
"""Differences named in the log; the metric counts them all."""


@dataclass(slots=True, kw_only=True)
class Nightly:
    """The work on facts that is done once a night, by the first container that claims the night.

    Attributes:
        ledger: `Ledger` on the facts' table, where each night is an event.
    """

    ledger: Ledger
    writer: FactWriter
    check: Callable[[], FactCheck]
    runtime: Runtime
    timezone: str = "UTC"
    _done: str = field(default="", init=False)

    def __call__(self, *, time_left_seconds: TimeLeft) -> str | None:
        """Do the night's work: refresh dimension tables, then compare the counts of all sinks.

        Returns the outcome as a text, or None where tonight's work is done, another run has it, or too
        little time is left.  After an error the next scheduled run starts the work from the beginning.
        """
        now = self.runtime.clock.now()
        local = now.astimezone(ZoneInfo(self.timezone))
        night = (local - timedelta(hours=FROM_HOUR)).date().isoformat()
        if night == self._done or time_left_seconds() < 2 * ENOUGH_SECONDS:
            return None
        event = EventFacts(f"NIGHT:{night}", "facts", iso(now), "", 0, "WRITER")
        lease = self.ledger.claim(
            event,
            self.runtime.switches.current().modes,
            lease_seconds=time_left_seconds() + LEASE_GRACE_SECONDS,
            takeover=frozenset(),
        )
        if not isinstance(lease, Lease):
            self._done = night if isinstance(lease, Finished) else ""
            return None
        try:
            outcome = self._run(time_left_seconds)
        except MiddlewareError as error:
            self.ledger.release(lease, reason=reason_of(error), due_epoch=None)
            self.runtime.log.event("facts.night_interrupted", reason=reason_of(error))
            return f"waiting:{reason_of(error)}"
        if not outcome.startswith("checked"):
            self.ledger.release(lease, reason=outcome, due_epoch=None)
            return outcome
        self.ledger.finish(lease, EventStatus.PROCESSED, reason=outcome)
        self._done = night
        return outcome

    def _run(self, time_left: TimeLeft) -> str:
        refreshed = self.writer.refresh(time_left_seconds=time_left)
        if refreshed != "refreshed":
            return refreshed
        return self._report(self.check().compare())

    def _report(self, comparison: Comparison) -> str:
        ages = comparison.newest_seconds.items()
        silent = [source for source, age in ages if age > SILENT_SECONDS]
        for source in silent:
            self.runtime.log.event("facts.silent", source=source)
        self.runtime.log.metric("mw.facts.silent", len(silent))
        for source, drift in comparison.drift.items():
            self.runtime.log.metric("mw.facts.drift_percent", drift.percent, source=source)
            if drift.drifted:
                self.runtime.log.event(
                    "facts.drift",
                    source=source,
                    facts=drift.facts,
                    drifted=drift.drifted,
                    marks={mark.value: count for mark, count in drift.marks.items()},
                )
        found = comparison.differences
        for difference in found[:_SHOWN]:
            self.runtime.log.event(
                "facts.difference",
                day=difference.day,
                sink=difference.sink,
                known=difference.known,
                there=difference.there,
            )
        for table, why in comparison.troubles.items():
            self.runtime.log.event("facts.files_differ", table=table, reason=why)
        missing = sum(difference.known - difference.there for difference in found) + len(
            comparison.troubles
        )
        self.runtime.log.metric("mw.facts.missing", missing)
        if comparison.dataset is not None:
            self.runtime.log.metric("mw.facts.table_rows", sum(comparison.dataset.values()))
        self.runtime.log.event(
            "facts.checked",
            days=len(comparison.ledger),
            missing=missing,
            corrected=len(comparison.corrected),
        )
        return f"checked:{missing}_missing"
