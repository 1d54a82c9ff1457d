"""A company's API keys: the active ones, who made each; making one, which is shown once, and revoking one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.wrappers import Response

from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons
from console import forms
from console.backend import reading
from console.pages import company
from console.rights import Right, needs
from ops import journal
from ops.companies import api_keys, signing_keys
from ops.companies import company as stored
from ops.session import Session

pages = Blueprint("company_keys", __name__)
LONGEST_ID = 40
ROLES: Mapping[str, str] = {
    api_keys.ROUTER: "the company's systems",
    DeskRole.AGENT: "its desk: an agent",
    DeskRole.LEAD: "its desk: a lead",
}
"""What each key gives access to, in a reader's words."""


@pages.get("/company/keys")
@needs(Right.BUILD)
def show() -> str:
    """The active keys, without their secret parts."""
    session, company_id = reading(), company.chosen()
    stored.items(session, company_id, None)
    known, made = api_keys.shown(session, company_id), _made_by(session, company_id)
    kept = [(key, made.get(key.id)) for key in known]
    return company.page(
        "company_keys.html",
        company_id,
        keys=kept,
        roles=ROLES,
        full={
            role for role in ROLES if sum(key.role == role for key in known) >= api_keys.ACTIVE_KEYS
        },
        faults=api_keys.faults(session, company_id),
        signing=signing_keys.listed(session, company_id),
        has_revoked=request.args.get("did") == "revoked",
    )


@pages.post("/company/keys")
@needs(Right.BUILD)
def make() -> str:
    """Make a key; only this answer shows it.  A third key of a role is refused: it would end the first."""
    session, company_id, once = company.posted()
    role = _role()
    active = [key for key in api_keys.shown(session, company_id) if key.role == role]
    if len(active) >= api_keys.ACTIVE_KEYS:
        abort(400, "role: two keys of it are active; revoke one first")
    made, _ = stored.issue(session, company_id, _desk(role), once=once)
    return company.page(
        "company_secret.html",
        company_id,
        made=made,
        what="API key",
        back=url_for("company_keys.show", company=company_id),
    )


@pages.post("/company/keys/revoke")
@needs(Right.BUILD)
def revoke() -> Response:
    """Revoke one key, at once."""
    session, company_id, once = company.posted()
    role, why = _role(), forms.reason()
    key_id = request.form.get("id", "")
    if not request.form.get("sure"):
        abort(400, "sure: tick that requests with this key are refused from then on")
    if api_keys.KeyShown(key_id[:LONGEST_ID], role) not in api_keys.shown(session, company_id):
        abort(404, "The company has no such key.")
    journal.enter(
        session,
        "company key",
        f"company:{company_id}",
        reason=why,
        once=once,
        asked="revoke",
        desk=_desk(role),
        revoked=key_id,
    )
    api_keys.revoke(session, company_id, key_id, _desk(role))
    return redirect(url_for("company_keys.show", company=company_id, did="revoked"), 303)


def _role() -> str:
    given = request.form.get("role", "")
    if given not in ROLES:
        abort(400, f"role: one of {', '.join(ROLES)}")
    return given


def _desk(role: str) -> DeskRole | None:
    return None if role == api_keys.ROUTER else DeskRole(role)


def _made_by(session: Session, company_id: str) -> dict[str, Any]:
    """By whom and when each key was made, as far as the journal knows."""
    found = session.services.journal.story(f"company:{company_id}")
    acts = [journal.shown(act) for act in found if act["action_type"] == "company key"]
    return {
        str(json.loads(act["saw"]).get("made", "")): {
            "at": act["at"],
            "by": persons.parsed_person(act["by"]).shown_name,
        }
        for act in acts
    }
