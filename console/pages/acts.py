"""The journal: a day's acts, or all of one key; as a page and as a CSV file."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from console.access import Right, needs
from console.backend import reading
from console.spreadsheet import as_csv
from ops import journal
from ops.session import Session

pages = Blueprint("acts", __name__)

COLUMNS = ("at", "by", "did", "key", "result", "reason", "saw")


@pages.get("/journal")
@needs(Right.LOOK)
def show() -> str:
    """Who did what to which key, why, and what they saw."""
    session = reading()
    day, key, by = _filter(session)
    found = _read(session, day, key, by)
    today = session.services.clock.now().date()
    return render_template(
        "journal.html",
        acts=found[::-1],
        day=day.isoformat(),
        key=key,
        by=by,
        before=(day - timedelta(days=1)).isoformat(),
        after=(day + timedelta(days=1)).isoformat() if day < today else None,
    )


@pages.get("/journal.csv")
@needs(Right.LOOK)
def download() -> Response:
    """The same entries as a file."""
    session = reading()
    day, key, by = _filter(session)
    lines = [[one[name] for name in COLUMNS] for one in _read(session, day, key, by)]
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


def _read(session: Session, day: date, key: str, by: str) -> list[dict[str, Any]]:
    """With a key all of its story, else the day."""
    if not key:
        return journal.of_day(session, day.isoformat(), by=by or None)
    now = session.services.clock.now()
    return list(journal.read(session, key=key, by=by or None, since=now))
