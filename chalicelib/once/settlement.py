"""How an unknown outcome is settled: what the provider shows decides, and patience where it lags.

A match counts only when its provider id is no other action's, and cannot become one's: whoever
asked the provider for the same thing and has not written its answer may hold that very id.  So what
may be a rival's is nobody's until the rival's outcome is written or its horizon is over.

"Not there" counts only after the horizon (the lease of whoever started it, plus D: the time within
which a request of it may still land) and after a second look; until then the action stays unknown.
Settling is idempotent and may run at any time, in the worker or in reconciliation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from chalicelib.once.action import ActionStatus, Settler, UnsettledAction
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock

SECOND_LOOK_SECONDS = 60.0
"""Pause between the two looks that make "not there" true."""

_OPEN = frozenset({ActionStatus.PENDING, ActionStatus.UNKNOWN})


class Verdict(StrEnum):
    """What settling came to."""

    HAPPENED = "happened"
    NOT_HAPPENED = "not_happened"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Settled:
    """A verdict with the provider's id of the effect and a fixed word of what was seen."""

    verdict: Verdict
    saw: str
    ref: str | None = None


class Settlement:
    """Asks the settlers; the only place that judges what they show."""

    def __init__(self, ledger: Ledger, settlers: Mapping[str, Settler], clock: Clock) -> None:
        self._ledger = ledger
        self._settlers = settlers
        self._clock = clock

    def judge(self, action: UnsettledAction) -> Settled:
        """What became of an action.

        Raises:
            ProviderError: the provider cannot be asked now.
        """
        settler = self._settlers.get(action.kind)
        if settler is None:
            return Settled(Verdict.UNDECIDED, "cannot_be_asked")
        shown = settler(action)
        if shown is None:
            return Settled(Verdict.UNDECIDED, "cannot_be_asked")
        is_disputed = False
        for found in shown:
            if any(self._is_open(key) for key in found.rivals):
                is_disputed = True
            elif self._ledger.claim_ref(action, found.ref):
                return Settled(Verdict.HAPPENED, "found", found.ref)
        if is_disputed:
            return Settled(Verdict.UNDECIDED, "may_be_anothers")
        return self._judge_absence(action)

    def _is_open(self, key: str) -> bool:
        """Whether a rival may have done it and not written so: it has begun, and may yet write."""
        row = self._ledger.action(key)
        if row is None or row.unsettled is None or row.status not in _OPEN:
            return False
        return self._clock.now().timestamp() < row.unsettled.horizon_epoch

    def _judge_absence(self, action: UnsettledAction) -> Settled:
        now = self._clock.now().timestamp()
        if now < action.horizon_epoch:
            return Settled(Verdict.UNDECIDED, "may_still_land")
        if action.looks == 0 or now - action.looked_epoch < SECOND_LOOK_SECONDS:
            self._ledger.note_look(action)
            return Settled(Verdict.UNDECIDED, "absent_once")
        return Settled(Verdict.NOT_HAPPENED, "absent_twice")
