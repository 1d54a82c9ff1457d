"""Dead letters by reason; a dry run that says which effects would happen, then a redrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from console import forms
from console.backend import acting, reading
from console.rights import Right, needs
from ops.inspect import planned
from ops.repair import dead_letters, preview
from ops.repair.dead_letters import DeadLetter, Wanted
from ops.session import OvertakenError, Session

pages = Blueprint("letters", __name__)

AT_MOST = 50
"""Dead letters that a page reads at most; a queue can only be read from its head."""
PER_SECOND = 20.0


@pages.get("/letters")
@needs(Right.LOOK)
def show() -> str:
    """The first letters of the queues, by reason."""
    session, wanted = reading(), request.args.get("reason")
    totals = dead_letters.totals(session)
    letters = dead_letters.peek(session, limit=AT_MOST) if any(totals.values()) else []
    reasons = Counter(letter.reason for letter in letters)
    shown = [letter.summary for letter in letters if wanted in (None, "", letter.reason)]
    return render_template(
        "letters.html",
        letters=shown,
        reasons=reasons.most_common(),
        totals=totals,
        wanted=wanted,
        is_more=len(letters) >= AT_MOST,
    )


@pages.get("/letters/redrive")
@needs(Right.LOOK)
def preview_redrive() -> str:
    """What a redrive of dead letters would do; sends nothing."""
    session, wanted = reading(), _wanted(request.args)
    letters = [
        letter for letter in dead_letters.peek(session, limit=AT_MOST) if wanted.fits(letter)
    ]
    if not letters:
        raise OvertakenError(f"no dead letter fits {wanted.name or wanted.reason} any more")
    return render_template(
        "redrive.html",
        wanted=wanted,
        letters=[
            {**letter.summary, "would": dead_letters.foreseen_redrive(session, letter)}
            for letter in letters
        ],
        summary=_summary(session, letters),
    )


@pages.post("/letters/redrive")
@needs(Right.ACT)
def redrive() -> Response:
    """Send dead letters back to their queues."""
    session, wanted, why = acting(), _wanted(request.form), forms.reason()
    session.services.check_stage()
    moved = dead_letters.redrive(
        session, limit=AT_MOST, per_second=PER_SECOND, wanted=wanted, because=why
    )
    did = Counter(outcome for _, outcome in moved)
    if not did:
        raise OvertakenError(f"no dead letter fits {wanted.name or wanted.reason} any more")
    note = "redriven" if did["redriven"] else "left"
    return redirect(url_for("letters.show", note=note), 303)


def _wanted(given: Mapping[str, str]) -> Wanted:
    """Which letters are meant: one by name, or those of one reason."""
    name, of = given.get("message", "").strip(), given.get("of", "").strip()
    if bool(name) == bool(of):
        abort(400, "message, of: name a letter, or a reason")
    return Wanted(name or None, of or None)


def _summary(session: Session, letters: list[DeadLetter]) -> str:
    effects = [
        effect
        for letter in letters
        if letter.row is not None
        for effect in planned.would_do(session, letter.row)
    ]
    undecided = sum(letter.row is None and letter.job is not None for letter in letters)
    said = preview.summary(effects) if effects else "no effect is planned yet"
    return f"{said}; {undecided} not decided yet" if undecided else said
