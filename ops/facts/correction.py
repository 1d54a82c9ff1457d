"""Corrects a stored fact: another agent, day or metric than its source reported.

The ledger's row changes and keeps the former values.  OneLake gets a row that replaces the former one.
The archive gets a further row, of which its readers take the newest; a day that the fact leaves gets a row
that says so.  A push dataset cannot change a row: it gets the new values with its next rebuild, and the
check tells the difference until then.  The correction holds the writer's lease, so that no batch is under
way with the former values; it may be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.errors import HandBackError, ProviderError, reason_of
from chalicelib.facts.dataset import FACT_EVENT, dimension_keys, lasting_row
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Fact, FactStatus, Row, TimeLeft
from chalicelib.facts.posting import effects
from chalicelib.facts.posting.batch import Batch, writer_event
from chalicelib.facts.posting.dimensions import Dimensions
from chalicelib.facts.posting.effects import POST_FACTS
from chalicelib.facts.posting.parts import moved
from chalicelib.once.action import ActionStatus
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Runtime

_TAKEOVER = frozenset({EventStatus.PROCESSED, EventStatus.FAILED, EventStatus.PARKED})


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCopies:
    """Where a posted fact is.

    Attributes:
        keyed: the dimensions of each sink where a row replaces the one of its key: OneLake.
        archives: of each archive.
        dataset: target of the dataset that is the report, if one is.
    """

    keyed: Sequence[Dimensions]
    archives: Sequence[Dimensions]
    dataset: str | None


@dataclass(frozen=True, slots=True)
class Correction:
    """Corrections of one stage, by one operator.

    Attributes:
        owner: who corrects, for the row.
    """

    ledger: Ledger
    store: FactLedger
    copies: FactCopies
    effects: Effects
    runtime: Runtime
    owner: str

    def run(self, fact: Fact, status: FactStatus, *, time_left_seconds: TimeLeft) -> str:
        """Correct one fact.

        Args:
            fact: with its new values.
            status: the state of its row: one that is not posted is in no archive.
            time_left_seconds: how long the lease is held.

        Returns:
            ``corrected``, or why not: ``busy``, ``open_batch``, ``rebuild``, ``held:<why>``, or
            ``waiting:<why>`` where a sink lacks it still.
        """
        switches = self.runtime.switches.current()
        held = switches.forbids(POST_FACTS)
        if held is not None:
            return f"held:{held}"
        lease = self.ledger.claim(
            writer_event(self.runtime.clock.now()),
            switches.modes,
            lease_seconds=time_left_seconds() + LEASE_GRACE_SECONDS,
            takeover=_TAKEOVER,
        )
        if not isinstance(lease, Lease):
            return "busy"
        batch = Batch.decode(lease.plan)
        if batch.keys or batch.rebuilding:
            why = "open_batch" if batch.keys else "rebuild"
            self.ledger.release(lease, reason=why, due_epoch=None)
            return why
        attempt = Attempt(lease, switches.modes)
        try:
            self._correct(attempt, fact, batch, is_posted=status == FactStatus.POSTED)
        except (ProviderError, HandBackError) as error:
            self.ledger.release(lease, reason=error.reason, due_epoch=None)
            return f"waiting:{reason_of(error)}"
        self.ledger.finish(lease, EventStatus.PROCESSED)
        return "corrected"

    def _correct(self, attempt: Attempt, fact: Fact, batch: Batch, *, is_posted: bool) -> None:
        self.store.correct(fact, by=self.owner, stale=self.copies.dataset if is_posted else None)
        if not is_posted:
            return
        number = max(batch.number + 1, int(self.runtime.clock.now().timestamp() * 1000))
        plan = Batch(number).encode()
        self.ledger.store_plan(attempt.lease, plan, intent=None, modes=attempt.modes)
        former = {one["date"] for one in (self.store.row(fact.key) or {}).get("corrections", ())}
        row = lasting_row(fact)
        left = [moved(fact, day) for day in sorted(former - {fact.date})]
        for sink in self.copies.keyed:
            self._add(attempt, sink, number, fact, (row,))
        for sink in self.copies.archives:
            self._add(attempt, sink, number, fact, (row, *left))

    def _add(
        self, attempt: Attempt, sink: Dimensions, number: int, fact: Fact, rows: tuple[Row, ...]
    ) -> None:
        sink.ensure(attempt, dimension_keys([fact], self.runtime.clock.now().year))
        action = effects.rows(POST_FACTS, sink.target, FACT_EVENT, number, rows)
        ended = self.effects.perform(attempt, [StepAction(action)], {})[action.key]
        if ended.status != ActionStatus.DONE:
            raise HandBackError(ended.reason or "not_settled")
