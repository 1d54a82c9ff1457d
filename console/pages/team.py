"""A company's team: who works for it, who is away until when, and how many conversations each one holds.

Persons mark themselves as away, a lead marks anybody; an absence ends by itself.  A lead puts the
conversations of an absent person back into the queue, in one act.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.clock import iso, parsed
from chalicelib.once.journal import Act
from chalicelib.outreach.desk import acts, shown
from chalicelib.outreach.desk.inbox import MOST_LISTED
from chalicelib.outreach.people import persons
from chalicelib.outreach.people.team_rows import LONGEST_AWAY
from console import backend, forms
from console.excerpt import excerpt
from console.pages import bulk, desk_words, outcomes
from console.rights import Right, needs, person
from console.team import Team, team_of

pages = Blueprint("team", __name__)
HELD = ("taken", "answered", "snoozed")
"""States of conversations that a person holds."""


@pages.get("/team")
@needs(Right.CONVERSE)
def show() -> str:
    """The team of one of the reader's companies."""
    company = _company()
    if not company:
        return render_template("team.html", company="", companies=[])
    team, who = team_of(company), person().who
    page = backend.reading().services.outreach.inbox.list(
        company_id=company, states=HELD, limit=MOST_LISTED
    )
    left = [entry for entry in page.entries if team.away_until(entry["taken_by"])]
    return render_template(
        "team.html",
        company=company,
        companies=sorted(person().companies or ()),
        colleagues=[
            (colleague, who.is_holder(colleague.person), _held_by(colleague.person, page.entries))
            for colleague in team.colleagues
        ],
        others=_others(team, page.entries),
        is_more=bool(page.after),
        is_lead=person().leads(company),
        own=who.text,
        own_away=team.away_until(who.text),
        left=_put_back(left[: outcomes.MOST]),
        all_left=len(left),
        act=acts.PUT_BACK,
        pick=bulk.PICK,
        waited=desk_words.waited,
        called=desk_words.called,
        did=request.args.get("did", ""),
    )


@pages.post("/team/away")
@needs(Right.CONVERSE)
def away() -> Response:
    """Mark a person as away until a time."""
    company, whose, until = _company(), _whose(), _until()
    for company_id in _companies(company, whose):
        _enter(company_id, whose, "away", until=iso(until))
        _rows().mark_away(company_id, whose, until, by=person().who.text)
    return redirect(url_for("team.show", company=company, did="away"), code=303)


@pages.post("/team/back")
@needs(Right.CONVERSE)
def back() -> Response:
    """Mark a person as present again."""
    company, whose = _company(), _whose()
    for company_id in _companies(company, whose):
        _enter(company_id, whose, "back")
        _rows().mark_back(company_id, whose)
    return redirect(url_for("team.show", company=company, did="back"), code=303)


def _company() -> str:
    """The company that the request names, or the reader's first; empty where one must be named."""
    own, asked = person().companies, request.values.get("company", "").strip()
    if asked and not person().sees(asked):
        abort(404)
    return asked or min(own or ("",))


def _whose() -> str:
    """The person whose absence a form changes: the reader, or for a lead any colleague.

    Raises:
        HTTPException: 422 for a person who is no colleague, 403 where only a lead may.
    """
    company, who = _company(), person().who
    given = persons.normal_name(request.form.get("person", ""))
    if not company:
        abort(400, "company: name one")
    if not given:
        abort(400, "person: choose who is away")
    if given == who.text:
        return given
    if not person().leads(company):
        abort(403, "Only a lead may mark a colleague as away.")
    found = team_of(company).named(given)
    if found is None:
        abort(422, "person: names no colleague of this company")
    return found.person


def _until() -> datetime:
    until, now = (
        parsed(request.form.get("until", "").strip()),
        backend.reading().services.clock.now(),
    )
    if until is None:
        abort(400, "until: a time such as 2026-11-30T09:00")
    if not now < until <= now + LONGEST_AWAY:
        abort(400, f"until: in the future, and within {LONGEST_AWAY.days} days")
    return until


def _companies(company: str, whose: str) -> list[str]:
    """Where an absence counts: at all of the reader's companies for their own, else at this company."""
    return sorted(
        {company, *(person().companies or ())} if whose == person().who.text else {company}
    )


def _rows() -> Any:  # noqa: ANN401 - services are built lazily
    return backend.acting().services.outreach.team


def _enter(company: str, whose: str, result: str, **evidence: str) -> None:
    backend.acting().services.journal.enter(
        Act(
            f"team {result}",
            f"team:{company}",
            persons.normal_name(person().name),
            result=result,
            evidence=evidence,
            people={"about": whose},
            act_id=f"{forms.once()}.{company}",
        )
    )


def _held_by(who: str, entries: list[dict[str, Any]]) -> int:
    return sum(persons.parsed_person(who).is_holder(entry["taken_by"] or "") for entry in entries)


def _others(team: Team, entries: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Holders who are no colleagues: people of the company's own desk, or of an earlier list."""
    known = [persons.parsed_person(colleague.person) for colleague in team.colleagues]
    holders = Counter(str(entry["taken_by"]) for entry in entries if entry["taken_by"])
    return [
        (holder, many)
        for holder, many in sorted(holders.items())
        if not any(colleague.is_holder(holder) for colleague in known)
    ]


def _put_back(entries: list[dict[str, Any]]) -> list[tuple[dict[str, Any], Any, str]]:
    """The entries, each with its excerpt and the version that the page shows."""
    records = backend.reading().services.outreach.conversations.find_all(
        [entry["id"] for entry in entries]
    )
    return [
        (entry, excerpt(records[entry["id"]]), shown.version_of(records[entry["id"]]))
        for entry in entries
        if entry["id"] in records
    ]
