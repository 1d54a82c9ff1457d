"""Exports everything kept about a person: what `erase` would find, as one JSON document."""

from __future__ import annotations

from typing import Any

from chalicelib.clock import iso
from ops.companies import erase
from ops.session import Session


def export(session: Session, subject: str) -> dict[str, Any]:
    """Return every item about a person by table; personal data.

    Another person's conversation gives only the messages that mention the person; a company's
    settings give only the keys of projects that name the person.

    Raises:
        OpsError: the subject is too short to identify a person, or is a company's own address.
    """
    subjects, notes = erase.subjects_of(session, subject)
    found: dict[str, list[dict[str, Any]]] = {}
    for table, key, item in erase.items(session, subjects):
        found.setdefault(table.name, []).append(
            erase.part_about(session, table, key, item, subjects)
        )
    return {
        "subject": subject.strip(),
        "exported_at": iso(session.services.clock.now()),
        "exported_by": session.identity.name,
        "notes": notes,
        "tables": found,
    }
