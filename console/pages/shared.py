"""A link that shows one event's story without signing in: no personal data, read-only, for a week.

The link carries its own proof: the event's key and the link's end, signed with the stage's key for
such links.  Nothing is stored, so a link cannot be ended early; it shows no more than identifiers
and codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Blueprint, abort, render_template, request, url_for

from chalicelib.clock import iso
from chalicelib.once.keyring import KeyPurpose, PurposeKeys
from console import forms
from console.backend import acting, reading
from console.rights import Right, needs
from ops import journal
from ops.inspect.explain import explain
from ops.session import Session

pages = Blueprint("shared", __name__)

LASTS = timedelta(days=7)
_LINK = "console-share"


@pages.post("/story/share")
@needs(Right.ACT)
def share() -> str:
    """Make a link; the journal says who did."""
    session, key = acting(), _event(request.form.get("key"))
    ends = session.services.clock.now() + LASTS
    once = forms.once()
    row = session.row(key)
    until = str(int(ends.timestamp()))
    journal.enter(session, "share", key, row=row, once=once, until=iso(ends))
    proof = _keys(session).sign(_LINK, key, until)
    link = url_for("shared.show", key=key, until=until, proof=proof)
    return render_template("share.html", link=link, key=key, until=iso(ends), host=request.host_url)


@pages.get("/shared")
@needs(Right.ANYONE)
def show() -> str:
    """The story of a valid link."""
    session, key = reading(), _event(request.args.get("key"))
    until, proof = request.args.get("until", ""), request.args.get("proof", "")
    if not forms.is_number(until) or not _keys(session).verifies(proof, _LINK, key, until):
        abort(404, "The link is not one of ours.")
    if int(until) < session.services.clock.now().timestamp():
        abort(404, "The link has ended. Ask for a new one.")
    event = next(
        (event for event in explain(session, key)["events"] if event["event"]["event_id"] == key),
        None,
    )
    if event is None:
        abort(404, "The event is no longer stored.")
    ends = iso(datetime.fromtimestamp(int(until), UTC))
    return render_template("shared.html", key=key, until=ends, **_without_persons(event))


def _without_persons(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event's sentence and steps; of persons' acts only that they were done."""
    acts = {f"{act['action_type']} {act['result']}" for act in event["acts"]}
    steps = [
        {**step, "why": "by a person"} if step["what"] in acts else step
        for step in event["timeline"]
    ]
    sentence = event["story"]["why_not"]
    if sentence is None and not acts:
        sentence = event["story"]["paragraph"]
    return {"status": event["event"]["status"], "sentence": sentence, "steps": steps}


def _keys(session: Session) -> PurposeKeys:
    return session.services.keyring.of(KeyPurpose.SHARE)


def _event(given: str | None) -> str:
    key = (given or "").strip()
    if not key.startswith("evt:"):
        abort(400, "key: an event's key")
    return key
