"""What persons did with a conversation, from the journal."""

from __future__ import annotations

from collections.abc import Iterator

from chalicelib.once.journal import entry_time
from console import backend

LOOKED = "conversation view"


def story(opaque_id: str) -> Iterator[dict[str, str]]:
    """The acts of persons on a conversation, newest first, without looks."""
    for entry in reversed(backend.reading().services.journal.story(opaque_id)):
        if entry["action_type"] != LOOKED:
            act = str(entry["action_type"]).removeprefix("handoff ")
            yield {
                "at": entry_time(entry),
                "by": str(entry["actor"]),
                "act": act,
                "act_id": str(entry["ts_action_id"]).rpartition(":")[2],
                "did": act.replace("_", " "),
                "reason": str(entry["reason"]),
            }
