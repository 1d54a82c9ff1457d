"""Publishes every stored fact to OneLake again, under the writer's lease; idempotent.

A row replaces the row of the same key, so nothing is cleared first and readers see no gap.  The
dimensions are noted as unknown, so that the writer publishes each of their rows again.  Rows that
neither ledger nor archive knows stay; only deleting and remaking the table's folder removes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chalicelib.errors import HandBackError, ProviderError, reason_of
from chalicelib.facts.dataset import DIM_SHIFT, DIMENSIONS, FACT_EVENT, full_row
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Dimension, Fact, Sink, TimeLeft
from chalicelib.facts.posting.effects import POST_FACTS
from chalicelib.facts.posting.writer_state import WriterState, writer_event
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Runtime

ROWS_PER_FILE = 50_000
"""With so many rows a file stays below 8 MB, the most that is read back for verification."""
DEADLINE_SECONDS = 60.0
_TAKEOVER = frozenset({EventStatus.PROCESSED, EventStatus.FAILED, EventStatus.PARKED})


@dataclass(frozen=True, slots=True)
class Republished:
    """The result of one run.

    Attributes:
        outcome: republished, busy, open_batch, rebuild, held:<why> or failed:<why>.
        facts: the number of facts published.
        files: the number of files written.
    """

    outcome: str = "republished"
    facts: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Republish:
    """Republishes a stage's facts for an operator.

    Attributes:
        sink: OneLake's sink.
    """

    ledger: Ledger
    registry: FactLedger
    sink: Sink
    runtime: Runtime

    def run(
        self, facts: Callable[[], Sequence[Fact]], *, time_left_seconds: TimeLeft
    ) -> Republished:
        """Publish the facts; `facts` is called under the lease, so that none is posted meanwhile."""
        switches = self.runtime.switches.current()
        held = switches.forbids(POST_FACTS)
        if held is not None:
            return Republished(f"held:{held}")
        lease = self.ledger.claim(
            writer_event(self.runtime.clock.now()),
            switches.modes,
            lease_seconds=time_left_seconds() + LEASE_GRACE_SECONDS,
            takeover=_TAKEOVER,
        )
        if not isinstance(lease, Lease):
            return Republished("busy")
        writer_state = WriterState.decode(lease.plan)
        if writer_state.unfinished_keys or writer_state.rebuilding:
            why = "open_batch" if writer_state.unfinished_keys else "rebuild"
            self.ledger.release(lease, reason=why, due_epoch=None)
            return Republished(why)
        number = max(writer_state.number + 1, int(self.runtime.clock.now().timestamp() * 1000))
        wanted = sorted({fact.key: fact for fact in facts()}.values(), key=lambda fact: fact.key)
        parts = [wanted[i : i + ROWS_PER_FILE] for i in range(0, len(wanted), ROWS_PER_FILE)]
        plan = WriterState(number + len(parts)).encode()
        self.ledger.store_plan(lease, plan, intent=None, modes=switches.modes)
        try:
            for table in (*DIMENSIONS, DIM_SHIFT):
                self._forget(f"{table}:{self.sink.target}")
            for place, part in enumerate(parts):
                self._publish(lease, number + place, part)
        except (ProviderError, HandBackError) as error:
            self.ledger.release(lease, reason=error.reason, due_epoch=None)
            return Republished(f"failed:{reason_of(error)}")
        self.ledger.finish(lease, EventStatus.PROCESSED)
        return Republished(facts=len(wanted), files=len(parts))

    def _publish(self, lease: Lease, number: int, facts: Sequence[Fact]) -> None:
        if self.runtime.switches.current().forbids(POST_FACTS):
            raise HandBackError("switches")
        left = lease.until_epoch - LEASE_GRACE_SECONDS - self.runtime.clock.now().timestamp()
        if left < DEADLINE_SECONDS:
            raise HandBackError("lease_over")
        rows = [full_row(fact) for fact in facts]
        self.sink.append(FACT_EVENT, number, rows, deadline_seconds=DEADLINE_SECONDS)

    def _forget(self, name: str) -> None:
        there = self.registry.dimension(name)
        if there.version:
            self.registry.note_dimension(name, replace(Dimension(), number=there.number), there)
