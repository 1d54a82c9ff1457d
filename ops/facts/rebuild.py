"""Rebuilds a dataset from stored facts: clear it, then post every fact and dimension key once.

A rebuild holds the writer's lease, so that nothing else writes the dataset.  The writer's open
batch, if any, must be finished first.  An interrupted rebuild is simply run again: it starts over
if it was still clearing tables, and goes on if it had begun to post the same facts.  Until it
completes, the writer posts nothing, for at most `BLOCKED_SECONDS` after its last step.  It starts
only when no earlier request can still reach Power BI: a late delete would remove rows that it has
posted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chalicelib.errors import HandBackError, ProviderError, UncertainError, reason_of
from chalicelib.facts.dataset import (
    DIMENSIONS,
    FACT_EVENT,
    ROWS_PER_POST,
    dimension_keys,
    dimension_rows,
    fact_row,
    rows_digest,
    seed_keys,
)
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Agent, Dimension, Fact, Row, Sink, TimeLeft
from chalicelib.facts.posting.dimensions import latest_landing_epoch
from chalicelib.facts.posting.writer_state import Rebuilding, WriterState, writer_event
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes, Runtime, Switches

DEADLINE_SECONDS = 20.0
BLOCKED_SECONDS = 2 * 3_600.0
"""How long an interrupted rebuild blocks the writer after its last step."""


@dataclass(slots=True)
class Rebuilt:
    """The result of a rebuild.

    Attributes:
        outcome: rebuilt, busy, open_batch, waiting:may_still_land, held:<why> or failed:<why>.
        facts: the number of facts posted.
        posts: the number of requests that posted them.
        resumed_at: the number of facts that an interrupted rebuild had posted before.
    """

    outcome: str = "rebuilt"
    facts: int = 0
    posts: int = 0
    resumed_at: int = 0


@dataclass(frozen=True, slots=True)
class Rebuild:
    """One rebuild, started by an operator.

    Attributes:
        owner: the operator's name, stored with the writer's block.
    """

    ledger: Ledger
    registry: FactLedger
    sink: Sink
    agents: Callable[[], Mapping[str, Agent] | None]
    runtime: Runtime
    owner: str = ""

    def run(self, facts: Callable[[], Sequence[Fact]], *, time_left_seconds: TimeLeft) -> Rebuilt:
        """Post the facts, each key once, into the cleared dataset.

        Args:
            facts: returns the facts; called under the lease, so that none is posted meanwhile.
            time_left_seconds: how long the lease may be held.
        """
        done = Rebuilt()
        switches = self.runtime.switches.current()
        if _is_stopped(switches):
            done.outcome = "held:switches"
            return done
        lease = self.ledger.claim(
            writer_event(self.runtime.clock.now()),
            switches.modes,
            lease_seconds=time_left_seconds() + LEASE_GRACE_SECONDS,
            takeover=frozenset({EventStatus.PROCESSED, EventStatus.FAILED, EventStatus.PARKED}),
        )
        if not isinstance(lease, Lease):
            done.outcome = "busy"
            return done
        writer_state = WriterState.decode(lease.plan)
        if writer_state.unfinished_keys:
            done.outcome = "open_batch"
            self.ledger.release(lease, reason="open_batch", due_epoch=None)
            return done
        wanted = sorted({fact.key: fact for fact in facts()}.values(), key=lambda fact: fact.key)
        run = _Run(lease, switches.modes, wanted, done)
        started = self._resumable(lease, writer_state, wanted)
        if started is None and self._may_still_land(lease):
            done.outcome = "waiting:may_still_land"
            self.ledger.release(lease, reason="may_still_land", due_epoch=None)
            return done
        self._rebuild(run, writer_state, started)
        self.runtime.log.event(
            "facts.rebuilt", outcome=done.outcome, facts=done.facts, posts=done.posts
        )
        return done

    def _resumable(
        self, lease: Lease, writer_state: WriterState, facts: Sequence[Fact]
    ) -> Rebuilding | None:
        """The interrupted rebuild, if it had begun to post exactly these facts to this dataset.

        After a request of unknown outcome there is none: resuming could post rows twice.
        """
        there = writer_state.rebuilding
        if there is None or lease.was_taken_over:
            return None
        is_same = (there.target, there.facts) == (self.sink.target, _digest(facts))
        return there if is_same else None

    def _rebuild(self, run: _Run, writer_state: WriterState, started: Rebuilding | None) -> None:
        """Clear and fill the dimensions unless an earlier run did, then post the facts.

        The dimensions stay noted as being posted until the end, so that no other run starts over
        while a request of this one may still take effect.
        """
        try:
            if started is None:
                state = self._clear(run, writer_state)
            else:
                state = started
                lands = self._lands_until(run.lease)
                for table in DIMENSIONS:
                    noted = self.registry.dimension(self._name(table))
                    self._note(run, table, replace(noted, again_at=lands), noted)
            run.done.resumed_at = state.posted
            state = self._fill(run, state)
        except ProviderError as error:
            run.done.outcome = f"failed:{reason_of(error)}"
        except HandBackError as error:
            run.done.outcome = f"held:{reason_of(error)}"
        else:
            self._end(run, state)
            return
        self.ledger.release(run.lease, reason="rebuild_broken_off", due_epoch=None)

    def _clear(self, run: _Run, writer_state: WriterState) -> Rebuilding:
        """Block the writer, fill the dimensions, and empty the facts' table."""
        noted = self._numbered(run.lease, writer_state, run.facts)
        state = self._store(
            run, Rebuilding(self.sink.target, self.owner, 0, number=_last(noted) + 2)
        )
        for table in DIMENSIONS:
            self._note(run, table, noted[table])
        content = {}
        try:
            for table in DIMENSIONS:
                rows = dimension_rows(table, noted[table].posting, self.agents())
                self._replace(run, table, noted[table].number - len(rows), rows)
                content[table] = rows_digest(rows)
            self._replace(run, FACT_EVENT, state.number - 1, [])
        except UncertainError:
            raise
        except (ProviderError, HandBackError):
            self._may_start_over(run)
            raise
        return self._store(run, replace(state, facts=_digest(run.facts), content=content))

    def _fill(self, run: _Run, state: Rebuilding) -> Rebuilding:
        """Post the remaining facts, recording each step; return the last state."""
        while state.posted < len(run.facts):
            part = run.facts[state.posted : state.posted + ROWS_PER_POST]
            number = state.number + state.posted
            rows = [fact_row(fact) for fact in part]
            try:
                sink = self._open_sink(run.lease)
                sink.append(FACT_EVENT, number, rows, deadline_seconds=DEADLINE_SECONDS)
            except UncertainError:
                self._store(run, replace(state, facts=""))
                raise
            except (ProviderError, HandBackError):
                self._may_start_over(run)
                raise
            run.done.facts += len(part)
            run.done.posts += 1
            state = self._store(run, replace(state, posted=state.posted + len(part)))
        return state

    def _end(self, run: _Run, state: Rebuilding) -> None:
        """Record that every key is posted, and unblock the writer."""
        for table in DIMENSIONS:
            noted = run.noted[table]
            keys, content = frozenset(noted.posting), state.content.get(table)
            ended = Dimension(keys, (), noted.number, content=content)
            self._note(run, table, ended, noted)
        self.registry.clear_stale_notes(self.registry.survey().stale.get(self.sink.target, ()))
        last = WriterState(state.number + len(run.facts) + 1)
        self.ledger.finish(run.lease, EventStatus.PROCESSED, facts={"plan": last.encode()})

    def _may_start_over(self, run: _Run) -> None:
        """Note that no request is under way, so that the next run need not wait."""
        now = int(self.runtime.clock.now().timestamp())
        for table, noted in list(run.noted.items()):
            self._note(run, table, replace(noted, again_at=now), noted)

    def _note(
        self, run: _Run, table: str, dimension: Dimension, was: Dimension | None = None
    ) -> None:
        run.noted[table] = self.registry.note_dimension(self._name(table), dimension, was)

    def _store(self, run: _Run, state: Rebuilding) -> Rebuilding:
        """Record a step, which also extends the writer's block."""
        until = self.runtime.clock.now().timestamp() + BLOCKED_SECONDS
        state = replace(state, until=until)
        writer_state = WriterState(state.number + len(run.facts) + 1, rebuilding=state)
        self.ledger.store_plan(run.lease, writer_state.encode(), intent=None, modes=run.modes)
        return state

    def _replace(self, run: _Run, table: str, number: int, rows: Sequence[Row]) -> None:
        sink = self._open_sink(run.lease)
        sink.replace(table, number, rows, deadline_seconds=DEADLINE_SECONDS)

    def _may_still_land(self, lease: Lease) -> bool:
        """Whether an earlier request, of the writer or of another rebuild, may still reach Power BI.

        A dead worker's request counts as under way for the longest time that any request can take.
        """
        now = self.runtime.clock.now().timestamp()
        is_open = False
        for table in DIMENSIONS:
            there = self.registry.dimension(self._name(table))
            if there.posting and not there.again_at:
                waiting = replace(there, again_at=self._lands_until(lease))
                there = self.registry.note_dimension(self._name(table), waiting, there)
            is_open |= now < there.again_at
        return is_open

    def _lands_until(self, lease: Lease) -> int:
        return latest_landing_epoch(
            self.runtime.clock,
            started_within=lease.until_epoch - self.runtime.clock.now().timestamp(),
        )

    def _numbered(
        self, lease: Lease, writer_state: WriterState, facts: Sequence[Fact]
    ) -> dict[str, Dimension]:
        """Every dimension noted as being posted, with sequence numbers after the previous batch's.

        A sink that takes few rows at a time numbers each call, so each row reserves a number.
        """
        year = self.runtime.clock.now().year
        wanted = dimension_keys(facts, year)
        for table, seeded in seed_keys(year).items():
            wanted[table] |= seeded
        number = max(writer_state.number + 1, int(self.runtime.clock.now().timestamp() * 1000))
        lands = self._lands_until(lease)
        noted = {}
        for table in DIMENSIONS:
            keys = tuple(sorted(wanted[table]))
            number += len(dimension_rows(table, keys, None)) + 1
            noted[table] = Dimension(frozenset(), keys, number, again_at=lands)
        return noted

    def _open_sink(self, lease: Lease) -> Sink:
        """The sink; raises `HandBackError` if a switch was set meanwhile or the lease is nearly over."""
        if _is_stopped(self.runtime.switches.current()):
            raise HandBackError("switches")
        if self.runtime.clock.now().timestamp() > lease.until_epoch - LEASE_GRACE_SECONDS / 2:
            raise HandBackError("lease_over")
        return self.sink

    def _name(self, table: str) -> str:
        return f"{table}:{self.sink.target}"


@dataclass(frozen=True, slots=True)
class _Run:
    """One run under its lease.

    Attributes:
        facts: all facts to post, in the order of their keys.
        noted: the dimensions' last notes, by table.
    """

    lease: Lease
    modes: Modes
    facts: Sequence[Fact]
    done: Rebuilt
    noted: dict[str, Dimension] = field(default_factory=dict)


def _digest(facts: Sequence[Fact]) -> str:
    text = json.dumps([fact_row(fact) for fact in facts], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _is_stopped(switches: Switches) -> bool:
    return switches.kill_switch or switches.shadow_mode


def _last(noted: Mapping[str, Dimension]) -> int:
    return max(dimension.number for dimension in noted.values())
