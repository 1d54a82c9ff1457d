"""What a project declares to follow an opening; pure.

Example (every part is optional)::

    follow_ups  {"reminder": {"after_minutes": 1440, "text": "Did you see our message?"},
                 "end": {"after_minutes": 4320, "text": "We close this for now. Write to us any time."},
                 "fallback": ["sms", "email"]}

``after_minutes`` counts from the message before it: the opening, or the reminder.  A conversation
copies the declaration as it is opened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError, model_validator

from chalicelib.outreach.channels import RECIPIENT_OF, SENDER_OF, Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.companies import Project

SETTING = "follow_ups"
"""Attribute of a project and of a conversation."""
OPENING, REMINDER, END = "opening", "reminder", "end"
"""The first message, and the steps in their order."""
MOST_MINUTES = 21 * 24 * 60
"""A step is sent three weeks after the message before it at the latest, as `send_at` may be."""


class _Closed(BaseModel):
    """Forbids unknown names: a misspelt one would silently leave a step out."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Step(_Closed):
    """One message.

    Attributes:
        after_minutes: without an answer to the message before it.
    """

    after_minutes: Annotated[StrictInt, Field(ge=1, le=MOST_MINUTES)]
    text: Annotated[str, Field(min_length=1, max_length=600, pattern=r"^\S(.|\n)*$")]


class Declared(_Closed):
    """`follow_ups`.

    Attributes:
        fallback: channels that are tried, in this order, where the one before fails for certain, or
            is not allowed.
    """

    reminder: Step | None = None
    end: Step | None = None
    fallback: Annotated[list[Channel], Field(max_length=3)] = []

    @model_validator(mode="after")
    def _has_each_channel_once(self) -> Declared:
        if len(set(self.fallback)) < len(self.fallback):
            raise ValueError("fallback has a channel twice")
        return self

    def after(self, done: str) -> tuple[str, Step] | None:
        """The name and the declaration of the step after a message; None at the end."""
        named = {REMINDER: self.reminder, END: self.end}
        order = (OPENING, REMINDER, END)
        for name in order[order.index(done) + 1 :]:
            step = named[name]
            if step is not None:
                return name, step
        return None

    def step(self, name: str) -> Step | None:
        """A step by its name; None where it is not declared."""
        return {REMINDER: self.reminder, END: self.end}.get(name)


def declared_by(item: Mapping[str, Any]) -> Declared | None:
    """What a project's or a conversation's item declares.

    None where it declares nothing, or nothing that can be read: then no message is sent.
    """
    given = item.get(SETTING)
    if not given:
        return None
    try:
        return Declared.model_validate(given)
    except ValidationError:
        return None


def channels_left(
    project: Project,
    declared: Declared,
    known: Mapping[str, Any],
    tried: Collection[str],
) -> Iterator[Channel]:
    """The channels of a fallback that are left, in their order.

    Each is allowed, has the settings of a sender, has an address of the recipient, and was not tried.

    Args:
        project: as it is set now.
        declared: what the conversation declares.
        known: the recipient's addresses, under the names of a request.
        tried: channels.
    """
    for channel in declared.fallback:
        is_left = channel.value in project.allowed_channels and channel.value not in tried
        has_sender = bool(project.channel_config(channel).get(SENDER_OF[channel]))
        if is_left and has_sender and known.get(RECIPIENT_OF[channel]):
            yield channel


def tried_of(record: Record) -> tuple[str, ...]:
    """The channels on which a conversation and those that it continues have failed, its own last."""
    before = record.item.get("continues") or {}
    return (*(str(one) for one in before.get("tried") or ()), record.channel.value)
