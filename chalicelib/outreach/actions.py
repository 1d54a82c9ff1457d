"""The side effects of outreach: a text by Twilio, an e-mail by SES, a hand-off to a person.

They hold identifiers only.  The message sent is the draft stored in the conversation under the
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
    """The conversation and the draft, where the flow has read them already."""

    record: Record
    draft: Draft | None = None
    sent: list[str] = field(default_factory=list, repr=False)
    """The text the vendor reports as sent, if it does: a template is rendered by the vendor."""


@dataclass(frozen=True, slots=True)
class _Send:
    conversation_id: str
    entry_id: str
    loaded: Loaded | None = field(default=None, repr=False, compare=False)
    receive: int = field(default=0, compare=False)
    """How often the queue had delivered the event when this was built; for the audit."""
    planned_after: str | None = field(default=None, compare=False)
    """The newest act of a person when it was planned, to a later one it gives way; None: it is a
    person's own."""
    unless_answered: bool = field(default=False, compare=False)
    """Whether it is not sent once the recipient has written."""

    obeys_register: ClassVar[bool] = True
    """Whether it is not sent to somebody who must not be contacted."""

    @property
    def key(self) -> str:
        """See `once.action.Action.key`."""
        return outreach_keys.send_action(self.conversation_id, self.entry_id)

    @property
    def audit_type(self) -> str:
        """See `once.action.Action.audit_type`."""
        return "send"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action.payload`."""
        return {"entry_id": self.entry_id, "receive": str(self.receive)}

    def probe(self) -> Mapping[str, str]:
        """See `once.action.Action.probe`; the draft under the entry has the rest."""
        account = {"account": self.loaded.record.company_id} if self.loaded else {}
        return {"entry_id": self.entry_id, **account}


@dataclass(frozen=True, slots=True)
class SendText(_Send):
    """Send one WhatsApp message or SMS; Twilio takes no idempotency key, but lists what it sent."""

    kind: ClassVar[str] = "send_text"
    vendor: ClassVar[str] = "twilio"
    settle: ClassVar[Settle] = Settle.QUERY
    reaches_customer: ClassVar[bool] = True
    is_id_global: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ConfirmStop(SendText):
    """The one message that is sent to somebody who has just said STOP, once per message of theirs."""

    kind: ClassVar[str] = "confirm_stop"
    obeys_register: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class AnswerHelp(SendText):
    """The answer to HELP, which everybody gets, once per message of theirs."""

    kind: ClassVar[str] = "answer_help"
    obeys_register: ClassVar[bool] = False


NOTICES: Mapping[str, type[SendText]] = {one.kind: one for one in (ConfirmStop, AnswerHelp)}
"""The only messages that leave without a look at the register, by kind."""


@dataclass(frozen=True, slots=True)
class SendEmail(_Send):
    """Send one e-mail; SES lists nothing, but its events carry our tag."""

    kind: ClassVar[str] = "send_email"
    vendor: ClassVar[str] = "ses"
    settle: ClassVar[Settle] = Settle.RECEIPT
    reaches_customer: ClassVar[bool] = True
    is_id_global: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class HandOff:
    """Hand a conversation to a person; set semantics, so repeating it is harmless.

    Attributes:
        arg: ``{held}|{reason}``: the message held until release (``start``, ``reply`` or none), and
            why a person is asked, as a fixed code.
        suffix: of the event that asked for it, prefixed if the event failed; also the hand-off's id.
    """

    conversation_id: str
    arg: str
    suffix: Suffix
    reason_text: str = field(default="", repr=False, compare=False)

    kind: ClassVar[str] = "hand_off"
    vendor: ClassVar[str] = "conversations"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    reaches_customer: ClassVar[bool] = False
    is_id_global: ClassVar[bool] = False

    @property
    def held(self) -> str:
        """The message held until release: ``start``, ``reply`` or empty."""
        return self.arg.partition("|")[0]

    @property
    def reason(self) -> str:
        """Why a person is asked, as a fixed code."""
        return self.arg.partition("|")[2]

    @property
    def key(self) -> str:
        """See `once.action.Action.key`."""
        return outreach_keys.handoff_action(self.conversation_id, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `once.action.Action.audit_type`."""
        return "hand_off"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action.payload`."""
        return {"held": self.held, "reason": self.reason}

    def probe(self) -> Mapping[str, str]:
        """See `once.action.Action.probe`."""
        return {}


def build(
    planned: PlannedAction,
    *,
    conversation_id: str,
    suffix: Suffix,
    loaded: Loaded | None,
    receive: int = 0,
    planned_after: str | None = None,
    unless_answered: bool = False,
) -> SendText | SendEmail | HandOff:
    """The action a plan names.

    Raises:
        KeyError: the plan names a kind this version does not have.
    """
    match planned.kind:
        case "send_text":
            send: type[SendText | SendEmail] = SendText
        case "send_email":
            send = SendEmail
        case kind if kind in NOTICES:
            return NOTICES[kind](conversation_id, planned.arg, loaded, receive)
        case "hand_off":
            reason = loaded.draft.hand_off_reason if loaded and loaded.draft else None
            return HandOff(conversation_id, planned.arg, suffix, reason or "")
        case _:
            raise KeyError(planned.kind)
    return send(conversation_id, planned.arg, loaded, receive, planned_after, unless_answered)
