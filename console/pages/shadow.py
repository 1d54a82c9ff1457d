"""The shadow report: what automation would have done, or has done, and what people did then."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from console.backend import reading
from console.rights import Right, needs
from ops.support.bounds import said
from ops.support.shadow_report import report
from ops.times import moment

pages = Blueprint("shadow", __name__)

PERIODS = ("24h", "7d", "14d", "28d")
CONVERSATIONS = 200
TICKETS = 20
PER_SECOND = 5.0


@pages.get("/shadow")
@needs(Right.LOOK)
def show() -> str:
    """The form; the report of a period is made when it is asked for, as it reads conversations."""
    since = request.args.get("since", "")
    if since and since not in PERIODS:
        abort(400, f"since: one of {', '.join(PERIODS)}")
    session = reading()
    found = None
    if since:
        found = report(
            session,
            since=moment(session.services.clock, since),
            at_most=CONVERSATIONS,
            tickets=TICKETS,
            per_second=PER_SECOND,
        )
    return render_template(
        "shadow.html",
        report=found,
        since=since,
        periods=PERIODS,
        conversations=CONVERSATIONS,
        tickets=TICKETS,
        said=said,
    )
