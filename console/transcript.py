"""A conversation as people read it: who wrote each message, and whether it was delivered; pure.

Not every stored entry is a message.  The data from which the opening was written are shown apart
from the messages.  Results of tools and notes of colleagues are marked as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from chalicelib.outreach.conversations import records
from chalicelib.outreach.conversations.drafts import KeptDraft
from chalicelib.outreach.conversations.records import Entry
from chalicelib.outreach.desk.shown import CATALOGUE
from chalicelib.outreach.trust import Trust, trust_of


class Side(StrEnum):
    """Who an entry of a conversation comes from."""

    THEIRS = "theirs"
    MACHINE = "machine"
    PERSON = "person"
    NOTE = "note"
    """A note between colleagues."""
    TOOL = "tool"
    """The result of a tool."""


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """One entry of a transcript.

    Attributes:
        at: ISO time.
        side: who it comes from.
        by: the person of the company, as stored; empty where none wrote it.
        text: the words.
        marks: warnings for the reader, in words.
        files: the number of attached files.
        model: the language model that wrote it; empty where none did.
        revision: of the settings that the model wrote it under.
        delivery: the carrier's report in words; empty for an entry that was not sent.
        is_failed: the carrier has reported that it did not arrive.
        claims: the words that rest on a source, each with its source.
        data: the data in a tool's result, beside its text.
    """

    at: str
    side: Side
    by: str = ""
    text: str = field(default="", repr=False)
    marks: Sequence[str] = ()
    files: int = 0
    model: str = ""
    revision: str = ""
    delivery: str = ""
    is_failed: bool = False
    claims: Sequence[Mapping[str, str]] = field(default=(), repr=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_ours(self) -> bool:
        """Whether the entry was sent to the recipient."""
        return self.side in (Side.MACHINE, Side.PERSON)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation's messages, and the data from which its opening was written."""

    turns: Sequence[TranscriptTurn]
    given: Mapping[str, Any] = field(default_factory=dict, repr=False)


_SIDES = {
    Trust.RECIPIENT: Side.THEIRS,
    Trust.UNPROVEN: Side.THEIRS,
    Trust.COLLEAGUE: Side.PERSON,
    Trust.TOOL: Side.TOOL,
}
_MARKS: Mapping[str, str] = {
    records.OTHER_SENDER: "from another address",
    records.UNPROVEN: "nothing proves who wrote it",
    records.SEVERAL: "may belong to another conversation",
    records.OPT_OUT_IN_DOUBT: "may ask to stop",
    records.LATE: "came after the end",
    records.MACHINE: "reads like an automatic reply",
    records.LOOP: "a machine answers",
    records.WITHDRAWN: "came after a yes",
    records.HELP: "asks for help",
    records.FOLLOW_UP: "a reminder",
    records.AUTO_REPLY: "an automatic reply",
    records.OPT_OUT: "asks to stop",
    records.MEDIA: "a file",
    records.NO_TEXT: "without a text",
}
_DELIVERIES = {
    "": "Sent",
    "sent": "Sent",
    "delivered": "Delivered",
    "read": "Read",
    "canceled": "Not delivered",
    "failed": "Not delivered",
    "undelivered": "Not delivered",
    "bounced": "Not delivered",
    "rejected": "Not delivered",
    "complained": "Reported as spam",
}
_BAD = frozenset({"Not delivered", "Reported as spam"})


def transcript(
    messages: Iterable[Mapping[str, Any]], drafts: Mapping[str, KeptDraft]
) -> Transcript:
    """The transcript of messages as the desk shows them.

    Args:
        messages: as `desk.shown.message_shown` shows them, oldest first.
        drafts: the conversation's drafts, by entry id.
    """
    entries = [_entry(message) for message in messages]
    given = next((entry.content for entry in entries if entry.note == records.PROMPT), "")
    turns = [
        _turn(entry, drafts.get(entry.entry_id))
        for entry in entries
        if entry.note != records.PROMPT
    ]
    return Transcript(turns, _mapping(given))


def _entry(message: Mapping[str, Any]) -> Entry:
    more = {
        name: message[name]
        for name in ("note", "by", "media", "revision", "model")
        if name in message
    }
    return Entry(
        message.get("entry_id", ""), message["at"], message["role"], message["text"] or "", **more
    )


def _turn(entry: Entry, kept: KeptDraft | None) -> TranscriptTurn:
    side = _side(entry)
    is_ours = side in (Side.MACHINE, Side.PERSON)
    delivery = _delivery(kept) if is_ours else ""
    result = _mapping(entry.content) if side is Side.TOOL else {}
    return TranscriptTurn(
        at=entry.message_timestamp,
        side=side,
        by=entry.by or "",
        text=str(result.get("text") or "") if side is Side.TOOL else entry.content,
        marks=[mark] if (mark := _MARKS.get(entry.note or "")) else [],
        files=len(entry.media or ()),
        model=entry.model or "",
        revision=entry.revision or "",
        delivery=delivery,
        is_failed=delivery.partition(":")[0] in _BAD,
        claims=(kept.written.claims or ()) if kept and is_ours else (),
        data={"tool": result.get("tool"), **(result.get("data") or {})} if result else {},
    )


def _side(entry: Entry) -> Side:
    if entry.note == records.INTERNAL:
        return Side.NOTE
    trust = trust_of(entry)
    if trust is Trust.MACHINE:
        return Side.THEIRS if entry.role == "user" else Side.MACHINE
    return _SIDES.get(trust, Side.NOTE)


def _delivery(kept: KeptDraft | None) -> str:
    status = kept.delivery if kept else ""
    word = _DELIVERIES.get(status, status)
    if word in _BAD and kept and kept.reason:
        return f"{word}: {CATALOGUE.words(kept.reason)}"
    return word


def _mapping(text: str) -> dict[str, Any]:
    """A text as a JSON object; any other text, such as one that was cut, under the name ``text``."""
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        return {"text": text}
    return found if isinstance(found, dict) else {"text": text}
