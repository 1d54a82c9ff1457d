"""One event: what happened, in a sentence and step by step; and replaying it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from console import forms
from console.backend import acting, reading
from console.rights import Right, needs, person
from ops.inspect import planned
from ops.inspect.explain import explain, state_words
from ops.repair import preview, replay, settle, wrong_answer
from ops.session import Session

pages = Blueprint("story", __name__)

_KEYS = ("evt:", "act:")


@pages.get("/story")
@needs(Right.LOOK)
def show() -> str:
    """The story of an event, by its key or the key of one of its actions."""
    key = _key(request.args)
    return render_template("story.html", report=as_shown(explain(reading(), key)), key=key)


@pages.get("/story/again")
@needs(Right.LOOK)
def preview_again() -> str:
    """What a replay of an event would do; sends nothing."""
    session, key = reading(), _event(request.args)
    return render_template("again.html", key=key, effects=_would(session, key))


@pages.post("/story/again")
@needs(Right.ACT)
def again() -> Response:
    """Replay an event: put it on its queue again."""
    session, key = acting(), _event(request.form)
    row, why, once = session.row(key), forms.reason(), forms.once()
    session.services.check_stage()
    list(replay.replay(session, [row], per_second=1.0, because=why, once=once))
    return redirect(url_for("story.show", key=key, note="again"), 303)


@pages.post("/story/wrong")
@needs(Right.CONVERSE)
def say_wrong() -> Response:
    """Store that an answer was wrong, and how, by a code; the person must be allowed to read it."""
    session, key = acting(), _event(request.form)
    code, once = request.form.get("code", ""), forms.once()
    if code not in (known := wrong_answer.codes_of(key)):
        abort(400, f"code: one of {', '.join(known)}")
    if not person().sees(settle.company_id(session, str(session.row(key)["conversation_id"]))):
        abort(404)
    session.services.check_stage()
    wrong_answer.store_mistake(session, key, code, once=once)
    return redirect(url_for("story.show", key=key, note="wrong"), 303)


def as_shown(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report as the template shows it: each event with one sentence, its rows as text."""
    events = [
        {
            **event,
            "sentence": event["story"]["why_not"] or event["story"]["paragraph"],
            "raw": json.dumps(
                {name: event[name] for name in ("event", "actions", "audit", "acts", "receipts")},
                default=str,
                indent=2,
            ),
        }
        for event in report["events"]
    ]
    state = state_words.in_words(report.get("state", {}))
    return {"facts": [], **report, "state": state, "events": events}


def _would(session: Session, key: str) -> dict[str, Any]:
    effects = planned.would_do(session, session.row(key))
    return {"summary": preview.summary(effects), "each": effects}


def _key(given: Mapping[str, str]) -> str:
    """The key of an event or an action.  Any other text may be personal data and is refused in an address."""
    key = given.get("key", "").strip()
    if not key.startswith(_KEYS):
        abort(400, "key: an event's or an action's key; look anything else up with Find")
    return key


def _event(given: Mapping[str, str]) -> str:
    key = _key(given)
    if not key.startswith("evt:"):
        abort(400, "key: only an event can be run again")
    return key
