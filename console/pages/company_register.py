"""A company's do-not-contact register: its entries by reason; import of a judged file, and export.

It shows addresses, so every look and every file is entered in the journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from flask import Blueprint, Response, abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from chalicelib.once.journal import Act
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.register.register_rows import COLUMNS
from console import forms
from console.backend import acting, reading
from console.pages import company
from console.rights import Right, needs, person
from console.spreadsheet import as_csv
from ops.companies import company as stored
from ops.companies import register, register_file

pages = Blueprint("company_register", __name__)
VIEW = "register view"
LOOKED_AT = 1_000
"""Addresses that a page reads at most: a register may have a hundred times as many."""
SHOWN = 200
"""Entries of a page at most, the newest; the file has all."""
REFUSED = 50
"""Wrong rows that a page lists at most."""


@pages.get("/company/register")
@needs(Right.BUILD)
def show() -> str:
    """The entries by reason, the newest first."""
    session, company_id = reading(), company.chosen()
    reason = request.args.get("reason", "")
    if reason and reason not in list(MarkReason):
        abort(400, f"reason: one of {', '.join(MarkReason)}")
    stored.items(session, company_id, None)
    found, has_more = register.first(session, company_id, at_most=LOOKED_AT)
    wanted = [entry for entry in reversed(found) if reason in ("", entry["reason"])]
    _enter_look(company_id, len(wanted[:SHOWN]))
    return company.page(
        "company_register.html",
        company_id,
        entries=wanted[:SHOWN],
        looked_at=LOOKED_AT if has_more else 0,
        is_cut=has_more or len(wanted) > SHOWN,
        reason=reason,
        counts=sorted(Counter(str(entry["reason"]) for entry in found).items()),
        total=len(found),
        entered=_count("entered"),
        newer=_count("newer_here"),
    )


@pages.get("/company/register.csv")
@needs(Right.BUILD)
def download() -> Response:
    """Every entry, as a file that the import accepts."""
    session, company_id = reading(), company.chosen()
    stored.items(session, company_id, None)
    found = register.listed(session, company_id)
    _enter_look(company_id, len(found))
    return Response(
        as_csv(COLUMNS, _lines(found)),
        mimetype="text/csv",
        headers={"Content-Disposition": 'attachment; filename="register.csv"'},
    )


@pages.post("/company/register/judge")
@needs(Right.BUILD)
def judge() -> str | tuple[str, int]:
    """Judge a file row by row; nothing is written."""
    session, company_id = reading(), company.chosen()
    stored.items(session, company_id, None)
    text = _text()
    rows, refused = register_file.judged(text, company_id)
    page = company.page(
        "company_import.html",
        company_id,
        rows=len(rows),
        refused=refused[:REFUSED],
        more=max(len(refused) - REFUSED, 0),
        text=text,
    )
    return (page, 400) if refused or not rows else page


@pages.post("/company/register/import")
@needs(Right.BUILD)
def take() -> AnyResponse:
    """Import a judged file; a file with a wrong row is refused as a whole."""
    session, company_id, once = company.posted()
    stored.items(session, company_id, None)
    text, why = _text(), forms.reason()
    rows, refused = register_file.judged(text, company_id)
    if refused or not rows:
        abort(400, "text: it has no row, or a wrong one; judge it again")
    done = register.import_rows(session, company_id, rows, text.encode(), because=why, once=once)
    where = url_for(
        "company_register.show",
        company=company_id,
        entered=done["entered"],
        newer_here=done["newer_here"],
    )
    return redirect(where, 303)


def _text() -> str:
    """The content of the uploaded file, or the pasted text."""
    file = request.files.get("file")
    if file is None or not file.filename:
        return request.form.get("text", "")
    content: bytes = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        abort(400, "file: it is not UTF-8")


def _lines(found: Iterable[dict[str, Any]]) -> list[list[object]]:
    return [[entry[name] for name in COLUMNS] for entry in found]


def _enter_look(company_id: str, many: int) -> None:
    services, evidence = acting().services, {"shown": many}
    key = f"company:{company_id}"
    services.journal.enter(Act(VIEW, key, person().name, "viewed", evidence=evidence))


def _count(name: str) -> str:
    given = request.args.get(name, "")
    return given if forms.is_number(given) else ""
