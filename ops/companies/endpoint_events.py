"""Endpoints that receive companies' events: which fail or are paused; pause one, resume one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.job import Recovery
from chalicelib.outreach.company_events.outbox import EventRows
from chalicelib.outreach.project.project import Project
from ops import journal
from ops.companies import company, senders
from ops.inspect.finding import Finding
from ops.session import Session

BY_A_PERSON = "paused_by_a_person"


def states(session: Session, company_id: str, project_id: str | None) -> list[dict[str, Any]]:
    """Each project's endpoint: whether it accepts events, and how many conversations are stopped.

    Raises:
        OpsError: the company, or that project of it, is not stored.
    """
    return [
        _state(session, project) for project in company.projects(session, company_id, project_id)
    ]


def pause(
    session: Session, company_id: str, project_id: str, *, because: str, once: str = ""
) -> dict[str, Any]:
    """Stop posting to an endpoint; events are kept until `resume`.

    Raises:
        OpsError: the project is not stored.
        OvertakenError: the form was already submitted.
    """
    company.projects(session, company_id, project_id)
    key = f"company:{company_id}"
    journal.enter(
        session, "company pause-events", key, reason=because, once=once, project=project_id
    )
    _rows(session).pause(company_id, project_id, BY_A_PERSON)
    return {"company": company_id, "project": project_id, "paused": True}


def resume(
    session: Session, company_id: str, project_id: str, *, because: str, once: str = ""
) -> dict[str, Any]:
    """Post events to an endpoint again, with all that were kept meanwhile.

    Idempotent: a posted event is not posted again, and a conversation leaves the list of stopped
    ones once its job is queued.

    Raises:
        OpsError: the project is not stored.
    """
    company.projects(session, company_id, project_id)
    rows = _rows(session)
    listed = list(rows.stopped_conversations(company_id, project_id))
    act = journal.act(
        session,
        "company resume-events",
        f"company:{company_id}",
        reason=because,
        once=once,
        project=project_id,
        stopped=len(listed),
    )
    table = session.services.table(session.services.settings.conversations_table)
    table.transact([rows.resuming_endpoint(company_id, project_id), *journal.writes(session, act)])
    for item in listed:
        head = rows.resume(str(item["opaque_id"]))
        if head is not None and head.posted < head.count:
            session.services.outreach.company_events.queue_post(
                head.opaque_id, head.posted + 1, Recovery.OPERATOR
            )
        rows.unlist(company_id, project_id, str(item["opaque_id"]))
    return {"company": company_id, "project": project_id, "conversations": len(listed)}


def endpoints(session: Session) -> Iterator[Finding]:
    """Yield a finding for each endpoint: whether it accepts its events."""
    for project in senders.projects(session):
        if not project.has_endpoint:
            continue
        found = _state(session, project)
        name = f"events {found['company']} {found['project']}"
        if found["paused_at"] or found["stopped"]:
            said = f"{found['stopped']} conversations stopped; `ops company resume-events`"
            yield Finding(name, "fail", said)
        elif found["failing_since"]:
            yield Finding(name, "warn", f"accepts no events since {found['failing_since']}")
        else:
            yield Finding(name, "ok", "accepts events")


def _state(session: Session, project: Project) -> dict[str, Any]:
    company_id, project_id = project.ids
    rows = _rows(session)
    state = rows.endpoint(company_id, project_id)
    since = state.failing_since
    return {
        "company": company_id,
        "project": project_id,
        "endpoint": project.has_endpoint,
        "failing_since": iso(datetime.fromtimestamp(since, UTC)) if since else None,
        "paused_at": state.paused_at,
        "stopped": sum(1 for _ in rows.stopped_conversations(company_id, project_id)),
    }


def _rows(session: Session) -> EventRows:
    rows: EventRows = session.services.outreach.company_events.rows
    return rows
