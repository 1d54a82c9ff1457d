"""Find for who answers: a conversation of one's own companies, by what a customer or a colleague names.

What is typed may be personal data: it is posted, is part of no address and of no page, and the journal has
who looked and which conversations were shown.
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
"""Characters of an e-mail address, and of what else names a conversation."""
VIEW = "find view"
"""In the journal: a person saw which conversations a text names."""


@pages.get("/inbox/find")
@needs(Right.CONVERSE)
def show() -> str:
    """The form."""
    return _page()


@pages.post("/inbox/find")
@needs(Right.CONVERSE)
def find() -> Response | str | tuple[str, int]:
    """The conversation that a text names; a list where it names several."""
    text = request.form.get("q", "").strip()
    if not text:
        abort(400, "q: name what you look for")
    if len(text) > LONGEST:
        abort(400, f"q: at most {LONGEST} characters")
    session = acting()
    found = look_up(session, text, person())
    ids = [one.opaque_id for one in found.records]
    journal.enter(session, VIEW, "inbox:find", shown=len(ids), conversations=ids)
    if len(ids) == 1 and found.is_all:
        return redirect(url_for("conversation.show", opaque_id=ids[0]), 303)
    return _page(found) if ids else (_page(found), 404)


def _page(found: OwnFound | None = None) -> str:
    records = found.records if found else ()
    return render_template(
        "conversation_find.html",
        found=[(one, excerpt(one), desk_words.ICONS[one.channel.traits.form]) for one in records],
        is_asked=found is not None,
        is_all=found is None or found.is_all,
        longest=LONGEST,
        through=LOOKED_THROUGH,
        with_company=person().companies is None or len(person().companies or ()) > 1,
    )
