"""What the inbox shows of a conversation: the recipient's name, their last words, the project's name."""

from __future__ import annotations

from dataclasses import dataclass, field

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.trust import Trust, trust_of

LONGEST = 140
_SAID = frozenset({Trust.RECIPIENT, Trust.UNPROVEN})


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The recipient's first name, their last words and the project's name; empty where unknown."""

    name: str = field(default="", repr=False)
    words: str = field(default="", repr=False)
    project: str = ""


def excerpt(record: Record | None) -> Excerpt:
    """The excerpt of a conversation; an empty one without a conversation."""
    if record is None:
        return Excerpt()
    said = [
        message.content
        for message in record.messages
        if trust_of(message) in _SAID and message.content
    ]
    words = " ".join(said[-1].split()) if said else ""
    cut = f"{words[: LONGEST - 1]}\u2026" if len(words) > LONGEST else words
    item = record.item
    return Excerpt(
        str(item.get("recipient_first_name") or ""), cut, str(item.get("project_name") or "")
    )
