"""One scheduled run of the writer, or of what is left to do where rows have nowhere to go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Sink, TimeLeft
from chalicelib.facts.posting.writer import FactWriter


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """The handler of the schedule.

    Attributes:
        store: the facts' rows.
        sink: where rows go; None where no sink is configured.
        writer: builds the writer; called only where there is a sink.
    """

    store: FactLedger
    sink: Sink | None
    writer: Callable[[], FactWriter]

    def __call__(self, *, time_left_seconds: TimeLeft) -> dict[str, Any]:
        """Run once, and return the run's summary.

        Without a sink facts stay pending: only their rows are kept from expiring.
        """
        if self.sink is None:
            return {"outcome": "held:no_sink", "prolonged": self.store.prolong()}
        return asdict(self.writer().run(time_left_seconds=time_left_seconds))
