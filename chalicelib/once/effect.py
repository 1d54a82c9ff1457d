"""A side effect as a value, and the one record per kind of effect that says how it is handled.

Each system has one table `KINDS` of its kinds.  The door out, settlement, resends, operators' commands
and wiring read that table, so a kind cannot be known to one of them and not to another::

    KINDS = kinds(
        ADD_TAG := EffectKind("add_tag", "richpanel", Settle.REPEATABLE, reaches_customer=False,
                              executor=lambda parts: Executor(parts.ticket_executors.add_tags)),
    )
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from chalicelib.once.action import Found, UnsettledAction


class Settle(StrEnum):
    """How it is found out whether an effect of unknown outcome happened."""

    REPEATABLE = "repeatable"
    """The effect sets a state: repeating it changes nothing, so it is repeated."""
    KEY = "key"
    """The vendor recognises a repeated request by our idempotency key, so the effect is repeated
    with that key."""
    QUERY = "query"
    """The effect is searched for among those that the vendor lists."""
    RECEIPT = "receipt"
    """The vendor reports the effect by a status callback or a delivery event."""
    NONE = "none"
    """No automatic way to find out: the outcome stays unknown until an operator records it."""


class WhenStopped(StrEnum):
    """Whether an effect is skipped or waits, if a switch forbids it when it is about to be performed."""

    SKIP = "skip"
    """The effect is skipped for good; an operator may replay its event."""
    WAIT = "wait"
    """The event goes back to the queue until the switch allows the effect, as later events depend on it."""


@dataclass(frozen=True, slots=True)
class EffectKind:
    """How one kind of side effect is performed, and how an unknown outcome of it is found out.

    Attributes:
        name: stored in rows and plans; never renamed.
        vendor: the vendor that is called, for metrics.
        settle: how an unknown outcome is found out.
        reaches_customer: whether the effect is withheld in safe mode and while automation is off.
        executor: makes the `Executor` that performs it from the parts of its system, at first use.
        when_stopped: what happens to the effect when a switch forbids it.
        is_id_global: whether the vendor's id of the effect is unique by itself; if not, it is
            unique within a conversation.  Never changed, as the key of a stored row depends on it.
    """

    name: str
    vendor: str
    settle: Settle
    reaches_customer: bool
    executor: Callable[[Any], Executor] = field(repr=False)
    when_stopped: WhenStopped = WhenStopped.SKIP
    is_id_global: bool = False

    @property
    def is_repeated(self) -> bool:
        """Whether an effect of unknown outcome is performed again instead of being searched for."""
        return self.settle in (Settle.REPEATABLE, Settle.KEY)


@dataclass(frozen=True, slots=True)
class Effect:
    """One side effect at a vendor, ready to be performed: its kind, its key and its data.

    Attributes:
        key: its action key in the ledger.
        argument: the `arg` of the plan's action: a tag, a template id, an entry id; never text.
        audit_type: `action_type` of its audit row: route, tag, auto_reply, escalate, ...
        payload: content of its audit row, before redaction; no message text.
        probe: data by which the vendor's record of the effect is recognised: an author, a keyed
            hash; no text.
        by_person: a person has written it: it obeys every switch but `automation_enabled`.
        data: what its flow hands to the code that performs it; it is not stored.
    """

    kind: EffectKind
    key: str
    conversation_id: str
    argument: str
    audit_type: str
    payload: Mapping[str, str]
    probe: Mapping[str, str] = field(default_factory=dict)
    by_person: bool = False
    data: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The effects of a step that were certainly not performed, while the others were.

    Attributes:
        refused: effects about which a person must know; reasons by action key.
        skipped: effects that are harmless to miss; reasons by action key.
    """

    refused: Mapping[str, str]
    skipped: Mapping[str, str]


class Perform(Protocol):
    """Performs the effects of one step by one vendor request.

    Raises `ProviderError`s; returning means that the effects are done, except for those in a
    `LeftOut`.  The returned reference is the vendor's id of the effect (a message id), where the
    vendor gives one.
    """

    def __call__(
        self, effects: Sequence[Effect], /, *, deadline_seconds: float
    ) -> str | LeftOut | None:
        """Perform these effects, which all belong to one step and one conversation, by one vendor request."""
        ...


@dataclass(frozen=True, slots=True)
class Executor:
    """The functions that perform one kind of effect, check it and find out its outcome.

    Attributes:
        perform: sends the request.
        prepare: reads the data that the request needs, so that `perform` only has to send it.  It
            runs before the last check of the lease and the switches, however long it takes.  Raises
            `ProviderError`s, and `flow.NotYet` where it is to be tried later without keeping the
            conversation waiting; nothing has been sent at that point.
        last_look: checks what else may forbid a request up to the moment it leaves, such as its
            recipient's refusal.  It runs with the last check of the switches.  Raises
            `PermanentError` where the request is forbidden, other `ProviderError`s where that
            cannot be known now.
        settler: asks the vendor whether an effect of unknown outcome happened; it only reads.
            Returns every effect at the vendor that could be this one, oldest first; None where one
            may exist that the vendor does not show: absence proves nothing.  Raises
            `ProviderError`s when the vendor cannot be asked.
    """

    perform: Perform
    prepare: Callable[[Sequence[Effect]], None] | None = None
    last_look: Callable[[Sequence[Effect]], None] | None = None
    settler: Callable[[UnsettledAction], tuple[Found, ...] | None] | None = None


Kinds = Mapping[str, EffectKind]
"""The kinds of effects of a system, by name."""


def kinds(*table: EffectKind) -> Kinds:
    """Index a system's kinds of effects by their names."""
    return {kind.name: kind for kind in table}
