"""The Protocols between the inner rooms and the edges, and the plain values that cross them.

The inner rooms (`intake`, `worker`, `effects`, `reconcile`, `flows`) see these and nothing of
boto3, requests or chalice; the edges implement them; tests implement them in memory and run one
contract suite over both.
"""

from __future__ import annotations

from chalicelib.ports.actions import (
    ActionRow,
    ActionStatus,
    Executor,
    Found,
    Preparer,
    Settler,
    UnsettledAction,
)
from chalicelib.ports.ledger import (
    LEASE_GRACE_SECONDS,
    RECEIPT_GONE,
    Busy,
    ClaimResult,
    EventFacts,
    EventStatus,
    Finished,
    Lease,
    LedgerPort,
    StoredEvent,
    StrandedEvent,
)
from chalicelib.ports.records import (
    AuditPort,
    AuditRow,
    ConversationState,
    StateChange,
    StatePort,
    SweepCursor,
    SweepsPort,
)
from chalicelib.ports.runtime import (
    UNDECIDED,
    Clock,
    Delivery,
    Log,
    Modes,
    OutboxPort,
    SecretsPort,
    Switches,
    SwitchesPort,
)
from chalicelib.ports.tickets import (
    Comment,
    Ticket,
    TicketPage,
    Tickets,
)

__all__ = [
    "LEASE_GRACE_SECONDS",
    "RECEIPT_GONE",
    "UNDECIDED",
    "ActionRow",
    "ActionStatus",
    "AuditPort",
    "AuditRow",
    "Busy",
    "ClaimResult",
    "Clock",
    "Comment",
    "ConversationState",
    "Delivery",
    "EventFacts",
    "EventStatus",
    "Executor",
    "Finished",
    "Found",
    "Lease",
    "LedgerPort",
    "Log",
    "Modes",
    "OutboxPort",
    "Preparer",
    "SecretsPort",
    "Settler",
    "StateChange",
    "StatePort",
    "StoredEvent",
    "StrandedEvent",
    "SweepCursor",
    "SweepsPort",
    "Switches",
    "SwitchesPort",
    "Ticket",
    "TicketPage",
    "Tickets",
    "UnsettledAction",
]
