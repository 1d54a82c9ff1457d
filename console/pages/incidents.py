"""What holds events up, by cause: each incident, whom it affects, and one act that mends it."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.once.incidents import MOST_COUNTED
from console import forms
from console.backend import acting, reading
from console.rights import Right, needs, person
from ops.incidents import affected as held_up
from ops.incidents import mend
from ops.incidents.naming import as_data, incident_named
from ops.repair import preview

pages = Blueprint("incidents", __name__)

AT_MOST = 50
"""Events that a page shows, and mends in one request."""
CUSTOMERS = 20
PER_SECOND = 20.0


@pages.get("/incidents")
@needs(Right.LOOK)
def show() -> str:
    """The incidents that hold something up, then those that have ended."""
    found = reading().services.incidents.all()
    return render_template(
        "incidents.html", incidents=[as_data(incident) for incident in found], counted=MOST_COUNTED
    )


@pages.get("/incidents/one")
@needs(Right.LOOK)
def one() -> str:
    """One incident, and a dry run of the act that mends it."""
    session = reading()
    found = incident_named(session, request.args.get("name", ""))
    held = held_up.read(session, found, limit=AT_MOST)
    effects = held_up.effects_of(held)
    return render_template(
        "incident.html",
        incident=as_data(found),
        key=found.key,
        version=found.version,
        held=held,
        effects=effects,
        summary=preview.summary(effects),
        touches=held_up.touches(session, held, limit=CUSTOMERS),
        is_more=found.held > AT_MOST,
        counted=MOST_COUNTED,
    )


@pages.post("/incidents/own")
@needs(Right.ACT)
def own() -> Response:
    """Record that the person takes the incident on."""
    session, why = acting(), forms.reason()
    session.services.check_stage()
    found = incident_named(session, request.form.get("name", ""))
    mend.acknowledge(session, found, person().name, because=why)
    return redirect(url_for("incidents.one", name=found.name, note="owned"), 303)


@pages.post("/incidents/mend")
@needs(Right.ACT)
def repair() -> Response:
    """Mend the events that the page has shown, and no others."""
    session, why = acting(), forms.reason()
    found = incident_named(session, request.form.get("name", ""))
    if found.held > AT_MOST:
        abort(400, f"name: more than {AT_MOST} events; the command mends it")
    shown = frozenset(request.form.getlist("event"))
    held = [event for event in held_up.read(session, found) if event.event in shown]
    for _ in mend.mend(session, found, held, per_second=PER_SECOND, because=why):
        pass
    return redirect(url_for("incidents.one", name=found.name, note="mended"), 303)
