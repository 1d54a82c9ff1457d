"""Effects of unknown outcome: what the vendor shows, what each choice leads to, and settling one."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.clock import iso
from chalicelib.once.action import UnsettledAction
from console import forms, paging
from console.backend import acting, reading
from console.rights import Right, needs
from ops import journal
from ops.inspect.explain import plain_words
from ops.repair import settle

pages = Blueprint("unknown", __name__)

AT_MOST = 100
LONGEST_REF = 200


@pages.get("/unknown")
@needs(Right.LOOK)
def show() -> str:
    """The effects, the longest waiting first; the address may choose a reason."""
    wanted = request.args.get("reason")
    found = settle.unsettled(reading(), limit=AT_MOST + 1, after=paging.after())
    shown = [_line(effect) for effect in found[:AT_MOST] if wanted in (None, "", effect.reason)]
    reasons = sorted({effect.reason or "" for effect in found[:AT_MOST]})
    return render_template(
        "unknown.html",
        effects=sorted(shown, key=lambda effect: effect["started"]),
        more=paging.mark(found[AT_MOST - 1].due_epoch, found[AT_MOST - 1].key)
        if len(found) > AT_MOST
        else None,
        reasons=reasons,
        wanted=wanted,
    )


@pages.get("/unknown/one")
@needs(Right.LOOK)
def one() -> str:
    """One effect of unknown outcome: the evidence, and the choices to settle it."""
    return _page(_key(request.args.get("key")))


@pages.get("/unknown/ask")
@needs(Right.ACT)
def ask() -> str:
    """The same page after asking the vendor; nothing is settled."""
    key = _key(request.args.get("key"))
    return _page(key, verdict=settle.ask(reading(), key))


@pages.post("/unknown/settle")
@needs(Right.ACT)
def decide() -> Response:
    """Settle one effect as a person decides."""
    session, key = acting(), _key(request.form.get("key"))
    outcome, seen = request.form.get("outcome", ""), request.form.get("seen", "")
    ref = request.form.get("ref", "").strip()
    if outcome not in settle.OUTCOMES:
        abort(400, f"outcome: one of {', '.join(settle.OUTCOMES)}")
    if not forms.is_number(seen) or len(ref) > LONGEST_REF:
        abort(400, "seen, ref: the form is not one of ours")
    why, once = forms.reason(), forms.once()
    session.services.check_stage()
    settle.settle(
        session,
        key,
        outcome,
        ref=ref or None,
        because=why,
        seen_start=int(seen),
        once=once,
        force=request.form.get("force") == "yes",
    )
    return redirect(url_for("story.show", key=key, note=outcome), 303)


def _page(key: str, verdict: dict[str, object] | None = None) -> str:
    session = reading()
    row = session.row(key)
    at_stake = settle.at_stake(session, key)
    acts = list(journal.read(session, key=key, by=None, since=session.services.clock.now()))
    return render_template(
        "effect.html",
        key=key,
        at_stake=at_stake,
        conversation=row["conversation_id"],
        event=row["event_key"],
        seen=int(row.get("started_epoch", 0)),
        reason=plain_words.reason(str(row.get("reason") or "")),
        may_still_arrive=at_stake["may still arrive"] != "no",
        tries=row.get("tries", ()),
        verdict=verdict,
        acts=acts,
    )


def _key(given: str | None) -> str:
    key = (given or "").strip()
    if not key.startswith("act:"):
        abort(400, "key: an action's key")
    return key


def _line(effect: UnsettledAction) -> dict[str, object]:
    return {
        "key": effect.key,
        "kind": effect.kind,
        "event": effect.event_key,
        "reason": effect.reason,
        "started": iso(datetime.fromtimestamp(effect.started_epoch, UTC)),
        "looks": effect.looks,
    }
