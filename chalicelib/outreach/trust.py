"""Whose word an entry of a conversation is: the label under which a writer sees it."""

from __future__ import annotations

from enum import StrEnum

from chalicelib.outreach.conversations.records import (
    AUTO_REPLY,
    INTERNAL,
    OTHER_SENDER,
    PERSON,
    PROMPT,
    TOOL_RESULT,
    UNPROVEN,
    Entry,
)


class Trust(StrEnum):
    """Only a recipient stops, starts, confirms or is answered."""

    RECIPIENT = "recipient"
    UNPROVEN = "unproven"
    """Nothing shows that the recipient wrote it."""
    COMPANY = "company"
    """The company's settings and request."""
    FORM = "form"
    """What somebody has entered in the company's form."""
    TOOL = "tool"
    """A tool's result."""
    COLLEAGUE = "colleague"
    """A person of the company."""
    MACHINE = "machine"
    """Our own messages, and those that say themselves that a machine wrote them."""


_BY_NOTE = {
    AUTO_REPLY: Trust.MACHINE,
    INTERNAL: Trust.COLLEAGUE,
    OTHER_SENDER: Trust.UNPROVEN,
    PERSON: Trust.COLLEAGUE,
    PROMPT: Trust.COMPANY,
    TOOL_RESULT: Trust.TOOL,
    UNPROVEN: Trust.UNPROVEN,
}


def trust_of(entry: Entry) -> Trust:
    """The trust of an entry, by its note, its author and its role."""
    if entry.note in _BY_NOTE:
        return _BY_NOTE[entry.note]
    if entry.by is not None:
        return Trust.COLLEAGUE
    return Trust.RECIPIENT if entry.role == "user" else Trust.MACHINE
