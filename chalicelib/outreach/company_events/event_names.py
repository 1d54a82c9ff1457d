"""The events that a company is sent: their names, their ids and their body; pure.

Example body, version 1 (headers: `company_events.standard_webhooks`)::

    {"type": "conversation.reply_received", "timestamp": "2026-11-20T09:03:11.000Z",
     "data": {"version": 1, "number": 4, "conversation": "5f3a...", "company_id": "ci-aaa-001",
              "project_id": "pi-aaa-001", "request_id": "req123", "channel": "sms",
              "message_id": "SM91..."}}

A body holds identifiers and fixed codes.  It holds the text of a message, the recipient's address and
the team member who acted only where the project asks for them (`endpoint`); `tool_called` always holds
the tool's arguments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from chalicelib.once import keys

TELLS = "tells_company"
"""Attribute that a conversation has if its project had an endpoint for events when it was opened."""
UNOPENED = "open"
"""The ``stage`` of a start that failed before a conversation was opened."""
VERSION = 1
PERSON = "person_"
"""Prefix of the facts about the team member who acted: name, subject and issuer."""
MAX_TEXT_CHARACTERS = 4096
"""A message's text in a body is cut to this many characters; ``text_is_cut`` is then true."""


class EventName(StrEnum):
    """What happened in a conversation."""

    ACCEPTED = "accepted"
    """The conversation was opened."""
    SENT = "sent"
    """The conversation's first message went to the carrier."""
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    """A message was not sent or not delivered; ``reason`` says why."""
    REPLY_RECEIVED = "reply_received"
    ANSWERED = "answered"
    """A later message went to the carrier; ``by``: ``machine`` or ``person``."""
    HANDED_OFF = "handed_off"
    """The conversation waits for a person; ``reason`` says why."""
    TAKEN = "taken"
    """A person has taken the conversation."""
    OPTED_OUT = "opted_out"
    """The recipient must not be contacted any more."""
    OPTED_IN = "opted_in"
    """The recipient said START, or somebody (``by``) lifted the recipient's refusal."""
    SUSPENDED = "suspended"
    """Marketing to the recipient is suspended; ``reason`` says what is uncertain."""
    TOOL_CALLED = "tool_called"
    """A tool of the company is called for the recipient; ``tool`` and ``arguments`` say which and how."""
    CLOSED = "closed"
    """A person has closed the conversation."""
    FOLLOWED_UP = "followed_up"
    """A reminder or the closing message went to the carrier; ``step`` says which."""
    CONTINUED = "continued"
    """The conversation failed, and another one on another channel has taken its place."""

    @property
    def type(self) -> str:
        """The ``type`` in the body of an event of this name: ``conversation.{name}``."""
        return f"conversation.{self.value}"


CHOOSABLE_EVENTS = frozenset(name.value for name in EventName) - {EventName.TOOL_CALLED.value}
"""The events that a company may choose or leave out; a tool's call is always sent."""


@dataclass(frozen=True, slots=True)
class CompanyEvent:
    """One event of a conversation for its company, as stored in the outbox.

    Attributes:
        id: the ``webhook-id``, the same in every attempt.
        at: ISO time at which the event was written.
        facts: identifiers, fixed codes, and the team member who acted; no text.
    """

    id: str
    name: EventName
    at: str
    facts: Mapping[str, str]


def id_of(opaque_id: str, name: EventName, key: str) -> str:
    """The id of a company event: always the same for the same conversation, name and key.

    `key` tells apart the conversation's events of that name.
    """
    return f"evt_{keys.digest('company-event', opaque_id, name.value, key)[:32]}"


@dataclass(frozen=True, slots=True)
class PersonalData:
    """The personal data in the body of one event, where the project asks for it.

    Attributes:
        recipient: number or address of the recipient.
        text: the text of the message that the event is about.
        arguments: a tool's arguments, already checked against the tool's schema.
        result: ``call_id`` and ``token``, with which the company returns the tool's result.
        shows_person: the body names the team member who acted.
    """

    recipient: str | None = field(default=None, repr=False)
    text: str | None = field(default=None, repr=False)
    arguments: Mapping[str, Any] | None = field(default=None, repr=False)
    result: Mapping[str, str] | None = field(default=None, repr=False)
    shows_person: bool = False

    def shown(self) -> dict[str, Any]:
        """The personal data as fields of an event's body; None is left out, and a long text is cut."""
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
    event: CompanyEvent, number: int, about: Mapping[str, str], personal: PersonalData | None = None
) -> bytes:
    """The bytes of an event's body, as they are signed and sent to the company.

    Args:
        event: the event as stored.
        number: its place in the conversation, from 1.
        about: the ids of conversation, company, project and request, and the channel.
        personal: the personal data that the project asks for.
    """
    shows_person = personal is not None and personal.shows_person
    data = {
        "version": VERSION,
        "number": number,
        **about,
        **{n: fact for n, fact in event.facts.items() if shows_person or not n.startswith(PERSON)},
        **(personal.shown() if personal else {}),
    }
    whole = {"type": event.name.type, "timestamp": event.at, "data": data}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
