"""The events that a company is sent: their names, their ids and their body; pure.

Example body, version 1 (the headers are those of Standard Webhooks, `outreach.standard_webhooks`)::

    {"type": "conversation.reply_received", "timestamp": "2026-11-20T09:03:11.000Z",
     "data": {"version": 1, "number": 4, "conversation": "5f3a...", "company_id": "ci-aaa-001",
              "project_id": "pi-aaa-001", "request_id": "req123", "channel": "sms",
              "message_id": "SM91..."}}

A body holds identifiers and fixed codes.  The text of a message, the recipient's address and the person
of the team who acted are in it only where the project asks for them (`endpoint`), and a tool's arguments
in `tool_called`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from chalicelib.once import keys

TELLS = "tells_company"
"""Attribute of a conversation whose project had an endpoint when it was opened."""
UNOPENED = "open"
"""``stage`` of a start that has failed before it had a conversation."""
VERSION = 1
PERSON = "person_"
"""Begins the facts about who of the company's team has acted: name, subject and issuer."""
MAX_TEXT_CHARACTERS = 4096
"""Of a message's text in a body; a longer one is cut, and ``text_is_cut`` is true."""


class Name(StrEnum):
    """What happened; the ``type`` of a body is ``conversation.{name}``."""

    ACCEPTED = "accepted"
    """The conversation was opened."""
    SENT = "sent"
    """Its first message went to the carrier."""
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    """A message was not sent or not delivered; ``reason`` says why."""
    REPLY_RECEIVED = "reply_received"
    ANSWERED = "answered"
    """A later message went to the carrier; ``by``: ``machine`` or ``person``."""
    HANDED_OFF = "handed_off"
    """It waits for a person; ``reason`` says why."""
    TAKEN = "taken"
    """A person has it."""
    OPTED_OUT = "opted_out"
    """The recipient must not be contacted any more."""
    OPTED_IN = "opted_in"
    """The recipient has said START, or a person has lifted what they had asked for (``by``)."""
    SUSPENDED = "suspended"
    """Marketing to the recipient waits: ``reason`` says what it is not known of."""
    TOOL_CALLED = "tool_called"
    """The recipient wants something done; ``tool`` and ``arguments`` say what."""
    CLOSED = "closed"
    """A person has closed it."""
    FOLLOWED_UP = "followed_up"
    """A reminder or an end message went to the carrier; ``step`` says which."""
    CONTINUED = "continued"
    """It has failed, and another conversation has taken its place, on another channel."""


CHOICE = frozenset(one.value for one in Name) - {Name.TOOL_CALLED.value}
"""Events that a company may choose; the call of a tool is sent whatever it chooses."""


@dataclass(frozen=True, slots=True)
class CompanyEvent:
    """One event of a conversation, as its row has it.

    Attributes:
        id: the ``webhook-id``, the same in every attempt.
        at: ISO time at which it was written.
        facts: identifiers and fixed codes, and who of the team has acted; no text.
    """

    id: str
    name: Name
    at: str
    facts: Mapping[str, str]


def id_of(opaque_id: str, name: Name, key: str) -> str:
    """The id of what happened, by a key that is unique among the conversation's events of the name."""
    return f"evt_{keys.digest('company-event', opaque_id, name.value, key)[:32]}"


@dataclass(frozen=True, slots=True)
class Personal:
    """What a body holds of a person, where its project asks for it.

    Attributes:
        recipient: number or address of the recipient.
        text: of the message that the event is about.
        arguments: of a tool, already checked against its schema.
        result: ``call_id`` and ``token``, with which its result comes back.
        shows_person: whether it says who of the team has acted.
    """

    recipient: str | None = field(default=None, repr=False)
    text: str | None = field(default=None, repr=False)
    arguments: Mapping[str, Any] | None = field(default=None, repr=False)
    result: Mapping[str, str] | None = field(default=None, repr=False)
    shows_person: bool = False

    def shown(self) -> dict[str, Any]:
        """The fields of a body."""
        found: dict[str, Any] = {}
        if self.recipient is not None:
            found["recipient"] = self.recipient
        if self.text is not None:
            found["text"] = self.text[:MAX_TEXT_CHARACTERS]
            if len(self.text) > MAX_TEXT_CHARACTERS:
                found["text_is_cut"] = True
        if self.arguments is not None:
            found["arguments"] = dict(self.arguments)
        if self.result is not None:
            found["result"] = dict(self.result)
        return found


def body(
    event: CompanyEvent, number: int, about: Mapping[str, str], personal: Personal | None = None
) -> bytes:
    """The bytes that are signed and sent.

    Args:
        event: of the row.
        number: its place in the conversation, from 1.
        about: the ids of conversation, company, project and request, and the channel.
        personal: what the project asks for.
    """
    shows_person = personal is not None and personal.shows_person
    data = {
        "version": VERSION,
        "number": number,
        **about,
        **{n: one for n, one in event.facts.items() if shows_person or not n.startswith(PERSON)},
        **(personal.shown() if personal else {}),
    }
    whole = {"type": f"conversation.{event.name.value}", "timestamp": event.at, "data": data}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
