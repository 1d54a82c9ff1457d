"""A link that shows one event's story to who has no session: without persons, read-only, for a week.

The link carries its own proof: a keyed hash of the event's key and of the link's end, under the stage's
key.  Nothing is stored, so it cannot be ended early; it shows no more than identifiers and codes.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Blueprint, abort, render_template, request, url_for

from chalicelib.clock import iso
from console import forms
from console.backend import acting, reading
from console.rights import Right, needs
from ops import journal
from ops.inspect.explain import explain
from ops.session import Session

pages = Blueprint("shared", __name__)

LASTS = timedelta(days=7)
_PURPOSE = "console-share"


@pages.post("/story/share")
@needs(Right.ACT)
def share() -> str:
    """Make a link; the journal has who did."""
    session, key = acting(), _event(request.form.get("key"))
    ends = session.services.clock.now() + LASTS
    once = forms.once()
    row = session.row(key)
    until = str(int(ends.timestamp()))
    journal.enter(session, "share", key, row=row, once=once, until=iso(ends))
    link = url_for("shared.show", key=key, until=until, proof=_proof(session, key, until))
    return render_template("share.html", link=link, key=key, until=iso(ends), host=request.host_url)


@pages.get("/shared")
@needs(Right.ANYONE)
def show() -> str:
    """The story of a link that is valid."""
    session, key = reading(), _event(request.args.get("key"))
    until, proof = request.args.get("until", ""), request.args.get("proof", "")
    given = proof.encode("utf-8", "replace")
    if not forms.is_number(until) or not hmac.compare_digest(
        given, _proof(session, key, until).encode()
    ):
        abort(404, "The link is not one of ours.")
    if int(until) < session.services.clock.now().timestamp():
        abort(404, "The link has ended. Ask for a new one.")
    event = next(
        (one for one in explain(session, key)["events"] if one["event"]["event_id"] == key), None
    )
    if event is None:
        abort(404, "The event is no longer stored.")
    ends = iso(datetime.fromtimestamp(int(until), UTC))
    return render_template("shared.html", key=key, until=ends, **_without_persons(event))


def _without_persons(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event's sentence and steps; of what persons did only that it was done."""
    acts = {f"{one['action_type']} {one['result']}" for one in event["acts"]}
    steps = [
        {**one, "why": "by a person"} if one["what"] in acts else one for one in event["timeline"]
    ]
    sentence = event["story"]["why_not"]
    if sentence is None and not acts:
        sentence = event["story"]["paragraph"]
    return {"status": event["event"]["status"], "sentence": sentence, "steps": steps}


def _proof(session: Session, key: str, until: str) -> str:
    return session.services.opaque_ids.of(_PURPOSE, key, until)


def _event(given: str | None) -> str:
    key = (given or "").strip()
    if not key.startswith("evt:"):
        abort(400, "key: an event's key")
    return key
