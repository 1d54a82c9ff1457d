"""Takes back the reader's own acts, one or those of one form, within minutes and if nothing has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import acts, shown, undoing
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.people import persons
from console import backend, forms
from console.pages import desk_acting, outcomes
from console.rights import Right, needs, person

pages = Blueprint("undoing", __name__)
PICK = "done"
_CONFLICT = 409


class UndoOffer(NamedTuple):
    """An act that its person can take back, as a button."""

    value: str
    """The value of the form's field."""
    button: str


@pages.post("/inbox/undo")
@needs(Right.CONVERSE)
def do() -> Response | tuple[str, int]:
    """Take each act back; a conversation that has changed since is left as it is."""
    once = forms.once()
    picked = outcomes.picked(request.form.getlist(PICK), PICK)
    found = [
        outcomes.acted(opaque_id, partial(_asked, of=of, once=once)) for opaque_id, of in picked
    ]
    is_all = all(outcome.is_done for outcome in found)
    if is_all and len(found) == 1:
        return redirect(url_for("conversation.show", opaque_id=found[0].opaque_id), code=303)
    page = render_template("outcomes.html", act=acts.UNDO.words, found=found)
    return page, 200 if any(outcome.is_done for outcome in found) else _CONFLICT


def offer(opaque_id: str, story: Sequence[Mapping[str, str]]) -> UndoOffer | None:
    """The newest act on a conversation, if the reader can take it back; else None.

    Args:
        opaque_id: the conversation.
        story: acts of persons, newest first.
    """
    newest = story[0] if story else None
    if newest is None or not desk_acting.is_own(newest["by"]):
        return None
    inbox = backend.reading().services.outreach.inbox
    act = inbox.undoable(opaque_id, newest["act_id"], person().who)
    if not act:
        return None
    return UndoOffer(f"{opaque_id}~{newest['act_id']}", f"Undo: {acts.ACTS[act].words.button}")


def _asked(record: Record, *, of: str, once: str) -> AskedAct:
    who = person()
    return AskedAct(
        acts.UNDO.name,
        record.opaque_id,
        shown.version_of(record),
        f"{once}.{record.opaque_id}",
        by=who.who.text,
        actor=persons.normal_name(who.name),
        company_id=record.company_id,
        role=desk_acting.role_at(record.company_id),
        fields={undoing.OF: of},
    )
