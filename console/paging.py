"""Lists that continue after their last row; the address carries the row's mark."""

from __future__ import annotations

from flask import abort, request

from console import forms
from ops.inspect.unfinished import START

_MARK = "after"


def after() -> tuple[float, str]:
    """Due time (epoch seconds) and key of the last row of the page before; `START` for the first page.

    Raises:
        BadRequest: the mark is not one of ours.
    """
    given = request.args.get(_MARK, "")
    if not given:
        return START
    due, _, key = given.partition("~")
    if not forms.is_number(due) or not key:
        abort(400, "after: the address is not one of ours")
    return float(due), key


def mark(due_epoch: float, key: str) -> str:
    """The mark of a row, for the address of the next page."""
    return f"{int(due_epoch)}~{key}"
