"""What follows an opening: no message of it starts after an answer that its last look could see.

Judged where a request leaves for its carrier, as `consent` judges the marks of a STOP; at the end, a
conversation has each step, and each failed one its successor, once.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chalicelib.outreach.conversations.recipients import addresses_of
from chalicelib.outreach.conversations.records import CONTINUES, Record
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.sending.effects import SendData

if TYPE_CHECKING:
    from tests.simulation.world import World

KINDS = ("reminder", "fallback", "both")
REMINDER, END = "Did you see our message?", "We close this for now."
_STEPS = {
    "reminder": {"after_minutes": 10, "text": REMINDER},
    "end": {"after_minutes": 20, "text": END},
}
_FALLBACK = {"fallback": ["sms", "whatsapp"]}
_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "reminder": _STEPS,
    "fallback": _FALLBACK,
    "both": {**_STEPS, **_FALLBACK},
}


def drawn(rng: random.Random) -> str:
    """What the projects of a schedule declare; in most of them nothing."""
    return rng.choice(("", "", *KINDS))


def setting(kind: str) -> dict[str, Any]:
    """The setting of a project; `kind` as in `Scenario.follow_ups`."""
    return {"follow_ups": dict(_SETTINGS[kind])} if kind else {}


class FollowUps:
    """When each conversation has stored an answer, and the judgement of what follows."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._heard: dict[tuple[str, str], tuple[str, float]] = {}

    def wrote(self) -> None:
        """Conversations were written: note since when each one has its newest answer."""
        for key, row in self._world.conversations.rows.items():
            said_at = row.get("last_inbound_at")
            if said_at and self._heard.get(key, ("", 0.0))[0] != said_at:
                self._heard[key] = (said_at, self._world.now)

    def looked(self, actor: Any, partition: str, began: float) -> None:
        """A container has read the conversations of an address."""
        if actor is not None:
            actor.looks[("answers", partition)] = began

    def send_starts(self, actor: Any, action: Any) -> None:
        """No reminder, end message or successor whose last look could see an answer."""
        message = action.data.message if isinstance(action.data, SendData) else None
        if actor is None or message is None:
            return
        world, record = self._world, self._record(action.conversation_id)
        if record is None or not _follows(message.purpose, record):
            return
        world.happened["follow_up_started"] += 1
        for address in addresses_of(record):
            began = actor.looks.get(("answers", address))
            if began is None:
                world.oracle.broken("P5", f"{action.key} starts without a look at answers")
                return
            for (partition, name), (said_at, stored) in self._heard.items():
                row = world.conversations.rows[partition, name]
                is_own = name == record.conversation_id
                counts = is_own or said_at >= record.asked_at
                is_theirs = partition == address and row["company_id"] == record.company_id
                if is_theirs and counts and stored < began:
                    world.oracle.broken("P5", f"{action.key} starts after an answer it could see")
            if actor.is_late(began):
                late = world.now - began
                world.oracle.broken("P5", f"{action.key} starts {late:.0f} s after its look")

    def judge(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """P1 and P2: each successor once, linked both ways, and only of what has failed."""
        world = self._world
        records = [
            Record(row) for row in world.conversations.rows.values() if "conversation_status" in row
        ]
        known = {record.opaque_id: record for record in records}
        origins = Counter(
            record.item["continues"]["conversation"]
            for record in records
            if "continues" in record.item
        )
        for opaque_id, number in origins.items():
            world.happened["fallback_opened"] += 1
            if number > 1:
                world.oracle.broken("P1", f"{opaque_id} is continued by {number} conversations")
            link = known[opaque_id].item.get("continued_by") or {}
            linked = known.get(str(link.get("conversation")))
            if linked is None or linked.item["continues"]["conversation"] != opaque_id:
                world.oracle.broken("P2", f"{opaque_id} does not know what continues it")
            elif linked.start_event not in rows:
                world.oracle.broken("P2", f"{linked.opaque_id} is open and has no start")
        for key, row in rows.items():
            if key.startswith("evt:follow:") and row["status"] == "processed":
                world.happened["follow_up_ended"] += 1

    def _record(self, opaque_id: str) -> Record | None:
        for row in self._world.conversations.rows.values():
            if row.get("opaque_id") == opaque_id and "company_id" in row and "messages" in row:
                return Record(row)
        return None


def _follows(purpose: Purpose, record: Record) -> bool:
    """Whether a message is a reminder, an end, or the opening of a successor."""
    is_successor = purpose is Purpose.OPENING and CONTINUES in record.item
    return is_successor or purpose in (Purpose.REMINDER, Purpose.CLOSING)
