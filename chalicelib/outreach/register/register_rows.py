"""A do-not-contact mark as a row of columns, the same in exports, imports and answers; pure.

Importing an export changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.outreach import numbers
from chalicelib.outreach.channels import Channel, address_of
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations.register_entries import (
    REFUSED_AT,
    SUSPENDED_SLOT,
    TECHNICAL_REASONS,
    MarkReason,
    RegisterEntry,
    slot_of,
)
from chalicelib.outreach.conversations.subject import Subject

STORED_COLUMNS = (
    *("since", "said_at", "until", "stop_at", "by"),
    *("lifted_at", "lifted_by", "lifted_because", REFUSED_AT, "confirmed_by"),
)
"""Attributes of a mark.  Before ``stop_at`` a person decides about it; from then on it is a STOP."""
COLUMNS = (
    "company",
    "subject",
    "address",
    "member",
    "channels",
    "purposes",
    "reason",
    *STORED_COLUMNS,
)
"""Columns of a row.  ``address`` is empty where only its keyed id, ``member``, is known; ``channels`` and
``purposes`` are empty for all.  Rows with the same ``subject`` are one person's.
"""
_TIMES = frozenset({"since", "said_at", "until", "stop_at", "lifted_at", REFUSED_AT})
_MEMBER = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMark:
    """A row of an import into the register: an address with a mark, or an address alone.

    Attributes:
        address: the address; empty where the row has only `member`.
        subject: equal in rows of one person; empty where the file does not say.
        slot: the kind of mark; empty for a row that is only an address.
        mark: the mark's stored attributes.
        at: since when an address without a mark is listed, as ISO time; empty where it does not
            say.
    """

    address: str = field(default="", repr=False)
    member: str = ""
    subject: str = ""
    slot: str = ""
    mark: Mapping[str, Any] = field(default_factory=dict, repr=False)
    at: str = ""


def rows_of(subject: Subject, now: datetime) -> list[dict[str, Any]]:
    """A person's do-not-contact marks as rows with the `COLUMNS` of an export."""
    return [_row(subject, entry) for entry in subject.entries(now)]


def _row(subject: Subject, entry: RegisterEntry) -> dict[str, Any]:
    channels = entry.item.get("channels") or ()
    if entry.slot in list(Channel):
        channels = (entry.slot,)
    elif entry.slot == SUSPENDED_SLOT:
        channels = tuple(channel.value for channel in Channel if channel.traits.is_forgeable)
    return {
        "company": subject.company_id,
        "subject": subject.root if len(subject.members) > 1 else "",
        "address": entry.address,
        "member": entry.member,
        "channels": " ".join(channels),
        "purposes": " ".join(entry.item.get("purposes") or ()),
        "reason": entry.reason,
        **{name: entry.item.get(name) or "" for name in STORED_COLUMNS},
    }


def address_in(text: str) -> str | None:
    """The number or e-mail address in a text, normalised; None for anything else.

    A number in an older form of its country stays unchanged.
    """
    known = address_of(text)
    if known is None and any(address_of(form) for form in numbers.spellings(text.strip())):
        return text.strip()
    return known


def names_address(row: Mapping[str, str]) -> bool:
    """Whether a row of an import names a valid address or member id."""
    if row.get("address"):
        return address_in(row["address"]) is not None
    return bool(_MEMBER.fullmatch(row.get("member", "")))


def read_row(row: Mapping[str, str], company_id: str) -> ListedMark:
    """Read a row of an import, which names an address or a member id.

    A row without a reason is returned without a mark, as an address alone.

    Raises:
        ValueError: a field is invalid; the error's text is the field's name.
    """
    if row.get("company", company_id) != company_id:
        raise ValueError("company")
    times = {name: _time(row, name) for name in _TIMES if row.get(name)}
    known = ListedMark(
        address=(address_in(row["address"]) or "") if row.get("address") else "",
        member=row.get("member", ""),
        subject=row.get("subject", ""),
        at=times.get("said_at") or times.get("since") or "",
    )
    if not row.get("reason"):
        return known
    if row["reason"] not in list(MarkReason):
        raise ValueError("reason")
    channels = _values(row, "channels", list(Channel))
    purposes = _values(row, "purposes", list(ContactPurpose))
    is_technical = row["reason"] in TECHNICAL_REASONS
    if is_technical and len(channels) != 1:
        raise ValueError("channels")
    if not times.get("since"):
        raise ValueError("since")
    mark: dict[str, Any] = {
        "reason": row["reason"],
        **{name: row[name] for name in STORED_COLUMNS if row.get(name) and name not in _TIMES},
        **times,
    }
    if purposes:
        mark["purposes"] = purposes
    if channels and not is_technical and row["reason"] != MarkReason.UNPROVEN:
        mark["channels"] = channels
    slot = slot_of(row["reason"], Channel(channels[0]) if is_technical else None)
    return ListedMark(
        address=known.address, member=known.member, subject=known.subject, slot=slot, mark=mark
    )


def _values(row: Mapping[str, str], name: str, known: list[Any]) -> list[str]:
    given = row.get(name, "").split()
    if any(value not in known for value in given):
        raise ValueError(name)
    return given


def _time(row: Mapping[str, str], name: str) -> str:
    moment = parsed(row[name])
    if moment is None:
        raise ValueError(name)
    return iso(moment)
