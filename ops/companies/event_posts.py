"""Requests to a company's endpoint: list them, show an event's body, post it again, post a test.

These posts leave this process at once, beside the worker's queue, and do not change the order in
which the worker posts.  An event posted again keeps its id.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import ProviderError, UnavailableError, WithdrawnError
from chalicelib.outreach.company_events import post_attempt, standard_webhooks
from chalicelib.outreach.company_events.endpoint import Endpoint, secret_id, signing_secrets
from chalicelib.outreach.company_events.event_bodies import EventBodies
from chalicelib.outreach.company_events.event_names import VERSION, CompanyEvent, EventName
from chalicelib.outreach.company_events.outbox import EventRows, Head
from chalicelib.outreach.company_events.post_attempt import PostAttempt
from chalicelib.outreach.company_events.teller import DEADLINE_SECONDS
from chalicelib.vendors import posting
from chalicelib.vendors.posting import SignedPost
from ops import journal
from ops.companies import company
from ops.session import OpsError, Session

LISTED = 50
COLUMNS = ("at", "type", "conversation", "number", "status", "reason", "event")


def attempts(session: Session, company_id: str, project_id: str) -> list[PostAttempt]:
    """The requests to a project's endpoint in the last week, newest first."""
    return _rows(session).attempts(company_id, project_id, LISTED)


def body(
    session: Session, company_id: str, opaque_id: str, number: int, *, of_persons: bool
) -> str:
    """An event's body, rendered again and indented.

    Args:
        session: the stage.
        company_id: the event's company.
        opaque_id: the conversation's opaque id.
        number: the event's number in its conversation.
        of_persons: add the personal data that the endpoint asks for; never the token of a tool's
            result.

    Raises:
        OpsError: the company has no such event, or its conversation was erased.
    """
    head, event = _event(session, company_id, opaque_id, number)
    bodies = _bodies(session)
    endpoint = _set_endpoint(session, company_id, head.project_id) if of_persons else None
    try:
        found = (
            bodies.render_plain(head, event, number)
            if endpoint is None
            else bodies.render(head, event, number, endpoint)
        )
    except WithdrawnError:
        raise OpsError("the conversation was erased") from None
    return json.dumps(json.loads(found), indent=2, ensure_ascii=False)


def resend(
    session: Session,
    company_id: str,
    opaque_id: str,
    number: int,
    *,
    because: str = "",
    once: str = "",
) -> PostAttempt:
    """Post an event again under its own id; return the attempt, also when the endpoint refuses it.

    Raises:
        OpsError: there is no such event, it is the call of a tool, or the endpoint is not usable.
        OvertakenError: the form was sent before.
    """
    head, event = _event(session, company_id, opaque_id, number)
    if event.name is EventName.TOOL_CALLED:
        raise OpsError("only the worker posts a tool's call: resume the endpoint")
    endpoint = _endpoint(session, company_id, head.project_id)
    keys = _keys(session, company_id)
    bodies = _bodies(session)
    try:
        content = bodies.render(head, event, number, endpoint)
    except WithdrawnError:
        raise OpsError("the conversation was erased") from None
    journal.enter(
        session,
        "company resend-event",
        f"company:{company_id}",
        reason=because,
        once=once,
        project=head.project_id,
        event=event.id,
    )
    attempt = PostAttempt.of(event, opaque_id, number, None, "")
    return _posted(session, (company_id, head.project_id), endpoint, keys, content, attempt)


def try_endpoint(
    session: Session, company_id: str, project_id: str, *, because: str = "", once: str = ""
) -> PostAttempt:
    """Post a test event, signed like any other.

    Raises:
        OpsError: the project is not stored, or its endpoint or secret is not usable.
        OvertakenError: the form was sent before.
    """
    endpoint, keys = _endpoint(session, company_id, project_id), _keys(session, company_id)
    event_id = f"evt_{uuid.uuid4().hex}"
    journal.enter(
        session,
        "company test-event",
        f"company:{company_id}",
        reason=because,
        once=once,
        project=project_id,
        event=event_id,
    )
    whole = {
        "type": post_attempt.TEST,
        "timestamp": iso(session.services.clock.now()),
        "data": {"version": VERSION, "company_id": company_id, "project_id": project_id},
    }
    content = json.dumps(whole, separators=(",", ":")).encode()
    attempt = PostAttempt(event_id, post_attempt.TEST, "", 0, None)
    return _posted(session, (company_id, project_id), endpoint, keys, content, attempt)


def shown(attempt: PostAttempt) -> dict[str, Any]:
    """An attempt as the commands print it."""
    return {
        "at": attempt.at,
        "type": attempt.type,
        "conversation": attempt.opaque_id,
        "number": attempt.number,
        "status": attempt.status,
        "reason": attempt.reason,
        "event": attempt.event,
    }


def _posted(
    session: Session,
    ids: tuple[str, str],
    endpoint: Endpoint,
    keys: tuple[bytes, ...],
    content: bytes,
    attempt: PostAttempt,
) -> PostAttempt:
    services = session.services
    now = services.clock.now().timestamp()
    headers = standard_webhooks.headers(keys, attempt.event, now, content)
    try:
        answer = posting.post(
            SignedPost(endpoint.url, headers, content, DEADLINE_SECONDS),
            allows_loopback=services.settings.company_webhooks_on_loopback,
        )
        done = replace(attempt, status=answer.status)
    except ProviderError as error:
        done = replace(attempt, reason=error.reason)
    _rows(session).store_attempt(*ids, done)
    return done


def _bodies(session: Session) -> EventBodies:
    """Event bodies that a person may see: without the token of a tool's result."""
    return EventBodies(conversations=session.services.outreach.conversations, signing=None)


def _event(
    session: Session, company_id: str, opaque_id: str, number: int
) -> tuple[Head, CompanyEvent]:
    head = _rows(session).head(opaque_id)
    event = _rows(session).event(opaque_id, number) if head else None
    if head is None or event is None or head.company_id != company_id:
        raise OpsError("the company has no such event")
    return head, event


def _endpoint(session: Session, company_id: str, project_id: str) -> Endpoint:
    found = _set_endpoint(session, company_id, project_id)
    if found is None:
        raise OpsError("the project has no endpoint that is usable")
    return found


def _set_endpoint(session: Session, company_id: str, project_id: str) -> Endpoint | None:
    (project,) = company.projects(session, company_id, project_id)
    loopback = session.services.settings.company_webhooks_on_loopback
    return project.endpoint(allows_loopback=loopback)


def _keys(session: Session, company_id: str) -> tuple[bytes, ...]:
    name = secret_id(session.stage, company_id)
    try:
        return signing_secrets(session.services.secrets.text(name, refresh=True))
    except UnavailableError as error:
        raise OpsError(f"secret {name}: {error.code}") from None


def _rows(session: Session) -> EventRows:
    rows: EventRows = session.services.outreach.company_events.rows
    return rows
