"""What waits for a person, by harm, then by age; on a new stage first the steps of its setup."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from flask import Blueprint, render_template

from console.backend import acting, reading
from console.rights import Right, needs, person
from ops import first_run_end, journal
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
    "parked": (
        "parked.show",
        "Parked events",
        "Held until their effects of unknown outcome are settled.",
    ),
    "unfinished": (
        "parked.show",
        "Being attempted",
        "Not finished; the machine tries them again by itself.",
    ),
    "facts": ("facts.show", "Facts on their way", "Not in the report yet."),
}
"""The page, the title and the meaning of each pile."""
STEPS = {
    "secrets": ("The secrets are there", "health.show", "Health"),
    "first company": ("A company has its settings", "companies.show", "Companies"),
    "endpoint": ("A company's endpoint takes its events", "companies.show", "Companies"),
    "alarm recipients": ("Alarms reach a person", "health.show", "Health"),
    "webhooks": ("Webhooks arrive", "", ""),
    "first message": ("A first message was processed", "trying.show", "Try a message"),
}
"""The title of each step of the first run, and the page that helps with it."""


@pages.get("/")
@needs(Right.LOOK)
def show() -> str:
    """The first page of an operator; its reads of AWS run in parallel."""
    session = reading()
    with ThreadPoolExecutor(3) as pool:
        is_set_up = pool.submit(first_run_end.is_over, session)
        stopping = pool.submit(piles.stopping, session)
        acts = pool.submit(journal.newest, session, limit=ACTS_SHOWN)
        found = piles.piles(session)
    closed = "" if person().may(Right.CONVERSE) else "inbox.show"
    return render_template(
        "overview.html",
        is_set_up=is_set_up.result(),
        busy=[(pile, *TITLES[pile.name]) for pile in found if pile.count or pile.problem],
        calm=[(pile, *TITLES[pile.name]) for pile in found if not (pile.count or pile.problem)],
        closed=closed,
        stopping=stopping.result(),
        acts=acts.result(),
    )


@pages.get("/first-run")
@needs(Right.LOOK)
def first() -> str:
    """The steps before a stage's first message; loaded after the page, as the checks take seconds.

    The deployed console leaves it out, as it cannot set a stage up.
    """
    from ops.setup import first_run  # noqa: PLC0415 - as said

    session = acting()
    found = first_run.examined(session)
    is_done = first_run.is_done(found)
    if is_done and not first_run_end.is_over(session):
        first_run_end.end(session)
    return render_template(
        "first_run.html",
        steps=[(step, *STEPS[step.step.name]) for step in found],
        is_done=is_done,
        is_here=first_run.is_on_this_machine(session),
        by_vendors=first_run.BY_VENDORS,
    )
