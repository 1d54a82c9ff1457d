"""Settles unknown outcomes by reading the provider, and waits where its data may lag.

A match counts only if its provider id belongs to no other action, now or later: another action may
have made the same request and not yet stored the id it got.  So an effect that a
second action could have produced stays unclaimed until that action's outcome is stored or its
horizon has passed.

Absence counts only after the horizon (the lease of the worker that started it, plus D: the time
within which its request may still land) and after a second check; until then the action stays unknown.
Settling is idempotent and may run at any time, in the worker or in reconciliation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.effect import Executor
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import (
    ABSENT_ONCE,
    ABSENT_TWICE,
    CANNOT_BE_ASKED,
    FOUND,
    MAY_BE_ANOTHERS,
    MAY_STILL_LAND,
)

SECOND_CHECK_SECONDS = 60.0
"""The pause between the two checks that prove that an effect did not happen."""

_OPEN = frozenset({ActionStatus.PENDING, ActionStatus.UNKNOWN})


class Verdict(StrEnum):
    """Whether an action of unknown outcome happened, as far as its vendor shows."""

    HAPPENED = "happened"
    NOT_HAPPENED = "not_happened"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Settled:
    """The verdict on an action of unknown outcome.

    `saw` is a fixed code for the evidence, `ref` the vendor's id of the effect.
    """

    verdict: Verdict
    saw: str
    ref: str | None = None


class Settlement:
    """Finds out whether actions of unknown outcome happened, by asking their vendors.

    The only place that judges what the settlers of the kinds of effects find.
    """

    def __init__(self, *, ledger: Ledger, executors: Mapping[str, Executor], clock: Clock) -> None:
        self._ledger = ledger
        self._executors = executors
        self._clock = clock

    def judge(self, action: UnsettledAction) -> Settled:
        """Ask the vendor whether an action of unknown outcome happened.

        An effect that the vendor shows is bound to the action, unless it is or may be another action's.

        Raises:
            ProviderError: the vendor cannot be asked now.
        """
        executor = self._executors.get(action.kind)
        settler = executor.settler if executor else None
        shown = settler(action) if settler else None
        if shown is None:
            return Settled(Verdict.UNDECIDED, CANNOT_BE_ASKED)
        is_disputed = False
        for found in shown:
            if any(self._is_open(key) for key in found.other_candidates):
                is_disputed = True
            elif self._ledger.claim_ref(action, found.ref, is_id_global=found.is_id_global):
                return Settled(Verdict.HAPPENED, FOUND, found.ref)
        if is_disputed:
            return Settled(Verdict.UNDECIDED, MAY_BE_ANOTHERS)
        return self._judge_absence(action)

    def _is_open(self, key: str) -> bool:
        """Whether the action with this key may also have produced the effect that the vendor shows.

        It may while the action's outcome is not stored and its request may still reach the vendor.
        """
        row = self._ledger.action(key)
        if row is None or row.unsettled is None or row.status not in _OPEN:
            return False
        return self._clock.now().timestamp() < row.unsettled.horizon_epoch

    def _judge_absence(self, action: UnsettledAction) -> Settled:
        now = self._clock.now().timestamp()
        if now < action.horizon_epoch:
            return Settled(Verdict.UNDECIDED, MAY_STILL_LAND)
        if action.looks == 0 or now - action.looked_epoch < SECOND_CHECK_SECONDS:
            self._ledger.count_empty_answer(action)
            return Settled(Verdict.UNDECIDED, ABSENT_ONCE)
        return Settled(Verdict.NOT_HAPPENED, ABSENT_TWICE)
