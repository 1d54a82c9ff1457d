"""A side effect as a value, and the one record per kind of effect that says how it is handled.

Each system has one table `KINDS` of its kinds.  The door out, settlement, resends, operators' commands
and wiring read that table, so a kind cannot be known to one of them and not to another::

    KINDS = kinds(
        ADD_TAG := EffectKind("add_tag", "richpanel", Settle.REPEATABLE, reaches_customer=False,
                              hands=lambda parts: Hands(parts.ticket_executors.add_tags)),
    )
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from chalicelib.once.action import Found, UnsettledAction


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


class WhenStopped(StrEnum):
    """What becomes of an effect that a switch forbids after its flow has let it begin."""

    SKIP = "skip"
    """It ends as skipped; an operator may replay its event."""
    WAIT = "wait"
    """Its event is handed back, because the events after it depend on it."""


@dataclass(frozen=True, slots=True)
class EffectKind:
    """One kind of effect.

    Attributes:
        name: stored in rows and plans; never renamed.
        vendor: its vendor, for metrics.
        settle: how an unknown outcome is found out.
        reaches_customer: withheld in safe mode and while automation is off.
        hands: makes what handles it from the parts of its system, at first use.
        when_stopped: what becomes of it when a switch forbids it.
        is_id_global: the provider's id of the effect is unique beyond its conversation; part of a
            stored key.
    """

    name: str
    vendor: str
    settle: Settle
    reaches_customer: bool
    hands: Callable[[Any], Hands] = field(repr=False)
    when_stopped: WhenStopped = WhenStopped.SKIP
    is_id_global: bool = False

    @property
    def is_repeated(self) -> bool:
        """Whether it is repeated where its outcome is unknown."""
        return self.settle in (Settle.REPEATABLE, Settle.KEY)


@dataclass(frozen=True, slots=True)
class Effect:
    """One side effect.

    Attributes:
        key: its action key in the ledger.
        argument: the `arg` of the plan's action: a tag, a template id, an entry id; never text.
        audit_type: `action_type` of its audit row: route, tag, auto_reply, escalate, ...
        payload: content of its audit row, before redaction; no message text.
        probe: data by which a settler recognises it later: an author, a keyed hash; no text.
        by_person: a person has written it: it obeys every switch but `automation_enabled`.
        data: what its flow gives its hands; it is not stored.
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
    """What `Perform` returns where only some of a step's effects were performed.

    Attributes:
        refused: surely not done, and a person must know; reasons by action key.
        skipped: surely not done, and harmless to miss; reasons by action key.
    """

    refused: Mapping[str, str]
    skipped: Mapping[str, str]


class Perform(Protocol):
    """Performs the effects of one step by one vendor request.

    Raises `ProviderError`s; returning means done, except for the effects in a `LeftOut`.
    The returned reference names the effect at the vendor (a message id), where the vendor gives one.
    """

    def __call__(
        self, effects: Sequence[Effect], /, *, deadline_seconds: float
    ) -> str | LeftOut | None:
        """Perform; all effects are of one step and one conversation."""
        ...


@dataclass(frozen=True, slots=True)
class Hands:
    """What handles the effects of a kind.

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
        settler: finds out from the provider whether an effect of unknown outcome happened; it only
            reads.  Returns every effect at the provider that could be this one, oldest first; None
            where one may exist that the provider does not show: absence proves nothing.  Raises
            `ProviderError`s when the provider cannot be queried.
    """

    perform: Perform
    prepare: Callable[[Sequence[Effect]], None] | None = None
    last_look: Callable[[Sequence[Effect]], None] | None = None
    settler: Callable[[UnsettledAction], tuple[Found, ...] | None] | None = None


Kinds = Mapping[str, EffectKind]
"""The kinds of effects of a system, by name."""


def kinds(*table: EffectKind) -> Kinds:
    """A system's table of kinds, by name."""
    return {one.name: one for one in table}
