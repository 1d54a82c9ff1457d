"""The register of addresses that a company must not contact: list, add, lift, import, export.

Entries and liftings by a person carry the name of the caller's AWS identity.  The journal keeps
each of these acts under the company, with the keyed id in place of the address.  The register alone is
not enough: entering an address again removes the name of the person who lifted it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from chalicelib.outreach.company_events.lifted_marks import (
    newest_reported_conversation,
    telling_lifted,
)
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member
from chalicelib.outreach.register.register_rows import ListedMark, address_in, rows_of
from ops import journal
from ops.companies import company, register_file
from ops.session import OpsError, Session


def listed(session: Session, company_id: str, address: str | None = None) -> list[dict[str, Any]]:
    """A company's marks, in force or lifted: of one address's person if given, else of all.

    Raises:
        OpsError: the address is not valid.
    """
    now = session.services.clock.now()
    if address is not None:
        conversations = session.services.outreach.conversations
        return rows_of(conversations.subject(_place(session, company_id, address)), now)
    marked = session.services.outreach.conversations.all_marked(company_id)
    return _by_age(marked, now)


def first(session: Session, company_id: str, *, at_most: int) -> tuple[list[dict[str, Any]], bool]:
    """The marks of a company's first `at_most` addresses, oldest first, and whether there are more."""
    marked = session.services.outreach.conversations.all_marked(company_id)
    found = list(itertools.islice(marked, at_most + 1))
    return _by_age(found[:at_most], session.services.clock.now()), len(found) > at_most


def _by_age(marked: Iterable[Subject], now: datetime) -> list[dict[str, Any]]:
    found = [
        row for subject in marked for row in rows_of(subject, now) if row["member"] == subject.own
    ]
    return sorted(found, key=lambda row: (row["since"], row["address"], row["member"]))


def add(session: Session, company_id: str, address: str, *, because: str = "") -> None:
    """Enter an address in the register; idempotent.

    Raises:
        OpsError: the company is not stored, or the address is not valid; nothing was entered.
    """
    company.items(session, company_id, None)
    place = _place(session, company_id, address)
    _enter(session, "do-not-contact add", place, because)
    session.services.outreach.conversations.forbid(
        place.address, company_id, MarkReason.OPERATOR, how=_how(session, because)
    )


def add_all(session: Session, company_id: str, path: Path, *, because: str = "") -> dict[str, int]:
    """Import a file of addresses or exported marks; idempotent.

    Returns:
        ``entered``: rows taken into the register; ``newer_here``: rows left out because the
        register knows something newer, such as a later START.

    Raises:
        OpsError: as `marks`; nothing was entered.
    """
    rows = marks(session, company_id, path)
    return import_rows(session, company_id, rows, path.read_bytes(), because=because)


def import_rows(
    session: Session,
    company_id: str,
    rows: list[ListedMark],
    content: bytes,
    *,
    because: str = "",
    once: str = "",
) -> dict[str, int]:
    """Import rows that `marks` has validated; returns the same counts as `add_all`.

    Args:
        session: the stage.
        company_id: a stored company.
        rows: the file's rows.
        content: the file's bytes; the journal keeps their SHA-256.
        because: the reason, for the journal.
        once: the id of the submitted form, so that it counts once.

    Raises:
        OpsError: the rows were entered, but addresses of one person could not be linked.
        OvertakenError: the form was already submitted.
    """
    journal.enter(
        session,
        "do-not-contact import",
        f"company:{company_id}",
        reason=because,
        once=once,
        addresses=len(rows),
        file_sha256=hashlib.sha256(content).hexdigest(),
    )
    how = Statement(door="import", said=because, by=session.identity.name)
    taken = [_taken(session, company_id, row, how) for row in rows]
    _link(session, company_id, rows, how)
    return {"entered": sum(taken), "newer_here": len(taken) - sum(taken)}


def marks(session: Session, company_id: str, path: Path) -> list[ListedMark]:
    """Read and validate the rows of a file for a company.

    Raises:
        OpsError: the company is not stored, or a row is not valid.
    """
    company.items(session, company_id, None)
    return register_file.read(path, company_id)


def lift(session: Session, company_id: str, address: str, *, because: str = "") -> dict[str, Any]:
    """Lift every mark of an address.

    Returns:
        ``lifted``: the reasons of the lifted marks; ``still_blocked_by``: other addresses of the
        person whose marks still block this one.

    Raises:
        OpsError: the address is not valid, or no address of the person has a mark in force.
    """
    place, conversations = (
        _place(session, company_id, address),
        session.services.outreach.conversations,
    )
    now = session.services.clock.now()
    subject = conversations.subject(place)
    if not any(mark.member == place.member for mark in subject.marks_in_force(now)):
        if others := _blocking(subject, now):
            return {"lifted": [], "still_blocked_by": others}
        raise OpsError("that address has no entry in force with this company")
    _enter(session, "do-not-contact lift", place, because)
    heard = newest_reported_conversation(conversations, company_id, place.address)
    lifted = conversations.lift(
        place,
        how=_how(session, because),
        with_it=telling_lifted(session.services.ledger, heard, "operator", now),
    )
    return {"lifted": lifted, "still_blocked_by": _blocking(conversations.subject(place), now)}


def _blocking(subject: Subject, now: datetime) -> list[str]:
    """The addresses of a person whose marks block all of them."""
    return sorted({wish.address or wish.member for wish in subject.opt_outs(None, now)})


def normalised(address: str) -> str:
    """Normalise an address: a number to E.164, an e-mail address to lower case.

    Raises:
        OpsError: it is neither.
    """
    found = address_in(address)
    if found is None:
        raise OpsError("an address is a number with its country code, or an e-mail address", code=2)
    return found


def _place(session: Session, company_id: str, address: str) -> Member:
    return session.services.outreach.conversations.place(normalised(address), company_id)


def _how(session: Session, because: str) -> Statement:
    return Statement(door="ops", said=because, by=session.identity.name)


def _enter(session: Session, what: str, place: Member, because: str) -> None:
    """Enter an act on an address in the journal, with the reasons of the address's marks in force."""
    subject = session.services.outreach.conversations.subject(place)
    known = subject.marks_in_force(session.services.clock.now())
    journal.enter(
        session,
        what,
        f"company:{place.company_id}",
        reason=because,
        about=[place.member],
        hashed=place.member,
        in_force=sorted(mark.reason for mark in known if mark.member == place.member),
    )


def _taken(session: Session, company_id: str, row: ListedMark, how: Statement) -> bool:
    conversations = session.services.outreach.conversations
    place = _place_of(session, company_id, row)
    if row.slot:
        return conversations.restore(place, row.slot, row.mark, how)
    return conversations.enter_listed(place, how, at=row.at)


def _link(session: Session, company_id: str, rows: list[ListedMark], how: Statement) -> None:
    """Link the addresses whose rows name the same subject."""
    of: dict[str, dict[str, Member]] = {}
    for row in rows:
        if row.subject:
            place = _place_of(session, company_id, row)
            of.setdefault(row.subject, {})[place.member] = place
    for places in of.values():
        try:
            session.services.outreach.conversations.link_addresses(
                list(places.values()), "import", how
            )
        except ValueError as error:
            raise OpsError(f"entered, but not linked: {error}") from None


def _place_of(session: Session, company_id: str, row: ListedMark) -> Member:
    if row.address:
        return session.services.outreach.conversations.place(row.address, company_id)
    return Member(row.member, company_id)
