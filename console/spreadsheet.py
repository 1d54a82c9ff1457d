"""CSV that a spreadsheet opens as text: no cell is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ops.marks import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - wide forms too


def as_csv(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Lines under a heading, in the form of RFC 4180, with the mark by which Excel knows UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(one) for one in line] for line in lines)
    return f"\ufeff{out.getvalue()}"


def _cell(value: object) -> str:
    """An apostrophe before what a spreadsheet would compute; hidden marks written out."""
    text = "" if value is None else visible(str(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) or text.startswith(_FORMULA) else text
