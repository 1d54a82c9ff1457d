"""A company's list, or an export of its register, as a file: one row a mark; pure but for the reading.

A list has one address a line, or a column ``address`` and maybe ``since``.  An export has every column
of `COLUMNS`; what it has is read again as it was, so that an import of an export changes nothing.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.outreach import numbers
from chalicelib.outreach.channels import Channel, address_of
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations.register_entries import (
    REFUSED_AT,
    TECHNICAL,
    Reason,
    slot_of,
)
from ops.session import EXIT_UNUSABLE, OpsError

STORED = (
    *("since", "said_at", "until", "stop_at", "by"),
    *("lifted_at", "lifted_by", "lifted_because", REFUSED_AT, "confirmed_by"),
)
"""Attributes of a mark.  Until ``stop_at`` it is a question to a person, and from then on a STOP."""
COLUMNS = ("company", "subject", "address", "member", "channels", "purposes", "reason", *STORED)
"""Of a listed mark.  The address is empty where only its keyed id, ``member``, is known; ``channels`` and
``purposes`` are empty for all.  Marks of one ``subject`` are one person's."""
SHOWN = (
    *("address", "channels", "purposes", "reason", "since", "until", "stop_at", "by"),
    *("lifted_at", "lifted_by", "lifted_because"),
)
"""What a person is shown of it."""
_TIMES = frozenset({"since", "said_at", "until", "stop_at", "lifted_at", REFUSED_AT})
_MEMBER = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMark:
    """A row.

    Attributes:
        address: empty where the row has only `member`.
        subject: equal in rows of one person; empty where the file does not say.
        slot: of the mark; empty for an address of a list.
        mark: as it is stored.
        at: ISO time from which a list has the address; empty where it does not say.
    """

    address: str = field(default="", repr=False)
    member: str = ""
    subject: str = ""
    slot: str = ""
    mark: Mapping[str, Any] = field(default_factory=dict, repr=False)
    at: str = ""


def read(path: Path, company_id: str) -> list[ListedMark]:
    """The rows of a file.

    Raises:
        OpsError: it cannot be read, or a row is wrong; it is named by its number and field.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise OpsError(f"{path} cannot be read", code=EXIT_UNUSABLE) from None
    return list(parse(text, company_id))


def parse(text: str, company_id: str) -> Iterator[ListedMark]:
    """The rows of a file's text; raises `OpsError` as `read`."""
    rows = [row for row in csv.reader(io.StringIO(text)) if any(one.strip() for one in row)]
    names = ["address"]
    if rows and "address" in rows[0]:
        names = rows.pop(0)
    values = [{name: one.strip() for name, one in zip(names, row, strict=False)} for row in rows]
    missing = [str(n) for n, one in enumerate(values, 1) if not _names_one(one)]
    if missing:
        shown = ", ".join(missing[:10])
        raise OpsError(f"not imported: no number or e-mail address in entry {shown}")
    for number, one in enumerate(values, 1):
        try:
            yield _mark(one, company_id)
        except ValueError as error:
            raise OpsError(f"not imported: field {error} of entry {number}") from None


def as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as a file that `read` takes."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def address_in(text: str) -> str | None:
    """A number in E.164 or an e-mail address in lower case; an older form of a number as it is given."""
    known = address_of(text)
    if known is None and any(address_of(one) for one in numbers.forms(text.strip())):
        return text.strip()
    return known


def _names_one(row: Mapping[str, str]) -> bool:
    if row.get("address"):
        return address_in(row["address"]) is not None
    return bool(_MEMBER.fullmatch(row.get("member", "")))


def _mark(row: Mapping[str, str], company_id: str) -> ListedMark:
    """A row; raises `ValueError` with the name of a wrong field."""
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
    if row["reason"] not in list(Reason):
        raise ValueError("reason")
    channels = _of(row, "channels", list(Channel))
    purposes = _of(row, "purposes", list(ContactPurpose))
    is_technical = row["reason"] in TECHNICAL
    if is_technical and len(channels) != 1:
        raise ValueError("channels")
    if not times.get("since"):
        raise ValueError("since")
    mark: dict[str, Any] = {
        "reason": row["reason"],
        **{name: row[name] for name in STORED if row.get(name) and name not in _TIMES},
        **times,
    }
    if purposes:
        mark["purposes"] = purposes
    if channels and not is_technical and row["reason"] != Reason.UNPROVEN:
        mark["channels"] = channels
    slot = slot_of(row["reason"], Channel(channels[0]) if is_technical else None)
    return ListedMark(
        address=known.address, member=known.member, subject=known.subject, slot=slot, mark=mark
    )


def _of(row: Mapping[str, str], name: str, known: list[Any]) -> list[str]:
    given = row.get(name, "").split()
    if any(one not in known for one in given):
        raise ValueError(name)
    return given


def _time(row: Mapping[str, str], name: str) -> str:
    moment = parsed(row[name])
    if moment is None:
        raise ValueError(name)
    return iso(moment)
