"""The side effects of outreach: messages, hand-offs, and what a company and its desk are sent.

They hold identifiers only.  A message to a recipient is the draft stored in the conversation under its
entry id; it is stored before the effect is planned.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from chalicelib.once.effect import Effect, EffectKind, Hands, Settle, WhenStopped, kinds
from chalicelib.once.keys import Suffix
from chalicelib.once.plan import PlannedAction
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import CHANNELS
from chalicelib.outreach.channels import KINDS as MESSAGE_KINDS
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.messages.plan import MessagePlan

KINDS = kinds(
    *MESSAGE_KINDS.values(),
    # Hands a conversation to a person; set semantics, so repeating it is harmless.
    HAND_OFF := EffectKind(
        "hand_off",
        "conversations",
        Settle.REPEATABLE,
        reaches_customer=False,
        hands=lambda parts: Hands(parts.hand_offs.perform),
    ),
    # Calls a tool: the company hears of it by an event, which it knows by its id.
    CALL_TOOL := EffectKind(
        "call_tool",
        "conversations",
        Settle.REPEATABLE,
        reaches_customer=True,
        hands=lambda parts: Hands(parts.tool_calls.call, last_look=parts.tool_calls.last_look),
    ),
    # Posts one event to its company's endpoint, which knows a repetition by the event's id.
    TELL_COMPANY := EffectKind(
        "tell_company",
        "company",
        Settle.REPEATABLE,
        reaches_customer=False,
        hands=lambda parts: Hands(parts.teller.tell, prepare=parts.teller.prepare),
        when_stopped=WhenStopped.WAIT,
    ),
    # E-mails a notice to a company's desk; nothing at SES shows afterwards whether it was sent.
    NOTIFY_DESK := EffectKind(
        "notify_desk",
        "ses",
        Settle.NONE,
        reaches_customer=False,
        hands=lambda parts: Hands(parts.notices.send),
    ),
)
"""The kinds of effects of outreach; the parts of messages are those of `outreach.work.OutreachWork`."""

TO_COMPANIES = kinds(HAND_OFF, CALL_TOOL, TELL_COMPANY, NOTIFY_DESK)
"""Those that reach companies; `outreach.telling.OutreachTelling` has their parts."""

NOTICES = frozenset(kind.name for one in CHANNELS.values() for kind in one.notices)
"""The only messages that leave without a look at the register."""
MESSAGES = frozenset(MESSAGE_KINDS)
"""What reaches a recipient."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The conversation and the draft, where the flow has read them already."""

    record: Record
    draft: Draft | None = None
    sent: list[str] = field(default_factory=list, repr=False)
    """The text the vendor reports as sent, if it does: a template is rendered by the vendor."""


@dataclass(frozen=True, slots=True)
class SendData:
    """What a message is sent with.

    Attributes:
        loaded: what the flow has read already.
        message: of the plan; None where only the effect's identity is asked for.
    """

    loaded: Loaded | None = None
    message: MessagePlan | None = None


def send(
    kind: EffectKind,
    conversation_id: str,
    entry_id: str,
    sending: SendData | None = None,
    *,
    receive: int = 0,
) -> Effect:
    """Send a message of a conversation to its recipient.

    Args:
        kind: of the channel: what sends, or one of `NOTICES`.
        conversation_id: opaque.
        entry_id: of the draft, which has the rest of what a settler needs.
        sending: what it is sent with.
        receive: how often the queue had delivered the event when this was built; for the audit.
    """
    sending = sending or SendData()
    loaded = sending.loaded
    account = {"account": loaded.record.company_id} if loaded else {}
    return Effect(
        kind,
        outreach_keys.send_action(conversation_id, entry_id),
        conversation_id,
        entry_id,
        audit_type="send",
        payload={"entry_id": entry_id, "receive": str(receive)},
        probe={"entry_id": entry_id, **account},
        by_person=bool(sending.message and sending.message.is_persons),
        data=sending,
    )


@dataclass(frozen=True, slots=True)
class HandOffData:
    """What a hand-off is stored with; its id is the suffix of the event that asked for it."""

    handoff_id: str
    held: str
    reason: str
    reason_text: str = field(default="", repr=False)


def hand_off(conversation_id: str, argument: str, suffix: Suffix, reason_text: str = "") -> Effect:
    """Hand a conversation to a person.

    Args:
        conversation_id: opaque.
        argument: ``{held}|{reason}``: the message held until release (``start``, ``reply`` or none),
            and why a person is asked, as a fixed code.
        suffix: of the event that asked for it, prefixed if the event failed.
        reason_text: why, in words.
    """
    held, _, reason = argument.partition("|")
    return Effect(
        HAND_OFF,
        outreach_keys.handoff_action(conversation_id, suffix),
        conversation_id,
        argument,
        audit_type="hand_off",
        payload={"held": held, "reason": reason},
        data=HandOffData(suffix.text, held, reason, reason_text),
    )


@dataclass(frozen=True, slots=True)
class CallData:
    """What a call is made with.

    Attributes:
        after: the newest act of a person when it was planned; None: a person has approved it.
    """

    after: str | None = ""


def call_tool(conversation_id: str, entry_id: str, message: MessagePlan | None) -> Effect:
    """Call the tool that a message acknowledges."""
    after = None if message is None or message.is_approved else message.after
    return Effect(
        CALL_TOOL,
        outreach_keys.tool_action(conversation_id, entry_id),
        conversation_id,
        entry_id,
        audit_type="call_tool",
        payload={"entry_id": entry_id},
        data=CallData(after),
    )


def tell_company(conversation_id: str, number: int) -> Effect:
    """Post one event."""
    return Effect(
        TELL_COMPANY,
        outreach_keys.tell_action(conversation_id, number),
        conversation_id,
        str(number),
        audit_type="tell_company",
        payload={"event": "", "number": str(number)},
    )


def notify_desk(conversation_id: str, handoff_id: str, about: str) -> Effect:
    """Send one notice of a hand-off."""
    return Effect(
        NOTIFY_DESK,
        outreach_keys.notice_action(conversation_id, handoff_id, about),
        conversation_id,
        about,
        audit_type="notify",
        payload={"about": about, "hand_off": handoff_id},
        data=handoff_id,
    )


def build(
    planned: PlannedAction,
    *,
    conversation_id: str,
    suffix: Suffix,
    sending: SendData,
    receive: int = 0,
) -> Effect:
    """The message or the hand-off that a plan names.

    Raises:
        KeyError: the plan names a kind this version does not have.
    """
    kind = KINDS[planned.kind]
    if kind is HAND_OFF:
        loaded = sending.loaded
        reason = loaded.draft.hand_off_reason if loaded and loaded.draft else None
        return hand_off(conversation_id, planned.arg, suffix, reason or "")
    if kind is CALL_TOOL:
        return call_tool(conversation_id, planned.arg, sending.message)
    if kind.name not in MESSAGES:
        raise KeyError(planned.kind)
    return send(kind, conversation_id, planned.arg, sending, receive=receive)
