"""The shadow report: what automation would have done, or has done, and what people did then.

One ticket's page shows the reply that would be sent now.  The reply has a customer's data, so the
page needs the right to act.
"""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.support.shadow_decisions import PERSON
from console import forms
from console.backend import acting, reading
from console.rights import Right, needs
from ops import journal
from ops.support import labels
from ops.support.bounds import said
from ops.support.rendered_again import rendered_again
from ops.support.shadow_report import report
from ops.times import moment

pages = Blueprint("shadow", __name__)

PERIODS = ("24h", "7d", "14d", "28d")
CONVERSATIONS = 200
TICKETS = 20
PER_SECOND = 5.0
LONGEST_ID = 100


@pages.get("/shadow")
@needs(Right.LOOK)
def show() -> str:
    """The form, and the report where a period is chosen; making it reads conversations."""
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


@pages.get("/shadow/one")
@needs(Right.ACT)
def one() -> str:
    """One ticket's decision, what people did, and its reply from ticket and shop as they are now."""
    session, ticket = reading(), _ticket(request.args.get("ticket"))
    state = labels.state_with_decision(session, ticket)
    decided = labels.decision_of(state)
    people = state.people if (state.people or {}).get("event") == decided["event"] else None
    again = None
    if decided["decision"] != PERSON:
        again = rendered_again(session, ticket, decided)
    return render_template(
        "decision.html",
        ticket=ticket,
        decided=decided,
        people=people,
        label=labels.of_event(state.labels, decided["event"]),
        again=again,
        wrong=labels.WRONG,
    )


@pages.post("/shadow/label")
@needs(Right.ACT)
def label() -> Response:
    """Store a person's judgement of a decision."""
    session, ticket = acting(), _ticket(request.form.get("ticket"))
    code = request.form.get("code", "")
    if code not in (labels.RIGHT, *labels.WRONG):
        abort(400, f"code: one of {', '.join((labels.RIGHT, *labels.WRONG))}")
    why, once = forms.reason(), forms.once()
    session.services.check_stage()
    state = labels.state_with_decision(session, ticket)
    event = str(labels.decision_of(state)["event"])
    row = session.ledger_table.get({"event_id": event})
    journal.enter(session, "support label", event, row=row, reason=why, once=once, code=code)
    labels.put(session, state, event, code)
    return redirect(url_for("shadow.one", ticket=ticket), 303)


def _ticket(given: str | None) -> str:
    ticket = (given or "").strip()
    if not ticket or len(ticket) > LONGEST_ID:
        abort(400, "ticket: a ticket's id")
    return ticket
