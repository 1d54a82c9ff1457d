"""A project's reminders, end message and fallback channels after an unanswered first message; pure.

Example (every part is optional)::

    follow_ups  {"reminder": {"after_minutes": 1440, "text": "Did you see our message?"},
                 "end": {"after_minutes": 4320, "text": "We close this for now. Write to us any time."},
                 "fallback": ["sms", "email"]}

``after_minutes`` counts from the message before: the opening, or the reminder.  A conversation
copies the declaration when it is created.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt, model_validator

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.fields import Closed

OPENING, REMINDER, END = "opening", "reminder", "end"
"""The first message and the steps after it, in order."""
MOST_MINUTES = 21 * 24 * 60
"""A step is at most three weeks after the message before it, the same limit as `send_at`."""


class FollowUpStep(Closed):
    """A reminder or end message that a project declares.

    Attributes:
        after_minutes: minutes without an answer to the message before it.
    """

    after_minutes: Annotated[StrictInt, Field(ge=1, le=MOST_MINUTES)]
    text: Annotated[str, Field(min_length=1, max_length=600, pattern=r"^\S(.|\n)*$")]


class FollowUpSettings(Closed):
    """A project's reminder, end message and fallback channels (`follow_ups`).

    Attributes:
        fallback: channels that are tried in this order, where the one before is not allowed or has
            failed for certain.
    """

    reminder: FollowUpStep | None = None
    end: FollowUpStep | None = None
    fallback: Annotated[list[Channel], Field(max_length=len(Channel))] = []

    @model_validator(mode="after")
    def _has_each_channel_once(self) -> FollowUpSettings:
        if len(set(self.fallback)) < len(self.fallback):
            raise ValueError("fallback has a channel twice")
        return self

    def next_after(self, done: str) -> tuple[str, FollowUpStep] | None:
        """Name and declaration of the next message that the project declares after the message `done`.

        The order is opening, reminder, end message; None where none after `done` is declared.
        """
        named = {REMINDER: self.reminder, END: self.end}
        order = (OPENING, REMINDER, END)
        for name in order[order.index(done) + 1 :]:
            step = named[name]
            if step is not None:
                return name, step
        return None

    def step(self, name: str) -> FollowUpStep | None:
        """The declaration of the reminder or the end message, by its name; None where there is none."""
        return {REMINDER: self.reminder, END: self.end}.get(name)


def tried_channels(record: Record) -> tuple[str, ...]:
    """The channels used by a conversation and by those that it continues; its own is last."""
    before = record.item.get("continues") or {}
    return (*(str(channel) for channel in before.get("tried") or ()), record.channel.value)
