"""A company's settings, checked: its items, its secrets' presence, its senders and keys."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from console.access import Right, needs
from console.backend import reading
from ops.companies import company

pages = Blueprint("companies", __name__)


@pages.get("/companies")
@needs(Right.LOOK)
def show() -> str:
    """The form, or the projects of a company with what is wrong in each."""
    wanted = request.args.get("company", "").strip()
    session = reading()
    projects = [
        {"id": item["project_id"], "findings": company.check(session, item)}
        for item in (company.items(session, wanted, None) if wanted else ())
    ]
    return render_template("companies.html", company=wanted, projects=projects)
