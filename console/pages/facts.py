"""Facts on their way to the report: what waits, since when; one fact by its key."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, render_template

from chalicelib.clock import iso
from console.access import Right, needs
from console.backend import reading

pages = Blueprint("facts", __name__)

AT_MOST = 100


@pages.get("/facts")
@needs(Right.LOOK)
def show() -> str:
    """The oldest facts that the report does not have yet."""
    session = reading()
    ledger = session.services.fact_ledger
    keys = ledger.pending_keys(at_most=AT_MOST + 1)
    age = ledger.oldest_pending_seconds()
    now = session.services.clock.now()
    return render_template(
        "facts.html",
        facts=ledger.pending(keys[:AT_MOST]),
        is_more=len(keys) > AT_MOST,
        oldest=iso(now - timedelta(seconds=age)) if age is not None else None,
    )
