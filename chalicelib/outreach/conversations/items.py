"""The layout of the `conversations` table: each kind of item, its key and its bounds.

A recipient's partition holds the conversations' own items.  Beside it, the partition
``internal:{company_id}#{recipient}`` holds items of no index (they lack every index key)::

    page#{digest of conversation_id}#00000042    an entry that has left the item, in order of writing
    seen#{digest of conversation_id}#{entry_id}  that entry has left the item
    then#{digest of conversation_id}#{entry_id}  what follows that entry was written
    draft#{digest of conversation_id}#{entry_id} the message that will be sent as that entry
    act#{digest of conversation_id}#{act id}     what a person did, so that a repetition finds it
    tool#{digest of conversation_id}#{call_id}   the call of a tool, and its result

They are kept for `TTL` from their own writing, and a conversation for as long as its newest
message.  A request names a partition by a number in E.164 or an e-mail address, and neither begins
with ``internal:``; so no id from outside names one of these items.

A partition ``subject:{member id}`` holds, under ``subject#{company_id}``, what an address refuses and
allows (`subject`), and under ``evidence#{time}#{id}`` who said so (`statements`).  A STOP to a sender
that is no company's is kept as that of a company ``sender#...``.

A partition ``register#{company_id}`` lists the member ids of the addresses that have marks, so that a
company's register is read without a scan; a partition ``doubts#{company_id}`` those of which it was asked
whether they asked to stop, under ``{stop_at}#{member id}``, until then (`doubts`).

A partition ``opaque#{opaque_id}`` holds the key of the conversation with that opaque id (``pointer``),
or, under the opaque id of a sender and a recipient, what is kept of their conversations (``pair``;
see `former`).  A partition ``handoffs#{company_id}`` is a company's list of hand-offs (`handoffs`);
``handoffs`` and ``handed#{company_id}`` say where to look (`handoff_list`).  ``events#...`` and
``endpoint#...`` are described in `company_events.outbox`, ``team#...`` in `people.team_rows`.  Of all
these rows the hand-offs alone are in an index, their own partition's by time: the others cost one write,
and indexes find conversations.

The conversation's item alone decides what was appended: ``messages`` holds every entry until its page
and its mark are written, and is bounded, so that an append costs the same however long the conversation
is.  Every index holds the whole item, and so each of its 1,024 bytes is written seven times and more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.item_size import UNIT_BYTES, size_of_item, size_of_value
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import ADDRESSES, Channel
from chalicelib.outreach.conversations.records import (
    FOLLOW_UP,
    Draft,
    Entry,
    Record,
    Status,
    entry,
)
from chalicelib.outreach.conversations.register_entries import DO_NOT_CONTACT_TTL

TTL = timedelta(days=365)
"""Of a message from its own writing; the conversation is kept for as long as its newest message."""
GRACE = timedelta(days=1)
"""A conversation's end is moved once a day at most, and so lies up to a day late."""
CONVERSATIONS = "conversations"
"""Attribute of a row with opaque ids: those of an address that were handed off."""
DRAFT = "draft#"
SUBJECT = "subject#"
"""Begins the sort key of a subject's row."""
_SUBJECT_PARTITION = "subject:"
CONSENT_GRACE = timedelta(days=30)
"""The end of a subject's rows is moved once a month at most, and so lies up to a month late."""
ITEM_BYTES = 2 * UNIT_BYTES
"""Older entries leave a conversation's item beyond this size, down to `LEAST_ENTRIES`."""
LEAST_ENTRIES = 2
NEWEST_ENTRIES = 8
NEWEST_BYTES = 4096
"""Bounds of `messages`, also of those that rules count: each unasked message stays as long as it fits."""

TRIES = 8
"""Attempts at a transaction while others write to the same items."""


class OnTable:
    """Base class of the classes that make up the store of the conversations table.

    Args:
        kept: how long a message is kept after it was written.
    """

    def __init__(self, *, table: Store, clock: Clock, kept: timedelta = TTL) -> None:
        self._table = table
        self._clock = clock
        self._kept = kept


def new_item(record: Mapping[str, Any], now: datetime, kept: timedelta = TTL) -> Item:
    """The item of a conversation that is opened now: its start's attributes, and first values of others."""
    item = {
        "conversation_status": Status.PROCESSING.value,
        "messages": [],
        "message_count": 0,
        "task_complete": 0,
        "comms_consent": False,
        "function_call": False,
        "hand_off_to_human": False,
        "created_at": iso(now),
        "updated_at": iso(now),
        "ttl": ttl_at(now + GRACE, kept),
        **without_none(record),
    }
    by = Channel(item["channel_method"]).traits.sender
    sparse = {
        **{f"gsi_{address.field}": item.get(address.field) for address in ADDRESSES},
        f"gsi_{by}": (item.get("channel_config") or {}).get(by),
    }
    return item | {name: value for name, value in sparse.items() if value}


def ttl_at(now: datetime, kept: timedelta = TTL) -> int:
    """The ``ttl``, in epoch seconds, of a row written at `now`: that time plus `kept`."""
    return int((now + kept).timestamp())


def after_append(
    record: Record,
    entries: Sequence[Entry],
    now: datetime,
    kept: timedelta = TTL,
    changes: Mapping[str, Any] | None = None,
) -> tuple[Item, list[Entry]]:
    """A conversation's attributes after an append, and the older messages for which its item has no room.

    ``ttl`` is among the attributes where the conversation would expire before its newest message.
    Messages written longer ago than `kept` are in neither part.

    Args:
        record: the conversation as it was read.
        entries: the new entries, with their numbers; they always stay in the item.
        now: the time of writing.
        kept: how long a message is kept.
        changes: other attributes to change, returned as well; None is left out.
    """
    ends = {} if record.item["ttl"] >= ttl_at(now, kept) else {"ttl": ttl_at(now + GRACE, kept)}
    others = {
        "message_count": record.message_count + len(entries),
        "updated_at": iso(now),
        **ends,
        **without_none(changes or {}),
    }
    in_force = [
        message
        for message in record.item["messages"]
        if message["message_timestamp"] >= iso(now - kept)
    ]
    room = ITEM_BYTES - size_of_item({**record.item, **others, "messages": []})
    left, leaving = _fitting(in_force, [given.item() for given in entries], room)
    return {**others, "messages": left}, [entry(item) for item in leaving]


def _fitting(old: list[Item], new: Sequence[Item], room: int) -> tuple[list[Item], list[Item]]:
    """Split messages into those that stay in a conversation's item and the oldest, which leave it.

    Returns both lists, each in order of writing. The new messages always stay.
    """
    left, leaving = [*old, *new], list[Item]()

    def leave(message: Item) -> None:
        left.remove(message)
        leaving.append(message)

    for message in old:
        if len(left) > NEWEST_ENTRIES or size_of_value(left) > NEWEST_BYTES:
            leave(message)
    for message in [item for item in left[: -len(new) or None] if item.get("note") != FOLLOW_UP]:
        if len(left) > LEAST_ENTRIES and size_of_value(left) > room:
            leave(message)
    return left, sorted(leaving, key=lambda message: int(message["number"]))


def internal_partition(primary_channel: str, company_id: str) -> str:
    """The partition key of a company's rows about a recipient that are not conversations."""
    return f"internal:{company_id}#{primary_channel}"


def partition(record: Record) -> str:
    """The partition key of a conversation's other rows: older messages, drafts, acts and tool calls."""
    return internal_partition(record.primary_channel, record.company_id)


def subject_partition(member: str) -> str:
    """The partition key of an address's row in the register and of its evidence, by its keyed id."""
    return f"{_SUBJECT_PARTITION}{member}"


def subject_key(member: str, company_id: str) -> Item:
    """The key of an address's row in the register.

    The row holds the person's record, or names the address whose row holds it.
    """
    return {
        "primary_channel": subject_partition(member),
        "conversation_id": f"{SUBJECT}{company_id}",
    }


def marked_partition(company_id: str) -> str:
    """The partition key of the rows that list a company's addresses with do-not-contact marks."""
    return f"register#{company_id}"


def marked_key(member: str, company_id: str) -> Item:
    """The key of the row that lists an address as one with do-not-contact marks."""
    return {"primary_channel": marked_partition(company_id), "conversation_id": member}


def member_of(row: Mapping[str, Any]) -> str:
    """The keyed id (keyed hash) of the address to which a row of the register or of evidence belongs.

    Empty for a row of any other kind.
    """
    partition = str(row["primary_channel"])
    is_one = partition.startswith(_SUBJECT_PARTITION)
    return partition.removeprefix(_SUBJECT_PARTITION) if is_one else ""


def doubts_partition(company_id: str) -> str:
    """The partition key of the rows that list a company's addresses that may have asked to stop."""
    return f"doubts#{company_id}"


def doubt_key(member: str, company_id: str, stop_at: str) -> Item:
    """The key of the row that lists an address which may have asked to stop, by the deadline to decide."""
    return {
        "primary_channel": doubts_partition(company_id),
        "conversation_id": f"{stop_at}#{member}",
    }


def handed_key(member: str, company_id: str) -> Item:
    """The key of the row that lists the conversations of an address that were handed off."""
    return {"primary_channel": f"handed#{company_id}", "conversation_id": member}


def listed_member(row: Mapping[str, Any]) -> str:
    """The keyed id of the address that a row lists: for its marks, an undecided opt-out, or hand-offs.

    Empty for any other row.
    """
    lists = (marked_partition(""), doubts_partition(""), handed_key("", "")["primary_channel"])
    is_one = str(row["primary_channel"]).startswith(lists)
    return str(row["conversation_id"]).rpartition("#")[2] if is_one else ""


def company_of_subject(row: Mapping[str, Any]) -> str:
    """The company's id, taken from the key of a person's row in the do-not-contact register."""
    return str(row["conversation_id"]).removeprefix(SUBJECT)


def consent_ttl(now: datetime, beyond: timedelta = CONSENT_GRACE) -> int:
    """The ``ttl``, in epoch seconds, of a row about a person's consent or refusal that is written now."""
    return int((now + DO_NOT_CONTACT_TTL + beyond).timestamp())


def pointer_key(opaque_id: str) -> Item:
    """The key of the row that points from an opaque id to its conversation."""
    return {"primary_channel": f"opaque#{opaque_id}", "conversation_id": "pointer"}


def pointer_item(item: Mapping[str, Any], ends: int) -> Item:
    """The row that points from a conversation's opaque id to its key.

    It is kept as long as the conversation.
    """
    return {
        **pointer_key(item["opaque_id"]),
        "points_to": {name: item[name] for name in ("primary_channel", "conversation_id")},
        "ttl": ends,
    }


def draft_item(
    record: Record, entry_id: str, written: Draft, now: datetime, kept: timedelta = TTL
) -> Item:
    """The row that stores the draft of a message; only made here, not written."""
    return {
        **draft_key(record, entry_id),
        "ttl": ttl_at(now, kept),
        "action_key": outreach_keys.send_action(record.opaque_id, entry_id),
        **written.item(),
    }


def draft_key(record: Record, entry_id: str) -> Item:
    """The key of the row that stores the draft of a message, by its entry id."""
    return {
        "primary_channel": partition(record),
        "conversation_id": f"{DRAFT}{digest(record)}#{entry_id}",
    }


def seen_key(record: Record, entry_id: str) -> Item:
    """The key of the row which says that a message has left its conversation's item."""
    return {
        "primary_channel": partition(record),
        "conversation_id": f"seen#{digest(record)}#{entry_id}",
    }


def followed_key(record: Record, entry_id: str) -> Item:
    """The key of the row that marks as done the writes that follow one message."""
    return {
        "primary_channel": partition(record),
        "conversation_id": f"then#{digest(record)}#{entry_id}",
    }


def act_key(record: Record, act_id: str) -> Item:
    """The key of the row which says that a person's act on a conversation was done."""
    return {
        "primary_channel": partition(record),
        "conversation_id": f"act#{digest(record)}#{act_id}",
    }


def call_key(record: Record, call_id: str) -> Item:
    """The key of a tool call's row."""
    return {
        "primary_channel": partition(record),
        "conversation_id": f"tool#{digest(record)}#{call_id}",
    }


def page_id(record: Record, numbered: Entry) -> str:
    """The sort key of the row of a message that has left its conversation's item, by the message's number."""
    return f"page#{digest(record)}#{numbered.number:08d}"


def digest_of(conversation_id: str) -> str:
    """The digest of a conversation's id, part of the keys of its other rows, such as drafts and acts."""
    return keys.digest(conversation_id)[:32]


def digest(record: Record) -> str:
    """The digest of a record's conversation id, as `digest_of` makes it."""
    return digest_of(record.conversation_id)


def without_none(values: Mapping[str, Any]) -> Item:
    """A copy of the given attributes without those that are None."""
    return {name: value for name, value in values.items() if value is not None}
