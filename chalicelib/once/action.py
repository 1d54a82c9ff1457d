"""Who performs an action, who learns whether it happened, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol


class Executor(Protocol):
    """Performs the actions of one step by one vendor request.

    Raises `ProviderError`s; returning means done.  The returned reference names the effect at the
    vendor (a message id), where the vendor gives one.
    """

    def __call__(self, actions: Sequence[Action], *, deadline_seconds: float) -> str | None:
        """Perform; all actions are of one kind and one conversation."""
        ...


class Preparer(Protocol):
    """Reads what the request of a step needs, so that its executor only has to send it.

    Whatever it takes, it takes before the lease and the switches are looked at for the last time.
    Raises `ProviderError`s; nothing has left the machine then.
    """

    def __call__(self, actions: Sequence[Action]) -> None:
        """Prepare; the executor is called with the same actions next, or not at all."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """The provider shows the effect.

    Attributes:
        ref: its id there.
        rivals: keys of the other actions whose effect it may be, as far as the provider tells.
    """

    ref: str
    rivals: tuple[str, ...] = ()


class Settler(Protocol):
    """Learns from the provider whether an action of one kind happened; reads only.

    Raises `ProviderError`s when it cannot look.
    """

    def __call__(self, action: UnsettledAction) -> tuple[Found, ...] | None:
        """Every effect at the provider that could be this action's, oldest first.

        None where what is not shown may have happened all the same: absence proves nothing.
        """
        ...


@dataclass(frozen=True, slots=True)
class UnsettledAction:
    """An action whose outcome is not known, as its row tells it.

    Attributes:
        started_epoch: when the effect may have left the machine.
        probe: what the action's `probe()` said, plus nothing else.
        horizon_epoch: a request of it may still land before this time.
        looks: how many times the provider was asked and showed nothing after the horizon.
        owner: of the claim that had the row when it was read; whoever takes it changes that.
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
    """An action as the ledger has it.

    Attributes:
        finished_at: ISO time of the terminal state; part of the audit row's key.
        mine: the row belongs to the asking lease (the action may start).
        started: an earlier claim had started it and its outcome is not known.
        unsettled: what a settler needs, while the outcome is not known.
    """

    key: str
    status: ActionStatus
    reason: str | None = None
    ref: str | None = None
    finished_at: str | None = None
    mine: bool = False
    started: bool = False
    unsettled: UnsettledAction | None = None


class Settle(StrEnum):
    """How it is learnt whether an effect of unknown outcome happened."""

    REPEATABLE = "repeatable"
    """Set semantics: doing it again changes nothing, so it is done again."""
    KEY = "key"
    """The provider de-duplicates by our key: done again under the same key."""
    QUERY = "query"
    """Read back from the provider and compared."""
    RECEIPT = "receipt"
    """A status callback or delivery event names it."""
    NONE = "none"
    """Cannot be learnt by machine: stays unknown until a person settles it."""


class Action(Protocol):
    """What the effects door needs to know of any action."""

    kind: ClassVar[str]
    vendor: ClassVar[str]
    settle: ClassVar[Settle]
    speaks: ClassVar[bool]
    """Reaches a customer: withheld in safe mode and while automation is off."""

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
        """What its audit row shows, before redaction; no message text."""
        ...

    def probe(self) -> Mapping[str, str]:
        """What a settler needs to recognise the effect later: an author, a keyed hash; no text."""
        ...
