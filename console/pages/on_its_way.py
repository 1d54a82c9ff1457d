"""Messages of persons that are asked for, but not in the transcript yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import parsed
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations.drafts import KeptDraft
from chalicelib.outreach.conversations.records import Record
from console.transcript import Side, TranscriptTurn

RETRY_AFTER = timedelta(minutes=2)
"""An approval or a give-back that has not ended by then may be asked for again; its event is queued again."""


def is_leaving(found: Mapping[str, Any], story: Sequence[Mapping[str, str]], now: datetime) -> bool:
    """Whether a hand-off was just approved or given back, so there is nothing to decide now.

    Args:
        found: the conversation as the desk shows it.
        story: acts of persons, newest first.
        now: the time.
    """
    state = (found["handoff"] or {}).get("state")
    if state is None or state not in (handoffs.APPROVED, handoffs.GIVEN_BACK):
        return False
    newest = parsed(story[0]["at"]) if story else None
    return newest is not None and now - newest < RETRY_AFTER


def unsent(
    record: Record, found: Mapping[str, Any], drafts: Mapping[str, KeptDraft]
) -> Iterator[TranscriptTurn]:
    """The messages that persons asked to send and that are no entry yet: on their way, or not sent."""
    known = {message.get("entry_id") for message in found["messages"]}
    held = found["held_message"]
    if held and (found["handoff"] or {}).get("state") == handoffs.APPROVED:
        side = Side.PERSON if held["by"] else Side.MACHINE
        yield TranscriptTurn("", side, held["by"] or "", held["text"], delivery="On its way")
    entry_id = outreach_keys.entry_id(outreach_keys.desk(record.opaque_id, record.person_act))
    kept = drafts.get(entry_id) if record.person_act else None
    if kept and entry_id not in known:
        failed = found["reply_failure"] is not None
        delivery = "Not sent" if failed else "On its way"
        written = kept.written
        yield TranscriptTurn(
            "", Side.PERSON, written.by or "", written.text, (), delivery=delivery, is_failed=failed
        )
