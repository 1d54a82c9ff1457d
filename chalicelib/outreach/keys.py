"""Event keys (evt) and action keys (act) of outreach; their formats are fixed.

::

    evt:start:{hash of [company_id, request_id]}
    evt:reply:{channel}:{provider message id}
    evt:receipt:{provider message id}:{status}
    evt:release:{opaque conversation id}:{hand-off id}
    evt:desk:{opaque conversation id}:{act id}
    evt:unsubscribe:{opaque conversation id}           one click in an e-mail of the conversation
    evt:lifted:{opaque conversation id}:{by}-{change}  do-not-contact marks of its recipient were lifted
    evt:notice:{opaque conversation id}:{hand-off id}:{asked|waiting}   an e-mail to the company
    act:notice:{opaque conversation id}:{hand-off id}:{asked|waiting}
    evt:follow:{opaque conversation id}:{step}         a reminder, or the closing message
    act:send:{opaque conversation id}:{entry_id}
    act:handoff:{opaque conversation id}:{suffix}      failed-{suffix} of an escalation
    evt:tell:{opaque conversation id}:{number}         posting an event to the company
    act:tell:{opaque conversation id}:{number}
    act:tool:{opaque conversation id}:{entry_id}       the call that a message acknowledges
    evt:tool:{opaque conversation id}:{call_id}        the call's result, or its deadline
    evt:silence:{opaque conversation id}:{hash of its end}   a possible STOP that no person judged in time
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from chalicelib.errors import HandBackError
from chalicelib.once.keys import Suffix, digest, joined, parts
from chalicelib.once.reasons import UNKNOWN_EVENT_KIND


class EventKind(StrEnum):
    """The kind of an event of outreach: the second part of its key."""

    START = "start"
    """A conversation is started."""
    MESSAGE = "reply"
    """A recipient has written."""
    APPROVAL = "release"
    """A person approves a held message, or gives its conversation back to automation."""
    ACT = "desk"
    """A person of the company answers, takes or closes a conversation."""
    STEP = "follow"
    """A reminder or the closing message is due."""
    CLICK = "unsubscribe"
    """A recipient has unsubscribed by one click."""
    LIFTED = "lifted"
    """A recipient's refusal was lifted otherwise than by their own message."""
    RECEIPT = "receipt"
    """A carrier reports on the delivery of a message."""
    TOOL = "tool"
    """A tool's result has come, or is overdue."""
    SILENCE = "silence"
    """No person decided in time whether a recipient asked to stop."""
    NOTICE = "notice"
    """An e-mail informs a company's desk of a hand-off."""
    COMPANY_EVENT = "tell"
    """A webhook informs the company of what happened."""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of an event, split into its parts.

    Attributes:
        parts: the parts after the kind, in order.
    """

    kind: EventKind
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last part of the event's key: the id of an act or a message, a step, a number."""
        return self.parts[-1]


def parsed(event_key: str) -> Key:
    """Parse an event's key into its kind and the parts after it; no other code takes keys apart.

    Raises:
        HandBackError: the kind is unknown, as a newer release wrote the key.
    """
    try:
        _, kind, *others = parts(event_key)
        return Key(EventKind(kind), tuple(others))
    except ValueError:
        raise HandBackError(UNKNOWN_EVENT_KIND) from None


def start(company_id: str, request_id: str) -> str:
    """Event key of a conversation's start."""
    return joined("evt", "start", digest(company_id, request_id))


def reply(channel: str, provider_message_id: str) -> str:
    """Event key of a message that a recipient sent."""
    return joined("evt", "reply", channel, provider_message_id)


def receipt(provider_message_id: str, status: str) -> str:
    """Event key of a delivery receipt: one status of one of our messages."""
    return joined("evt", "receipt", provider_message_id, status)


def release(opaque_id: str, handoff_id: str) -> str:
    """Event key of a hand-off's release: the held message is approved or given back, once."""
    return joined("evt", "release", opaque_id, handoff_id)


def desk(opaque_id: str, act_id: str) -> str:
    """Event key of a person's act at the desk; an act sends one message at most."""
    return joined("evt", "desk", opaque_id, act_id)


def unsubscribe(opaque_id: str) -> str:
    """Event key of a one-click unsubscribe in an e-mail of a conversation; one per conversation."""
    return joined("evt", "unsubscribe", opaque_id)


def lifted(opaque_id: str, by: str, root: str, version: int) -> str:
    """Event key of the lifting of a person's do-not-contact marks.

    Args:
        opaque_id: the conversation among whose events the company is informed.
        by: who lifted the marks.
        root: the person's id in the register.
        version: the version of the person's row that lifted them.
    """
    return joined("evt", "lifted", opaque_id, f"{by}-{digest(root, str(version))[:16]}")


def notice(opaque_id: str, handoff_id: str, about: str) -> str:
    """Event key of an e-mail to the company about a hand-off."""
    return joined("evt", "notice", opaque_id, handoff_id, about)


def notice_action(opaque_id: str, handoff_id: str, about: str) -> str:
    """Action key of sending an e-mail to the company about a hand-off."""
    return joined("act", "notice", opaque_id, handoff_id, about)


def follow(opaque_id: str, step: str) -> str:
    """Event key of a reminder or closing message; a conversation has each step once."""
    return joined("evt", "follow", opaque_id, step)


def send_action(opaque_id: str, entry_id: str) -> str:
    """Action key of sending one message of a conversation."""
    return joined("act", "send", opaque_id, entry_id)


def handoff_action(opaque_id: str, suffix: Suffix) -> str:
    """Action key of handing a conversation to a person."""
    return joined("act", "handoff", opaque_id, suffix)


def tool_action(opaque_id: str, entry_id: str) -> str:
    """Action key of the tool's call that a message announces to the recipient."""
    return joined("act", "tool", opaque_id, entry_id)


def call_id(opaque_id: str, entry_id: str) -> str:
    """Id of the tool's call that a message announces: one message, one call."""
    return digest("call", opaque_id, entry_id)[:32]


def tool(opaque_id: str, call_id: str) -> str:
    """Event key of the result of a tool's call, or of the deadline for that result."""
    return joined("evt", "tool", opaque_id, call_id)


def silence(opaque_id: str, ends_at: str) -> str:
    """Event key of the end of a doubt: at `ends_at`, ISO time, a possible STOP becomes a STOP."""
    return joined("evt", "silence", opaque_id, digest(ends_at)[:16])


def tell(opaque_id: str, number: int) -> str:
    """Event key of posting an event of a conversation to the company, by the event's number."""
    return joined("evt", "tell", opaque_id, str(number))


def tell_action(opaque_id: str, number: int) -> str:
    """Action key of posting an event of a conversation to the company."""
    return joined("act", "tell", opaque_id, str(number))


def held_entry_id(handoff_id: str) -> str:
    """Id of the message that a hand-off holds for a person's approval, or that the checks refused."""
    return digest("held", handoff_id)[:32]


def entry_id(event_key: str) -> str:
    """Id of the message that answers an event: one event, one message."""
    return digest("entry", event_key)[:32]
