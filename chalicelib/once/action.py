"""An action as the ledger stores it: the state of an effect, and what settles an unknown outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class ActionStatus(StrEnum):
    """The states of an action's row in the ledger."""

    PENDING = "pending"
    DONE = "done"
    REFUSED = "refused"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class ActionRow:
    """The row of one action, as read from the ledger.

    Attributes:
        finished_at: ISO time at which the action ended; part of its audit row's key.
        mine: the lease of the worker that read the row holds it, so this worker may start the action.
        started: an earlier claim started the action and stored no outcome.
        unsettled: what a settler needs to find out the outcome, while it is unknown.
    """

    key: str
    status: ActionStatus
    reason: str | None = None
    ref: str | None = None
    finished_at: str | None = None
    mine: bool = False
    started: bool = False
    unsettled: UnsettledAction | None = None


@dataclass(frozen=True, slots=True)
class UnsettledAction:
    """An action of unknown outcome, as read from its row.

    Attributes:
        started_epoch: earliest time at which the request may have been sent.
        horizon_epoch: until this time its request may still reach the vendor.
        probe: data by which the vendor's record of the effect is recognised, as `Effect.probe`.
        looks: how often, after the horizon, the vendor was asked and showed no such effect.
        owner: id of the claim that held the row when it was read; a new claim changes it.
        due_epoch: when the sweep next asks the vendor; 0 where no time is stored.
        tries: earlier attempts at the action, as `ledger.tries` stores them.
    """

    key: str
    kind: str
    conversation_id: str
    event_key: str
    started_epoch: float
    horizon_epoch: float
    probe: Mapping[str, str]
    looks: int = 0
    looked_epoch: float = 0.0
    reason: str | None = None
    owner: str = ""
    due_epoch: float = 0.0
    tries: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """An effect that the vendor shows when it is asked about an action.

    Attributes:
        ref: the vendor's id of the effect.
        other_candidates: keys of other actions that could have produced the effect, as far as the
            vendor's data shows.
        is_id_global: whether the vendor's id is unique without the conversation.
    """

    ref: str
    other_candidates: tuple[str, ...] = ()
    is_id_global: bool = False
