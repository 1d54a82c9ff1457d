"""Conversations waiting for a person: list them, show one, act on one.

If a company is named, conversations of other companies do not exist for these functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from chalicelib.errors import ConflictError, PayloadError
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import acts, shown
from chalicelib.outreach.desk.asked import parsed_act
from chalicelib.outreach.desk.holding import person_of
from chalicelib.outreach.door.access import DeskRole
from chalicelib.shared import new_id
from ops.session import OpsError, Session


def waiting(session: Session, *, company_id: str | None, limit: int) -> list[dict[str, Any]]:
    """Waiting conversations by identifiers only; ``channel`` is None if the conversation was deleted."""
    desk = session.services.outreach.desk
    found = []
    for conversation in islice(desk.waiting(company_id=company_id), limit):
        record = desk.show(conversation.opaque_id)
        found.append(
            {
                "id": conversation.opaque_id,
                "company": conversation.company_id,
                "project": conversation.project_id,
                "channel": record.channel.value if record else None,
                "held": conversation.held,
                "reason": conversation.reason,
                "since": conversation.since,
            }
        )
    return found


def listed(
    session: Session, *, states: str, company_id: str | None, limit: int
) -> list[dict[str, Any]]:
    """Hand-offs in some states with the person who has each: doubts first, then by waiting time.

    Raises:
        OpsError: a state does not exist.
    """
    wanted = states.split(",")
    if not set(wanted) <= set(shown.STATES):
        raise OpsError(f"--state lists {', '.join(shown.STATES)}", code=2)
    inbox = session.services.outreach.inbox
    return inbox.list(company_id=company_id, states=wanted, limit=limit).entries


def show(session: Session, opaque_id: str, company_id: str | None = None) -> dict[str, Any]:
    """One conversation in full, with personal data, for the person who will answer.

    ``may_also_belong_to`` holds the recipient's other conversations that the newest unclear message
    may be for.
    """
    record = _record(session, opaque_id, company_id)
    others = (
        session.services.outreach.desk.show(other_id, company_id=record.company_id)
        for other_id in record.item.get("unclear_between") or ()
        if other_id != opaque_id
    )
    return {
        **_shown(session, record),
        "held_message": session.services.outreach.inbox.conversation(opaque_id)["held_message"],
        "may_also_belong_to": [_shown(session, other) for other in others if other is not None],
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
                "at": entry.message_timestamp,
                "role": entry.role,
                "text": entry.content,
                "note": entry.note,
                "media": entry.media,
            }
            for entry in session.services.outreach.conversations.history(record)
        ],
    }


def act(
    session: Session,
    what: str,
    opaque_id: str,
    person: str,
    company_id: str | None = None,
    *,
    role: DeskRole = DeskRole.AGENT,
    fields: Mapping[str, str],
) -> dict[str, Any]:
    """Do an act of the desk on the conversation as it is now.

    Args:
        session: the stage.
        what: a name in `desk.acts.ACTS`.
        opaque_id: the conversation.
        person: who does it, as the team names them.
        company_id: only a conversation of this company.
        role: a lead may act on what another person has.
        fields: the act's own fields; an empty one counts as not given.

    Raises:
        OpsError: the conversation does not exist, its state does not allow the act, another person
            has it, or a field is wrong.
    """
    record = _record(session, opaque_id, company_id)
    raw = {"act": what, "by": person, "version": shown.version_of(record)}
    try:
        asked = parsed_act(
            {**raw, **{name: value for name, value in fields.items() if value}},
            conversation_id=opaque_id,
            key=new_id(),
            actor=session.identity.name,
            company_id=record.company_id,
            role=role,
        )
        done = session.services.outreach.inbox.act(asked)
    except PayloadError as error:
        raise OpsError(error.message, code=2) from None
    except ConflictError as error:
        raise OpsError(_refused(record, error)) from None
    did = "released" if what == acts.APPROVE else what
    now = _record(session, opaque_id, company_id)
    return {
        "id": opaque_id,
        "did": f"{did} again" if done.is_again else did,
        "event": done.event or None,
        "taken_by": person_of(now) or None,
    }


def _refused(record: Record, error: ConflictError) -> str:
    """The message for an operator about a refused act, with the holder's name or the status."""
    match error.code:
        case "HELD_BY_ANOTHER":
            return f"{record.opaque_id} was taken over by {person_of(record)}: a lead may act on it"
        case "NOT_HANDED_OFF":
            return f"{record.opaque_id} is not waiting for a person: it is {record.status.value}"
        case _:
            return f"{record.opaque_id}: {error.message}"


def _record(session: Session, opaque_id: str, company_id: str | None) -> Record:
    record = session.services.outreach.desk.show(opaque_id, company_id=company_id)
    if record is None:
        raise OpsError(f"no such conversation: {opaque_id}")
    return record
