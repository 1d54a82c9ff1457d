"""A company's saved replies: its leads and operators read, write and remove them, each with a reason.

Agents insert them into a conversation, where their fields are filled (`conversation.insert`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.clock import iso
from chalicelib.outreach.conversations.shelves import (
    Shelf,
    ShelfPlace,
    ShelfRefusal,
    ShelfRefusedError,
    ShelvedThing,
)
from chalicelib.outreach.people import persons
from console import forms
from console.backend import acting, reading
from console.rights import Right, Role, needs, person
from console.saved_replies import FIELDS, LONGEST_TEXT, fault_of, fields_in
from ops import journal
from ops.companies import company as stored

pages = Blueprint("saved_replies", __name__)

MOST, LONGEST_NAME, LONGEST_ID = 60, 60, 24
ACT = "saved reply"
REFUSED: Mapping[ShelfRefusal, str] = {
    ShelfRefusal.NAME_TAKEN: "name: another saved reply of the company has it",
    ShelfRefusal.FULL: f"a company keeps {MOST} at most: remove one first",
    ShelfRefusal.CHANGED: "a colleague has changed or removed it meanwhile; below is how it is now",
}


def place_of(company_id: str) -> ShelfPlace:
    """Where a company's saved replies are stored."""
    return ShelfPlace(company_id, "replies", MOST)


def kept_by(company_id: str) -> Shelf:
    """A company's saved replies; each holds its ``text``."""
    (shelf,) = reading().services.outreach.conversations.shelves([place_of(company_id)])
    return shelf


@pages.get("/saved-replies")
@needs(Right.GUIDE)
def show() -> str:
    """A company's saved replies with their forms, or the choice of a company."""
    company_id = _chosen()
    if company_id is None:
        return render_template("saved_replies.html", company="", companies=sorted(_led() or ()))
    return _page(company_id, did=request.args.get("did", ""))


@pages.post("/saved-replies")
@needs(Right.GUIDE)
def add() -> Response | tuple[str, int]:
    """Add a reply."""
    form = forms.once()
    return _done("added", lambda shelf, new: shelf.adding(new), form)


@pages.post("/saved-replies/change")
@needs(Right.GUIDE)
def change() -> Response | tuple[str, int]:
    """Change a reply, if it is still as the form's page showed it."""
    seen = request.form.get("seen", "")
    return _done("changed", lambda shelf, new: shelf.changing(new, seen), _thing_id())


@pages.post("/saved-replies/remove")
@needs(Right.GUIDE)
def remove() -> Response:
    """Remove a reply for good."""
    company_id, thing_id = _named(), _thing_id()
    there = kept_by(company_id).things.get(thing_id)
    if there is not None:
        _store(company_id, "removed", lambda shelf: shelf.removing(thing_id), there.name)
    return _to_list(company_id, "removed")


def _done(
    did: str, change: Callable[[Shelf, ShelvedThing], Shelf], thing_id: str
) -> Response | tuple[str, int]:
    """Store a reply; a refused form comes back with what was written in it."""
    company_id, once = _named(), forms.once()
    name = " ".join(request.form.get("name", "").split())
    text = request.form.get("text", "").replace("\r\n", "\n").strip()
    given = {"name": name, "text": text, "reason": request.form.get("reason", "")}
    at = "" if did == "added" else thing_id
    if not 1 <= len(name) <= LONGEST_NAME:
        said = f"name: 1 to {LONGEST_NAME} characters"
        return _page(company_id, said=said, given=given, at=at), HTTPStatus.BAD_REQUEST
    if fault := fault_of(text):
        said = f"text: {fault}"
        return _page(company_id, said=said, given=given, at=at), HTTPStatus.BAD_REQUEST
    by, now = persons.normal_name(person().name), iso(reading().services.clock.now())
    new = ShelvedThing(thing_id, name, {"text": text}, by, now, once)
    try:
        _store(company_id, did, lambda shelf: change(shelf, new), name)
    except ShelfRefusedError as error:
        said = REFUSED[error.why]
        return _page(company_id, said=said, given=given, at=at), HTTPStatus.CONFLICT
    return _to_list(company_id, did)


def _store(company_id: str, did: str, change: Callable[[Shelf], Shelf], name: str) -> None:
    session = acting()
    act = journal.act(
        session,
        ACT,
        f"company:{company_id}",
        result=did,
        reason=forms.reason(),
        once=forms.once(),
        reply=name,
    )
    session.services.outreach.conversations.change_shelf(
        place_of(company_id), change, journal.writes(session, act)
    )


def _to_list(company_id: str, did: str) -> Response:
    return redirect(
        url_for("saved_replies.show", company=company_id, did=did), HTTPStatus.SEE_OTHER
    )


def _page(
    company_id: str,
    *,
    did: str = "",
    said: str = "",
    given: Mapping[str, str] | None = None,
    at: str = "",
) -> str:
    """The list of replies.

    Args:
        company_id: the company.
        did: what has just been done.
        said: why a form was refused.
        given: what was written in the refused form.
        at: the reply that the form is about; empty for a new one.
    """
    replies = [(reply, fields_in(reply.holds["text"])) for reply in kept_by(company_id).by_name]
    return render_template(
        "saved_replies.html",
        company=company_id,
        companies=sorted(_led() or ()),
        replies=replies,
        known=FIELDS,
        did=did if did in ("added", "changed", "removed") else "",
        said=said,
        given=given or {"name": "", "text": "", "reason": ""},
        at=at,
        most=MOST,
        longest_name=LONGEST_NAME,
        longest_text=LONGEST_TEXT,
        called=lambda by: persons.parsed_person(by).shown_name,
    )


def _thing_id() -> str:
    return request.form.get("id", "")[:LONGEST_ID]


def _led() -> frozenset[str] | None:
    return person().led


def _chosen() -> str | None:
    """The company that the request names, or the person's only one; None where neither exists.

    Raises:
        NotFound: the company is not the person's, or, for an operator, not stored.
    """
    asked, led = request.values.get("company", "").strip(), _led()
    if not asked:
        return min(led) if led is not None and len(led) == 1 else None
    if not person().leads(asked):
        if Role.OPERATOR not in person().roles:
            abort(404)
        stored.items(reading(), asked, None)
    return asked


def _named() -> str:
    company_id = _chosen()
    if company_id is None:
        abort(404)
    return company_id
