"""Where the register has its entries: by address, by form of a number, by hash; pure."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.once.keys import OpaqueIds
from chalicelib.once.store import Item
from chalicelib.outreach.channels import ADDRESSES, Channel
from chalicelib.outreach.conversations import items, numbers
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    DOUBTED,
    KEPT,
    KEPT_SUFFIX,
    SUSPENDED,
    TECHNICAL,
    Reason,
)


def addresses_of(record: Record) -> tuple[str, ...]:
    """The addresses that a conversation names of its recipient; its own is first."""
    others = (record.item.get(one.field) for one in ADDRESSES)
    known = [record.primary_channel, *(str(one) for one in others if one)]
    return tuple(dict.fromkeys(known))


def key_of(
    primary_channel: str, company_id: str, reason: str, channel: Channel | None = None
) -> Item:
    """Key of the entry of a reason.

    Raises:
        ValueError: a technical reason without a channel.
    """
    key = items.do_not_contact(primary_channel, company_id)
    suffix = ""
    if reason in TECHNICAL:
        if channel is None:
            raise ValueError(f"{reason} belongs to a channel")
        suffix = f"#{channel.value}"
    elif reason in KEPT:
        suffix = KEPT_SUFFIX
    elif reason == Reason.UNPROVEN:
        suffix = SUSPENDED
    elif reason == Reason.DOUBT:
        suffix = DOUBTED
    return key | {"conversation_id": f"{key['conversation_id']}{suffix}"}


def marks_of(primary_channel: str, company_id: str) -> tuple[Item, ...]:
    """Keys of the mark that a STOP makes, under every form of a number."""
    return tuple(items.do_not_contact(form, company_id) for form in numbers.forms(primary_channel))


def doubts_of(primary_channel: str, company_id: str) -> tuple[Item, ...]:
    """Keys of the question whether somebody asked to stop, under every form of a number."""
    forms = numbers.forms(primary_channel)
    return tuple(key_of(form, company_id, Reason.DOUBT) for form in forms)


def address_hash(opaque: OpaqueIds, company_id: str, address: str) -> str:
    """The keyed hash of a company and an address."""
    return opaque.of("do-not-contact", company_id, address)


def erased_at(hashed: str) -> str:
    """The partition of entries that are kept under a hash alone."""
    return f"erased:{hashed}"


def keys_hashed(hashed: str, company_id: str) -> list[Item]:
    """Keys of the wishes that are kept under a hash alone."""
    name = items.do_not_contact("", company_id)["conversation_id"]
    return [
        {"primary_channel": erased_at(hashed), "conversation_id": f"{name}{suffix}"}
        for suffix in ("", KEPT_SUFFIX)
    ]


def once_each(keys: Sequence[Item]) -> list[Item]:
    """The keys without repetitions: two addresses may be one number."""
    return list({tuple(key.values()): key for key in keys}.values())
