"""A simulated Power BI: token endpoint, push datasets with strict types, and the documented limits.

It behaves like the real one, including the inconvenient parts:

- a token expires after `token_lifetime_seconds`; a call with an expired or unknown one gets 401;
- a POST of rows is accepted whole or not at all: an unknown column, a wrong type, more than 10,000
  rows or a text of more than 4,000 characters gets 400;
- rows have no key: a repeated POST duplicates them, unless it carries the preview's sequence number
  and the table has seen that number;
- a dataset, all its tables together, accepts 120 POSTs a minute (120 an hour for a table of 250,000
  rows and more), 5 at a time and 1,000,000 rows an hour; more gets 429 with ``Retry-After``;
  a table holds 5,000,000 rows.

From Python::

    with PowerBi() as powerbi:
        dataset = powerbi.create_dataset(definition)
        ...
        assert len(powerbi.rows(dataset, "FactEvent")) == 1

From another process: see ``GET /_sim`` on the same port.
"""

from __future__ import annotations

import re
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from local.vendors import simulated
from local.vendors.entra import EntraBehaviour, EntraVendor
from local.vendors.wire import ClientConnection, Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

CLIENT_ID = "66666666-7777-8888-9999-000000000000"
CLIENT_SECRET = "simulated-powerbi-secret"  # noqa: S105 - invented
WORKSPACE = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
SCOPE = "https://analysis.windows.net/powerbi/api/.default"
SEQUENCE_NUMBER = "x-powerbi-pushdata-sequencenumber"

ROWS_PER_POST = 10_000
TEXT_CHARACTERS = 4_000
TABLES = COLUMNS = RELATIONSHIPS = 75
BUSY_TABLE_ROWS = 250_000
MINUTE, HOUR = 60.0, 3600.0

HELP = f"""{simulated.HELP}
GET    /_sim/datasets                          every dataset with its tables and row counts
GET    /_sim/datasets/<id>/tables/<t>/rows     rows of a table
DELETE /_sim/tokens                            expire every token issued so far
"""

_TABLE = re.compile(r"EVALUATE (?P<table>\w+)")
_SUMMARY = re.compile(
    r"EVALUATE SUMMARIZECOLUMNS\((?P<table>\w+)\[(?P<by>\w+)\],"
    r' "(?P<name>\w+)", DISTINCTCOUNT\((?P<counted>\w+)\[(?P<of>\w+)\]\)\)'
)

_TYPES: dict[str, tuple[type, ...]] = {
    "String": (str,),
    "Int64": (int,),
    "Double": (int, float),
    "Decimal": (int, float),
    "Boolean": (bool,),
    "DateTime": (str,),
}


@dataclass(slots=True)
class PowerBiBehaviour(EntraBehaviour):
    """How this tenant behaves; the limits are the documented ones unless a test lowers them."""

    posts_per_minute: int = 120
    posts_per_hour_busy: int = 120
    rows_per_hour: int = 1_000_000
    rows_per_table: int = 5_000_000
    pending_posts: int = 5
    allowed: bool = True
    """False: the service principal is not in the workspace, 403."""
    queries_allowed: bool = True
    """False: the tenant setting for executeQueries is off, 403."""
    makes_datasets: bool = True
    """False: the tenant makes no new push datasets, as users report since June 2026."""


@dataclass(slots=True)
class DatasetTable:
    """One table with its rows."""

    columns: dict[str, str]
    rows: list[dict[str, Any]] = field(default_factory=list)
    sequence_number: int = 0


@dataclass(slots=True)
class Dataset:
    """One push dataset.

    Attributes:
        posts: the times of all POSTs of rows, to any table.
        rows_at: the times and sizes of the row batches.
    """

    id: str
    name: str
    tables: dict[str, DatasetTable]
    posts: deque[float] = field(default_factory=deque)
    rows_at: deque[tuple[float, int]] = field(default_factory=deque)


class SimulatedPowerBi(EntraVendor):
    """The server; token endpoint and API on one port.

    Args:
        port: 0 for any free port.
        now: seconds, for token expiry and the limits.
    """

    name = "powerbi"
    scope, client_id, client_secret = SCOPE, CLIENT_ID, CLIENT_SECRET
    modes_type = PowerBiBehaviour
    modes: PowerBiBehaviour
    help_text = HELP

    def __init__(self, port: int = 0, *, now: Callable[[], float] = time.time) -> None:
        self._pending = 0
        super().__init__(port, now=now)

    def _clear(self) -> None:
        super()._clear()
        self._datasets: dict[str, Dataset] = {}

    # --- for tests --------------------------------------------------------------------------------

    def create_dataset(self, definition: dict[str, Any]) -> str:
        """Create a dataset without needing a token; returns its id."""
        with self.lock:
            return self._create(definition).id

    def rows(self, dataset_id: str, table: str) -> list[dict[str, Any]]:
        """The rows of a table, in order of arrival."""
        with self.lock:
            return [dict(row) for row in self._datasets[dataset_id].tables[table].rows]

    def distinct(self, dataset_id: str, table: str, column: str) -> int:
        """The DISTINCTCOUNT of a column."""
        return len({row.get(column) for row in self.rows(dataset_id, table)})

    def datasets(self) -> dict[str, str]:
        """Names by dataset id."""
        with self.lock:
            return {dataset.id: dataset.name for dataset in self._datasets.values()}

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """``token``, ``post_rows``, ``clear_rows``, ..."""
        if self._asks_for_token(request):
            return "token"
        match (request.method, *request.segments[2:]):
            case ("POST", "groups", _, "datasets"):
                return "create_dataset"
            case ("GET", "groups", _, "datasets"):
                return "list_datasets"
            case ("GET", "groups", _, "datasets", _, "tables"):
                return "list_tables"
            case ("PUT", "groups", _, "datasets", _, "tables", _):
                return "put_table"
            case ("POST", "groups", _, "datasets", _, "tables", _, "rows"):
                return "post_rows"
            case ("DELETE", "groups", _, "datasets", _, "tables", _, "rows"):
                return "clear_rows"
            case ("GET", "groups", _, "datasets", _, "tables", _, "sequenceNumbers"):
                return "sequence_numbers"
            case ("POST", "groups", _, "datasets", _, "executeQueries"):
                return "execute_queries"
        return "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """401 without a valid token, 404 for an unknown path, 403 outside the workspace."""
        if operation == "token":
            return None
        if not self._has_token(request):
            return WireAnswer(401, self.error_body(401))
        if operation == "unknown":
            return WireAnswer(404, self.error_body(404))
        if operation == "execute_queries" and not self.modes.queries_allowed:
            return WireAnswer(403, self.error_body(403))
        if not self.modes.allowed or unquote(request.segments[3]) != WORKSPACE:
            return WireAnswer(403, self.error_body(403))
        return None

    def serve(self, request: Request, connection: ClientConnection) -> None:
        """As in the base class, but counts the POSTs of rows under way."""
        is_post = self.operation_of(request) == "post_rows"
        with self.lock:
            self._pending += is_post
        try:
            super().serve(request, connection)
        finally:
            with self.lock:
                self._pending -= is_post

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation."""
        if operation == "token":
            return self._token(request)
        if operation == "create_dataset" and not self.modes.makes_datasets:
            said = "Creation of streaming dataset is deprecated."
            return WireAnswer(400, {"error": {"code": "FeatureDeprecatedError", "message": said}})
        if operation == "create_dataset":
            return self._created(request.body)
        if operation == "list_datasets":
            listed = [
                {"id": dataset.id, "name": dataset.name} for dataset in self._datasets.values()
            ]
            return WireAnswer(200, {"value": listed})
        parts = [unquote(part) for part in request.segments[2:]]
        dataset = self._datasets.get(parts[3]) if len(parts) > 3 else None  # noqa: PLR2004
        if dataset is None:
            return WireAnswer(404, self.error_body(404))
        if operation == "list_tables":
            return WireAnswer(200, {"value": [{"name": name} for name in dataset.tables]})
        if operation == "execute_queries":
            return self._evaluated(dataset, request.body)
        table = dataset.tables.get(parts[5])
        if table is None:
            return WireAnswer(404, self.error_body(404))
        if operation == "clear_rows":
            table.rows.clear()
            return WireAnswer(200, "")
        if operation == "put_table":
            return self._put_table(table, request.body)
        if operation == "sequence_numbers":
            shown = [{"clientId": "", "sequenceNumber": table.sequence_number}]
            return WireAnswer(200, {"value": shown})
        return self._add(dataset, table, request)

    def error_body(self, status: int) -> dict[str, Any]:
        """Power BI's errors are little more than a code."""
        return {"error": {"code": _CODES.get(status, "UnknownError")}}

    # --- datasets -------------------------------------------------------------------------------

    def _created(self, definition: Any) -> WireAnswer:  # noqa: ANN401 - JSON
        try:
            made = self._create(definition)
        except (KeyError, TypeError, ValueError):
            return WireAnswer(400, self.error_body(400))
        return WireAnswer(201, {"id": made.id, "name": made.name, "defaultRetentionPolicy": "None"})

    def _create(self, definition: dict[str, Any]) -> Dataset:
        tables = {
            table["name"]: DatasetTable(
                {column["name"]: column["dataType"] for column in table["columns"]}
            )
            for table in definition["tables"]
        }
        related = definition.get("relationships", [])
        fits = len(tables) <= TABLES and len(related) <= RELATIONSHIPS
        for table in tables.values():
            fits = (
                fits
                and len(table.columns) <= COLUMNS
                and set(table.columns.values()) <= set(_TYPES)
            )
        for relation in related:
            left = tables[relation["fromTable"]].columns[relation["fromColumn"]]
            fits = fits and left == tables[relation["toTable"]].columns[relation["toColumn"]]
        if not fits or definition["defaultMode"] != "Push":
            raise ValueError("the dataset's definition is not valid")
        made = Dataset(str(uuid.uuid4()), definition["name"], tables)
        self._datasets[made.id] = made
        return made

    def _put_table(self, table: DatasetTable, body: Any) -> WireAnswer:  # noqa: ANN401 - JSON
        try:
            table.columns = {column["name"]: column["dataType"] for column in body["columns"]}
        except (KeyError, TypeError):
            return WireAnswer(400, self.error_body(400))
        return WireAnswer(200, "")

    # --- queries --------------------------------------------------------------------------------

    def _evaluated(self, dataset: Dataset, body: Any) -> WireAnswer:  # noqa: ANN401 - JSON
        """Evaluate one query of the three shapes known here; any other is a 400, as DAX errors are."""
        try:
            (query,) = (query["query"] for query in body["queries"])
            rows = _rows_of_query(dataset, query)
        except (KeyError, TypeError, ValueError):
            return WireAnswer(400, self.error_body(400))
        return WireAnswer(200, {"results": [{"tables": [{"rows": rows}]}]})

    # --- rows -----------------------------------------------------------------------------------

    def _add(self, dataset: Dataset, table: DatasetTable, request: Request) -> WireAnswer:
        rows = request.body.get("rows") if isinstance(request.body, dict) else None
        if not isinstance(rows, list) or len(rows) > ROWS_PER_POST:
            return WireAnswer(400, self.error_body(400))
        wait = self._wait(dataset, table, len(rows))
        if wait:
            return WireAnswer(429, self.error_body(429), {"Retry-After": str(wait)})
        dataset.posts.append(self._now())
        if not all(_fits(row, table.columns) for row in rows):
            return WireAnswer(400, self.error_body(400))
        given = request.headers.get(SEQUENCE_NUMBER, "0")
        if not given.isdecimal():
            return WireAnswer(400, self.error_body(400))
        number = int(given)
        if number:
            if number <= table.sequence_number:
                return WireAnswer(200, "")
            table.sequence_number = number
        dataset.rows_at.append((self._now(), len(rows)))
        table.rows += [dict(row) for row in rows]
        return WireAnswer(200, "")

    def _wait(self, dataset: Dataset, table: DatasetTable, more: int) -> int:
        """Seconds to wait, 0 when the POST is within every limit."""
        now, modes = self._now(), self.modes
        while dataset.posts and now - dataset.posts[0] >= HOUR:
            dataset.posts.popleft()
        while dataset.rows_at and now - dataset.rows_at[0][0] >= HOUR:
            dataset.rows_at.popleft()
        is_busy = len(table.rows) >= BUSY_TABLE_ROWS
        window, limit = (
            (HOUR, modes.posts_per_hour_busy) if is_busy else (MINUTE, modes.posts_per_minute)
        )
        recent = [at for at in dataset.posts if now - at < window]
        if len(recent) >= limit:
            return int(window - (now - recent[0])) + 1
        if sum(count for _, count in dataset.rows_at) + more > modes.rows_per_hour:
            return int(HOUR - (now - dataset.rows_at[0][0])) + 1 if dataset.rows_at else int(HOUR)
        if len(table.rows) + more > modes.rows_per_table:
            return int(HOUR)
        return 1 if self._pending > modes.pending_posts else 0

    # --- driven from another process ------------------------------------------------------------

    def admin(self, request: Request) -> WireAnswer:
        """Adds datasets to the paths of every vendor."""
        with self.lock:
            match (request.method, *request.segments[1:]):
                case ("GET", "datasets"):
                    return WireAnswer(
                        200, {"datasets": [_shown(dataset) for dataset in self._datasets.values()]}
                    )
                case ("GET", "datasets", dataset_id, "tables", table, "rows"):
                    return WireAnswer(200, {"rows": self._datasets[dataset_id].tables[table].rows})
        return super().admin(request)


def _rows_of_query(dataset: Dataset, query: str) -> list[dict[str, Any]]:
    """``COLUMNSTATISTICS()``, a table's rows, or a column's groups with the distinct count of another one."""
    if query == "EVALUATE COLUMNSTATISTICS()":
        return [
            {"[Table Name]": name, "[Column Name]": column}
            for name, table in dataset.tables.items()
            for column in table.columns
        ]
    if named := _TABLE.fullmatch(query):
        table = dataset.tables[named["table"]]
        return [
            {f"{named['table']}[{name}]": row.get(name) for name in table.columns}
            for row in table.rows
        ]
    found = _SUMMARY.fullmatch(query)
    if found is None or found["counted"] != found["table"]:
        raise ValueError("a query of another shape")
    table, by, of = dataset.tables[found["table"]], found["by"], found["of"]
    if not {by, of} <= set(table.columns):
        raise ValueError("no such column")
    groups: dict[Any, set[Any]] = {}
    for row in table.rows:
        groups.setdefault(row.get(by), set()).add(row.get(of))
    return [
        {f"{found['table']}[{by}]": key, f"[{found['name']}]": len(values)}
        for key, values in groups.items()
    ]


def _shown(dataset: Dataset) -> dict[str, Any]:
    counts = {name: len(table.rows) for name, table in dataset.tables.items()}
    return {"id": dataset.id, "name": dataset.name, "rows": counts}


def _fits(row: Any, columns: dict[str, str]) -> bool:  # noqa: ANN401 - JSON
    if not isinstance(row, dict) or not set(row) <= set(columns):
        return False
    return all(value is None or _value_fits(value, columns[name]) for name, value in row.items())


def _value_fits(value: Any, kind: str) -> bool:  # noqa: ANN401 - JSON
    if isinstance(value, bool) != (kind == "Boolean") or not isinstance(value, _TYPES[kind]):
        return False
    if isinstance(value, str) and len(value) > TEXT_CHARACTERS:
        return False
    if kind == "DateTime":
        try:
            datetime.fromisoformat(str(value))
        except ValueError:
            return False
    return True


_CODES = {
    400: "BadRequest",
    401: "TokenExpired",
    403: "PowerBINotAuthorizedException",
    404: "PowerBIEntityNotFound",
    429: "TooManyRequests",
}
