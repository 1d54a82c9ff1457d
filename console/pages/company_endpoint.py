"""A company's endpoint: its address, its secret, the attempts to post to it, and the acts on it.

An event's body is stored nowhere: it is rendered when somebody looks at it.  It has no personal
data, unless the reader may read conversations; then the look is entered in the journal.
"""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.wrappers import Response

from chalicelib.once.journal import Act
from chalicelib.outreach.company_events import endpoint as setting
from console import forms
from console.backend import acting, backend, reading
from console.pages import company
from console.rights import Right, needs, person
from ops.companies import company as stored
from ops.companies import endpoint_events, event_posts, event_secrets, put_settings
from ops.session import OpsError

pages = Blueprint("company_endpoint", __name__)
VIEW = "event view"
LONGEST_ID = 100
SAID = {
    "set": "The endpoint is stored. Events are posted there from now on.",
    "removed": "The endpoint is removed. No more events are posted.",
    "paused": "The endpoint is paused. Events are kept until it is resumed.",
    "resumed": "The endpoint is resumed. The kept events are on their way.",
    "ended": "The older secret has ended. Events are signed with the newest alone, within 5 minutes.",
}
"""The sentence after an act, by the code of the act in the address."""


@pages.get("/company/endpoint")
@needs(Right.BUILD)
def show() -> str:
    """The endpoint of a project, its secret and its newest attempts."""
    return _page()


@pages.post("/company/endpoint")
@needs(Right.BUILD)
def put() -> Response | tuple[str, int]:
    """Store where a project's events go; a faulty form comes back with the field named."""
    session, company_id = acting(), company.chosen()
    _, project = company.project_of(session, company_id)
    (item,) = stored.items(session, company_id, project.project_id)
    url, include = request.form.get("url", "").strip(), request.form.getlist("include")
    given = {"url": url, **({"include": include} if include else {})}
    if url:
        loopback = session.services.settings.company_webhooks_on_loopback
        wrong = list(setting.faults(given, allows_loopback=loopback))
        if wrong:
            return _page(url=url, include=include, wrong="; ".join(wrong)), 400
    others = {name: value for name, value in item.items() if name != setting.SETTING}
    session.services.check_stage()
    try:
        put_settings.put(session, {**others, **({setting.SETTING: given} if url else {})})
    except OpsError as error:
        return _page(url=url, include=include, wrong=str(error)), 400
    return _back(company_id, project.project_id, did="set" if url else "removed")


@pages.get("/company/endpoint/event")
@needs(Right.BUILD)
def event() -> str:
    """One event's body, as it would be posted now."""
    session, company_id = reading(), company.chosen()
    opaque_id, number = _named_event()
    reads = person().may(Right.CONVERSE) and person().sees(company_id)
    if reads:
        acting().services.journal.enter(
            Act(VIEW, f"company:{company_id}", person().name, "viewed", story=opaque_id)
        )
    text = event_posts.body(session, company_id, opaque_id, number, of_persons=reads)
    return company.page(
        "company_event.html",
        company_id,
        project=request.args.get("project", ""),
        conversation=opaque_id,
        number=number,
        body=text,
        reads=reads,
    )


@pages.post("/company/endpoint/resend")
@needs(Right.BUILD)
def resend() -> Response:
    """Post one event to the company's endpoint again."""
    session, company_id, once = company.posted()
    opaque_id, number = _named_event()
    done = event_posts.resend(session, company_id, opaque_id, number, once=once)
    return _back(company_id, request.form.get("project", ""), posted=done.event)


@pages.post("/company/endpoint/test")
@needs(Right.BUILD)
def try_it() -> Response:
    """Post a test event, which reports nothing."""
    session, company_id, once = company.posted()
    _, project = company.project_of(session, company_id)
    done = event_posts.try_endpoint(session, company_id, project.project_id, once=once)
    return _back(company_id, project.project_id, posted=done.event)


@pages.post("/company/endpoint/secret")
@needs(Right.BUILD)
def rotate() -> str:
    """Make a new signing secret; only this answer shows it."""
    session, company_id, once = company.posted()
    stored.items(session, company_id, None)
    made = event_secrets.rotate(session, company_id, once=once)
    return company.page(
        "company_secret.html",
        company_id,
        made=made,
        what="secret",
        back=url_for("company_endpoint.show", company=company_id),
    )


@pages.post("/company/endpoint/secret/end")
@needs(Right.BUILD)
def end_older() -> Response:
    """End every signing secret but the newest."""
    session, company_id, once = company.posted()
    why = forms.reason()
    event_secrets.finish(session, company_id, because=why, once=once)
    return _back(company_id, request.form.get("project", ""), did="ended")


@pages.post("/company/endpoint/pause")
@needs(Right.BUILD)
def pause() -> Response:
    """Post nothing until the endpoint is resumed."""
    session, company_id, once = company.posted()
    _, project = company.project_of(session, company_id)
    why = forms.reason()
    endpoint_events.pause(session, company_id, project.project_id, because=why, once=once)
    return _back(company_id, project.project_id, did="paused")


@pages.post("/company/endpoint/resume")
@needs(Right.BUILD)
def resume() -> Response:
    """Post the events that were kept, and those that follow."""
    session, company_id, once = company.posted()
    _, project = company.project_of(session, company_id)
    why = forms.reason()
    endpoint_events.resume(session, company_id, project.project_id, because=why, once=once)
    return _back(company_id, project.project_id, did="resumed")


def _page(*, url: str | None = None, include: list[str] | None = None, wrong: str = "") -> str:
    session, company_id = reading(), company.chosen()
    projects, project = company.project_of(session, company_id)
    (state,) = endpoint_events.states(session, company_id, project.project_id)
    raw = (stored.items(session, company_id, project.project_id)[0]).get(setting.SETTING)
    kept = raw if isinstance(raw, dict) else {}
    attempts = event_posts.attempts(session, company_id, project.project_id)
    posted = request.args.get("posted", "")
    is_left_out = "company_endpoint.rotate" in backend().options.left_out  # then so is the secret
    return company.page(
        "company_endpoint.html",
        company_id,
        projects=[project.project_id for project in projects],
        project=project.project_id,
        state=state,
        secrets=None if is_left_out else event_secrets.state(session, company_id),
        most=event_secrets.MOST,
        attempts=attempts,
        posted=next((attempt for attempt in attempts if posted and attempt.event == posted), None),
        said=SAID.get(request.args.get("did", ""), ""),
        url=str(kept.get("url", "")) if url is None else url,
        include=list(kept.get("include") or ()) if include is None else include,
        includes=setting.INCLUDES,
        longest=setting.MAX_URL_CHARACTERS,
        wrong=wrong,
    )


def _named_event() -> tuple[str, int]:
    opaque_id = request.values.get("conversation", "").strip()
    number = request.values.get("number", "")
    if not opaque_id or len(opaque_id) > LONGEST_ID:
        abort(400, "conversation: a conversation's id")
    if not forms.is_number(number):
        abort(400, "number: an event's number")
    return opaque_id, int(number)


def _back(company_id: str, project_id: str, *, did: str = "", posted: str = "") -> Response:
    where = url_for(
        "company_endpoint.show",
        company=company_id,
        project=project_id,
        did=did or None,
        posted=posted or None,
    )
    return redirect(where, 303)
