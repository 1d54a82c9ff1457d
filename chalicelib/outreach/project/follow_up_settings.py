"""What a project declares to follow an opening; pure.

Example (every part is optional)::

    follow_ups  {"reminder": {"after_minutes": 1440, "text": "Did you see our message?"},
                 "end": {"after_minutes": 4320, "text": "We close this for now. Write to us any time."},
                 "fallback": ["sms", "email"]}

``after_minutes`` counts from the message before it: the opening, or the reminder.  A conversation
copies the declaration as it is opened.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt, model_validator

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.fields import Closed

OPENING, REMINDER, END = "opening", "reminder", "end"
"""The first message, and the steps in their order."""
MOST_MINUTES = 21 * 24 * 60
"""A step is sent three weeks after the message before it at the latest, as `send_at` may be."""


class FollowUpStep(Closed):
    """One message.

    Attributes:
        after_minutes: without an answer to the message before it.
    """

    after_minutes: Annotated[StrictInt, Field(ge=1, le=MOST_MINUTES)]
    text: Annotated[str, Field(min_length=1, max_length=600, pattern=r"^\S(.|\n)*$")]


class Declared(Closed):
    """`follow_ups`.

    Attributes:
        fallback: channels that are tried, in this order, where the one before fails for certain, or
            is not allowed.
    """

    reminder: FollowUpStep | None = None
    end: FollowUpStep | None = None
    fallback: Annotated[list[Channel], Field(max_length=len(Channel))] = []

    @model_validator(mode="after")
    def _has_each_channel_once(self) -> Declared:
        if len(set(self.fallback)) < len(self.fallback):
            raise ValueError("fallback has a channel twice")
        return self

    def after(self, done: str) -> tuple[str, FollowUpStep] | None:
        """The name and the declaration of the step after a message; None at the end."""
        named = {REMINDER: self.reminder, END: self.end}
        order = (OPENING, REMINDER, END)
        for name in order[order.index(done) + 1 :]:
            step = named[name]
            if step is not None:
                return name, step
        return None

    def step(self, name: str) -> FollowUpStep | None:
        """A step by its name; None where it is not declared."""
        return {REMINDER: self.reminder, END: self.end}.get(name)


def tried_of(record: Record) -> tuple[str, ...]:
    """The channels on which a conversation and those that it continues have failed, its own last."""
    before = record.item.get("continues") or {}
    return (*(str(one) for one in before.get("tried") or ()), record.channel.value)
