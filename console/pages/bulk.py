"""One act on the conversations that are ticked in the inbox, each under its own condition.

A tick names the conversation and the version that the list showed.  No act here sends a person's
message. The answer lists what was done, what was not, and why; what was done can be undone.
"""

from __future__ import annotations

from functools import partial

from flask import Blueprint, abort, render_template, request

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import acts
from chalicelib.outreach.desk.case import AskedAct
from console import backend, forms
from console.pages import desk_acting, outcomes
from console.rights import Right, needs, person

pages = Blueprint("bulk", __name__)
BULK = (acts.TAKE, acts.PUT_BACK, "give_back", "close", acts.TRANSFER)
"""The acts, in the order of their buttons."""
PICK, TO = "pick", "to"


@pages.post("/inbox/acts")
@needs(Right.CONVERSE)
def do() -> str:
    """Do the act on each ticked conversation, once however often the form is posted."""
    act, once = request.form.get("act", ""), forms.once()
    if act not in BULK:
        abort(400, f"act: one of {', '.join(BULK)}")
    picked = outcomes.picked(request.form.getlist(PICK), PICK)
    fields = {}
    if act == acts.TRANSFER:
        fields[TO] = request.form.get(TO, "").strip()
        if not fields[TO]:
            abort(400, f"{TO}: choose a colleague")
        if question := desk_acting.though_away(_companies(picked), fields[TO]):
            return question
    found = [
        outcomes.acted(
            opaque_id, partial(_asked, act=act, version=version, once=once, fields=fields)
        )
        for opaque_id, version in picked
    ]
    return render_template("outcomes.html", act=acts.ACTS[act].words, found=found)


def _asked(
    record: Record, *, act: str, version: str, once: str, fields: dict[str, str]
) -> AskedAct:
    key = f"{once}.{record.opaque_id}"  # the journal tells the entries of one form apart by it
    return desk_acting.asked_of(
        record.opaque_id, record.company_id, act, version, key=key, fields=fields
    )


def _companies(picked: list[tuple[str, str]]) -> set[str]:
    """The companies of the picked conversations that the person may see."""
    conversations = backend.reading().services.outreach.conversations
    records = conversations.find_all([opaque_id for opaque_id, _ in picked]).values()
    return {record.company_id for record in records if person().sees(record.company_id)}
