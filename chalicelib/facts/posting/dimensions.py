"""Dimensions: each key inserted once into a dataset, whatever crashed or answered nothing.

Power BI can neither change nor delete a single row, and a key there twice breaks the relationship
to the facts.  So a registry says which keys a dataset has; new ones are noted as on their way
before they are posted.  Where the outcome is not known, nothing is repeated: after the time within
which the request may still land, the table is cleared and filled anew; the same holds of a clearing
or filling whose outcome is not known.  Facts do not wait for that.
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
"""Who notes that a table is replaced begins it within the writer's lease of 370 s or never; clocks
differ by 120 s, of which the lease's margin takes its share."""


def lands_until(clock: Clock, *, begun_within: float = STARTED_SECONDS) -> int:
    """The epoch second from which nothing lands any more of what is noted now, and then begun."""
    return int(clock.now().timestamp() + begun_within + LANDING_SECONDS)


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Ensures dimensions; only the single writer uses it.

    Attributes:
        target: the dataset.
    """

    store: FactLedger
    effects: Effects
    roster: Roster
    clock: Clock
    log: Log
    target: str

    def ensure(self, attempt: Attempt, wanted: Mapping[str, Keys]) -> None:
        """Bring missing keys into the dataset.

        Raises:
            ProviderError: surely not done; to be called again.
            HandBackError: the switches or the lease do not allow it now.
        """
        for table, keys in wanted.items():
            self._ensure(attempt, table, frozenset(keys))

    def is_settled(self) -> bool:
        """Nothing is on its way whose outcome is not known."""
        return all(self.store.known(self._name(table)).is_settled for table in DIMENSIONS)

    def _ensure(self, attempt: Attempt, table: str, wanted: frozenset[str]) -> None:
        there = self.store.known(self._name(table))
        if not there.is_settled:
            there = self._finish(attempt, table, there, wanted)
            if not there.is_settled:
                return
        missing = sorted(wanted - there.known)
        if missing:
            on_its_way = Dimension(there.known, tuple(missing), self._number(there))
            on_its_way = self._note(table, there, on_its_way)
            self._finish(attempt, table, on_its_way, wanted)

    def _finish(
        self, attempt: Attempt, table: str, there: Dimension, wanted: frozenset[str]
    ) -> Dimension:
        """Post what is on its way, or learn that it was, or clear and fill the table."""
        both = there.known | frozenset(there.posting)
        if there.again_at:
            return self._replace(attempt, table, there, both | wanted)
        rows = tuple(dimension_rows(table, there.posting, self.roster.agents()))
        row = self._perform(attempt, InsertDimension(self.target, table, there.number, rows))
        match row.status:
            case ActionStatus.DONE:
                return self._note(table, there, Dimension(both, (), there.number))
            case ActionStatus.UNKNOWN:
                horizon = row.unsettled.horizon_epoch if row.unsettled else lands_until(self.clock)
                lands = replace(there, again_at=int(horizon))
                return self._replace(attempt, table, lands, both | wanted)
            case ActionStatus.REFUSED:
                self.log.event("facts.dimension_refused", table=table)
                self.log.metric("mw.facts.dimension_refused", table=table)
                return self._note(table, there, Dimension(there.known, (), there.number))
            case _:
                self._note(table, there, Dimension(there.known, (), there.number))
                raise HandBackError("held")

    def _replace(
        self, attempt: Attempt, table: str, there: Dimension, keys: frozenset[str]
    ) -> Dimension:
        """Clear and fill the table, once nothing of before can land any more.

        It is noted first: until it has landed itself, nobody may do it again.  Where it surely did
        not begin, or nothing of it is under way, anybody may at once.
        """
        waiting = replace(there, posting=tuple(sorted(keys - there.known)))
        now = int(self.clock.now().timestamp())
        if now < there.again_at:
            return there if waiting == there else self._note(table, there, waiting)
        rows = tuple(dimension_rows(table, sorted(keys), self.roster.agents()))
        begun = replace(waiting, number=self._number(there), again_at=lands_until(self.clock))
        begun = self._note(table, there, begun)
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

    def _number(self, there: Dimension) -> int:
        """Greater than any before it: epoch milliseconds, or one more where the clock went back."""
        return max(there.number + 1, int(self.clock.now().timestamp() * 1000))

    def _name(self, table: str) -> str:
        return f"{table}:{self.target}"
