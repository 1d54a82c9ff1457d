"""The side effects of outreach: messages, hand-offs, tool calls, posts and notices to companies.

Effects hold identifiers only.  The text of a message is the draft in the conversation under the entry
id; the draft is stored before the effect is planned.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from chalicelib.once.effect import Effect, EffectKind, Executor, Settle, WhenStopped, kinds
from chalicelib.once.keys import Suffix
from chalicelib.once.plan import PlannedAction
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import CHANNELS
from chalicelib.outreach.channels import KINDS as MESSAGE_KINDS
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.messages.plan import MessagePlan

KINDS = kinds(
    *MESSAGE_KINDS.values(),
    # Hands a conversation to a person; idempotent, so it is repeated after a crash.
    HAND_OFF := EffectKind(
        "hand_off",
        "conversations",
        Settle.REPEATABLE,
        reaches_customer=False,
        executor=lambda parts: Executor(parts.hand_offs.perform),
    ),
    # Calls a tool by sending the company an event, whose id shows a repetition.
    CALL_TOOL := EffectKind(
        "call_tool",
        "conversations",
        Settle.REPEATABLE,
        reaches_customer=True,
        executor=lambda parts: Executor(
            parts.tool_calls.call, last_look=parts.tool_calls.last_look
        ),
    ),
    # Posts one event to its company's endpoint; the event's id shows a repetition.
    TELL_COMPANY := EffectKind(
        "tell_company",
        "company",
        Settle.REPEATABLE,
        reaches_customer=False,
        executor=lambda parts: Executor(parts.teller.tell, prepare=parts.teller.prepare),
        when_stopped=WhenStopped.WAIT,
    ),
    # E-mails a notice to a company's desk; SES cannot show afterwards whether it was sent.
    NOTIFY_DESK := EffectKind(
        "notify_desk",
        "ses",
        Settle.NONE,
        reaches_customer=False,
        executor=lambda parts: Executor(parts.notices.send),
    ),
)
"""Every kind of effect of outreach; `outreach.work.OutreachWork` performs those that send messages."""

TO_COMPANIES = kinds(HAND_OFF, CALL_TOOL, TELL_COMPANY, NOTIFY_DESK)
"""The kinds that concern companies; `outreach.telling.OutreachTelling` performs them."""

NOTICES = frozenset(kind.name for channel in CHANNELS.values() for kind in channel.notice_kinds)
"""Names of the kinds that answer STOP and HELP; only these leave without a look at the register."""
MESSAGES = frozenset(MESSAGE_KINDS)
"""Names of the kinds that reach a recipient."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A conversation and a draft that a flow has read already, so that the sender need not."""

    record: Record
    draft: Draft | None = None
    sent: list[str] = field(default_factory=list, repr=False)
    """Filled by the sender: the text that the vendor reports, e.g. of a template that it rendered."""


@dataclass(frozen=True, slots=True)
class SendData:
    """The data that the effect of a message carries for its sender.

    Attributes:
        loaded: the conversation and draft that the flow has already read; None where it has not.
        message: the message of the plan; None where only the effect's key is needed.
    """

    loaded: Loaded | None = None
    message: MessagePlan | None = None


def send_effect(
    kind: EffectKind,
    conversation_id: str,
    entry_id: str,
    sending: SendData | None = None,
    *,
    receive: int = 0,
) -> Effect:
    """The effect that sends a message of a conversation to its recipient.

    Args:
        kind: a kind of the channel: its sending kind, or one of `NOTICES`.
        conversation_id: the opaque id.
        entry_id: id of the draft, by which a message of unknown outcome is settled.
        sending: the data that the sender needs besides.
        receive: how often the queue had delivered the event by now; for the audit.
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
    """The data of a hand-off's effect; `handoff_id` comes from the key of the event that asked for it."""

    handoff_id: str
    held: str
    reason: str
    reason_text: str = field(default="", repr=False)


def hand_off_effect(
    conversation_id: str, argument: str, suffix: Suffix, reason_text: str = ""
) -> Effect:
    """The effect that hands a conversation to a person.

    Args:
        conversation_id: the opaque id.
        argument: ``{held}|{reason}``: the message held until release (``start``, ``reply`` or
            none), and why a person is asked, as a fixed code.
        suffix: last part of the action's key, from the event that asked for it; prefixed if the
            event failed.
        reason_text: why a person is asked, in words.
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
    """The data that the effect of a tool's call carries.

    Attributes:
        after: the newest act of a person when the call was planned; None: a person has approved it.
    """

    after: str | None = ""


def call_tool_effect(conversation_id: str, entry_id: str, message: MessagePlan | None) -> Effect:
    """The effect that calls the tool which a message announces to the recipient."""
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


def tell_company_effect(conversation_id: str, number: int) -> Effect:
    """The effect that posts one event of a conversation, by its number, to the company's endpoint."""
    return Effect(
        TELL_COMPANY,
        outreach_keys.tell_action(conversation_id, number),
        conversation_id,
        str(number),
        audit_type="tell_company",
        payload={"event": "", "number": str(number)},
    )


def notify_desk_effect(conversation_id: str, handoff_id: str, about: str) -> Effect:
    """The effect that e-mails one notice of a hand-off to the company's desk."""
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
    """The effect of a planned action: a message, a hand-off or a tool call.

    Raises:
        KeyError: the plan names another kind of action.
    """
    kind = KINDS[planned.kind]
    if kind is HAND_OFF:
        loaded = sending.loaded
        reason = loaded.draft.hand_off_reason if loaded and loaded.draft else None
        return hand_off_effect(conversation_id, planned.arg, suffix, reason or "")
    if kind is CALL_TOOL:
        return call_tool_effect(conversation_id, planned.arg, sending.message)
    if kind.name not in MESSAGES:
        raise KeyError(planned.kind)
    return send_effect(kind, conversation_id, planned.arg, sending, receive=receive)
