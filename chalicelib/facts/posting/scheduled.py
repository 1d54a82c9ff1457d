"""One scheduled run of the writer, or of what is left to do where the report has no sink."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import TimeLeft
from chalicelib.facts.posting.writer import FactWriter


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """The handler of the schedule.

    Attributes:
        store: the facts' rows.
        held: why facts cannot be posted, as a fixed code; None where they can.
        writer: builds the writer; called only where facts can be posted.
    """

    store: FactLedger
    held: str | None
    writer: Callable[[], FactWriter]

    def __call__(self, *, time_left_seconds: TimeLeft) -> dict[str, Any]:
        """Run once, and return the run's summary.

        Without the report's sink facts stay pending: only their rows are kept from expiring.
        """
        if self.held is not None:
            return {"outcome": f"held:{self.held}", "prolonged": self.store.prolong()}
        return asdict(self.writer().run(time_left_seconds=time_left_seconds))
