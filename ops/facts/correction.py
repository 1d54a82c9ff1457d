"""Corrects a stored fact: another agent, day or metric than its source reported.

The ledger's row changes and keeps the former values.  OneLake gets a row that replaces the former
one.  The archive gets a further row, of which readers take the newest; the day that the fact leaves
gets a row that says so.  A push dataset cannot change a row: its next rebuild takes the new values,
and until then the check reports the difference.  The correction holds the writer's lease, so that
no batch with the former values is under way.  Idempotent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chalicelib.errors import HandBackError, ProviderError, reason_of
from chalicelib.facts.dataset import FACT_EVENT, dimension_keys, full_row
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Fact, FactStatus, Row, TimeLeft
from chalicelib.facts.posting import effects
from chalicelib.facts.posting.dimensions import Dimensions
from chalicelib.facts.posting.effects import POST_FACTS
from chalicelib.facts.posting.parts import moved_row
from chalicelib.facts.posting.writer_state import WriterState, writer_event
from chalicelib.once.action import ActionStatus
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Runtime

_TAKEOVER = frozenset({EventStatus.PROCESSED, EventStatus.FAILED, EventStatus.PARKED})


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCopies:
    """The places that hold a posted fact.

    Attributes:
        accepting: the sinks (OneLake, the archive) that accept a further row of a fact.
        by_day: the targets of sinks that file a row under its day, which a correction may change.
        dataset: the target of the push dataset, if facts go to one.
    """

    accepting: Sequence[Dimensions]
    by_day: frozenset[str]
    dataset: str | None


@dataclass(frozen=True, slots=True)
class Correction:
    """Corrects facts of one stage for one operator.

    Attributes:
        owner: the operator's name, for the row.
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
            fact: the fact with its new values.
            status: its row's status; a fact that was not posted is in no sink.
            time_left_seconds: how long the lease is held.

        Returns:
            ``corrected``, or why not: ``busy``, ``open_batch``, ``rebuild``, ``held:<why>``, or
            ``waiting:<why>`` if a sink still lacks the new row.
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
        writer_state = WriterState.decode(lease.plan)
        if fact.key in writer_state.unfinished_keys or writer_state.rebuilding:
            why = "rebuild" if writer_state.rebuilding else "open_batch"
            self.ledger.release(lease, reason=why, due_epoch=None)
            return why
        attempt = Attempt(lease, switches.modes)
        try:
            self._correct(attempt, fact, writer_state, is_posted=status == FactStatus.POSTED)
        except (ProviderError, HandBackError) as error:
            self.ledger.release(lease, reason=error.reason, due_epoch=None)
            return f"waiting:{reason_of(error)}"
        self.ledger.finish(lease, EventStatus.PROCESSED)
        return "corrected"

    def _correct(
        self, attempt: Attempt, fact: Fact, writer_state: WriterState, *, is_posted: bool
    ) -> None:
        self.store.correct(fact, by=self.owner, stale=self.copies.dataset if is_posted else None)
        if not is_posted:
            return
        number = writer_state.next_number(self.runtime.clock.now())
        plan = replace(writer_state, corrected=number).encode()
        self.ledger.store_plan(attempt.lease, plan, intent=None, modes=attempt.modes)
        former = {
            correction["date"]
            for correction in (self.store.row(fact.key) or {}).get("corrections", ())
        }
        row = full_row(fact)
        left = [moved_row(fact, day) for day in sorted(former - {fact.date})]
        failed: list[ProviderError | HandBackError] = []
        for sink in self.copies.accepting:
            rows = (row, *(left if sink.target in self.copies.by_day else ()))
            try:
                self._give(attempt, fact, sink, number, rows)
            except (ProviderError, HandBackError) as error:
                failed.append(error)
        if failed:
            raise failed[0]

    def _give(
        self, attempt: Attempt, fact: Fact, sink: Dimensions, number: int, rows: tuple[Row, ...]
    ) -> None:
        sink.ensure_keys(attempt, dimension_keys([fact], self.runtime.clock.now().year))
        action = effects.rows(POST_FACTS, sink.target, FACT_EVENT, number, rows)
        done = self.effects.perform(attempt, [StepAction(action)], {})[action.key]
        if done.status != ActionStatus.DONE:
            raise HandBackError(done.reason or "not_settled")
