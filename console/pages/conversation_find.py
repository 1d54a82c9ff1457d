"""Finds a conversation of the reader's companies by what a customer or a colleague names.

The text may be personal data: it is posted, and no address and no page repeats it.  The journal
says who searched and which conversations were shown.
"""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from console.backend import acting
from console.excerpt import excerpt
from console.own_conversations import LOOKED_THROUGH, OwnFound, look_up
from console.pages import desk_words
from console.rights import Right, needs, person
from ops import journal

pages = Blueprint("conversation_find", __name__)

LONGEST = 320
"""Characters of a text at most; an e-mail address has no more."""
VIEW = "find view"
"""The journal's name for a search, with the conversations that it showed."""


@pages.get("/inbox/find")
@needs(Right.CONVERSE)
def show() -> str:
    """The search form."""
    return _page()


@pages.post("/inbox/find")
@needs(Right.CONVERSE)
def find() -> Response | str | tuple[str, int]:
    """A redirect to the only conversation that a text names; else a list."""
    text = request.form.get("q", "").strip()
    if not text:
        abort(400, "q: name what you look for")
    if len(text) > LONGEST:
        abort(400, f"q: at most {LONGEST} characters")
    session = acting()
    found = look_up(session, text, person())
    ids = [record.opaque_id for record in found.records]
    journal.enter(session, VIEW, "inbox:find", shown=len(ids), conversations=ids)
    if len(ids) == 1 and found.is_all:
        return redirect(url_for("conversation.show", opaque_id=ids[0]), 303)
    return _page(found) if ids else (_page(found), 404)


def _page(found: OwnFound | None = None) -> str:
    records = found.records if found else ()
    return render_template(
        "conversation_find.html",
        found=[
            (record, excerpt(record), desk_words.ICONS[record.channel.traits.form])
            for record in records
        ],
        is_asked=found is not None,
        is_all=found is None or found.is_all,
        longest=LONGEST,
        through=LOOKED_THROUGH,
        with_company=person().companies is None or len(person().companies or ()) > 1,
    )
