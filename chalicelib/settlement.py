"""How an unknown outcome is settled: what the provider shows decides, and patience where it lags.

A match counts only when its provider id is no other action's.  "Not there" counts only after the
horizon (the lease of whoever started it, plus D: the time within which a request of it may still
land) and after a second look; until then the action stays unknown.  Settling is idempotent and may
run at any time, in the worker or in reconciliation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from chalicelib.ports import Clock, LedgerPort, Settler, UnsettledAction

LANDING_SECONDS = 900.0
"""D: a request lands at the vendor within this time of its start, or never."""
SECOND_LOOK_SECONDS = 60.0
"""Pause between the two looks that make "not there" true."""


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

    def __init__(self, ledger: LedgerPort, settlers: Mapping[str, Settler], clock: Clock) -> None:
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
        for found in shown:
            if self._ledger.claim_ref(action, found.ref):
                return Settled(Verdict.HAPPENED, "found", found.ref)
        return self._judge_absence(action)

    def _judge_absence(self, action: UnsettledAction) -> Settled:
        now = self._clock.now().timestamp()
        if now < action.horizon_epoch:
            return Settled(Verdict.UNDECIDED, "may_still_land")
        if action.looks == 0 or now - action.looked_epoch < SECOND_LOOK_SECONDS:
            self._ledger.note_look(action)
            return Settled(Verdict.UNDECIDED, "absent_once")
        return Settled(Verdict.NOT_HAPPENED, "absent_twice")
