"""How often each purpose of a message has happened, and a call of a tool; a test asserts that all have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.sending.effects import CALL_TOOL, SendData

if TYPE_CHECKING:
    from tests.simulation.world import World

PURPOSES = frozenset(f"purpose_{purpose}" for purpose in Purpose)
CALLED = "call_tool_done"


def taken(world: World, actions: Sequence[Any]) -> None:
    """A carrier took messages."""
    for action in actions:
        message = action.data.message if isinstance(action.data, SendData) else None
        if message is not None:
            world.happened[f"purpose_{message.purpose}"] += 1


def ended(world: World, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """A schedule has ended: its calls are counted."""
    for row in rows.values():
        if row.get("action_kind") == CALL_TOOL.name and row["status"] == "done":
            world.happened[CALLED] += 1
