"""Event and action keys of support; their formats are fixed.

::

    evt:rp:{conversation_id}:{customer_message_id}
    evt:rp:{conversation_id}:{sha256 of [normalised text, bucket]}   no message id is available
    evt:rp:{conversation_id}:n:{delivery id}                         thin notification, unresolved
    act:rp_tag:{conversation_id}:{tag}:{suffix}                      rp_untag for a removal
    act:rp_assign:{conversation_id}:{team}:{suffix}
    act:rp_reply:{conversation_id}:{suffix}
    act:rp_close:{conversation_id}:{suffix}
    act:shopify_lookup:{conversation_id}:{keyed hash of the order number}
"""

from __future__ import annotations

import hashlib
import json

from chalicelib.once.keys import Suffix, joined, normalised

BUCKET_SECONDS = 300
"""Width of the time bucket in a text-hash key: the SQS FIFO deduplication window."""


def ticket_message(conversation_id: str, message_id: str) -> str:
    """The event key of one customer comment."""
    return joined("evt", "rp", conversation_id, message_id)


def ticket_notification(conversation_id: str, delivery_id: str) -> str:
    """The event key of a notification whose ticket the worker has not read yet."""
    return joined("evt", "rp", conversation_id, "n", delivery_id)


def ticket_text(conversation_id: str, text: str, at_epoch: float) -> str:
    """The event key of a message without an id: a hash of its text and its five-minute interval."""
    return joined("evt", "rp", conversation_id, _text_digest(text, bucket(at_epoch)))


def ticket_text_neighbour(conversation_id: str, text: str, at_epoch: float) -> str:
    """The event key that a message without an id would have in the nearer neighbouring five-minute interval.

    Two copies of one message can arrive just before and just after an interval's end.  So this key
    is checked, too, before the message counts as a new event.
    """
    here = bucket(at_epoch)
    nearer = here - 1 if at_epoch - here * BUCKET_SECONDS < BUCKET_SECONDS / 2 else here + 1
    return joined("evt", "rp", conversation_id, _text_digest(text, nearer))


def bucket(at_epoch: float) -> int:
    """The number of the five-minute interval in which a time lies; the time is in epoch seconds."""
    return int(at_epoch // BUCKET_SECONDS)


def tag_action(conversation_id: str, tag: str, suffix: Suffix) -> str:
    """The action key of adding one tag to a ticket."""
    return joined("act", "rp_tag", conversation_id, tag, suffix)


def untag_action(conversation_id: str, tag: str, suffix: Suffix) -> str:
    """The action key of removing one tag from a ticket."""
    return joined("act", "rp_untag", conversation_id, tag, suffix)


def assign_action(conversation_id: str, team: str, suffix: Suffix) -> str:
    """The action key of assigning a ticket to a team or a user."""
    return joined("act", "rp_assign", conversation_id, team, suffix)


def reply_action(conversation_id: str, suffix: Suffix) -> str:
    """The action key of the one automatic reply to a message."""
    return joined("act", "rp_reply", conversation_id, suffix)


def close_action(conversation_id: str, suffix: Suffix) -> str:
    """The action key of closing a ticket after one of its messages was answered."""
    return joined("act", "rp_close", conversation_id, suffix)


def shopify_lookup(conversation_id: str, opaque_order: str) -> str:
    """The key of a cached order lookup; it contains a keyed hash of the order number."""
    return joined("act", "shopify_lookup", conversation_id, opaque_order)


def _text_digest(text: str, bucket_number: int) -> str:
    payload = json.dumps([normalised(text), bucket_number], ensure_ascii=True)
    return hashlib.sha256(payload.encode()).hexdigest()
