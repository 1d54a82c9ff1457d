"""Whether a recipient has agreed to an irreversible tool: one question, one plain yes.

::

    none ──the question is sent──▶ asked ──a plain yes──▶ confirmed ──the tool is called──▶ none

Anything else ends it: another message, a hand-off, a person's act, its expiry, another revision
of the tool.  So does a message between the yes and the call; then a person gets the conversation.

The state is an attribute of the conversation.  The write that records the question sets it, and the
write that stores what ends it drops it, so that no reader ever sees two states::

    confirmation  {"tool": "submit", "revision": "9c1f...", "entry_id": "5c0d...", "ref": "SM1...",
                   "asked_at": "...", "expires_at": "...", "confirmed_by": "SM2..."}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach.tools.agreement import is_yes

ASK, CALL = "ask", "call"
"""What a draft does about a tool: ask the recipient, or call it."""


@dataclass(frozen=True, slots=True)
class ToolStep:
    """What a draft does about a tool: ask the recipient to confirm its call, or call it.

    Attributes:
        step: `ASK` or `CALL`.
        revision: of the tool's declaration as the writer saw it.
        minutes: how long the question may be answered.
        confirmed_by: the message that confirmed the call; None where none was needed.
    """

    step: str
    revision: str
    minutes: int | None = None
    confirmed_by: str | None = None

    def item(self) -> dict[str, Any]:
        """The step as a map, as it is stored in the draft."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value is not None}

    @classmethod
    def of(cls, item: Mapping[str, Any] | None) -> ToolStep | None:
        """The step in a draft's stored map; None where there is none."""
        if not item:
            return None
        minutes = item.get("minutes")
        return cls(
            item["step"],
            item["revision"],
            None if minutes is None else int(minutes),
            item.get("confirmed_by"),
        )


@dataclass(frozen=True, slots=True)
class PossibleYes:
    """A recipient's message, as a possible yes to the question about a tool.

    Attributes:
        is_plain: it is proven to be the recipient's, and no keyword.
        refers_to: the messages that it quotes, the closest one last.
    """

    message_id: str
    text: str
    sent_at: str
    is_plain: bool
    refers_to: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question about a tool's call that waits for the recipient's yes, or has got one.

    Attributes:
        tool: the tool's name.
        asked_at, expires_at: ISO times between which a yes counts.
        ref: the id by which a quotation names the question.
        confirmed_by: the message that said yes; None until then.
    """

    tool: str
    revision: str
    entry_id: str
    asked_at: str
    expires_at: str
    ref: str | None = None
    confirmed_by: str | None = None

    def item(self) -> dict[str, Any]:
        """The confirmation as a map, as it is stored in the conversation."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value is not None}

    def confirmed_item(self, said: PossibleYes) -> dict[str, Any] | None:
        """The map to store after a recipient's message that confirms the call; None where it does not.

        It confirms by a plain yes that is in time and about this question.  None ends the question.
        """
        is_in_time = self.asked_at <= said.sent_at <= self.expires_at
        is_about_it = not said.refers_to or said.refers_to[-1] in (self.ref, self.entry_id)
        is_first = self.confirmed_by is None
        if not (is_first and is_in_time and is_about_it and said.is_plain and is_yes(said.text)):
            return None
        return self.item() | {"confirmed_by": said.message_id}


def confirmation_of(item: Mapping[str, Any] | None) -> Confirmation | None:
    """The confirmation in a stored map; None where there is none."""
    return Confirmation(**item) if item else None


def question_item(
    tool: str, step: ToolStep, entry_id: str, ref: str | None, now: datetime
) -> dict[str, Any]:
    """The map to store in a conversation for the question about a tool's call that is sent now."""
    expires = now + timedelta(minutes=step.minutes or 0)
    return Confirmation(tool, step.revision, entry_id, iso(now), iso(expires), ref).item()
