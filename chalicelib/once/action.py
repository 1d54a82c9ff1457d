"""An action as the ledger stores it: the state of an effect, and what settles an unknown outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class ActionStatus(StrEnum):
    """States of an action row."""

    PENDING = "pending"
    DONE = "done"
    REFUSED = "refused"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class ActionRow:
    """An action as stored in the ledger.

    Attributes:
        finished_at: ISO time of the terminal state; part of the audit row's key.
        mine: the row belongs to the asking lease (the action may start).
        started: an earlier claim started it and its outcome is unknown.
        unsettled: input for a settler, while the outcome is unknown.
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
        probe: that of its `Effect`.
        looks: number of checks after the horizon at which the provider showed nothing.
        owner: id of the claim that held the row when it was read; a new claim changes it.
        due_epoch: when it is looked at next; 0 where it has no date.
        tries: earlier attempts; see `ledger.tries`.
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
    """An effect that the provider shows.

    Attributes:
        ref: its id at the provider.
        other_candidates: keys of other actions that could have produced it, as far as the
            provider's data shows.
        is_id_global: that of the effect's kind.
    """

    ref: str
    other_candidates: tuple[str, ...] = ()
    is_id_global: bool = False
