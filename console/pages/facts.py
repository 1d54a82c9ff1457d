"""Facts that the report does not have yet: which wait, and since when."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, render_template

from chalicelib.clock import iso
from chalicelib.facts.ledger import FactLedger
from console import paging
from console.backend import reading
from console.rights import Right, needs
from ops.inspect.unfinished import START

pages = Blueprint("facts", __name__)

AT_MOST = 100


@pages.get("/facts")
@needs(Right.LOOK)
def show() -> str:
    """The facts that the report does not have yet, the oldest first."""
    session = reading()
    ledger, after = session.services.facts.ledger, paging.after()
    if after == START:
        keys = ledger.pending_keys(at_most=AT_MOST + 1)
    else:
        keys = [key for _, key in ledger.pending_after(*after, at_most=AT_MOST + 1)]
    age = ledger.oldest_pending_seconds()
    now = session.services.clock.now()
    return render_template(
        "facts.html",
        facts=ledger.pending(keys[:AT_MOST]),
        more=_mark(ledger, keys[AT_MOST - 1]) if len(keys) > AT_MOST else None,
        is_first=after == START,
        oldest=iso(now - timedelta(seconds=age)) if age is not None else None,
    )


def _mark(ledger: FactLedger, key: str) -> str:
    """The mark with which the page after this fact begins."""
    row = ledger.row(key) or {}
    return paging.mark(float(row.get("due_at", 0)), key)
