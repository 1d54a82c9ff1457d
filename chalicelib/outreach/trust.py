"""Who an entry of a conversation is from: the label under which a language model sees the entry."""

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
    """Whom an entry of a conversation comes from.

    Only a message of the `RECIPIENT` can be a STOP, a START or a confirmation, or be answered.
    """

    RECIPIENT = "recipient"
    UNPROVEN = "unproven"
    """Nothing proves that the recipient wrote the entry."""
    COMPANY = "company"
    """The company's settings and its request to start."""
    FORM = "form"
    """What somebody entered in the company's web form."""
    TOOL = "tool"
    """A tool's result."""
    COLLEAGUE = "colleague"
    """A person of the company."""
    MACHINE = "machine"
    """Our own messages, and messages that are marked as automatic."""


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
    """Whom a conversation's entry comes from: by the entry's note, else its author (`by`), else its role."""
    if entry.note in _BY_NOTE:
        return _BY_NOTE[entry.note]
    if entry.by is not None:
        return Trust.COLLEAGUE
    return Trust.RECIPIENT if entry.role == "user" else Trust.MACHINE
