"""Drafts that the checks of a company's writer have stopped, by rule, and what people did with them.

It reads counts that each hand-off and act updates, with one query.
"""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from console.backend import reading
from console.rights import Right, needs
from ops.companies import false_stops
from ops.repair.wrong_answer import OF_CONVERSATIONS

pages = Blueprint("stops", __name__)

PERIODS = (7, 28, 90)
LONGEST_ID = 100


@pages.get("/writer")
@needs(Right.LOOK)
def show() -> str:
    """The form to choose a company, or the company's rules with the drafts that each has stopped."""
    wanted = request.args.get("company", "").strip()
    if len(wanted) > LONGEST_ID:
        abort(400, "company: a company's id")
    days = request.args.get("days", str(false_stops.DAYS))
    if days not in map(str, PERIODS):
        abort(400, f"days: one of {', '.join(map(str, PERIODS))}")
    found = false_stops.by_rule(reading(), wanted, days=int(days)) if wanted else []
    wrong = false_stops.said_wrong(reading(), wanted, days=int(days)) if wanted else []
    return render_template(
        "stops.html",
        company=wanted,
        days=int(days),
        periods=PERIODS,
        stops=found,
        wrong=[{**row, "means": OF_CONVERSATIONS.get(row["code"], row["code"])} for row in wrong],
    )
