"""Conversations waiting for a person: list them, show one, and the acts of the desk.

Where a company is named, another company's conversation is as one that does not exist.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from chalicelib.errors import ConflictError, PayloadError
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import asked as asking
from chalicelib.outreach.desk import shown
from chalicelib.outreach.desk.inbox import Done
from chalicelib.wiring.core import new_id
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


def listed(
    session: Session, *, states: str, company_id: str | None, limit: int
) -> list[dict[str, Any]]:
    """Hand-offs in some states, the longest waiting first, with the person who has each.

    Raises:
        OpsError: there is no such state.
    """
    wanted = states.split(",")
    if not set(wanted) <= set(shown.STATES):
        raise OpsError(f"--state lists {', '.join(shown.STATES)}", code=2)
    inbox = session.services.inbox
    return inbox.list(company_id=company_id, states=wanted, limit=limit).entries


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
        "held_message": session.services.inbox.conversation(opaque_id)["held_message"],
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
    done = _act(session, asking.APPROVE, record, session.identity.name)
    did = "released again" if done.is_again else "released"
    return {"id": opaque_id, "event": done.event, "did": did}


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
    _act(session, asking.TAKE, record, person)
    return {"id": opaque_id, "taken_by": person}


def act(
    session: Session,
    what: str,
    opaque_id: str,
    person: str,
    company_id: str | None = None,
    **fields: str,
) -> dict[str, Any]:
    """Any other act of the desk, on the conversation as it is now.

    Args:
        session: the stage.
        what: one of `desk.asked.ACTS`.
        opaque_id: the conversation.
        person: who does it, as the team names them.
        company_id: only a conversation of this company.
        fields: the act's own fields.

    Raises:
        OpsError: there is no such conversation, or it is not in a state for the act.
    """
    record = _record(session, opaque_id, company_id)
    done = _act(session, what, record, person, **fields)
    return {"id": opaque_id, "did": done.act, "event": done.event or None}


def _act(session: Session, what: str, record: Record, person: str, **fields: str) -> Done:
    raw = {"act": what, "by": person, "version": shown.version_of(record), **fields}
    try:
        asked = asking.parsed_act(
            {name: one for name, one in raw.items() if one},
            conversation_id=record.opaque_id,
            key=new_id(),
            actor=session.identity.name,
            company_id=record.company_id,
            is_lead=True,
        )
        return session.services.inbox.act(asked)
    except PayloadError as error:
        raise OpsError(error.message, code=2) from None
    except ConflictError as error:
        raise OpsError(f"{record.opaque_id}: {error.message}") from None


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
