"""Dimensions: inserts each key once into a dataset, despite crashes and lost responses.

Power BI can neither change nor delete a single row, and a duplicate key breaks the relationship to
the facts.  So a registry stores which keys a dataset has; new keys are stored as being posted before
the request.  After an unknown outcome the request is not repeated: once it can no longer land, the
table is cleared and filled again; the same applies to a clear or fill of unknown outcome.  Facts do
not wait for this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from chalicelib.errors import HandBackError, ProviderError, UnavailableError
from chalicelib.facts.dataset import DIMENSIONS, dimension_rows
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Dimension, Keys, Roster
from chalicelib.facts.posting.actions import InsertDimension, ReplaceDimension
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import LANDING_SECONDS
from chalicelib.once.ports import Clock, Log

STARTED_SECONDS = 400.0
"""A replacement starts within this time of being registered, or never: the writer's lease of 370 s,
plus the part of the clocks' 120 s difference that the lease's margin does not cover."""


def lands_until(clock: Clock, *, started_within: float = STARTED_SECONDS) -> int:
    """The epoch second from which a request registered now can no longer land."""
    return int(clock.now().timestamp() + started_within + LANDING_SECONDS)


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Inserts missing dimension keys; used by the single writer only.

    Attributes:
        target: name of the dataset.
    """

    store: FactLedger
    effects: Effects
    roster: Roster
    clock: Clock
    log: Log
    target: str

    def ensure(self, attempt: Attempt, wanted: Mapping[str, Keys]) -> None:
        """Insert missing keys into the dataset.

        Raises:
            ProviderError: surely not done; call again.
            HandBackError: the switches or the lease do not allow it now.
        """
        for table, keys in wanted.items():
            self._ensure(attempt, table, frozenset(keys))

    def is_settled(self) -> bool:
        """No request of unknown outcome is under way."""
        return all(self.store.known(self._name(table)).is_settled for table in DIMENSIONS)

    def _ensure(self, attempt: Attempt, table: str, wanted: frozenset[str]) -> None:
        current = self.store.known(self._name(table))
        if not current.is_settled:
            current = self._finish(attempt, table, current, wanted)
            if not current.is_settled:
                return
        missing = sorted(wanted - current.known)
        if missing:
            registered = Dimension(current.known, tuple(missing), self._number(current))
            registered = self._note(table, current, registered)
            self._finish(attempt, table, registered, wanted)

    def _finish(
        self, attempt: Attempt, table: str, current: Dimension, wanted: frozenset[str]
    ) -> Dimension:
        """Post the registered keys, or find that they were posted, or replace the table."""
        both = current.known | frozenset(current.posting)
        if current.again_at:
            return self._replace(attempt, table, current, both | wanted)
        rows = tuple(dimension_rows(table, current.posting, self.roster.agents()))
        row = self._perform(attempt, InsertDimension(self.target, table, current.number, rows))
        match row.status:
            case ActionStatus.DONE:
                return self._note(table, current, Dimension(both, (), current.number))
            case ActionStatus.UNKNOWN:
                horizon = row.unsettled.horizon_epoch if row.unsettled else lands_until(self.clock)
                lands = replace(current, again_at=int(horizon))
                return self._replace(attempt, table, lands, both | wanted)
            case ActionStatus.REFUSED:
                self.log.event("facts.dimension_refused", table=table)
                self.log.metric("mw.facts.dimension_refused", table=table)
                return self._note(table, current, Dimension(current.known, (), current.number))
            case _:
                self._note(table, current, Dimension(current.known, (), current.number))
                raise HandBackError("held")

    def _replace(
        self, attempt: Attempt, table: str, current: Dimension, keys: frozenset[str]
    ) -> Dimension:
        """Clear and fill the table, once earlier requests can no longer land.

        It is registered first: until it can no longer land itself, it must not be repeated.  If it
        surely did not start, or ended with a known outcome, it may be repeated at once.
        """
        waiting = replace(current, posting=tuple(sorted(keys - current.known)))
        now = int(self.clock.now().timestamp())
        if now < current.again_at:
            return current if waiting == current else self._note(table, current, waiting)
        rows = tuple(dimension_rows(table, sorted(keys), self.roster.agents()))
        begun = replace(waiting, number=self._number(current), again_at=lands_until(self.clock))
        begun = self._note(table, current, begun)
        action = ReplaceDimension(self.target, table, begun.number, rows)
        try:
            status = self._perform(attempt, action).status
        except (ProviderError, HandBackError, UnavailableError):
            self._note(table, begun, replace(begun, again_at=now))
            raise
        self.log.event("facts.dimension_replaced", table=table, status=status.value)
        if status == ActionStatus.DONE:
            return self._note(table, begun, Dimension(keys, (), begun.number))
        if status == ActionStatus.UNKNOWN:
            return begun
        return self._note(table, begun, replace(begun, again_at=now))

    def _perform(self, attempt: Attempt, action: InsertDimension | ReplaceDimension) -> ActionRow:
        return self.effects.perform(attempt, [StepAction(action)], {})[action.key]

    def _note(self, table: str, was: Dimension, dimension: Dimension) -> Dimension:
        return self.store.note(self._name(table), dimension, was)

    def _number(self, current: Dimension) -> int:
        """Greater than all before: epoch milliseconds, or one more if the clock went back."""
        return max(current.number + 1, int(self.clock.now().timestamp() * 1000))

    def _name(self, table: str) -> str:
        return f"{table}:{self.target}"
