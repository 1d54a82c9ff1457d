"""The stage's tables in memory, with the keys and indexes that `.chalice/resources.json` gives them."""

from __future__ import annotations

from tests.simulation.memory_table import MemoryTable

_DUE = {"due-index": ("due_shard", "due_at")}
_STUCK = {"stuck-index": ("stuck_shard", "stuck_by")}


def ledger() -> MemoryTable:
    """Table A: events and actions."""
    return MemoryTable("ledger", ("event_id",), _DUE | _STUCK)


def state() -> MemoryTable:
    """Table B: the state of each ticket."""
    return MemoryTable("state", ("conversation_id",))


def audit() -> MemoryTable:
    """Table C: the audit of every action."""
    return MemoryTable("audit", ("conversation_id", "ts_action_id"))


def facts() -> MemoryTable:
    """The facts' ledger, under the names that its code uses."""
    return MemoryTable("facts", ("event_id",), _DUE)


def companies() -> MemoryTable:
    """Companies' settings, and the map of senders."""
    return MemoryTable("companies", ("company_id", "project_id"))


def conversations() -> MemoryTable:
    """Conversations, with the indexes of pairs."""
    pairs = (
        ("company-whatsapp-number", "tel"),
        ("company-sms-number", "tel"),
        ("company-email", "email"),
    )
    indexes = {
        f"{by}-recipient-{kind}-index": (f"gsi_{by.replace('-', '_')}", f"gsi_recipient_{kind}")
        for by, kind in pairs
    }
    indexes["created-at-index"] = ("primary_channel", "created_at")
    return MemoryTable("conversations", ("primary_channel", "conversation_id"), indexes)


def console_sessions() -> MemoryTable:
    """Sessions of the console."""
    return MemoryTable("console-sessions", ("session_id",))
