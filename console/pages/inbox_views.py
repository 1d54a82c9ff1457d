"""Saved views of the inbox: a person's own, and those that a lead shares in a company.

A view is a set of the inbox's filters under a name.  Where a filter's project is no longer stored,
or its company no longer the reader's, the view says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.clock import iso
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.shelves import (
    Shelf,
    ShelfPlace,
    ShelfRefusal,
    ShelfRefusedError,
    ShelvedThing,
    owned_by,
)
from chalicelib.outreach.desk import shown
from chalicelib.outreach.people import persons
from console import forms
from console.backend import acting, reading
from console.rights import Right, needs, person
from ops import journal

pages = Blueprint("inbox_views", __name__)

ACT = "saved views"
MINE, AWAY = "mine", "away"
OPEN = shown.STATES[:4]
STATES = (*OPEN, MINE, AWAY)
FILTERS = ("company", "state", "channel", "project")
MOST, LONGEST_NAME, LONGEST_VALUE, LONGEST_ID = 20, 40, 256, 24
OF_COMPANY = "company"
REFUSED: Mapping[ShelfRefusal, str] = {
    ShelfRefusal.NAME_TAKEN: "name: another view has it",
    ShelfRefusal.FULL: f"{MOST} views are kept at most: remove one first",
}
_PLACE = "views"


@dataclass(frozen=True, slots=True)
class SavedView:
    """A view as the inbox lists it.

    Attributes:
        company: the company whose lead shares it; empty for the reader's own.
        url: the address that opens it.
        is_here: whether the inbox shows it now.
        gone: filters whose project or company is gone, in words; filled only for the view that is
            shown, and on the page of views.
    """

    id: str
    name: str
    company: str
    holds: Mapping[str, str] = field(repr=False)
    url: str
    is_here: bool = False
    gone: tuple[str, ...] = ()


def listed(company_id: str | None, *, looks_all: bool = False) -> list[SavedView]:
    """The reader's own views, then those of the company whose inbox is shown; one read of two rows.

    Args:
        company_id: the company; None for every company of the stage, which shares none.
        looks_all: whether every view is checked for gone filters, or only the one that is shown.
    """
    here = request.args.get("view", "")
    return [
        SavedView(
            thing.id,
            thing.name,
            owner,
            thing.holds,
            url_for("inbox_views.follow", view_id=thing.id, company=owner or None),
            is_here=thing.id == here,
            gone=tuple(_gone(thing.holds)) if looks_all or thing.id == here else (),
        )
        for owner, thing in _things(company_id)
    ]


@pages.get("/inbox/views")
@needs(Right.CONVERSE)
def show() -> str:
    """The form that saves the filters in the address, and the views with buttons to remove them."""
    return _page(_filters(request.args))


@pages.get("/inbox/views/<view_id>")
@needs(Right.CONVERSE)
def follow(view_id: str) -> Response:
    """A redirect to the inbox with a view's filters, without those that are no longer valid."""
    company_id = _seen(request.args.get("company", "")) or None
    holds = next((view.holds for _, view in _things(company_id) if view.id == view_id), None)
    if holds is None:
        abort(404, "There is no such view any more, or it is not yours to see.")
    asked: dict[str, Any] = {
        name: value for name, value in holds.items() if name not in _unusable(holds)
    }
    return redirect(url_for("inbox.show", **asked, view=view_id))


@pages.post("/inbox/views")
@needs(Right.CONVERSE)
def keep() -> Response | tuple[str, int]:
    """Save the filters under a name: for the reader, or by a lead for everybody of the company."""
    once, filters = forms.once(), _filters(request.form)
    name = " ".join(request.form.get("name", "").split())
    if not 1 <= len(name) <= LONGEST_NAME:
        return _page(filters, said=f"name: 1 to {LONGEST_NAME} characters"), HTTPStatus.BAD_REQUEST
    owner = _owner(filters.get("company", ""))
    by, now = persons.normal_name(person().name), iso(reading().services.clock.now())
    new = ShelvedThing(once, name, filters, by, now, once)
    try:
        _change(owner, "added", once, lambda shelf: shelf.adding(new))
    except ShelfRefusedError as error:
        return _page(filters, said=REFUSED[error.why], name=name), HTTPStatus.CONFLICT
    return redirect(
        url_for("inbox_views.follow", view_id=once, company=owner or None), HTTPStatus.SEE_OTHER
    )


@pages.post("/inbox/views/remove")
@needs(Right.CONVERSE)
def remove() -> Response:
    """Remove a view for good: the reader's own, or by a lead the company's."""
    company_id = _seen(request.form.get("company", ""))
    view_id = request.form.get("id", "")[:LONGEST_ID]
    _change(_owner(company_id), "removed", forms.once(), lambda shelf: shelf.removing(view_id))
    return redirect(url_for("inbox_views.show", company=company_id or None), HTTPStatus.SEE_OTHER)


def _page(filters: Mapping[str, str], *, said: str = "", name: str = "") -> str:
    company_id = filters.get("company", "")
    return render_template(
        "inbox_views.html",
        views=listed(company_id or None, looks_all=True),
        filters=filters,
        company=company_id,
        may_share=bool(company_id) and person().leads(company_id),
        said=said,
        name=name,
        most=MOST,
        longest=LONGEST_NAME,
    )


def _owner(company_id: str) -> str:
    """The company whose shared views a form changes; empty for the person's own.

    Raises:
        Forbidden: the person is not a lead of it.
    """
    if request.form.get("of") != OF_COMPANY:
        return ""
    if not company_id or not person().leads(company_id):
        abort(403, "Only a lead of the company may share views in it.")
    return company_id


def _change(owner: str, did: str, once: str, change: Any) -> None:  # noqa: ANN401 - of `change_shelf`
    session = acting()
    key = f"company:{owner}" if owner else "inbox:own views"
    act = journal.act(session, ACT, key, result=did, once=once)
    session.services.outreach.conversations.change_shelf(
        _shared(owner) if owner else _own(), change, journal.writes(session, act)
    )


def _own() -> ShelfPlace:
    return ShelfPlace(owned_by(persons.normal_name(person().name)), _PLACE, MOST)


def _shared(company_id: str) -> ShelfPlace:
    return ShelfPlace(company_id, _PLACE, MOST)


def _things(company_id: str | None) -> Iterator[tuple[str, ShelvedThing]]:
    """The views, each with its company; own views have an empty one and come first."""
    places = [_own(), *((_shared(company_id),) if company_id else ())]
    shelves: list[Shelf] = reading().services.outreach.conversations.shelves(places)
    for owner, shelf in zip(("", company_id or ""), shelves, strict=False):
        yield from ((owner, view) for view in shelf.by_name)


def _filters(given: Mapping[str, str]) -> dict[str, str]:
    """The filters of an address or a form; empty ones are left out.

    Raises:
        BadRequest: names the filter that is wrong.
        NotFound: the company is not the person's.
    """
    found = {name: given.get(name, "").strip() for name in FILTERS}
    _seen(found["company"])
    if found["state"] not in ("", *STATES):
        abort(400, f"state: one of {', '.join(STATES)}")
    if found["channel"] not in ("", *Channel):
        abort(400, f"channel: one of {', '.join(Channel)}")
    if len(found["project"]) > LONGEST_VALUE:
        abort(400, f"project: at most {LONGEST_VALUE} characters")
    return {name: value for name, value in found.items() if value}


def _seen(company_id: str) -> str:
    if company_id and not person().sees(company_id):
        abort(404)
    return company_id


def _unusable(holds: Mapping[str, str]) -> set[str]:
    """The filters that the inbox would refuse."""
    is_known = {
        "company": person().sees(holds.get("company", "")),
        "state": holds.get("state") in STATES,
        "channel": holds.get("channel") in tuple(Channel),
    }
    return {name for name in holds if not is_known.get(name, True)}


def _gone(holds: Mapping[str, str]) -> Iterator[str]:
    """The filters whose company, state, channel or project is gone, in words."""
    unusable = _unusable(holds)
    yield from (f"its {name} {holds[name]}" for name in FILTERS if name in unusable)
    company_id, project_id = holds.get("company"), holds.get("project")
    if not company_id or not project_id or "company" in unusable:
        return
    if reading().services.outreach.companies.project(company_id, project_id) is None:
        yield f"its project {project_id}"
