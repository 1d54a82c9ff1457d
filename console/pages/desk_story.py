"""What persons did with a conversation, from the journal."""

from __future__ import annotations

from collections.abc import Iterator

from chalicelib.once.journal import entry_time
from console import backend

LOOKED = "conversation view"


def story(opaque_id: str) -> Iterator[dict[str, str]]:
    """The acts of persons on a conversation, newest first, without looks."""
    for one in reversed(backend.reading().services.journal.story(opaque_id)):
        if one["action_type"] != LOOKED:
            act = str(one["action_type"]).removeprefix("handoff ")
            yield {
                "at": entry_time(one),
                "by": str(one["actor"]),
                "act": act,
                "act_id": str(one["ts_action_id"]).rpartition(":")[2],
                "did": act.replace("_", " "),
                "reason": str(one["reason"]),
            }
