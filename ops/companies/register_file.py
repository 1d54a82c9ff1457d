"""Reads and writes a do-not-contact list or an export of the register: one row for each mark.

A list has one address a line, or CSV with a column ``address`` and optionally ``since``.  An export
has every column of `register_rows.COLUMNS`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chalicelib.outreach.register.register_rows import (
    COLUMNS,
    ListedMark,
    names_address,
    read_row,
)
from ops.session import EXIT_UNUSABLE, OpsError

SHOWN = (
    *("address", "channels", "purposes", "reason", "since", "until", "stop_at", "by"),
    *("lifted_at", "lifted_by", "lifted_because"),
)
"""The columns that people are shown."""
_COMPUTED = ("=", "+", "-", "@")


def read(path: Path, company_id: str) -> list[ListedMark]:
    """Read and validate the rows of a file.

    Raises:
        OpsError: the file cannot be read, or a row is wrong; names the row's number and field.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise OpsError(f"{path} cannot be read", code=EXIT_UNUSABLE) from None
    return list(parse(text, company_id))


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that is not valid.

    Attributes:
        line: the row's line in the file, from 1.
        field: the wrong field's name; its value is not kept.
    """

    line: int
    field: str


def judged(text: str, company_id: str) -> tuple[list[ListedMark], list[RefusedRow]]:
    """The valid rows of a file's text, and every refused one."""
    rows: list[ListedMark] = []
    refused: list[RefusedRow] = []
    try:
        values = _values(text)
    except csv.Error:
        return [], [RefusedRow(1, "file")]
    for line, row in values:
        if not names_address(row):
            refused.append(RefusedRow(line, "address"))
            continue
        try:
            rows.append(read_row(row, company_id))
        except ValueError as error:
            refused.append(RefusedRow(line, str(error)))
    return rows, refused


def parse(text: str, company_id: str) -> Iterator[ListedMark]:
    """Yield the rows of a file's text; raises `OpsError` as `read`."""
    values = [row for _, row in _values(text)]
    missing = [str(n) for n, row in enumerate(values, 1) if not names_address(row)]
    if missing:
        shown = ", ".join(missing[:10])
        raise OpsError(f"not imported: no number or e-mail address in entry {shown}")
    for number, row in enumerate(values, 1):
        try:
            yield read_row(row, company_id)
        except ValueError as error:
            raise OpsError(f"not imported: field {error} of entry {number}") from None


def _values(text: str) -> list[tuple[int, dict[str, str]]]:
    """Each row's last line number and fields."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    names = ["address"]
    if rows and "address" in rows[0][1]:
        names = rows.pop(0)[1]
    return [
        (line, {name: _cell(cell) for name, cell in zip(names, row, strict=False)})
        for line, row in rows
    ]


def _cell(text: str) -> str:
    """A cell's text without the apostrophe that keeps a spreadsheet from computing it."""
    found = text.strip()
    return found[1:] if found[:1] == "'" and found[1:2] in _COMPUTED else found


def as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV text that `read` accepts."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
