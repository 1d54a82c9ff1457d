"""The Protocols between the inner rooms and the edges, and the plain values that cross them.

The inner rooms (`intake`, `worker`, `effects`, `reconcile`, `flows`) see these and nothing of
boto3, requests or chalice; the edges implement them; tests implement them in memory and run one
contract suite over both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from chalicelib.actions import Action


class Clock(Protocol):
    """Time, injected so that a simulation owns it."""

    def now(self) -> datetime:
        """The wall clock, aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards, for deadlines within one process."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Log(Protocol):
    """JSON lines and metrics; redaction happens behind it."""

    def event(self, name: str, **fields: object) -> None:
        """Write one line: an event name such as ``worker.processed`` and its fields."""
        ...

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        """Count something; dimensions are closed sets, never identifiers."""
        ...


# --- vendors ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment on a ticket.

    Attributes:
        text: plain text; never stored, logged or raised.
    """

    id: str
    is_operator: bool
    text: str = field(repr=False)
    created_at: datetime | None
    author_id: str | None = None


@dataclass(frozen=True, slots=True)
class Ticket:
    """A Richpanel conversation as the flows see it."""

    id: str
    status: str
    tags: frozenset[str]
    comments: tuple[Comment, ...]
    number: int | None = None
    channel: str | None = None
    subject: str = field(default="", repr=False)
    customer_email: str | None = field(default=None, repr=False)
    customer_name: str | None = field(default=None, repr=False)
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Not closed, resolved or solved."""
        return self.status.strip().lower() not in {"closed", "resolved", "solved"}


@dataclass(frozen=True, slots=True)
class TicketPage:
    """One page of a listing.

    Attributes:
        tickets: those of the page that are open and recent.
        is_last: nothing further on can be.
        fingerprint: equal for two pages that listed the same tickets: the vendor does not page.
    """

    tickets: tuple[Ticket, ...]
    is_last: bool
    fingerprint: str


class Tickets(Protocol):
    """Richpanel, as flows and reconciliation read it; every method raises `ProviderError`s."""

    def read_ticket(self, conversation_id: str) -> Ticket:
        """The ticket with its comments, oldest first."""
        ...

    def open_page(self, *, since: datetime, page: int) -> TicketPage:
        """One page, from 1, of the open tickets updated since a time, filtered on our side.

        Comments may be missing from a listed ticket.  Raises `AuthError` (403) where the tenant's
        key may not list.
        """
        ...

    def read_ticket_by_number(self, number: int) -> Ticket | None:
        """The ticket people see under a number, with its comments; None when there is none."""
        ...


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
    """The provider shows the effect; `ref` is its id there."""

    ref: str


class Settler(Protocol):
    """Learns from the provider whether an action of one kind happened; reads only.

    Raises `ProviderError`s when it cannot look.
    """

    def __call__(self, action: UnsettledAction) -> tuple[Found, ...]:
        """Every effect at the provider that could be this action's, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class UnsettledAction:
    """An action whose outcome is not known, as its row tells it.

    Attributes:
        started_epoch: when the effect may have left the machine.
        probe: what the action's `probe()` said, plus nothing else.
        horizon_epoch: a request of it may still land before this time.
        looks: how many times the provider was asked and showed nothing after the horizon.
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


# --- ledger -----------------------------------------------------------------------------------


class EventStatus(StrEnum):
    """States of an event row."""

    RECEIVED = "received"
    PROCESSING = "processing"
    PROCESSED = "processed"
    FAILED = "failed"
    PARKED = "parked"
    SKIPPED = "skipped"


class ActionStatus(StrEnum):
    """States of an action row."""

    PENDING = "pending"
    DONE = "done"
    REFUSED = "refused"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    ABANDONED = "abandoned"


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


@dataclass(frozen=True, slots=True)
class Modes:
    """The switches at the moment an event was decided, as its rows record them."""

    mode: str
    safe_mode: bool
    automation_enabled: bool


UNDECIDED = Modes(mode="route_only", safe_mode=False, automation_enabled=False)
"""What a row says before the switches were read: the most cautious mode."""


class LedgerPort(Protocol):
    """Table A: events and actions, written only by conditional writes.

    Every method is idempotent for its lease: a write repeated by the SDK is recognised as our own.
    Methods that take a lease raise `LeaseLostError` when another owner or a higher fence is found.
    """

    def receive(self, event: EventFacts) -> bool:
        """Write a `received` row at ingress; False when queue or worker have it already.

        A row that was never marked queued suppresses nothing: the retry must still enqueue.
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
        self, lease: Lease, actions: Sequence[Action], modes: Modes, *, operator: bool = False
    ) -> tuple[ActionRow, ...]:
        """Write `pending` rows before an effect starts, or tell how far each action is.

        With `operator`, skipped and refused actions are opened again.
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

    def claim_ref(self, action: UnsettledAction, ref: str) -> bool:
        """Take a provider's id for an action; False when another action has it."""
        ...

    def note_look(self, action: UnsettledAction) -> None:
        """Count one look at the provider, after the horizon, that showed nothing."""
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

        Received and never queued, parked, left by a worker on the last receive, and failed while
        no person was told.
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


# --- sweep -------------------------------------------------------------------------------------


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


# --- state and audit --------------------------------------------------------------------------


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


# --- queue, switches, secrets -----------------------------------------------------------------


class OutboxPort(Protocol):
    """The FIFO queue, sending side."""

    def put(self, body: str, *, group_id: str, deduplication_id: str) -> str:
        """Send one message and return its id; raises `UnavailableError` when it was not kept."""
        ...

    def defer(self, receipt_handle: str, seconds: float) -> None:
        """Make a message in flight visible again after so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message as the queue handed it over.

    Attributes:
        receive_count: how many times it was handed over, this time included.
        max_receives: after so many it goes to the dead-letter queue.
        time_left_seconds: what the function's time-out leaves.
    """

    body: str = field(repr=False)
    message_id: str
    receipt_handle: str = field(repr=False)
    receive_count: int
    max_receives: int
    time_left_seconds: float

    @property
    def is_last(self) -> bool:
        """The queue will not hand it over again."""
        return self.receive_count >= self.max_receives


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches as read; the most cautious of SSM and environment."""

    kill_switch: bool = False
    safe_mode: bool = False
    automation_enabled: bool = True
    shadow_mode: bool = False

    @property
    def modes(self) -> Modes:
        """As the ledger's rows record it."""
        may_automate = self.automation_enabled and not self.safe_mode and not self.kill_switch
        return Modes(
            mode="automation_candidate" if may_automate else "route_only",
            safe_mode=self.safe_mode,
            automation_enabled=self.automation_enabled,
        )

    def forbids(self, action: Action) -> str | None:
        """Why an action may not start, or None."""
        if self.kill_switch:
            return "kill_switch"
        if self.shadow_mode:
            return "shadow"
        if action.speaks and self.safe_mode:
            return "safe_mode"
        if action.speaks and not self.automation_enabled:
            return "automation_disabled"
        return None


class SwitchesPort(Protocol):
    """The switches, cached for at most 30 seconds."""

    def current(self) -> Switches:
        """Raises `SwitchesUnreadableError` when no fresh value can be had."""
        ...


class SecretsPort(Protocol):
    """Named secrets, cached."""

    def text(self, name: str, *, refresh: bool = False) -> str:
        """The secret's text; raises `UnavailableError` when it cannot be read."""
        ...
