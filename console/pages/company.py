"""The pages of a company, for its leads and developers: the choice of a company, and their menu.

A company that is not the reader's answers as one that does not exist.
"""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.outreach.project.project import Project
from console import forms
from console.backend import acting, backend, reading
from console.rights import Right, needs, person
from ops.companies import company as stored
from ops.session import Session

pages = Blueprint("company", __name__)

MOST_COMPANIES = 50
"""The most companies that the first page offers."""
PARTS = (
    ("Endpoint", "company_endpoint.show"),
    ("API keys", "company_keys.show"),
    ("May I send", "company_sending.show"),
    ("Register", "company_register.show"),
    ("Usage", "company_usage.show"),
)
"""The pages of a company, in the order of its menu."""


@pages.get("/company")
@needs(Right.BUILD)
def show() -> str | Response:
    """The choice of a company, or a redirect to the only one's first page."""
    built = person().built
    asked = request.args.get("company", "").strip()
    if asked or (built is not None and len(built) == 1):
        return redirect(url_for("company_endpoint.show", company=chosen()))
    known, _ = (sorted(built), True) if built is not None else stored.ids(reading(), at_most=200)
    named = [company for company in known if "#" not in company]
    return render_template("company.html", companies=named[:MOST_COMPANIES])


def home() -> Response:
    """A redirect to the first page of a person who may not see operators' pages."""
    return redirect(url_for("company.show"))


def chosen() -> str:
    """The company that the request names, or the person's only one.

    Raises:
        NotFound: the company is not the person's, or none is named.
    """
    built = person().built
    asked = request.values.get("company", "").strip()
    if not asked and built is not None and len(built) == 1:
        return min(built)
    if not asked or not person().builds(asked):
        abort(404)
    return asked


def posted() -> tuple[Session, str, str]:
    """An act of one of our forms: the session that does it, the company, and the form's id.

    Every act begins with it: the id lets a double click act once, and the stage is the right one.
    """
    session, company_id, once = acting(), chosen(), forms.once()
    session.services.check_stage()
    return session, company_id, once


def project_of(session: Session, company_id: str) -> tuple[list[Project], Project]:
    """A company's projects, and the one that the request names, else the first.

    Raises:
        OpsError: the company is not stored.
        NotFound: that project is not stored.
    """
    found = sorted(
        stored.projects(session, company_id, None), key=lambda project: project.project_id
    )
    wanted = request.values.get("project", "").strip()
    mine = next((project for project in found if wanted in ("", project.project_id)), None)
    if mine is None:
        abort(404)
    return found, mine


def page(template: str, company_id: str, **values: object) -> str:
    """A page of a company, with the menu of its pages."""
    left_out = backend().options.left_out
    parts = [
        (title, url_for(endpoint, company=company_id), request.blueprint == endpoint.split(".")[0])
        for title, endpoint in PARTS
        if endpoint not in left_out
    ]
    return render_template(template, company=company_id, parts=parts, left_out=left_out, **values)
