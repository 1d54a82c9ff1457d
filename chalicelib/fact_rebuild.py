"""Fills a dataset anew from facts that were kept: clear, then every fact and dimension key once.

It holds the writer's lease while it works, so that nothing else writes the dataset, and leaves an
open batch to the writer first.  Broken off, also by a switch, it is simply run again: it begins by
clearing; until it has come to its end the writer posts nothing, and the facts wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chalicelib.errors import HandBackError, ProviderError
from chalicelib.fact_batch import Batch, writer_event
from chalicelib.fact_dimensions import lands_until
from chalicelib.fact_ports import Dimension, DimensionStore, Fact, Roster, Row, Sink, TimeLeft
from chalicelib.fact_schema import (
    DIMENSIONS,
    FACT_EVENT,
    ROWS_PER_POST,
    dimension_keys,
    dimension_rows,
    fact_row,
    seed_keys,
)
from chalicelib.ports import (
    LEASE_GRACE_SECONDS,
    Clock,
    EventStatus,
    Lease,
    LedgerPort,
    Log,
    Switches,
    SwitchesPort,
)

DEADLINE_SECONDS = 20.0
HELD_SECONDS = 7 * 86_400.0
"""How long the writer waits for a rebuild that was broken off."""


@dataclass(slots=True)
class Rebuilt:
    """How it went.

    Attributes:
        outcome: rebuilt, busy, open_batch, held:<switch> or failed:<why>.
    """

    outcome: str = "rebuilt"
    facts: int = 0
    posts: int = 0


@dataclass(frozen=True, slots=True)
class Rebuild:
    """An operator's run."""

    ledger: LedgerPort
    registry: DimensionStore
    sink: Sink
    roster: Roster
    switches: SwitchesPort
    clock: Clock
    log: Log

    def run(self, facts: Callable[[], Sequence[Fact]], *, time_left_seconds: TimeLeft) -> Rebuilt:
        """Post the facts, each key once, into the cleared dataset.

        Args:
            facts: gives them; called under the lease, so that none is settled meanwhile.
            time_left_seconds: for the lease.
        """
        done = Rebuilt()
        switches = self.switches.current()
        if _hold(switches):
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
            self.ledger.release(lease, reason="open_batch")
            return done
        number = max(batch.number + 1, int(self.clock.now().timestamp() * 1000))
        held = Batch(number, not_before=self.clock.now().timestamp() + HELD_SECONDS)
        self.ledger.store_plan(lease, held.encode(), intent=None, modes=switches.modes)
        try:
            number = self._fill(list({fact.key: fact for fact in facts()}.values()), number, done)
        except ProviderError as error:
            done.outcome = f"failed:{error.provider}_{error.reason}"
            self.ledger.release(lease, reason="rebuild_broken_off")
        except HandBackError as error:
            done.outcome = f"held:{error.reason}"
            self.ledger.release(lease, reason="rebuild_broken_off")
        else:
            over = Batch(number).encode()
            self.ledger.finish(lease, EventStatus.PROCESSED, facts={"plan": over})
        self.log.event("facts.rebuilt", outcome=done.outcome, facts=done.facts, posts=done.posts)
        return done

    def _fill(self, facts: Sequence[Fact], number: int, done: Rebuilt) -> int:
        """Dimensions first, then facts; returns the next number that is free."""
        year = self.clock.now().year
        wanted = dimension_keys(facts, year)
        for table, seeded in seed_keys(year).items():
            wanted[table] |= seeded
        for table in DIMENSIONS:
            keys = sorted(wanted[table])
            name = f"{table}:{self.sink.target}"
            lands = lands_until(self.clock)
            self.registry.note(name, Dimension(frozenset(), tuple(keys), number, again_at=lands))
            rows = dimension_rows(table, keys, self.roster.agents())
            number = self._replace(table, number, rows)
            self.registry.note(name, Dimension(frozenset(keys), (), number))
        self._open_sink().replace(FACT_EVENT, number, [], deadline_seconds=DEADLINE_SECONDS)
        for start in range(0, len(facts), ROWS_PER_POST):
            part = [fact_row(fact) for fact in facts[start : start + ROWS_PER_POST]]
            number += 1
            self._open_sink().append(FACT_EVENT, number, part, deadline_seconds=DEADLINE_SECONDS)
            done.facts += len(part)
            done.posts += 1
        return number + 1

    def _replace(self, table: str, number: int, rows: Sequence[Row]) -> int:
        self._open_sink().replace(table, number, rows, deadline_seconds=DEADLINE_SECONDS)
        return number + len(rows) + 1  # a sink that takes few rows at once numbers its own calls

    def _open_sink(self) -> Sink:
        """The sink, unless a switch was thrown since the run began."""
        if _hold(self.switches.current()):
            raise HandBackError("switches")
        return self.sink


def _hold(switches: Switches) -> bool:
    return switches.kill_switch or switches.shadow_mode
