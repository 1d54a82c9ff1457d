"""The journal, as a page and as a CSV file: the acts of a day, or of one key."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from console.backend import reading
from console.rights import Right, needs
from console.spreadsheet import as_csv
from ops import journal
from ops.session import Session

pages = Blueprint("acts", __name__)

COLUMNS = ("at", "by", "did", "key", "result", "change", "reason", "saw")
AT_MOST = 100
"""Entries of the journal on a page at most."""
LINES = 10_000
"""Lines of a file at most, so that Lambda can answer with it."""
_MARK_LENGTH = 300


@pages.get("/journal")
@needs(Right.LOOK)
def show() -> str:
    """Who did what to which key, why, and what they saw."""
    session = reading()
    day, key, by = _filter(session)
    mark = request.args.get("after", "")[:_MARK_LENGTH]
    views = bool(request.args.get("views"))
    found, more = journal.page(
        session,
        day=day.isoformat(),
        key=key,
        by=by,
        after=mark,
        limit=AT_MOST,
        views=views,
    )
    today = session.services.clock.now().date()
    return render_template(
        "journal.html",
        acts=found,
        day=day.isoformat(),
        key=key,
        by=by,
        views="yes" if views else None,
        more=more,
        is_first=not mark,
        before=(day - timedelta(days=1)).isoformat(),
        after=(day + timedelta(days=1)).isoformat() if day < today else None,
    )


@pages.get("/journal.csv")
@needs(Right.LOOK)
def download() -> Response:
    """The same entries as a file, oldest first; the newest of them where not all fit."""
    session = reading()
    day, key, by = _filter(session)
    found, more = _all(session, day.isoformat(), key, by, views=bool(request.args.get("views")))
    lines: list[list[object]] = [[entry[name] for name in COLUMNS] for entry in reversed(found)]
    if more:
        lines.insert(0, [f"more than {LINES} entries: the older ones are left out"])
    name = f"journal-{session.stage}-{day.isoformat()}.csv"
    return Response(
        as_csv(COLUMNS, lines),
        mimetype="text/csv",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _filter(session: Session) -> tuple[date, str, str]:
    given = request.args.get("day", "")
    try:
        day = date.fromisoformat(given) if given else session.services.clock.now().date()
        day - timedelta(days=1)
    except (ValueError, OverflowError):
        abort(400, "day: a date such as 2026-11-20")
    return day, request.args.get("key", "").strip(), request.args.get("by", "").strip()


def _all(
    session: Session, day: str, key: str, by: str, *, views: bool
) -> tuple[list[dict[str, Any]], str]:
    """The entries of every page, newest first, at most `LINES`; and a mark where there are more."""
    found: list[dict[str, Any]] = []
    more = ""
    while len(found) < LINES:
        part, more = journal.page(
            session,
            day=day,
            key=key,
            by=by,
            after=more,
            limit=LINES - len(found),
            views=views,
        )
        found += part
        if not more:
            break
    return found, more
