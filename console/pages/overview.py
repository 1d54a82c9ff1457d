"""What waits for a person: by harm, then by age."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from flask import Blueprint, render_template

from console.backend import reading
from console.rights import Right, needs, person
from ops import journal
from ops.inspect import piles

pages = Blueprint("overview", __name__)

ACTS_SHOWN = 5
TITLES = {
    "unknown": (
        "unknown.show",
        "Effects of unknown outcome",
        "A request left and no usable answer came: a customer may have the message or not.",
    ),
    "dead_letters": (
        "letters.show",
        "Dead letters",
        "Given up after ten attempts. Their customers wait.",
    ),
    "handoffs": (
        "inbox.show",
        "Conversations for a person",
        "A person was asked to take over.",
    ),
    "parked": ("parked.show", "Parked events", "Held until what they wait for is settled."),
    "unfinished": (
        "parked.show",
        "Being attempted",
        "Not finished; the machine tries them again by itself.",
    ),
    "facts": ("facts.show", "Facts on their way", "Not in the report yet."),
}
"""Of each pile: its page, its title, and what it means."""


@pages.get("/")
@needs(Right.LOOK)
def show() -> str:
    """The first page of an operator; its reads wait for AWS, so they are made side by side."""
    session = reading()
    with ThreadPoolExecutor(2) as pool:
        stopping = pool.submit(piles.stopping, session)
        acts = pool.submit(journal.newest, session, limit=ACTS_SHOWN)
        found = piles.piles(session)
    closed = "" if person().may(Right.CONVERSE) else "inbox.show"
    return render_template(
        "overview.html",
        busy=[(one, *TITLES[one.name]) for one in found if one.count or one.problem],
        calm=[(one, *TITLES[one.name]) for one in found if not (one.count or one.problem)],
        closed=closed,
        stopping=stopping.result(),
        acts=acts.result(),
    )
