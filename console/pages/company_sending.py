"""Whether a company may write to somebody: the answer, its reasons and rules in words, and from when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, request

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions import rulebook
from console.backend import reading
from console.pages import company
from console.rights import Right, needs
from ops.companies import send_verdict
from ops.session import OpsError

pages = Blueprint("company_sending", __name__)
LONGEST = 320
"""Characters of an address at most."""


@pages.get("/company/may-i-send")
@needs(Right.BUILD)
def show() -> str:
    """The form that asks whether a company may write to somebody."""
    return _page({})


@pages.post("/company/may-i-send")
@needs(Right.BUILD)
def ask() -> str | tuple[str, int]:
    """The answer.  Nothing is sent or stored, and the recipient's address appears in no URL."""
    session, company_id = reading(), company.chosen()
    _, project = company.project_of(session, company_id)
    given = {name: request.form.get(name, "").strip() for name in ("recipient", "at", "purpose")}
    given["channel"] = request.form.get("channel", "")
    if given["channel"] not in list(Channel):
        abort(400, f"channel: one of {', '.join(Channel)}")
    if given["purpose"] and given["purpose"] not in list(ContactPurpose):
        abort(400, f"purpose: one of {', '.join(ContactPurpose)}")
    if len(given["recipient"]) > LONGEST:
        abort(400, f"recipient: at most {LONGEST} characters")
    try:
        found = send_verdict.verdict(
            session,
            (company_id, project.project_id),
            Channel(given["channel"]),
            given["recipient"],
            purpose=ContactPurpose(given["purpose"]) if given["purpose"] else None,
            at=send_verdict.moment(given["at"], "the time") if given["at"] else None,
        )
    except OpsError as error:
        return _page(given, wrong=str(error)), 400
    return _page(given, found=found)


def _page(
    given: Mapping[str, str], *, found: Mapping[str, Any] | None = None, wrong: str = ""
) -> str:
    session, company_id = reading(), company.chosen()
    projects, project = company.project_of(session, company_id)
    names = {rule.id: rule for file in rulebook.jurisdictions() for rule in file.rules}
    titles = {rule.id: file for file in rulebook.jurisdictions() for rule in file.rules}
    rules = [(rule, titles.get(rule), names.get(rule)) for rule in (found or {}).get("rules", ())]
    return company.page(
        "company_sending.html",
        company_id,
        projects=[project.project_id for project in projects],
        project=project.project_id,
        given={"recipient": "", "at": "", "purpose": "", "channel": "", **given},
        channels=list(Channel),
        purposes=list(ContactPurpose),
        longest=LONGEST,
        found=found,
        rules=rules,
        wrong=wrong,
    )
