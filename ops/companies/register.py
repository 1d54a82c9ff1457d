"""The register of addresses that a company must not contact: list, add, lift, import, export.

A person's entries and liftings carry the name of the caller's AWS identity.  The journal keeps each of
these acts under the company, with a keyed hash in the address's place: entering an address again
removes from the register who lifted it.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError
from chalicelib.outreach.channels import Channel, address_of
from chalicelib.outreach.conversations import items as layout
from chalicelib.outreach.conversations.register_entries import Reason, RegisterEntry
from chalicelib.outreach.conversations.register_keys import address_hash
from ops import journal
from ops.companies import company
from ops.inspect.ledger_rows import PAGE
from ops.session import EXIT_UNUSABLE, OpsError, Session

_STORED = ("since", "until", "stop_at", "by", "lifted_at", "lifted_by", "lifted_because")
"""Until ``stop_at`` an entry is a question to a person, and from then on a STOP."""
COLUMNS = ("company", "address", "channel", "reason", *_STORED)
"""Of a listed entry.  Of an erased person the address is empty; `channel` is empty for every channel."""

_FORGEABLE = ", ".join(one.value for one in Channel if one.traits.is_forgeable)


def listed(session: Session, company_id: str, address: str | None = None) -> list[dict[str, Any]]:
    """A company's entries, in force or lifted; of one address by direct reads, else by a scan.

    Raises:
        OpsError: the address is none.
    """
    if address is not None:
        known = session.services.outreach.conversations.entries(normalised(address), company_id)
        return [_row(one, company_id) for one in known]
    found = [_row(one, company_id) for one in _scanned(session, company_id)]
    return sorted(found, key=lambda one: (one["since"], one["address"]))


def add(session: Session, company_id: str, address: str, *, because: str = "") -> None:
    """Enter an address; doing it again changes nothing.

    Raises:
        OpsError: there is no such company, or it is no address: nothing was entered.
    """
    company.items(session, company_id, None)
    known = normalised(address)
    _enter(session, "do-not-contact add", company_id, known, because)
    by = session.identity.name
    session.services.outreach.conversations.forbid(known, company_id, Reason.OPERATOR, by=by)


def add_all(session: Session, company_id: str, path: Path, *, because: str = "") -> int:
    """Enter every address of a file; returns how many.  Doing it again changes nothing.

    Raises:
        OpsError: as `addresses`: nothing was entered.
    """
    known = addresses(session, company_id, path)
    journal.enter(
        session,
        "do-not-contact import",
        f"company:{company_id}",
        reason=because,
        addresses=len(known),
        file_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    by = session.identity.name
    for address in known:
        session.services.outreach.conversations.forbid(address, company_id, Reason.IMPORTED, by=by)
    return len(known)


def addresses(session: Session, company_id: str, path: Path) -> list[str]:
    """The addresses of a file for a company.

    Raises:
        OpsError: there is no such company, or a line of the file is no address.
    """
    company.items(session, company_id, None)
    return [normalised(one) for one in read(path)]


def lift(session: Session, company_id: str, address: str, *, because: str = "") -> list[str]:
    """Lift every entry of an address; returns their reasons.

    Raises:
        OpsError: it is no address, or has no entry in force.
    """
    known = normalised(address)
    in_force = [
        one
        for one in session.services.outreach.conversations.entries(known, company_id)
        if one.is_in_force
    ]
    if not in_force:
        raise OpsError("that address has no entry in force with this company")
    _enter(session, "do-not-contact lift", company_id, known, because)
    by = session.identity.name
    return session.services.outreach.conversations.lift(known, company_id, by=by)


def read(path: Path) -> list[str]:
    """The addresses of a file: one a line, or a CSV file with a column ``address``.

    Raises:
        OpsError: it cannot be read, or a line of it is no address; the line is named by its number.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise OpsError(f"{path} cannot be read", code=EXIT_UNUSABLE) from None
    rows = [row for row in csv.reader(io.StringIO(text)) if any(one.strip() for one in row)]
    at = 0
    if rows and "address" in rows[0]:
        at = rows.pop(0).index("address")
    values = [row[at].strip() if at < len(row) else "" for row in rows]
    wrong = [str(n) for n, one in enumerate(values, 1) if address_of(one) is None]
    if wrong:
        shown = ", ".join(wrong[:10])
        raise OpsError(f"not imported: no number or e-mail address in entry {shown}")
    return values


def as_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Rows as a CSV file that `read` takes."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def normalised(address: str) -> str:
    """A number in E.164, or an e-mail address in lower case.

    Raises:
        OpsError: it is neither.
    """
    found = address_of(address)
    if found is None:
        raise OpsError("an address is a number with its country code, or an e-mail address", code=2)
    return found


def _enter(session: Session, what: str, company_id: str, address: str, because: str) -> None:
    """Enter an act on an address, with the entries that it has."""
    hashed = None
    with suppress(MiddlewareError):  # a wish is entered although the key of the hashes is missing
        hashed = address_hash(session.services.opaque_ids, company_id, address)
    known = session.services.outreach.conversations.entries(address, company_id) if hashed else []
    journal.enter(
        session,
        what,
        f"company:{company_id}",
        reason=because,
        hashed=hashed,
        in_force=sorted(one.reason for one in known if one.is_in_force),
    )


def _scanned(session: Session, company_id: str) -> Iterator[RegisterEntry]:
    table = session.services.table(session.services.settings.conversations_table)
    start, now = None, iso(session.services.clock.now())
    while True:
        page, start = table.scan_page(limit=PAGE, start=start)
        for item in page:
            is_entry = str(item["conversation_id"]).startswith(layout.DO_NOT_CONTACT)
            if is_entry and layout.forbidden_by(item)[0] == company_id:
                yield RegisterEntry(item, now)
        if start is None:
            return


def _row(entry: RegisterEntry, company_id: str) -> dict[str, Any]:
    address = layout.forbidden_by(entry.item)[1]
    suffix = str(entry.item["conversation_id"]).rpartition(f"#{company_id}")[2].strip("#")
    return {
        "company": company_id,
        "address": "" if address.startswith("erased:") else address,
        "channel": {"kept": "", "doubt": "", "suspended": _FORGEABLE}.get(suffix, suffix),
        "reason": entry.reason,
        **{name: entry.item.get(name) or "" for name in _STORED},
    }
