"""A conversation as people read it: who wrote each message, to whom, and what became of it; pure.

Not every stored entry is a message.  What the opening was written from is given to the writer by the
company: it is kept apart, as data.  What a tool has given back and what colleagues note are no words of
the two sides either.
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
    """Whose side of the conversation an entry is on."""

    THEIRS = "theirs"
    MACHINE = "machine"
    PERSON = "person"
    NOTE = "note"
    """Between colleagues."""
    TOOL = "tool"
    """What a tool has given back."""


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """One entry of a transcript.

    Attributes:
        at: ISO time.
        side: whose it is.
        by: the person of the company, as stored; empty: none.
        text: the words.
        marks: what a reader should know of it, in words.
        files: how many came with it.
        model: which model wrote it; empty: none.
        revision: of the settings that the model wrote it by.
        delivery: what the carrier has reported, in words; empty for what was not sent.
        is_failed: the carrier has reported that it did not arrive.
        claims: the words that rest on a source, each with its source.
        data: what a tool has given back, beside its text.
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
        """Whether it was sent to the recipient."""
        return self.side in (Side.MACHINE, Side.PERSON)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation's messages, and the data that its opening was written from."""

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
    """The messages as the desk shows them, sorted by whose word each is.

    Args:
        messages: as `desk.shown.message_shown` shows them, oldest first.
        drafts: of the conversation, by entry id.
    """
    entries = [_entry(one) for one in messages]
    given = next((one.content for one in entries if one.note == records.PROMPT), "")
    turns = [_turn(one, drafts.get(one.entry_id)) for one in entries if one.note != records.PROMPT]
    return Transcript(turns, _mapping(given))


def _entry(one: Mapping[str, Any]) -> Entry:
    more = {name: one[name] for name in ("note", "by", "media", "revision", "model") if name in one}
    return Entry(one.get("entry_id", ""), one["at"], one["role"], one["text"] or "", **more)


def _turn(one: Entry, kept: KeptDraft | None) -> TranscriptTurn:
    side = _side(one)
    is_ours = side in (Side.MACHINE, Side.PERSON)
    delivery = _delivery(kept) if is_ours else ""
    result = _mapping(one.content) if side is Side.TOOL else {}
    return TranscriptTurn(
        at=one.message_timestamp,
        side=side,
        by=one.by or "",
        text=str(result.get("text") or "") if side is Side.TOOL else one.content,
        marks=[mark] if (mark := _MARKS.get(one.note or "")) else [],
        files=len(one.media or ()),
        model=one.model or "",
        revision=one.revision or "",
        delivery=delivery,
        is_failed=delivery.partition(":")[0] in _BAD,
        claims=(kept.written.claims or ()) if kept and is_ours else (),
        data={"tool": result.get("tool"), **(result.get("data") or {})} if result else {},
    )


def _side(one: Entry) -> Side:
    if one.note == records.INTERNAL:
        return Side.NOTE
    trust = trust_of(one)
    if trust is Trust.MACHINE:
        return Side.THEIRS if one.role == "user" else Side.MACHINE
    return _SIDES.get(trust, Side.NOTE)


def _delivery(kept: KeptDraft | None) -> str:
    status = kept.delivery if kept else ""
    word = _DELIVERIES.get(status, status)
    if word in _BAD and kept and kept.reason:
        return f"{word}: {CATALOGUE.words(kept.reason)}"
    return word


def _mapping(text: str) -> dict[str, Any]:
    """A JSON object; a text that is none, such as one that was cut, under a name of its own."""
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        return {"text": text}
    return found if isinstance(found, dict) else {"text": text}
