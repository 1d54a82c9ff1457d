"""Open mirroring, simulated: reads the files of a landing zone in order and applies them to tables.

It is as strict as the published rules (learn.microsoft.com, fabric/mirroring,
open-mirroring-landing-zone-format and -best-practices):

- a table is a folder with `_metadata.json`, whose key columns never change and whose schema names each
  column's type; names that begin with an underscore are not read;
- files are ``00000000000000000001.csv`` and so on; the next one is waited for however many follow;
- a file has a header of known columns, ``__rowMarker__`` last, and values of the columns' types;
- what it has read it moves to `_ProcessedFiles`, but never a table's last file.

A table whose rules are broken is stopped, and `stopped` says why.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence

METADATA = "_metadata.json"
PROCESSED = "_ProcessedFiles"
ROW_MARKER = "__rowMarker__"
INSERT, UPDATE, DELETE, UPSERT = "0", "1", "2", "4"

_FILE = re.compile(r"(\d{20})\.(\w+)")
_WHOLE_NUMBER = re.compile(r"-?\d{1,19}")
_SEPARATORS = {"RowSeparator": "\r\n", "ColumnSeparator": ",", "QuoteCharacter": '"'}


class BrokenRule(Exception):  # noqa: N818 - it stops a table
    """What a publisher has done against the rules."""


@dataclass(slots=True)
class MirroredTable:
    """One table of the mirrored database.

    Attributes:
        rows: by key.
        read: number of the last file that was applied.
        processed_rows: in all files that were applied.
        stopped: why it is not read any more.
    """

    keys: Sequence[str]
    columns: Mapping[str, Mapping[str, Any]]
    rows: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)
    seen: dict[int, bytes] = field(default_factory=dict)
    read: int = 0
    processed_rows: int = 0
    stopped: str = ""


class Mirroring:
    """Applies what is published in one landing zone.

    Args:
        files: content by path within the landing zone, None for a folder; processed ones are moved.
    """

    def __init__(self, files: MutableMapping[str, bytes | None]) -> None:
        self._files = files
        self.tables: dict[str, MirroredTable] = {}

    def replicate(self) -> None:
        """Apply every file whose turn has come."""
        folders = {path for path, body in self._files.items() if body is None}
        tables = {path for path in folders if "/" not in path and not path.startswith("_")}
        for gone in set(self.tables) - tables:
            del self.tables[gone]
        for name in sorted(tables):
            self._replicate(name)

    def _replicate(self, name: str) -> None:
        described = self._files.get(f"{name}/{METADATA}")
        table = self.tables.get(name)
        if table is not None and table.stopped:
            return
        try:
            if described is not None:
                table = self._described(name, described)
            if table is not None:
                self._read(name, table)
        except (BrokenRule, ValueError, KeyError, TypeError) as error:
            stopped = self.tables.setdefault(name, MirroredTable((), {}))
            stopped.stopped = f"{type(error).__name__}: {error}"

    def _described(self, name: str, body: bytes) -> MirroredTable:
        described = json.loads(body)
        keys = tuple(described["keyColumns"])
        columns = {column["Name"]: column for column in described["SchemaDefinition"]["Columns"]}
        given = described["FileFormatTypeProperties"]
        if not given["FirstRowAsHeader"] or described["FileExtension"] != "csv":
            raise BrokenRule("delimited text needs a header and its extension")
        if any(given.get(name, usual) != usual for name, usual in _SEPARATORS.items()):
            raise BrokenRule("separators that this simulation does not read")
        if not keys or not set(keys) <= set(columns):
            raise BrokenRule("key columns are not in the schema")
        unknown = {column["DataType"] for column in columns.values()} - set(_TYPES)
        if unknown:
            raise BrokenRule(f"no such type: {', '.join(sorted(unknown))}")
        table = self.tables.setdefault(name, MirroredTable(keys, columns))
        if (table.keys, table.columns) != (keys, columns):
            raise BrokenRule("keyColumns and schema cannot change")
        return table

    def _read(self, name: str, table: MirroredTable) -> None:
        there = {}
        for path, body in self._files.items():
            folder, _, file = path.rpartition("/")
            if folder != name or file.startswith("_") or body is None:
                continue
            found = _FILE.fullmatch(file)
            if found is None or found[2] != "csv":
                raise BrokenRule(f"no name of a file: {file}")
            there[int(found[1])] = body
        for number, body in there.items():
            if number <= table.read and table.seen.get(number) != body:
                raise BrokenRule(f"file {number} is published twice or was changed")
        while table.read + 1 in there:
            body = there[table.read + 1]
            self._apply(table, body)
            table.read += 1
            table.seen[table.read] = body
        for number in [number for number in there if number < min(table.read, max(there))]:
            path = f"{name}/{number:020d}.csv"
            self._files.setdefault(f"{name}/{PROCESSED}", None)
            self._files[f"{name}/{PROCESSED}/{number:020d}.csv"] = self._files.pop(path)

    def _apply(self, table: MirroredTable, body: bytes) -> None:
        if not body.endswith(b"\r\n"):
            raise BrokenRule("a file is empty or partial")
        lines = list(csv.reader(io.StringIO(body.decode(), newline="")))
        header, rows = lines[0], lines[1:]
        if header[-1] != ROW_MARKER or set(header[:-1]) != set(table.columns) or not rows:
            raise BrokenRule(
                "a file's columns are not the schema's with the marker last, or no row"
            )
        for line in rows:
            if len(line) != len(header):
                raise BrokenRule("a row is not as long as the header")
            given = dict(zip(header, line, strict=True))
            marker = given.pop(ROW_MARKER)
            key = tuple(_value(given[name], table.columns[name]) for name in table.keys)
            if None in key:
                raise BrokenRule("a key is null")
            if marker == DELETE:
                table.rows.pop(key, None)
            elif marker in (INSERT, UPDATE, UPSERT):
                row = {name: _value(text, table.columns[name]) for name, text in given.items()}
                table.rows[key] = row
            else:
                raise BrokenRule(f"no such row marker: {marker}")
            table.processed_rows += 1


def _value(text: str, column: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """A value of a column's type; an empty text is null, as `_metadata.json` says."""
    if not text:
        return None
    return _TYPES[column["DataType"]](text)


def _whole(text: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(text):
        raise BrokenRule("not a whole number")
    return int(text)


def _moment(text: str) -> str:
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").isoformat()  # noqa: DTZ007 - it has no zone


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise BrokenRule("not true or false")
    return text == "true"


_TYPES: Mapping[str, Callable[[str], Any]] = {
    "String": str,
    "Int16": _whole,
    "Int32": _whole,
    "Int64": _whole,
    "Double": float,
    "Single": float,
    "Boolean": _truth,
    "DateTime": _moment,
}
"""The documented types that this simulation reads; values are as in the rows of a dataset."""
