"""The archive as a company queries it: the statements of `docs/facts-operating.md`, run by DuckDB."""

import json
import re
from pathlib import Path

import duckdb

PAGE = Path(__file__).parents[2] / "docs" / "facts-operating.md"
STATEMENTS = re.findall(r"^```sql\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def statement(start):
    """The one statement of the page that begins so."""
    (found,) = [found for found in STATEMENTS if found.startswith(start)]
    return found


COLUMNS = re.search(
    r"SELECT (.*?), day\n", statement("CREATE OR REPLACE VIEW fact_event AS"), re.DOTALL
)[1]
"""Of the view, without the day."""


def as_read(row):
    """A row of the archive, as a query of those columns finds it."""
    return tuple(row.get(name.strip()) for name in COLUMNS.split(","))


class FactQueries:
    """One archive in a folder, behind the page's views."""

    def __init__(self, folder):
        self._folder = folder
        self._database = duckdb.connect()
        self._database.execute("SET TimeZone = 'UTC'")

    def __call__(self, sql):
        """The rows that a question finds."""
        self._enter_views()
        return self._database.execute(sql).fetchall()

    def cost(self, sql):
        """Files and bytes that a question reads."""
        self._enter_views()
        self._database.execute("PRAGMA enable_profiling = 'no_output'")
        self._database.execute(sql).fetchall()
        profile = json.loads(self._database.get_profiling_information(format="json"))
        self._database.execute("PRAGMA disable_profiling")
        return sum(_files_of(profile)), profile["io"]["total_bytes_read"]

    def _enter_views(self):
        rows = statement("CREATE OR REPLACE VIEW fact_event_rows")
        self._database.execute(re.sub(r"s3://[^/]+", str(self._folder), rows))
        self._database.execute(statement("CREATE OR REPLACE VIEW fact_event AS"))


def _files_of(operator):
    for name in ("children", "operator"):
        for child in operator.get(name, ()):
            yield int(child.get("extra_info", {}).get("Total Files Read", 0))
            yield from _files_of(child)
