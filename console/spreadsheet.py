"""CSV that a spreadsheet opens as text: no cell is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ops.marks import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width forms too


def as_csv(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Rows under a heading in the form of RFC 4180, with a byte order mark so that Excel reads UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in line] for line in lines)
    return f"\ufeff{out.getvalue()}"


def _cell(value: object) -> str:
    """A cell's text, with an apostrophe before a formula, and invisible characters made visible."""
    text = "" if value is None else visible(str(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) or text.startswith(_FORMULA) else text
