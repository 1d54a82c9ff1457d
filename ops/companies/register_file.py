"""A company's list, or an export of its register, as a file: one row a mark.

A list has one address a line, or a column ``address`` and maybe ``since``.  An export has every column
of `register_rows.COLUMNS`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from chalicelib.outreach.register.register_rows import (
    COLUMNS,
    ListedMark,
    names_one,
    read_row,
)
from ops.session import EXIT_UNUSABLE, OpsError

SHOWN = (
    *("address", "channels", "purposes", "reason", "since", "until", "stop_at", "by"),
    *("lifted_at", "lifted_by", "lifted_because"),
)
"""What a person is shown of it."""


def read(path: Path, company_id: str) -> list[ListedMark]:
    """The rows of a file.

    Raises:
        OpsError: it cannot be read, or a row is wrong; it is named by its number and field.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise OpsError(f"{path} cannot be read", code=EXIT_UNUSABLE) from None
    return list(parse(text, company_id))


def parse(text: str, company_id: str) -> Iterator[ListedMark]:
    """The rows of a file's text; raises `OpsError` as `read`."""
    rows = [row for row in csv.reader(io.StringIO(text)) if any(one.strip() for one in row)]
    names = ["address"]
    if rows and "address" in rows[0]:
        names = rows.pop(0)
    values = [{name: one.strip() for name, one in zip(names, row, strict=False)} for row in rows]
    missing = [str(n) for n, one in enumerate(values, 1) if not names_one(one)]
    if missing:
        shown = ", ".join(missing[:10])
        raise OpsError(f"not imported: no number or e-mail address in entry {shown}")
    for number, one in enumerate(values, 1):
        try:
            yield read_row(one, company_id)
        except ValueError as error:
            raise OpsError(f"not imported: field {error} of entry {number}") from None


def as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as a file that `read` takes."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
