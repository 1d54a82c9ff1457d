"""A company's settings, checked; and a trial of what a project's writer drafts for sample messages.

A trial sends and stores nothing, but it asks the project's own model and costs what messages cost.
So it is an act: entered in the journal, and done once however often its form is posted.
"""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from chalicelib.outreach.channels import Channel
from console import forms
from console.backend import acting, reading
from console.rights import Right, needs
from ops import journal
from ops.companies import company, writing
from ops.companies.writing import Trial
from ops.session import Session

pages = Blueprint("companies", __name__)

MOST_MESSAGES, LONGEST_MESSAGE = 10, 1_000
"""Messages of a trial at most: each makes one or two requests to the model."""


@pages.get("/companies")
@needs(Right.LOOK)
def show() -> str:
    """The form to choose a company, or that company's projects with the faults of their settings."""
    wanted = request.args.get("company", "").strip()
    session = reading()
    projects = [
        {"id": item["project_id"], "findings": company.check(session, item)}
        for item in (company.items(session, wanted, None) if wanted else ())
    ]
    return render_template("companies.html", company=wanted, projects=projects)


@pages.get("/companies/writer")
@needs(Right.ACT)
def writer() -> str:
    """The form of a trial."""
    company_id, project_id = _project(reading(), request.args.get("project", ""))
    return _page(company_id, project_id, messages="\n".join(writing.SAMPLES))


@pages.post("/companies/writer")
@needs(Right.ACT)
def try_writer() -> str:
    """Draft an opening and answers with the project's own model; nothing is sent."""
    session, once = acting(), forms.once()
    company_id, project_id = _project(session, request.form.get("project", ""))
    channel, messages = request.form.get("channel", ""), _messages(request.form.get("messages", ""))
    if channel and channel not in list(Channel):
        abort(400, f"channel: one of {', '.join(Channel)}")
    key = f"company:{company_id}"
    journal.enter(session, "writer try", key, once=once, project=project_id, samples=len(messages))
    trial = writing.attempt(
        session, company_id, project_id, channel=channel or None, messages=messages
    )
    return _page(company_id, project_id, messages="\n".join(messages), channel=channel, trial=trial)


def _page(
    company_id: str,
    project_id: str,
    *,
    messages: str,
    channel: str = "",
    trial: Trial | None = None,
) -> str:
    return render_template(
        "writer.html",
        company=company_id,
        project=project_id,
        messages=messages,
        channel=channel,
        channels=list(Channel),
        trial=trial,
        most=MOST_MESSAGES,
    )


def _project(session: Session, project_id: str) -> tuple[str, str]:
    """The ids of a stored project; `OpsError` where there is none."""
    (item,) = company.items(session, request.values.get("company", ""), project_id.strip())
    return str(item["company_id"]), str(item["project_id"])


def _messages(text: str) -> list[str]:
    """The messages to answer, one a line."""
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if not 1 <= len(found) <= MOST_MESSAGES:
        abort(400, f"messages: 1 to {MOST_MESSAGES} lines")
    if any(len(line) > LONGEST_MESSAGE for line in found):
        abort(400, f"messages: at most {LONGEST_MESSAGE} characters a line")
    return found
