"""Event and action keys of outreach; their formats are fixed.

::

    evt:start:{hash of [company_id, request_id]}
    evt:reply:{channel}:{provider message id}
    evt:receipt:{provider message id}:{status}
    evt:release:{opaque conversation id}:{hand-off id}
    evt:desk:{opaque conversation id}:{act id}
    evt:unsubscribe:{opaque conversation id}           one click in an e-mail of the conversation
    evt:lifted:{opaque conversation id}:{by}-{change}  marks of its recipient were lifted
    evt:notice:{opaque conversation id}:{hand-off id}:{asked|waiting}   an e-mail to the company
    act:notice:{opaque conversation id}:{hand-off id}:{asked|waiting}
    evt:follow:{opaque conversation id}:{step}         reminder or end
    act:send:{opaque conversation id}:{entry_id}
    act:handoff:{opaque conversation id}:{suffix}      failed-{suffix} of an escalation
    evt:tell:{opaque conversation id}:{number}         telling a company one event
    act:tell:{opaque conversation id}:{number}
    act:tool:{opaque conversation id}:{entry_id}       the call that a message acknowledges
    evt:tool:{opaque conversation id}:{call_id}        its result, or the end of the time for it
    evt:silence:{opaque conversation id}:{hash of its end}   a doubt that no person has decided
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from chalicelib.errors import HandBackError
from chalicelib.once.keys import Suffix, digest, joined, parts
from chalicelib.once.reasons import UNKNOWN_EVENT_KIND


class EventKind(StrEnum):
    """What an event is, by the second part of its key."""

    START = "start"
    """A conversation is started."""
    MESSAGE = "reply"
    """A recipient has written."""
    APPROVAL = "release"
    """A held message is approved, or its conversation given back."""
    ACT = "desk"
    """A person of the company answers, takes or closes."""
    STEP = "follow"
    """A reminder or an end is due."""
    CLICK = "unsubscribe"
    """A recipient has unsubscribed by one click."""
    LIFTED = "lifted"
    """What a recipient had refused was lifted, and not by a message of theirs."""
    RECEIPT = "receipt"
    """A carrier reports on a message."""
    TOOL = "tool"
    """A tool's result has come, or is overdue."""
    SILENCE = "silence"
    """No person has decided in time whether a recipient asked to stop."""
    NOTICE = "notice"
    """A company's desk hears of a hand-off."""
    COMPANY_EVENT = "tell"
    """A company hears what happened."""


@dataclass(frozen=True, slots=True)
class Key:
    """An event's key, read.

    Attributes:
        named: its parts after the kind, as they were joined.
    """

    kind: EventKind
    named: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last part: an act's id, a step, a message's id, a number."""
        return self.named[-1]


def parsed(event_key: str) -> Key:
    """An event's key, read; the only reader of keys.

    Raises:
        HandBackError: its kind is not known here: a newer release wrote it.
    """
    try:
        _, kind, *named = parts(event_key)
        return Key(EventKind(kind), tuple(named))
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
    """Event key of the release of a hand-off; a hand-off is released once."""
    return joined("evt", "release", opaque_id, handoff_id)


def desk(opaque_id: str, act_id: str) -> str:
    """Event key of a person's reply: one act, one message."""
    return joined("evt", "desk", opaque_id, act_id)


def unsubscribe(opaque_id: str) -> str:
    """Event key of a recipient's one click in an e-mail of a conversation."""
    return joined("evt", "unsubscribe", opaque_id)


def lifted(opaque_id: str, by: str, root: str, version: int) -> str:
    """Event key of a change of a subject that has lifted marks, by the change's version.

    Args:
        opaque_id: of the conversation in whose order the company hears of it.
        by: who has lifted them.
        root: of the subject.
        version: of its row.
    """
    return joined("evt", "lifted", opaque_id, f"{by}-{digest(root, str(version))[:16]}")


def notice(opaque_id: str, handoff_id: str, about: str) -> str:
    """Event key of an e-mail to the company about a hand-off."""
    return joined("evt", "notice", opaque_id, handoff_id, about)


def notice_action(opaque_id: str, handoff_id: str, about: str) -> str:
    """Action key of sending it."""
    return joined("act", "notice", opaque_id, handoff_id, about)


def follow(opaque_id: str, step: str) -> str:
    """Event key of a step that follows an opening; a conversation has each step once."""
    return joined("evt", "follow", opaque_id, step)


def send_action(opaque_id: str, entry_id: str) -> str:
    """Action key of sending one message of a conversation."""
    return joined("act", "send", opaque_id, entry_id)


def handoff_action(opaque_id: str, suffix: Suffix) -> str:
    """Action key of handing a conversation to a person."""
    return joined("act", "handoff", opaque_id, suffix)


def tool_action(opaque_id: str, entry_id: str) -> str:
    """Action key of calling the tool that a message acknowledges."""
    return joined("act", "tool", opaque_id, entry_id)


def call_id(opaque_id: str, entry_id: str) -> str:
    """Id of the call that a message acknowledges: one message, one call."""
    return digest("call", opaque_id, entry_id)[:32]


def tool(opaque_id: str, call_id: str) -> str:
    """Event key of a call's result, or of the end of the time for it."""
    return joined("evt", "tool", opaque_id, call_id)


def silence(opaque_id: str, ends_at: str) -> str:
    """Event key of the silence about a doubt; `ends_at` is the ISO time from which on it is a STOP."""
    return joined("evt", "silence", opaque_id, digest(ends_at)[:16])


def tell(opaque_id: str, number: int) -> str:
    """Event key of telling a company one event of a conversation."""
    return joined("evt", "tell", opaque_id, str(number))


def tell_action(opaque_id: str, number: int) -> str:
    """Action key of telling it."""
    return joined("act", "tell", opaque_id, str(number))


def held_entry_id(handoff_id: str) -> str:
    """Id of the answer that waits for a person's approval, or was refused, in a hand-off."""
    return digest("held", handoff_id)[:32]


def entry_id(event_key: str) -> str:
    """Id of the message that answers an event: one event, one message."""
    return digest("entry", event_key)[:32]
