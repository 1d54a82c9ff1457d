"""A side effect as the core sees it: its key, its state, and how an unknown outcome is settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Protocol


class Settle(StrEnum):
    """How the system finds out whether an effect of unknown outcome happened."""

    REPEATABLE = "repeatable"
    """Set semantics: repeating it changes nothing, so it is repeated."""
    KEY = "key"
    """The provider de-duplicates by our idempotency key: repeated under the same key."""
    QUERY = "query"
    """Read back from the provider and compared."""
    RECEIPT = "receipt"
    """A status callback or delivery event names it."""
    NONE = "none"
    """No automatic way to find out: stays unknown until an operator settles it."""


class Action(Protocol):
    """One side effect, as the effects door uses it."""

    kind: ClassVar[str]
    vendor: ClassVar[str]
    settle: ClassVar[Settle]
    reaches_customer: ClassVar[bool]
    """Withheld in safe mode and while automation is off."""
    is_id_global: ClassVar[bool]
    """The provider's id of the effect is unique beyond its conversation; part of a stored key."""

    @property
    def key(self) -> str:
        """The action's key in the ledger."""
        ...

    @property
    def conversation_id(self) -> str:
        """The conversation it belongs to."""
        ...

    @property
    def audit_type(self) -> str:
        """`action_type` of its audit row: route, tag, auto_reply, escalate, ..."""
        ...

    def payload(self) -> Mapping[str, str]:
        """Content of its audit row, before redaction; no message text."""
        ...

    def probe(self) -> Mapping[str, str]:
        """Data by which a settler recognises the effect later: an author, a keyed hash; no text."""
        ...


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What an executor returns where it has performed only some of a step's actions.

    Attributes:
        refused: surely not done, and a person must know; reasons by action key.
        skipped: surely not done, and harmless to miss; reasons by action key.
    """

    refused: Mapping[str, str]
    skipped: Mapping[str, str]


class Executor(Protocol):
    """Performs the actions of one step by one vendor request.

    Raises `ProviderError`s; returning means done, but for the actions that it says were left out.
    The returned reference names the effect at the vendor (a message id), where the vendor gives one.
    """

    def __call__(
        self, actions: Sequence[Action], *, deadline_seconds: float
    ) -> str | LeftOut | None:
        """Perform; all actions are of one kind and one conversation."""
        ...


class Preparer(Protocol):
    """Reads the data that a step's request needs, so that its executor only has to send it.

    It runs before the last check of the lease and the switches, however long it takes.
    Raises `ProviderError`s, and `flow.NotYet` where it is to be tried later without keeping the
    conversation waiting; nothing has been sent at that point.
    """

    def __call__(self, actions: Sequence[Action]) -> None:
        """Prepare; the executor is called with the same actions next, or not at all."""
        ...


class LastLook(Protocol):
    """What else may forbid a request up to the moment it leaves, such as its recipient's word.

    It runs with the last check of the switches.  Raises `PermanentError` where the request is forbidden,
    other `ProviderError`s where that cannot be known now.
    """

    def __call__(self, actions: Sequence[Action]) -> None:
        """Look."""
        ...


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
        horizon_epoch: a request of it may still land before this time.
        probe: the result of the action's `probe()`, nothing else.
        looks: number of checks after the horizon at which the provider showed nothing.
        owner: of the claim that held the row when it was read; a new claim changes it.
        due_epoch: the next look at it; 0 in a row of the previous release.
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


class Settler(Protocol):
    """Finds out from the provider whether an action of one kind happened; reads only.

    Raises `ProviderError`s when the provider cannot be queried.
    """

    def __call__(self, action: UnsettledAction) -> tuple[Found, ...] | None:
        """Every effect at the provider that could be this action's, oldest first.

        None where an effect may exist that the provider does not show: absence proves nothing.
        """
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """An effect that the provider shows.

    Attributes:
        ref: its id at the provider.
        other_candidates: keys of other actions that could have produced it, as far as the
            provider's data shows.
        is_id_global: as `Action.is_id_global` of the action that is settled.
    """

    ref: str
    other_candidates: tuple[str, ...] = ()
    is_id_global: bool = False
