"""The tables of a Fabric mirrored database: their keys, `_metadata.json` and files; pure.

Vendor facts (learn.microsoft.com, fabric/mirroring/open-mirroring-landing-zone-format): a table's
folder holds ``_metadata.json`` with ``keyColumns``, which can never change, and for delimited text
``SchemaDefinition``, whose schema cannot evolve.  A file of delimited text has a header, and
``__rowMarker__`` is its last column: 2 deletes the row of a key, for which the key's columns suffice,
4 inserts or updates it.  Example::

    EventID,AgentID,FactDateKey,MetricID,Notes,__rowMarker__
    ALOWARE:719285063,101,2025-11-05 00:00:00,CALLS,tz=UTC,4
    ALOWARE:719285064,,,,,2

Files are CSV and not Parquet, as writing Parquet takes a library of the size of the function itself.
They are not compressed: the page does not say how a compressed CSV file is named.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from chalicelib.facts.dataset import (
    DIM_AGENT,
    DIM_DATE,
    DIM_METRIC,
    DIM_SHIFT,
    FACT_EVENT,
    FULL_TABLES,
    one_line,
)
from chalicelib.facts.model import Row

ROW_MARKER = "__rowMarker__"
DELETE, UPSERT = "2", "4"
METADATA = "_metadata.json"
PROCESSED = "_ProcessedFiles"
"""Folder within a table's, into which mirroring moves the files that it has read."""
KEPT_DAYS = 7 + 7
"""Longest time that a file stays after it was read: mirroring deletes it after seven days, and OneLake
keeps deleted files for seven more unless set otherwise (learn.microsoft.com,
fabric/onelake/configure-soft-delete)."""

KEYS: Mapping[str, Sequence[str]] = {
    FACT_EVENT: ("EventID",),
    DIM_AGENT: ("AgentID",),
    DIM_METRIC: ("MetricID",),
    DIM_DATE: ("Date",),
    DIM_SHIFT: ("AgentID", "ShiftStartLocal"),
}
"""The key columns of each table."""
WHOLE = frozenset({DIM_SHIFT})
"""Tables whose every file has all rows: a row that the next file lacks is removed."""
COLUMNS: Mapping[str, Mapping[str, str]] = FULL_TABLES
"""Columns and their types per table; the types have the same names in Power BI and in Fabric."""

_ROW_SEPARATOR = "\r\n"
_TO_SECONDS = len("2025-11-05T17:29:00")


def metadata(table: str) -> bytes:
    """The content of a mirrored table's file `_metadata.json`: its key columns and schema."""
    keys = KEYS[table]
    described = {
        "keyColumns": list(keys),
        "SchemaDefinition": {
            "Columns": [
                {"Name": name, "DataType": kind, "IsNullable": name not in keys}
                for name, kind in COLUMNS[table].items()
            ]
        },
        "FileFormat": "CSV",
        "FileExtension": "csv",
        "FileFormatTypeProperties": {
            "FirstRowAsHeader": True,
            "RowSeparator": _ROW_SEPARATOR,
            "ColumnSeparator": ",",
            "QuoteCharacter": '"',
            "EscapeCharacter": '"',
            "NullValue": "",
            "Encoding": "UTF-8",
        },
    }
    return json.dumps(described, indent=1).encode()


def file_name(number: int) -> str:
    """The name of the n-th file of a mirrored table: 20 digits and ``.csv``."""
    return f"{number:020d}.csv"


def file_number(name: str) -> int | None:
    """The number in the name of a mirrored table's file; None for a name of another form."""
    digits, _, extension = name.partition(".")
    fits = extension == "csv" and len(digits) == 20 and digits.isascii() and digits.isdigit()  # noqa: PLR2004
    return int(digits) if fits else None


def file_content(table: str, rows: Iterable[Row], removed: Iterable[Row] = ()) -> bytes:
    """The content of a CSV file that removes some rows, by their key, and inserts or updates others."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator=_ROW_SEPARATOR)
    lines.writerow([*COLUMNS[table], ROW_MARKER])
    for row in removed:
        lines.writerow([*_line(table, {key: row[key] for key in KEYS[table]}), DELETE])
    for row in rows:
        lines.writerow([*_line(table, row), UPSERT])
    return text.getvalue().encode()


def rows_in(table: str, body: bytes) -> list[dict[str, str]]:
    """The rows that a mirrored table's file inserts or updates, with their values as text."""
    return [row for is_removed, row in changes_in(table, body) if not is_removed]


def changes_in(table: str, body: bytes) -> Iterator[tuple[bool, dict[str, str]]]:
    """Parse the CSV file of a mirrored table: for each row, whether it removes, and its values as text.

    A row that removes has values only in its key columns; any other row inserts or updates.
    """
    for line in csv.DictReader(io.StringIO(body.decode(), newline="")):
        yield line[ROW_MARKER] == DELETE, {name: line[name] for name in COLUMNS[table]}


def vanished_rows(table: str, there: Iterable[Row], rows: Iterable[Row]) -> list[Row]:
    """Those rows of `there` whose key no row of `rows` has."""
    kept = {_key(table, row) for row in rows}
    return [row for row in there if _key(table, row) not in kept]


def row_count(body: bytes) -> int:
    """How many rows a mirrored table's file has, both those that insert and those that remove."""
    return len(list(csv.reader(io.StringIO(body.decode(), newline="")))) - 1


def _key(table: str, row: Row) -> tuple[str, ...]:
    return tuple(_text(row[key], COLUMNS[table][key]) for key in KEYS[table])


def _line(table: str, row: Row) -> list[str]:
    return [_text(row.get(name, ""), kind) for name, kind in COLUMNS[table].items()]


def _text(value: str | float, kind: str) -> str:
    """A value as one line of text for a mirrored table's file; an empty text means null there."""
    if isinstance(value, bool):
        return str(value).lower()
    text = one_line(str(value))
    return text[:_TO_SECONDS].replace("T", " ") if kind == "DateTime" else text
