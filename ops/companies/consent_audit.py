"""Which rules and which consent allowed each message of a company, for an auditor: no text, no address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import FOLLOW_UP, PERSON, Entry, Record
from chalicelib.outreach.jurisdictions import conversation_rules
from ops.session import Session

COLUMNS = (
    *("at", "conversation", "entry", "channel", "purpose", "kind", "region", "consent", "rules"),
)


def lines(session: Session, company_id: str, since: str) -> Iterator[dict[str, Any]]:
    """Yield a line for each message sent since an ISO time, grouped by project and conversation."""
    outreach = session.services.outreach
    projects = [
        project for project in outreach.companies.projects() if project.company_id == company_id
    ]
    for project in projects:
        for record in outreach.conversations.of_project(*project.ids):
            yield from _of_conversation(session, record, since)


def _of_conversation(session: Session, record: Record, since: str) -> Iterator[dict[str, Any]]:
    is_one = "message_count" in record.item  # the index also holds rows of hand-offs and pairs
    if not is_one or str(record.item["updated_at"]) < since:
        return
    about = {
        "conversation": record.opaque_id,
        "channel": record.channel.value,
        "purpose": conversation_rules.purpose_of(record).value,
        "region": conversation_rules.place_of(record).shown,
        "consent": _consent(record),
    }
    for entry in session.services.outreach.conversations.history(record):
        if entry.role == "assistant" and entry.message_timestamp >= since:
            found = {
                "entry": entry.entry_id,
                "at": entry.message_timestamp,
                "kind": _kind(record, entry),
            }
            yield {**about, **found, "rules": list(entry.rules or ())}


def _consent(record: Record) -> str | None:
    """The source and time of a conversation's consent; None if its start stated none."""
    given = conversation_rules.consents_of(record)
    return f"{given[0].source} {iso(given[0].given_at)}" if given else None


def _kind(record: Record, entry: Entry) -> str:
    if entry.entry_id == outreach_keys.entry_id(record.start_event):
        return "opening"
    if entry.note == FOLLOW_UP:
        return "follow_up"
    return "person" if entry.note == PERSON else "answer"
