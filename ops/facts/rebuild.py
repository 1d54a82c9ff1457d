"""Rebuilds a dataset from stored facts: clear it, then post every fact and dimension key once.

A rebuild holds the writer's lease, so that nothing else writes the dataset.  If the writer has an
open batch, that batch must be finished first.  An interrupted rebuild (also by a switch) is simply
run again, as it starts by clearing; until one completes, the writer posts nothing and facts stay
pending.  It starts only once no earlier request can still reach Power BI: a late delete would
empty what it has posted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chalicelib.errors import HandBackError, ProviderError, UncertainError, reason_of
from chalicelib.facts.dataset import (
    DIMENSIONS,
    FACT_EVENT,
    ROWS_PER_POST,
    dimension_keys,
    dimension_rows,
    fact_row,
    seed_keys,
)
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Dimension, Fact, Roster, Sink, TimeLeft
from chalicelib.facts.posting.batch import Batch, writer_event
from chalicelib.facts.posting.dimensions import lands_until
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log, Modes, Switches, SwitchesPort

DEADLINE_SECONDS = 20.0
HELD_SECONDS = 7 * 86_400.0
"""How long the writer stays suspended after a rebuild was interrupted."""


@dataclass(slots=True)
class Rebuilt:
    """The result of a rebuild.

    Attributes:
        outcome: rebuilt, busy, open_batch, waiting:may_still_land, held:<why> or failed:<why>.
        facts: how many were posted.
        posts: in how many requests.
    """

    outcome: str = "rebuilt"
    facts: int = 0
    posts: int = 0


@dataclass(frozen=True, slots=True)
class Rebuild:
    """One rebuild, started by an operator."""

    ledger: Ledger
    registry: FactLedger
    sink: Sink
    roster: Roster
    switches: SwitchesPort
    clock: Clock
    log: Log

    def run(self, facts: Callable[[], Sequence[Fact]], *, time_left_seconds: TimeLeft) -> Rebuilt:
        """Post the facts, each key once, into the cleared dataset.

        Args:
            facts: returns them; called under the lease, so that no fact is posted meanwhile.
            time_left_seconds: how long the lease is held.
        """
        done = Rebuilt()
        switches = self.switches.current()
        if _is_stopped(switches):
            done.outcome = "held:switches"
            return done
        lease = self.ledger.claim(
            writer_event(self.clock.now()),
            switches.modes,
            lease_seconds=time_left_seconds() + LEASE_GRACE_SECONDS,
            takeover=frozenset({EventStatus.PROCESSED, EventStatus.FAILED, EventStatus.PARKED}),
        )
        if not isinstance(lease, Lease):
            done.outcome = "busy"
            return done
        batch = Batch.decode(lease.plan)
        if batch.keys:
            done.outcome = "open_batch"
            self.ledger.release(lease, reason="open_batch", due_epoch=None)
            return done
        if self._may_still_land(lease):
            done.outcome = "waiting:may_still_land"
            self.ledger.release(lease, reason="may_still_land", due_epoch=None)
            return done
        self._rebuild(lease, switches.modes, batch, facts(), done)
        self.log.event("facts.rebuilt", outcome=done.outcome, facts=done.facts, posts=done.posts)
        return done

    def _rebuild(
        self, lease: Lease, modes: Modes, batch: Batch, facts: Sequence[Fact], done: Rebuilt
    ) -> None:
        """Suspend the writer, record the pending posts, fill the dataset, record the outcome."""
        facts = list({fact.key: fact for fact in facts}.values())
        noted = self._numbered(lease, batch, facts)
        last = _last(noted) + len(facts) + 1
        held = Batch(last, not_before=self.clock.now().timestamp() + HELD_SECONDS)
        self.ledger.store_plan(lease, held.encode(), intent=None, modes=modes)
        begun = {table: self.registry.note(self._name(table), noted[table]) for table in DIMENSIONS}
        try:
            self._fill(lease, facts, begun, done)
        except ProviderError as error:
            done.outcome = f"failed:{reason_of(error)}"
            if not isinstance(error, UncertainError):
                self._end(begun, is_whole=False)
        except HandBackError as error:
            done.outcome = f"held:{reason_of(error)}"
            self._end(begun, is_whole=False)
        else:
            self._end(begun, is_whole=True)
            self.ledger.finish(lease, EventStatus.PROCESSED, facts={"plan": Batch(last).encode()})
            return
        self.ledger.release(lease, reason="rebuild_broken_off", due_epoch=None)

    def _may_still_land(self, lease: Lease) -> bool:
        """An earlier request, of the writer or of another rebuild, may still reach Power BI.

        A worker that died left no end time; its request counts as under way for the longest time
        that any request can take.
        """
        now = self.clock.now().timestamp()
        is_open = False
        for table in DIMENSIONS:
            there = self.registry.known(self._name(table))
            if there.posting and not there.again_at:
                waiting = replace(there, again_at=self._lands_until(lease))
                there = self.registry.note(self._name(table), waiting, there)
            is_open |= now < there.again_at
        return is_open

    def _lands_until(self, lease: Lease) -> int:
        return lands_until(
            self.clock, started_within=lease.until_epoch - self.clock.now().timestamp()
        )

    def _numbered(self, lease: Lease, batch: Batch, facts: Sequence[Fact]) -> dict[str, Dimension]:
        """Every dimension, marked as being posted, with sequence numbers after the previous one's.

        A sink that takes few rows at a time numbers each call, so a number is reserved per row.
        """
        year = self.clock.now().year
        wanted = dimension_keys(facts, year)
        for table, seeded in seed_keys(year).items():
            wanted[table] |= seeded
        number = max(batch.number + 1, int(self.clock.now().timestamp() * 1000))
        lands = self._lands_until(lease)
        noted = {}
        for table in DIMENSIONS:
            keys = tuple(sorted(wanted[table]))
            number += len(dimension_rows(table, keys, None)) + 1
            noted[table] = Dimension(frozenset(), keys, number, again_at=lands)
        return noted

    def _end(self, begun: Mapping[str, Dimension], *, is_whole: bool) -> None:
        """Record that no post is under way: the keys are posted, or the next run may start now."""
        now = int(self.clock.now().timestamp())
        for table, noted in begun.items():
            there = Dimension(frozenset(noted.posting), (), noted.number)
            self.registry.note(
                self._name(table), there if is_whole else replace(noted, again_at=now), noted
            )

    def _fill(
        self, lease: Lease, facts: Sequence[Fact], begun: Mapping[str, Dimension], done: Rebuilt
    ) -> None:
        """Post the dimensions, then the facts."""
        for table, noted in begun.items():
            rows = dimension_rows(table, noted.posting, self.roster.agents())
            first = noted.number - len(rows)
            self._open_sink(lease).replace(table, first, rows, deadline_seconds=DEADLINE_SECONDS)
        number = _last(begun) + 1
        self._open_sink(lease).replace(FACT_EVENT, number, [], deadline_seconds=DEADLINE_SECONDS)
        for start in range(0, len(facts), ROWS_PER_POST):
            number += 1
            part = [fact_row(fact) for fact in facts[start : start + ROWS_PER_POST]]
            sink = self._open_sink(lease)
            sink.append(FACT_EVENT, number, part, deadline_seconds=DEADLINE_SECONDS)
            done.facts += len(part)
            done.posts += 1

    def _open_sink(self, lease: Lease) -> Sink:
        """The sink, unless a switch was set since the run started or the lease is nearly over."""
        if _is_stopped(self.switches.current()):
            raise HandBackError("switches")
        if self.clock.now().timestamp() > lease.until_epoch - LEASE_GRACE_SECONDS / 2:
            raise HandBackError("lease_over")
        return self.sink

    def _name(self, table: str) -> str:
        return f"{table}:{self.sink.target}"


def _is_stopped(switches: Switches) -> bool:
    return switches.kill_switch or switches.shadow_mode


def _last(noted: Mapping[str, Dimension]) -> int:
    return max(one.number for one in noted.values())
