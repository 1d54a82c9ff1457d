"""What is kept beside the ledger: state of conversations, audit trail, sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from chalicelib.ports.ledger import Lease


@dataclass(frozen=True, slots=True)
class SweepCursor:
    """Where the sweep stands; kept between runs.

    Attributes:
        owner: who holds the sweep now.
        fence: grows with every run; a lower one writes nothing.
        page: the next page of the listing.
        number: the highest ticket number seen, where one was.
    """

    owner: str
    fence: int
    page: int = 1
    number: int | None = None


class SweepsPort(Protocol):
    """The sweep's own rows in table A: one run at a time, resumable, each with its summary."""

    def take(self, *, lease_seconds: float) -> SweepCursor | None:
        """Begin a run where the last one stopped; None while another one runs."""
        ...

    def save(self, cursor: SweepCursor) -> None:
        """Keep where the run stands; raises `LeaseLostError` when another run has begun."""
        ...

    def end(self, cursor: SweepCursor, summary: Mapping[str, Any]) -> None:
        """Store the run's summary and let the next one begin."""
        ...


@dataclass(frozen=True, slots=True)
class ConversationState:
    """Table B as flows read it."""

    conversation_id: str
    version: int
    last_message_at: str | None = None
    first_contact_floor: str | None = None
    last_routed_team: str | None = None
    last_intent: str | None = None
    risk_flags: frozenset[str] = frozenset()
    pending_flow: Mapping[str, Any] | None = None
    last_auto_reply: Mapping[str, Any] | None = None
    last_processed_at: str | None = None


@dataclass(frozen=True, slots=True)
class StateChange:
    """What an event leaves behind in table B; None leaves an attribute as it is.

    Attributes:
        message_at: the message's own time; an older message never moves the state backwards.
        clear: attributes to remove, e.g. ``pending_flow``.
    """

    conversation_id: str
    message_at: str
    message_id: str | None = None
    first_contact_floor: str | None = None
    routed_team: str | None = None
    routing_confidence: float | None = None
    intent: str | None = None
    risk_flags: frozenset[str] = frozenset()
    pending_flow: Mapping[str, Any] | None = None
    last_auto_reply: Mapping[str, Any] | None = None
    clear: frozenset[str] = frozenset()


class StatePort(Protocol):
    """Table B."""

    def read(self, conversation_id: str) -> ConversationState | None:
        """The state, or None before the first contact."""
        ...

    def read_all(self, conversation_ids: Sequence[str]) -> Mapping[str, ConversationState]:
        """The states of those that have one, a hundred in a call."""
        ...

    def some(self, *, limit: int) -> Sequence[str]:
        """A few conversations that are known, any; for the sweep's first steps."""
        ...

    def apply(self, lease: Lease, change: StateChange) -> bool:
        """Write a change once; False when a newer message or a higher fence was there first."""
        ...


@dataclass(frozen=True, slots=True)
class AuditRow:
    """Table C: one row per action, redacted before it gets here."""

    conversation_id: str
    at: str
    action_id: str
    action_type: str
    payload: Mapping[str, str]
    idempotency_key: str
    result: str


class AuditPort(Protocol):
    """Table C."""

    def write(self, rows: Sequence[AuditRow]) -> None:
        """Write rows in one call; writing a row again changes nothing."""
        ...
