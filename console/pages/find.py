"""Finds anything that a reader can name: a ticket, a key, a trace id, a phone number, an order.

A text that may be personal data is posted and appears in no address.  Any other is in the address,
so that the page can be shared.
"""

from __future__ import annotations

import re
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from console.backend import acting, reading
from console.pages.story import as_shown
from console.rights import Right, needs, person
from ops.inspect.explain import customer, report, searching
from ops.inspect.explain.subjects import SubjectKind, candidates
from ops.repair import wrong_answer
from ops.session import OpsError

pages = Blueprint("find", __name__)

LONGEST = 4_000
"""Characters of a text at most; a whole log line fits."""
_KEYED = frozenset(
    {
        *(
            SubjectKind.ACTION,
            SubjectKind.EVENT,
            SubjectKind.FACT,
            SubjectKind.HANDOFF,
            SubjectKind.START,
            SubjectKind.DIGEST,
        ),
        *(
            SubjectKind.QUEUE_MESSAGE,
            SubjectKind.CONVERSATION,
            SubjectKind.TEXT_MESSAGE,
            SubjectKind.E_MAIL,
        ),
    }
)
_TICKET_NUMBER = re.compile(r"\d{1,9}")


@pages.get("/find")
@needs(Right.LOOK)
def show() -> str | tuple[str, int]:
    """The search form, or what the identifier in the address names."""
    text = request.args.get("q", "").strip()
    return _found(text) if text else _page("", reports=(), why=None)


@pages.post("/find")
@needs(Right.LOOK)
def look_up() -> Response | str | tuple[str, int]:
    """What a posted text names; an identifier without personal data is redirected to its address."""
    text = request.form.get("q", "").strip()[:LONGEST]
    if text and may_be_in_an_address(text):
        return redirect(url_for("find.show", q=text), 303)
    return _found(text)


@pages.post("/find/texts")
@needs(Right.CONVERSE)
def show_texts() -> str | tuple[str, int]:
    """A customer's story with the messages' texts, for persons who may read them; the look is entered."""
    if not person().may(Right.LOOK):
        abort(404)
    return _found(request.form.get("q", "").strip()[:LONGEST], with_texts=True)


def may_be_in_an_address(text: str) -> bool:
    """Whether a text is only an identifier without personal data."""
    found = candidates(text)
    is_keyed = bool(found) and found[0].kind in _KEYED and found[0].value.lower() == text.lower()
    return is_keyed or bool(_TICKET_NUMBER.fullmatch(text))


def _found(text: str, *, with_texts: bool = False) -> str | tuple[str, int]:
    shown = text if may_be_in_an_address(text) else ""
    session = reading()
    try:
        found = searching.look_up(session, text)
    except OpsError as error:
        why = str(error) if shown or not text else str(error).replace(text, "that")
        return _page(shown, reports=(), why=why), 404
    is_customer = any(finding.subject.kind in customer.PERSONS for finding in found.findings)
    first = report.report(session, found)
    if with_texts:
        customer.note_view(acting(), found)
    sees = person().sees if with_texts else customer.no_texts
    return _page(
        shown,
        with_texts=with_texts,
        codes_of=wrong_answer.codes_of,
        customer_story=(
            customer.tell(session, found, allowed=sees) if is_customer and found.events else None
        ),
        reports=[as_shown(report) for report in (first, *first["also"])],
        unasked=found.unasked,
        why=None,
    )


def _page(text: str, **found: Any) -> str:  # noqa: ANN401 - as a template takes it
    """The page.  A text that may be personal data is left out, so a second search needs it pasted again."""
    may_converse = person().may(Right.CONVERSE)
    return render_template("find.html", text=text, may_converse=may_converse, **found)
