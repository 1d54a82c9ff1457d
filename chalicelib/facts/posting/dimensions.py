"""Dimensions: inserts each key once into a dataset, despite crashes and lost responses.

Power BI can neither change nor delete a single row, and a duplicate key breaks the relationship to
the facts.  So a registry stores which keys a dataset has; before a request, its new keys are stored
as being posted.  After an unknown outcome the request is not repeated: once it can no longer land,
the table is cleared and filled again, also where the outcome of a clear or fill is unknown.  Facts
do not wait for this.

A row that has changed, such as an agent's name, reaches the dataset in the same way: once a night
the rows are compared with those that were posted, and a table that differs is filled again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from chalicelib.errors import HandBackError, ProviderError, UnavailableError
from chalicelib.facts import reasons as why
from chalicelib.facts.dataset import (
    DIM_AGENT,
    DIM_SHIFT,
    DIMENSIONS,
    digest_after,
    dimension_rows,
    rows_digest,
)
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Agent, Dimension, Keys, Row
from chalicelib.facts.posting import effects
from chalicelib.facts.posting.effects import INSERT_DIMENSION, REPLACE_DIMENSION
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.effect import Effect
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import LANDING_SECONDS
from chalicelib.once.ports import Clock, Log

STARTED_SECONDS = 400.0
"""A replacement starts within this time of being registered, or never: the writer's lease of 370 s,
plus the part of the clocks' 120 s difference that the lease's margin does not cover."""


_TABLES = (*DIMENSIONS, DIM_SHIFT)


def latest_landing_epoch(clock: Clock, *, started_within: float = STARTED_SECONDS) -> int:
    """The epoch second from which a request that is recorded now can no longer reach the sink."""
    return int(clock.now().timestamp() + started_within + LANDING_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directories:
    """The sources of what dimension tables show: agents' names, and shifts.

    Attributes:
        agents: gives the agents by id, with their names; None where no names are known.
        shifts: gives the rows of `DimShift`; None where no file is declared, or it cannot be read.
        are_names_known: False before the agents' directories were read for the first time.
    """

    agents: Callable[[], Mapping[str, Agent] | None]
    shifts: Callable[[], Sequence[Row] | None] = lambda: None
    are_names_known: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimensions:
    """Keeps the dimension tables of one sink complete; used by the fact writer alone.

    Attributes:
        target: name of the sink.
    """

    store: FactLedger
    effects: Effects
    directories: Directories
    clock: Clock
    log: Log
    target: str

    def ensure_keys(self, attempt: Attempt, wanted: Mapping[str, Keys]) -> None:
        """Insert those of the wanted keys, given by table, that the sink's dimension tables lack.

        Requests of unknown outcome that earlier runs have left are finished first.

        Raises:
            ProviderError: the keys were surely not inserted; call again.
            HandBackError: the switches or the lease do not allow a request now.
        """
        for table, keys in wanted.items():
            self._ensure(attempt, table, frozenset(keys))
        if not self.store.dimension(self._name(DIM_SHIFT)).is_settled:
            self._refresh_shifts(attempt)

    def is_settled(self) -> bool:
        """Whether the sink's dimension tables have no request that is under way or of unknown outcome."""
        return all(self.store.dimension(self._name(table)).is_settled for table in _TABLES)

    def refresh(self, attempt: Attempt) -> None:
        """Fill each dimension table again whose rows have changed since they were posted.

        It raises what `ensure` raises.  Agents' rows stay as they are until the directories of
        agents were read.
        """
        for table in DIMENSIONS:
            if table == DIM_AGENT and not self.directories.are_names_known():
                continue
            current = self.store.dimension(self._name(table))
            if current.is_settled and not self._shows_current_rows(current, table):
                self._replace(attempt, table, current, current.known)
        self._refresh_shifts(attempt)

    def has_current_names(self) -> bool:
        """Whether the sink is known to have the agents' names as the directories now give them."""
        current = self.store.dimension(self._name(DIM_AGENT))
        return current.is_settled and self._shows_current_rows(current, DIM_AGENT)

    def forget_keys(self, table: str, is_gone: Callable[[str], bool]) -> None:
        """Remove the keys for which `is_gone` is true from a table's stored record.

        The next `refresh` then fills the table without these keys.
        """
        current = self.store.dimension(self._name(table))
        known = frozenset(key for key in current.known if not is_gone(key))
        posting = tuple(key for key in current.posting if not is_gone(key))
        if (known, posting) != (current.known, current.posting):
            left = replace(current, known=known, posting=posting, content=None)
            self._note(table, current, left)

    def _shows_current_rows(self, current: Dimension, table: str) -> bool:
        keys = current.known
        return not keys or rows_digest(self._rows(table, keys)) == current.content

    def _refresh_shifts(self, attempt: Attempt) -> None:
        rows = self.directories.shifts()
        if rows is None:
            return
        current = self.store.dimension(self._name(DIM_SHIFT))
        keys = frozenset({str(rows_digest(rows))})
        if current.known != keys or not current.is_settled:
            self._replace(attempt, DIM_SHIFT, replace(current, known=frozenset()), keys)

    def _ensure(self, attempt: Attempt, table: str, wanted: frozenset[str]) -> None:
        current = self.store.dimension(self._name(table))
        if not current.is_settled:
            current = self._finish(attempt, table, current, wanted)
            if not current.is_settled:
                return
        missing = sorted(wanted - current.known)
        if missing:
            registered = replace(current, posting=tuple(missing), number=self._number(current))
            registered = self._note(table, current, registered)
            self._finish(attempt, table, registered, wanted)

    def _finish(
        self, attempt: Attempt, table: str, current: Dimension, wanted: frozenset[str]
    ) -> Dimension:
        """Insert the keys that the table's stored record has as being posted; returns the new record.

        If the outcome of the insertion is unknown, the table is cleared and filled instead, once no
        request can reach it any more.
        """
        both = current.known | frozenset(current.posting)
        if current.again_at:
            return self._replace(attempt, table, current, both | wanted)
        rows = self._rows(table, current.posting)
        insert = effects.rows(INSERT_DIMENSION, self.target, table, current.number, rows)
        row = self._perform(attempt, insert)
        match row.status:
            case ActionStatus.DONE:
                content = digest_after(0 if not current.known else current.content, rows)
                ended = Dimension(both, (), current.number, content=content)
                return self._note(table, current, ended)
            case ActionStatus.UNKNOWN:
                horizon = (
                    row.unsettled.horizon_epoch
                    if row.unsettled
                    else latest_landing_epoch(self.clock)
                )
                lands = replace(current, again_at=int(horizon))
                return self._replace(attempt, table, lands, both | wanted)
            case ActionStatus.REFUSED:
                self.log.event("facts.dimension_refused", table=table)
                self.log.metric("mw.facts.dimension_refused", table=table)
                return self._note(table, current, replace(current, posting=()))
            case _:
                self._note(table, current, replace(current, posting=()))
                raise HandBackError(why.HELD)

    def _replace(
        self, attempt: Attempt, table: str, current: Dimension, keys: frozenset[str]
    ) -> Dimension:
        """Clear a dimension table and fill it again, once no earlier request can reach it any more.

        Returns the table's new record.  The refill is recorded before it is sent, and is not
        repeated while its request may still reach the table.  If the refill surely did not start,
        or its outcome is known, it may be repeated at once.
        """
        waiting = replace(current, posting=tuple(sorted(keys - current.known)))
        now = int(self.clock.now().timestamp())
        if now < current.again_at:
            return current if waiting == current else self._note(table, current, waiting)
        rows = self._rows(table, keys)
        begun = replace(
            waiting, number=self._number(current), again_at=latest_landing_epoch(self.clock)
        )
        begun = self._note(table, current, begun)
        action = effects.rows(REPLACE_DIMENSION, self.target, table, begun.number, rows)
        try:
            status = self._perform(attempt, action).status
        except (ProviderError, HandBackError, UnavailableError):
            self._note(table, begun, replace(begun, again_at=now))
            raise
        self.log.event("facts.dimension_replaced", table=table, status=status.value)
        if status == ActionStatus.DONE:
            # A sink that takes few rows at a time numbers each of its calls.
            number = begun.number + len(rows)
            ended = Dimension(keys, (), number, content=rows_digest(rows))
            return self._note(table, begun, ended)
        if status == ActionStatus.UNKNOWN:
            return begun
        return self._note(table, begun, replace(begun, again_at=now))

    def _rows(self, table: str, keys: Collection[str]) -> tuple[Row, ...]:
        if table == DIM_SHIFT:
            return tuple(self.directories.shifts() or ())
        return tuple(dimension_rows(table, sorted(keys), self.directories.agents()))

    def _perform(self, attempt: Attempt, action: Effect) -> ActionRow:
        return self.effects.perform(attempt, [StepAction(action)], {})[action.key]

    def _note(self, table: str, was: Dimension, dimension: Dimension) -> Dimension:
        return self.store.note_dimension(self._name(table), dimension, was)

    def _number(self, current: Dimension) -> int:
        """The number for a new batch of a table's rows, greater than every earlier one.

        It is the time in epoch milliseconds; if the clock went back, one more than the last number.
        """
        return max(current.number + 1, int(self.clock.now().timestamp() * 1000))

    def _name(self, table: str) -> str:
        return f"{table}:{self.target}"
