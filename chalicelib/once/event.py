"""Who may work on an event, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LEASE_GRACE_SECONDS = 130.0
"""How much longer a lease lasts than its holder's function: clocks differ by up to 120 s, and
Lambda kills late."""
LANDING_SECONDS = 900.0
"""D: a request lands at the vendor within this time of its start, or never."""
RECEIPT_GONE = "receipt_gone"
"""Why an event has failed of which nothing but the door's row was left; its sender may repeat it."""


class EventStatus(StrEnum):
    """States of an event row."""

    RECEIVED = "received"
    PROCESSING = "processing"
    PROCESSED = "processed"
    FAILED = "failed"
    PARKED = "parked"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class EventFacts:
    """What a claim stores of an event besides its key; identifiers and digests only."""

    event_key: str
    conversation_id: str
    received_at: str
    payload_sha256: str
    payload_bytes: int
    source: str
    source_message_id: str | None = None
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as its row tells it, with the plan it stored."""

    event: EventFacts
    status: EventStatus
    plan: str | None


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to change an event's records and to start its effects, until a time.

    Attributes:
        owner: unique per claim.
        fence: grows with every claim of the same event; a lower one writes nothing.
        until_epoch: when others may take the event over.
        attempts: how many times the event was claimed, this one included.
        plan: the stored plan, encoded, when an earlier claim wrote one.
        was_left: the owner before neither ended the event nor gave it back: it died or overran.
    """

    event: EventFacts
    owner: str
    fence: int
    until_epoch: float
    attempts: int
    plan: str | None = None
    was_left: bool = False


@dataclass(frozen=True, slots=True)
class Busy:
    """Another worker holds the lease until a time."""

    until_epoch: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The event came to its end before; this delivery is a duplicate."""

    status: EventStatus
    reason: str | None = None


ClaimResult = Lease | Busy | Finished


@dataclass(frozen=True, slots=True)
class StrandedEvent:
    """An unfinished row the sweep found."""

    key: str
    status: str
    event: EventFacts
    updated_at: str
    reason: str | None = None
    attempts: int = 0
    lease_until_epoch: float = 0.0
