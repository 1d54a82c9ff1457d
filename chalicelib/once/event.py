"""Who may work on an event, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from chalicelib.once.action import Action, ActionRow, ActionStatus, UnsettledAction
from chalicelib.once.ports import Modes

LEASE_GRACE_SECONDS = 130.0
"""How much longer a lease lasts than its holder's function: clocks differ by up to 120 s, and
Lambda kills late."""
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


class LedgerPort(Protocol):
    """Table A: events and actions, written only by conditional writes.

    Every method is idempotent for its lease: a write repeated by the SDK is recognised as our own.
    Methods that take a lease raise `LeaseLostError` when another owner or a higher fence is found.
    """

    def receive(self, event: EventFacts) -> str | None:
        """Write a `received` row at ingress; None when queue or worker have it already.

        A row that was never marked queued suppresses nothing: the retry must still enqueue.  Nor
        does one that ended in `RECEIPT_GONE`: here it comes.

        Returns:
            Since when the row is received: tells a message from what came to nothing before it.
        """
        ...

    def queued(self, event_key: str) -> None:
        """Mark a `received` row as queued, unless the worker has it already."""
        ...

    def claim(
        self,
        event: EventFacts,
        modes: Modes,
        *,
        lease_seconds: float,
        takeover: frozenset[EventStatus],
        last_chance: bool = False,
        is_watched: bool = False,
        by: str | None = None,
    ) -> ClaimResult:
        """Take the event, or say who has it or how it ended; one write, no read.

        `takeover` names the ended states this delivery may open again, once: `by` is the message
        that does, and an end that it brought about itself is not opened by a copy of it.
        `last_chance` leaves a mark that lets the sweep find the event if this worker dies on the
        message's last receive; `is_watched` one that lets it find the event if this worker dies
        and the message is gone.
        """
        ...

    def store_plan(self, lease: Lease, plan: str, *, intent: str | None, modes: Modes) -> None:
        """Write the plan before the first effect."""
        ...

    def release(self, lease: Lease, *, reason: str) -> None:
        """Give the event up for now, so that the next delivery need not wait for the lease."""
        ...

    def bury(self, event_key: str, *, reason: str) -> bool:
        """End an event whose last worker died, outside a claim; False when somebody works on it."""
        ...

    def finish(
        self,
        lease: Lease,
        status: EventStatus,
        *,
        reason: str | None = None,
        facts: Mapping[str, str] | None = None,
        handoff_due: bool = False,
    ) -> None:
        """Write the event's end.

        `handoff_due` leaves a failed event in the sparse index: a person was not told of it yet.
        """
        ...

    def begin(
        self,
        lease: Lease,
        actions: Sequence[Action],
        modes: Modes,
        *,
        operator: bool = False,
        while_held: bool = False,
    ) -> tuple[ActionRow, ...]:
        """Write `pending` rows before an effect starts, or tell how far each action is.

        With `operator`, skipped and refused actions are opened again; with `while_held`, a row is
        inserted only while the event is the lease's.
        """
        ...

    def restart(self, lease: Lease, action: Action, *, anew: bool) -> ActionRow:
        """Own a row that an earlier claim left behind.

        With `anew` its effect will be started again from now; without, it is only taken to be
        judged, and the time from which its effect may have left the machine stays.
        """
        ...

    def rearm(self, lease: Lease, actions: Sequence[Action]) -> None:
        """Record that started actions surely were not done; the next attempt starts anew."""
        ...

    def end_action(
        self,
        lease: Lease,
        action: Action,
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> ActionRow:
        """Write an action's outcome."""
        ...

    def end_actions(
        self,
        lease: Lease,
        actions: Sequence[Action],
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> tuple[ActionRow, ...]:
        """Write the one outcome of actions that went out together; in one call where it can be.

        Calling it again after a lost answer gives the same end.
        """
        ...

    def skip(self, lease: Lease, action: Action, modes: Modes, *, reason: str) -> ActionRow:
        """Write an action that will not start, with its reason; an ended one stays as it is."""
        ...

    def action(self, key: str) -> ActionRow | None:
        """An action by its key, as it is now; None when there is none."""
        ...

    def claim_ref(self, action: UnsettledAction, ref: str) -> bool:
        """Take a provider's id for an action; False when another action has it."""
        ...

    def note_look(self, action: UnsettledAction) -> None:
        """Count one look at the provider, after the horizon, that showed nothing.

        Not where the row was taken over since it was read: the look was for an earlier start.
        """
        ...

    def settle(
        self,
        action: UnsettledAction,
        status: ActionStatus,
        *,
        ref: str | None = None,
        reason: str,
    ) -> bool:
        """Settle an `unknown` row outside a claim: done, abandoned, or pending and not started.

        False when somebody else settled it first.
        """
        ...

    def unsettled(self, *, limit: int) -> Sequence[UnsettledAction]:
        """Actions in state `unknown`, oldest first, by the sparse index."""
        ...

    def left(self, *, older_than_epoch: float, limit: int) -> Sequence[StrandedEvent]:
        """Watched events that were claimed before a time and did not end, oldest first."""
        ...

    def keep(self, key: str) -> bool:
        """An unfinished row was looked after: it expires later, and comes last in the sparse index.

        False when it is finished by now.
        """
        ...

    def record(self, event: EventFacts, modes: Modes, status: EventStatus, *, reason: str) -> None:
        """Write the end of an event that was never claimed.

        A notification was resolved into others, or a message went to the dead-letter queue.

        A row that a claim has made, or that has ended well, stays as it is.
        """
        ...

    def statuses(self, event_keys: Sequence[str]) -> Mapping[str, EventStatus]:
        """How far those of these events are that have a row which is not expired."""
        ...

    def stored(self, event_key: str) -> StoredEvent | None:
        """An event's row; None where there is none, or it is expired."""
        ...

    def stranded(self, *, older_than_epoch: float, limit: int) -> Sequence[StrandedEvent]:
        """Unfinished events by the sparse index, oldest first, at most `limit` of each kind.

        Received and never queued, parked, left by a worker on the last receive, released and
        waiting for its message, and failed while no person was told.
        """
        ...


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
