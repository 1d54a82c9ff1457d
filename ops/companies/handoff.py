"""Conversations waiting for a person: list them, show one, approve it, take it over.

Where a company is named, another company's conversation is as one that does not exist.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import Record
from ops.inspect.events import job_of
from ops.session import OpsError, Session


def waiting(session: Session, *, company_id: str | None, limit: int) -> list[dict[str, Any]]:
    """Waiting conversations, identifiers only; ``channel`` is None if the conversation is gone."""
    desk = session.services.desk
    found = []
    for one in islice(desk.waiting(company_id=company_id), limit):
        record = desk.show(one.opaque_id)
        found.append(
            {
                "id": one.opaque_id,
                "company": one.company_id,
                "project": one.project_id,
                "channel": record.channel.value if record else None,
                "held": one.held,
                "reason": one.reason,
                "since": one.since,
            }
        )
    return found


def show(session: Session, opaque_id: str, company_id: str | None = None) -> dict[str, Any]:
    """One conversation in full, with personal data, for the person who will answer.

    With it, the others of the recipient to which its newest unclear message may belong.
    """
    record = _record(session, opaque_id, company_id)
    others = (
        session.services.desk.show(one, company_id=record.company_id)
        for one in record.item.get("unclear_between") or ()
        if one != opaque_id
    )
    return {
        **_shown(session, record),
        "may_also_belong_to": [_shown(session, one) for one in others if one is not None],
    }


def _shown(session: Session, record: Record) -> dict[str, Any]:
    return {
        "id": record.opaque_id,
        "company": record.company_id,
        "project": record.project_id,
        "channel": record.channel.value,
        "recipient": record.primary_channel,
        "name": record.item.get("recipient_first_name"),
        "status": record.status.value,
        "handoff": dict(record.handoff),
        "messages": [
            {
                "at": one.message_timestamp,
                "role": one.role,
                "text": one.content,
                "note": one.note,
                "media": one.media,
            }
            for one in session.services.conversations.history(record)
        ],
    }


def approve(session: Session, opaque_id: str, company_id: str | None = None) -> dict[str, Any]:
    """Release what is held; a release that failed before runs again under its own key.

    Raises:
        OpsError: there is no such conversation, it is not handed off, or a person took it over.
    """
    record = _handed_off(session, opaque_id, company_id)
    holder = record.handoff.get("taken_by")
    if holder is not None:
        raise OpsError(f"{opaque_id} was taken over by {holder}: automation sends nothing")
    if not session.services.desk.approve(opaque_id, company_id=company_id):
        raise OpsError(f"{opaque_id} was released or taken over by another operator meanwhile")
    event_key = outreach_keys.release(opaque_id, str(record.handoff["id"]))
    row = session.ledger_table.get({"event_id": event_key})
    again = row is not None and row["status"] == EventStatus.FAILED
    if row is not None and again:  # without `recovery`, intake ignores a known event
        session.services.intake.accept(job_of(session, row), recovery=Recovery.OPERATOR)
    return {"id": opaque_id, "event": event_key, "did": "released again" if again else "released"}


def take(
    session: Session, opaque_id: str, person: str, company_id: str | None = None
) -> dict[str, Any]:
    """Mark it as taken over by a person; automation sends nothing more.

    Raises:
        OpsError: there is no such conversation, it is not handed off, or another person took it.
    """
    if not person.strip():
        raise OpsError("--by must name the person who takes it over", code=2)
    record = _handed_off(session, opaque_id, company_id)
    holder = record.handoff.get("taken_by")
    if holder not in (None, person):
        raise OpsError(f"{opaque_id} was taken over by {holder}")
    if not session.services.desk.take(opaque_id, person, company_id=company_id):
        raise OpsError(f"{opaque_id} was released or taken over by another operator meanwhile")
    return {"id": opaque_id, "taken_by": person}


def _record(session: Session, opaque_id: str, company_id: str | None) -> Record:
    record = session.services.desk.show(opaque_id, company_id=company_id)
    if record is None:
        raise OpsError(f"no such conversation: {opaque_id}")
    return record


def _handed_off(session: Session, opaque_id: str, company_id: str | None) -> Record:
    record = _record(session, opaque_id, company_id)
    if not record.is_handed_off:
        raise OpsError(f"{opaque_id} is not waiting for a person: it is {record.status.value}")
    return record
