"""An event as the ledger stores it: facts, states, lease, results of a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from chalicelib.once import reasons

LEASE_GRACE_SECONDS = 130.0
"""How much a lease outlasts its holder's function: clocks differ by up to 120 s, and Lambda kills
late."""
LANDING_SECONDS = 900.0
"""D: a request lands at the vendor within this time of its start, or never."""
LATE_SECONDS = 1800.0
"""A message that was not claimed this long after its time counts as lost, and a copy of it is queued."""
QUEUED_SECONDS = 600.0
"""This long after its receipt an event should have been claimed; if not, a copy of its job is queued."""
COPY_SECONDS = 120.0
"""How much later than its time an event is due for the sweep, if a copy of its job waits on the
queue `later`."""
SWEEP_SECONDS = 300.0
"""The time from one run of the sweep to the next."""
RECEIPT_GONE = reasons.RECEIPT_GONE
"""Stored reason of a failed event of which only the row written at its receipt is left; its sender
may repeat it."""

SWEPT = reasons.SWEPT
"""Stored reason: the sweep found the event at its provider and queued it."""
SCHEDULED = reasons.SCHEDULED
"""Stored reason: the event waits for a time of its own."""


class EventStatus(StrEnum):
    """The states of an event's row in the ledger."""

    RECEIVED = "received"
    PROCESSING = "processing"
    PROCESSED = "processed"
    FAILED = "failed"
    PARKED = "parked"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class EventFacts:
    """The identifiers and digests of an event that its row keeps; no text."""

    event_key: str
    conversation_id: str
    received_at: str
    payload_sha256: str
    payload_bytes: int
    source: str
    source_message_id: str | None = None
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of storing a received event, from the event's row.

    Attributes:
        received_at: the row's time of receipt.  It distinguishes the queue messages of this row from
            those of an earlier row of the same event, which failed.
        is_new: this call has written the row.
        reason: why the event waits, where a worker or the sweep has stored one.
    """

    received_at: str
    is_new: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Unended:
    """An event that is received or processing: until when and why it waits; each None where not stored."""

    until_epoch: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event's identifiers, status and stored plan, as read from its row."""

    event: EventFacts
    status: EventStatus
    plan: str | None


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one worker to change an event's records and to start its effects, until a time.

    Attributes:
        owner: unique per claim.
        fence: grows with every claim of the same event; a lower one writes nothing.
        until_epoch: from then on other workers may take the event over.
        attempts: how many times the event was claimed, this one included.
        plan: the stored plan, encoded, when an earlier claim wrote one.
        was_taken_over: the previous owner neither ended nor released the event: it died or overran.
        tries: earlier attempts at the event, as `ledger.tries` stores them.
    """

    event: EventFacts
    owner: str
    fence: int
    until_epoch: float
    attempts: int
    plan: str | None = None
    was_taken_over: bool = False
    tries: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Busy:
    """The result of a claim of an event whose lease another worker holds, with the end of that lease."""

    until_epoch: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a claim of an event that has ended or is parked: this delivery is a duplicate."""

    status: EventStatus
    reason: str | None = None


ClaimResult = Lease | Busy | Finished


@dataclass(frozen=True, slots=True)
class StrandedEvent:
    """An unfinished event's row, as the sweep reads it.

    Attributes:
        updated_at: ISO time of its last claim or end.
        lease_until_epoch: 0 once it was released.
        is_last_receive: its last claim was on a message that the queue does not deliver again.
        waits_for: keys of the actions whose outcome was unknown when it was parked.
        due_epoch: when the sweep must handle it.
        last_reason: why it waits, or why its message last went back to the queue.
        is_asked: an operator asked for it again, and no claim has followed yet.
        until_epoch: when it wants to run; None where it does not wait.
        turns: how often it was set aside until a time at which it may call a vendor.
    """

    key: str
    status: str
    event: EventFacts
    updated_at: str
    reason: str | None = None
    attempts: int = 0
    lease_until_epoch: float = 0.0
    is_last_receive: bool = False
    waits_for: tuple[str, ...] = ()
    due_epoch: float = 0.0
    is_asked: bool = False
    last_reason: str | None = None
    until_epoch: float | None = None
    turns: int = 0
