"""Lists that are read on by the key of their last row; the mark is part of the address."""

from __future__ import annotations

from flask import abort, request

from console import forms
from ops.inspect.unfinished import START

_MARK = "after"


def after() -> tuple[float, str]:
    """When the last row of the page before is due, and its key; before every row for the first page.

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
    """The mark of a row, for the address of the page after it."""
    return f"{int(due_epoch)}~{key}"
