"""The addresses that a company takes for one person (a subject): show, link and unlink them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.outreach.conversations.statements import EVIDENCE, SAID_OF, Statement
from chalicelib.outreach.conversations.subject_rows import Member
from ops import journal
from ops.companies import company, register
from ops.session import OpsError, Session


def shown(session: Session, company_id: str, address: str) -> dict[str, Any]:
    """The subject of an address: its members, marks, consents, preferences, links, evidence; personal data.

    Raises:
        OpsError: the address is not valid.
    """
    conversations = session.services.outreach.conversations
    subject = conversations.subject(_place(session, company_id, address))
    return {
        "company": company_id,
        "subject": subject.root,
        "members": dict(subject.members),
        "marks": register.listed(session, company_id, address),
        "consents": {key: dict(consent) for key, consent in subject.consents.items()},
        "preferences": [dict(preference) for preference in subject.preferences_in_force.kept],
        "links": [dict(link) for link in subject.links],
        "evidence": [
            _explained(member, row)
            for member in sorted(subject.members)
            for row in conversations.evidence_of(member)
        ],
    }


def link(session: Session, company_id: str, addresses: Sequence[str], *, because: str) -> bool:
    """Link addresses of one person, even if their link was undone; False if already linked.

    Raises:
        OpsError: the company is not stored, an address is not valid, or there would be too many.
    """
    company.items(session, company_id, None)
    places = [_place(session, company_id, address) for address in addresses]
    if len({place.member for place in places}) != len(places) or len(places) < 2:  # noqa: PLR2004
        raise OpsError("name two addresses or more, each once", code=2)
    _enter(session, "subject link", company_id, places, because)
    how = Statement(door="ops", said=because, by=session.identity.name)
    try:
        linked = session.services.outreach.conversations.link_addresses(
            places, session.identity.name, how
        )
    except ValueError as error:
        raise OpsError(str(error)) from None
    return linked is not None


def unlink(session: Session, company_id: str, address: str, *, because: str) -> None:
    """Take an address out of its subject: each side keeps its own marks and evidence.

    Raises:
        OpsError: the address is not valid, or is linked with no other.
    """
    place, conversations = (
        _place(session, company_id, address),
        session.services.outreach.conversations,
    )
    members = conversations.subject(place).members
    if len(members) < 2:  # noqa: PLR2004 - alone
        raise OpsError("that address is not linked with another one of this company")
    parted = [
        place,
        *(Member(member, company_id) for member in sorted(members) if member != place.member),
    ]
    _enter(session, "subject unlink", company_id, parted, because)
    conversations.part_address(place, Statement(door="ops", said=because, by=session.identity.name))


def _place(session: Session, company_id: str, address: str) -> Member:
    known = register.normalised(address)
    return session.services.outreach.conversations.place(known, company_id)


def _enter(
    session: Session, what: str, company_id: str, places: Sequence[Member], because: str
) -> None:
    journal.enter(
        session,
        what,
        f"company:{company_id}",
        reason=because,
        about=[place.member for place in places],
        hashed=" ".join(place.member for place in places),
    )


def _explained(member: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """One piece of evidence with its time and member, without key and expiry."""
    said = {name: value for name, value in item.items() if name not in _OF_THE_ROW}
    at = str(item["conversation_id"]).removeprefix(EVIDENCE).partition("#")[0]
    return {"at": at, "member": member, **said}


_OF_THE_ROW = frozenset(
    {"primary_channel", "conversation_id", "ttl", "company", "version", SAID_OF}
)
