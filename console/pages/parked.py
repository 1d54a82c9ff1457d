"""Accepted events that are not finished, by status and reason."""

from __future__ import annotations

from collections import Counter

from flask import Blueprint, render_template, request

from console import drawing, paging
from console.backend import reading
from console.rights import Right, needs
from ops.inspect import unfinished
from ops.inspect.explain import plain_words

pages = Blueprint("parked", __name__)

AT_MOST = 100


@pages.get("/parked")
@needs(Right.LOOK)
def show() -> str:
    """The unfinished events, the longest accepted first; the address may choose a status or a reason."""
    status, reason = request.args.get("status", ""), request.args.get("reason", "")
    found = unfinished.events(reading(), limit=AT_MOST + 1, after=paging.after())
    last = found[AT_MOST - 1] if len(found) > AT_MOST else None
    events = sorted(found[:AT_MOST], key=lambda event: str(event["received_at"]))
    groups = Counter((str(event["status"]), str(event["reason"] or "")) for event in events)
    return render_template(
        "parked.html",
        events=[
            event
            for event in events
            if status in ("", event["status"]) and reason in ("", event["reason"] or "")
        ],
        chart=drawing.sideways(
            "Events by reason",
            [(reason or "no reason", many) for (_, reason), many in groups.most_common()],
        ),
        groups=[
            (*group, plain_words.reason(group[1]), many) for group, many in groups.most_common()
        ],
        more=paging.mark(last["due_epoch"], last["event"]) if last else None,
        status=status,
        reason=reason,
        at_most=AT_MOST,
    )
