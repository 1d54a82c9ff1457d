"""The inbox: conversations that wait for a person, of the reader's own companies.

It shows recipients' names and their last words, so a look is entered in the journal: once in ten
minutes for each person and list, as an open list reloads itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.errors import PayloadError
from chalicelib.once import keys
from chalicelib.once.journal import Act
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import acts, shown
from chalicelib.outreach.people import persons
from console import backend
from console.excerpt import excerpt
from console.pages import bulk, desk_story, desk_words, inbox_views, undoing
from console.rights import Right, needs, person
from console.team import team_of

pages = Blueprint("inbox", __name__)
PAGE = 50
MINE, AWAY, STATES = inbox_views.MINE, inbox_views.AWAY, inbox_views.OPEN
VIEWS = (
    ("", "All open"),
    ("waiting", "Waiting"),
    (MINE, "Mine"),
    ("taken", "Taken"),
    ("answered", "Answered"),
    ("snoozed", "Put off"),
)
FILTERS = ("company", "state", "channel", "project", "view")
"""Arguments of the inbox's address that choose what is listed."""
OF_LEADS = ((AWAY, "Held by somebody away"),)
LOOKED = "inbox view"
_ENTERED_EVERY = 10
"""Minutes within which the looks of a person at a list are one entry."""


@pages.app_url_defaults
def keep_filters(endpoint: str, values: dict[str, Any]) -> None:
    """Keep the filters in the address, from the list to a conversation, its acts and back."""
    is_desk = endpoint == "inbox.show" or endpoint.startswith("conversation.")
    if is_desk and request.blueprint in ("inbox", "conversation"):
        for name in FILTERS:
            values.setdefault(name, request.args.get(name))


@pages.get("/inbox")
@needs(Right.CONVERSE)
def show() -> str | Response:
    """The list: doubts first, then the longest waiting; the address holds the filters."""
    company = _company()
    state, channel, project = (
        request.args.get(name, "") for name in ("state", "channel", "project")
    )
    if state and state not in (*STATES, MINE, AWAY):
        abort(400, f"state: one of {', '.join((*STATES, MINE, AWAY))}")
    if state == AWAY and not company:
        abort(400, "company: name one, to see conversations held by somebody away")
    if channel and channel not in set(Channel):
        abort(400, f"channel: one of {', '.join(Channel)}")
    wanted: dict[str, Any] = {
        "company_id": company,
        "channel": channel or None,
        "project_id": project or None,
        **({"states": (state,)} if state in STATES else {}),
        **({"taken_by": person().who.is_holder} if state == MINE else {}),
        **({"taken_by": team_of(company).is_away} if state == AWAY and company else {}),
    }
    session = backend.reading()
    inbox = session.services.outreach.inbox
    try:
        found = inbox.list(**wanted, limit=PAGE, after=request.args.get("after", ""))
    except PayloadError as error:
        abort(400, error.message)
    _enter_look(company, len(found.entries))
    records = session.services.outreach.conversations.find_all(
        [entry["id"] for entry in found.entries]
    )
    return render_template(
        "inbox.html",
        entries=[
            (
                _with_holder(entry, records),
                excerpt(records.get(entry["id"])),
                _icon(entry["channel"]),
            )
            for entry in found.entries
        ],
        bulk=[(act, acts.ACTS[act].words) for act in bulk.BULK],
        colleagues=team_of(company).colleagues if company else (),
        unanswered=inbox.unanswered(**wanted),
        more=_address(after=found.after) if found.after else "",
        company=company,
        companies=sorted(person().companies or ()),
        renewed=_address(after=request.args.get("after") or None),
        views=[
            (title, _address(state=name or None, here=None, view=None), name == state)
            for name, title in (*VIEWS, *(OF_LEADS if company and person().leads(company) else ()))
        ],
        saved=inbox_views.listed(company),
        state=state,
        channel=channel,
        channels=list(Channel),
        project=project,
        here=request.args.get("here", ""),
        happened=_happened(request.args.get("did", "")),
        waited=desk_words.waited,
        called=desk_words.called,
    )


def home() -> Response:
    """A redirect to the first page of a person who may not see operators' pages."""
    return redirect(url_for("figures.show" if person().may(Right.BUILD) else "inbox.show"))


def _enter_look(company: str | None, many: int) -> None:
    session = backend.acting()
    name, of = persons.normal_name(person().name), company or "every company"
    now = session.services.clock.now()
    minute = now.minute // _ENTERED_EVERY * _ENTERED_EVERY
    at = now.replace(minute=minute, second=0, microsecond=0)
    act_id = keys.digest(LOOKED, name, of)[:32]
    evidence = {"shown": many}
    session.services.journal.enter(
        Act(LOOKED, f"inbox:{of}", name, "viewed", evidence=evidence, act_id=act_id, at=at)
    )


def _happened(opaque_id: str) -> tuple[str, str, undoing.UndoOffer | None]:
    """What the reader has just done with a conversation, its id, and the offer to undo it; else empty."""
    if not opaque_id:
        return "", "", None
    now = backend.reading().services.clock.now()
    name = persons.normal_name(person().name)
    newest = list(itertools.islice(desk_story.story(opaque_id), 1))
    said = desk_words.happened(newest, name, now)
    return said, opaque_id, undoing.offer(opaque_id, newest) if said else None


def _with_holder(entry: dict[str, Any], records: Mapping[str, Record]) -> dict[str, Any]:
    """An entry with the end of its holder's absence, and the value of its tick box."""
    record, holder = records.get(entry["id"]), entry["taken_by"]
    away = team_of(entry["company"]).away_until(holder) if holder else ""
    tick = f"{entry['id']}~{shown.version_of(record)}" if record else ""
    return {**entry, "away": away, "tick": tick}


def _icon(channel: str | None) -> str:
    """The icon of an entry's channel; empty where the entry has no channel."""
    return desk_words.ICONS[Channel(channel).traits.form] if channel else ""


def _company() -> str | None:
    """The company whose list is shown; None for every company of the stage.

    A company that is not the reader's answers as one that does not exist.
    """
    own = person().companies
    asked = request.args.get("company", "")
    if asked:
        if not person().sees(asked):
            abort(404)
        return asked
    return None if own is None else min(own)


def _address(**changes: str | None) -> str:
    kept = {name: value for name, value in request.args.items() if name not in ("after", "did")}
    values: dict[str, Any] = {**kept, **changes}
    return url_for("inbox.show", **values)
