"""The side effects of outreach: a text by Twilio, an e-mail by SES, a hand-off to a person.

They hold identifiers only.  What is sent is the draft that the conversation keeps under the
action's entry id; it is stored before the action is planned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from chalicelib.once.action import Settle
from chalicelib.once.keys import Suffix
from chalicelib.once.plan import PlannedAction
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import Draft, Record


@dataclass(frozen=True, slots=True)
class Loaded:
    """The conversation and the draft, where whoever built the action has them at hand."""

    record: Record
    draft: Draft | None = None
    sent: list[str] = field(default_factory=list, repr=False)
    """What the vendor says that it sent, where it says so: a template's text is its rendering."""


@dataclass(frozen=True, slots=True)
class _Send:
    conversation_id: str
    entry_id: str
    loaded: Loaded | None = field(default=None, repr=False, compare=False)
    receive: int = field(default=0, compare=False)
    """How many times the queue had handed the event over when this was built; for the audit."""

    @property
    def key(self) -> str:
        """See `actions.Action.key`."""
        return outreach_keys.send_action(self.conversation_id, self.entry_id)

    @property
    def audit_type(self) -> str:
        """See `actions.Action.audit_type`."""
        return "send"

    def payload(self) -> Mapping[str, str]:
        """See `actions.Action.payload`."""
        return {"entry_id": self.entry_id, "receive": str(self.receive)}

    def probe(self) -> Mapping[str, str]:
        """See `actions.Action.probe`; the draft under the entry tells the rest."""
        return {"entry_id": self.entry_id}


@dataclass(frozen=True, slots=True)
class SendText(_Send):
    """Send one WhatsApp message or SMS; Twilio takes no idempotency key, but lists what it sent."""

    kind: ClassVar[str] = "send_text"
    vendor: ClassVar[str] = "twilio"
    settle: ClassVar[Settle] = Settle.QUERY
    speaks: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SendEmail(_Send):
    """Send one e-mail; SES lists nothing, but its events carry our tag."""

    kind: ClassVar[str] = "send_email"
    vendor: ClassVar[str] = "ses"
    settle: ClassVar[Settle] = Settle.RECEIPT
    speaks: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class HandOff:
    """Give a conversation to a person; set semantics, so it is simply repeated.

    Attributes:
        arg: ``{held}|{reason}``: what is held back until it is released (``start``, ``reply`` or
            nothing), and why a person is asked, as a fixed word.
        suffix: which event asked for it, and whether as it failed; also the hand-off's id.
    """

    conversation_id: str
    arg: str
    suffix: Suffix
    reason_text: str = field(default="", repr=False, compare=False)

    kind: ClassVar[str] = "hand_off"
    vendor: ClassVar[str] = "conversations"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = False

    @property
    def held(self) -> str:
        """What waits for release."""
        return self.arg.partition("|")[0]

    @property
    def reason(self) -> str:
        """Why, as a fixed word."""
        return self.arg.partition("|")[2]

    @property
    def key(self) -> str:
        """See `actions.Action.key`."""
        return outreach_keys.handoff_action(self.conversation_id, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `actions.Action.audit_type`."""
        return "hand_off"

    def payload(self) -> Mapping[str, str]:
        """See `actions.Action.payload`."""
        return {"held": self.held, "reason": self.reason}

    def probe(self) -> Mapping[str, str]:
        """See `actions.Action.probe`."""
        return {}


def build(
    planned: PlannedAction,
    *,
    conversation_id: str,
    suffix: Suffix,
    loaded: Loaded | None,
    receive: int = 0,
) -> SendText | SendEmail | HandOff:
    """The action a plan names.

    Raises:
        KeyError: the plan names a kind this version does not have.
    """
    match planned.kind:
        case "send_text":
            return SendText(conversation_id, planned.arg, loaded, receive)
        case "send_email":
            return SendEmail(conversation_id, planned.arg, loaded, receive)
        case "hand_off":
            reason = loaded.draft.hand_off_reason if loaded and loaded.draft else None
            return HandOff(conversation_id, planned.arg, suffix, reason or "")
        case _:
            raise KeyError(planned.kind)
