"""Keys of events and actions, FIFO ids and opaque ids: the same input gives the same keys for ever.

The formats are fixed by the data model and never change within the ledger's retention::

    evt:rp:{conversation_id}:{customer_message_id}
    evt:rp:{conversation_id}:{sha256 of [normalised text, bucket]}   no message id can be had
    evt:rp:{conversation_id}:n:{delivery id}                         thin, before it is resolved
    act:rp_tag:{conversation_id}:{tag}:{suffix}                      rp_untag where one is taken off
    act:rp_assign:{conversation_id}:{team}:{suffix}
    act:rp_reply:{conversation_id}:{suffix}    act:rp_close:{conversation_id}:{suffix}
    evt:start:{hash of [company_id, request_id]}
    evt:reply:{channel}:{provider message id}  evt:receipt:{provider message id}:{status}
    evt:release:{opaque conversation id}:{hand-off id}
    evt:aloware:{communication id}:{event}:{sha256 of the body}      evt:hubspot:{sha256 of the events}
    act:send:{opaque conversation id}:{entry_id}
    act:handoff:{opaque conversation id}:{suffix}                    failed-{suffix} of an escalation
    act:shopify_lookup:{conversation_id}:{keyed hash of the order number}
    act:rows:{target}:{table}:{number}                               one numbered POST of rows
    ALOWARE:{communication id}                                       a fact; at most one per call
    HUBSPOT:{object type}:{object id}:{subscription type}[:{occurredAt ms}][:{property}]

Parts are immutable properties of the event.  A colon or a percent sign inside a part is
percent-encoded, so that two different part lists never give one key.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Self

BUCKET_SECONDS = 300
"""Width of the time bucket in a text-hash key: the SQS FIFO deduplication window."""

_WHITE_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=1024, typed=True)
def joined(*parts: str) -> str:
    """Join key parts with colons, injectively: ``("a:b", "c")`` and ``("a", "b:c")`` differ.

    An action is asked for its key a dozen times while it is performed, so the newest are kept; by
    type too, as a resent suffix equals a plain text that is another key.
    """
    return ":".join(_escaped(part) for part in parts)


def ticket_message(conversation_id: str, message_id: str) -> str:
    """Event key of one customer comment."""
    return joined("evt", "rp", conversation_id, message_id)


def ticket_notification(conversation_id: str, delivery_id: str) -> str:
    """Event key of a thin notification before the worker has read the ticket."""
    return joined("evt", "rp", conversation_id, "n", delivery_id)


def ticket_text(conversation_id: str, text: str, at_epoch: float) -> str:
    """Event key of a message known only by its text and time."""
    return joined("evt", "rp", conversation_id, _text_digest(text, bucket(at_epoch)))


def ticket_text_neighbour(conversation_id: str, text: str, at_epoch: float) -> str:
    """The key the same text would have in the nearer neighbouring bucket.

    Two copies of one message can straddle a bucket's edge; the nearer neighbour is probed before
    the event is taken for new.
    """
    here = bucket(at_epoch)
    nearer = here - 1 if at_epoch - here * BUCKET_SECONDS < BUCKET_SECONDS / 2 else here + 1
    return joined("evt", "rp", conversation_id, _text_digest(text, nearer))


def bucket(at_epoch: float) -> int:
    """Number of the five-minute bucket that holds a time in epoch seconds."""
    return int(at_epoch // BUCKET_SECONDS)


def normalised(text: str) -> str:
    """NFKC, trimmed, white space collapsed, lower case."""
    return _WHITE_SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().lower()


def suffix_of(event_key: str, message_id: str | None) -> str:
    """Last part of an action key: the message id, or else a hash of the event key."""
    return message_id or digest(event_key)[:32]


def bound_ref(kind: str, conversation_id: str, ref: str) -> str:
    """Key of the row that binds a provider's id to one action.

    A carrier lists what a pair of numbers said, which may stand in several conversations; of a
    comment's id nothing says that another ticket has no such one.
    """
    scope = "" if kind == "send_text" else conversation_id
    return joined("ref", kind, digest(scope, ref))


def tag_action(conversation_id: str, tag: str, suffix: str) -> str:
    """Action key of adding one tag."""
    return joined("act", "rp_tag", conversation_id, tag, suffix)


def untag_action(conversation_id: str, tag: str, suffix: str) -> str:
    """Action key of removing one tag."""
    return joined("act", "rp_untag", conversation_id, tag, suffix)


def assign_action(conversation_id: str, team: str, suffix: str) -> str:
    """Action key of assigning a ticket to a team or person."""
    return joined("act", "rp_assign", conversation_id, team, suffix)


def reply_action(conversation_id: str, suffix: str) -> str:
    """Action key of the one reply to a message."""
    return joined("act", "rp_reply", conversation_id, suffix)


def close_action(conversation_id: str, suffix: str) -> str:
    """Action key of closing a ticket after a message."""
    return joined("act", "rp_close", conversation_id, suffix)


def start(company_id: str, request_id: str) -> str:
    """Event key of a conversation's start."""
    return joined("evt", "start", digest(company_id, request_id))


def reply(channel: str, provider_message_id: str) -> str:
    """Event key of a message that a recipient sent."""
    return joined("evt", "reply", channel, provider_message_id)


def message_of(event_key: str) -> str | None:
    """The provider's id of the message that a reply's event key names; None for other events."""
    return event_key.rpartition(":")[2] if event_key.startswith("evt:reply:") else None


def receipt(provider_message_id: str, status: str) -> str:
    """Event key of a provider's word on a message of ours."""
    return joined("evt", "receipt", provider_message_id, status)


def release(opaque_id: str, handoff_id: str) -> str:
    """Event key of the release of a hand-off; a hand-off is released once."""
    return joined("evt", "release", opaque_id, handoff_id)


def send_action(opaque_id: str, entry_id: str) -> str:
    """Action key of sending one message of a conversation."""
    return joined("act", "send", opaque_id, entry_id)


def handoff_action(opaque_id: str, suffix: str) -> str:
    """Action key of giving a conversation to a person."""
    return joined("act", "handoff", opaque_id, suffix)


def entry_id(event_key: str) -> str:
    """Id of the message that answers an event: one event, one message."""
    return digest("entry", event_key)[:32]


class _Resent(str):  # noqa: SLOT000 - a str subclass takes no slots with contents
    """A suffix with the nonce of a deliberate resend, which is a key part of its own."""

    suffix: str
    nonce: str

    def __new__(cls, suffix: str, nonce: str) -> Self:
        made = super().__new__(cls, f"{suffix}:resend:{nonce}")
        made.suffix, made.nonce = suffix, nonce
        return made


def resent(suffix: str, nonce: str) -> str:
    """The suffix of an action that is done once more: its keys end in ``:resend:{nonce}``."""
    return _Resent(suffix, nonce)


def shopify_lookup(conversation_id: str, opaque_order: str) -> str:
    """Key of a remembered lookup; the order's number is a keyed hash in it."""
    return joined("act", "shopify_lookup", conversation_id, opaque_order)


def rows_action(target: str, table: str, number: int) -> str:
    """Action key of one numbered batch of rows for one table of one dataset."""
    return joined("act", "rows", target, table, str(number))


def fact(source: str, *parts: str | None) -> str:
    """Key of a fact: the source and what names the event there; absent parts fall out."""
    return joined(source, *(part for part in parts if part))


def digest(*parts: str) -> str:
    """Hex SHA-256 over a JSON list of the parts."""
    return hashlib.sha256(_listed(parts)).hexdigest()


def fifo_deduplication_id(event_key: str, nonce: str = "") -> str:
    """SQS deduplication id: 64 ASCII characters, whatever the key holds.

    At the front door the nonce is empty, so that the queue itself drops copies for five minutes;
    recovery sends and thin notifications carry a nonce, or the queue would swallow them.
    """
    return digest("dedup", event_key, nonce)


class OpaqueIds:
    """Keyed hashes of identifiers that are, or may be, personal data.

    The key is one per stage and is never rotated within the ledger's retention, because a rotated
    key would make a repeated event look new.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, *parts: str) -> str:
        """32 hex characters that stand for the parts, the same in every process of the stage."""
        message = _listed(parts)
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()[:32]

    def fifo_group(self, *parts: str) -> str:
        """SQS message group: a ticket, whose id may look like an e-mail, or a pair of parties."""
        return self.of("group", *parts)


def _text_digest(text: str, bucket_number: int) -> str:
    payload = json.dumps([normalised(text), bucket_number], ensure_ascii=True)
    return hashlib.sha256(payload.encode()).hexdigest()


def _listed(parts: Sequence[str]) -> bytes:
    """The parts as a JSON list in ASCII, as `json.dumps` writes it, in a third of its time."""
    return f"[{', '.join(map(encode_basestring_ascii, parts))}]".encode()


def _escaped(part: str) -> str:
    if isinstance(part, _Resent):
        return f"{_escaped(part.suffix)}:resend:{_escaped(part.nonce)}"
    if ":" in part or "%" in part:
        return part.replace("%", "%25").replace(":", "%3A")
    return part
