"""The inbox: conversations that wait for a person, of the reader's own companies."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.errors import PayloadError
from console import backend
from console.pages import desk_words
from console.rights import Right, needs, person

pages = Blueprint("inbox", __name__)
PAGE = 50
MINE = "mine"
STATES = ("waiting", "taken", "answered", "snoozed")


@pages.get("/inbox")
@needs(Right.CONVERSE)
def show() -> str | Response:
    """The list, doubts and then the longest waiting first; the filter is the address."""
    company = _company()
    state = request.args.get("state", "")
    if state and state not in (*STATES, MINE):
        abort(400, f"state: one of {', '.join((*STATES, MINE))}")
    wanted: dict[str, Any] = {"states": (state,)} if state in STATES else {}
    if state == MINE:
        wanted["taken_by"] = person().who.has
    try:
        found = backend.reading().services.outreach.inbox.list(
            company_id=company, limit=PAGE, after=request.args.get("after", ""), **wanted
        )
    except PayloadError as error:
        abort(400, error.message)
    return render_template(
        "inbox.html",
        entries=found.entries,
        more=_address(after=found.after) if found.after else "",
        company=company,
        companies=sorted(person().companies or ()),
        state=state,
        states=(*STATES, MINE),
        waited=desk_words.waited,
        called=desk_words.called,
    )


def home() -> Response:
    """The first page of a person without operators' pages."""
    return redirect(url_for("inbox.show"))


def _company() -> str | None:
    """The company whose list is shown; None for every company of the stage.

    Another company than one's own is as one that does not exist.
    """
    own = person().companies
    asked = request.args.get("company", "")
    if asked:
        if not person().sees(asked):
            abort(404)
        return asked
    return None if own is None else min(own)


def _address(**changes: str) -> str:
    kept = {name: one for name, one in request.args.items() if name != "after"}
    values: dict[str, Any] = {**kept, **changes}
    return url_for("inbox.show", **values)
