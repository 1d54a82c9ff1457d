"""A simulated OneLake: token endpoint, the ADLS Gen2 paths of one landing zone, and its mirroring.

It behaves like the real one, including the inconvenient parts:

- a token is for Azure Storage, and expires after `token_lifetime_seconds`; without a valid one 401;
- only what is within ``Files/LandingZone`` of the mirrored database can be made;
- data is appended at the length so far and visible once it is flushed at its whole length;
- a rename is atomic and overwrites, unless ``If-None-Match: *`` forbids it;
- a list of paths is cut off after `names_per_page`, with ``x-ms-continuation``.

What is published is applied to tables by `mirroring.Mirroring`, which tests read back::

    with SimulatedOneLake() as onelake:
        ...
        assert len(onelake.rows("FactEvent")) == 1
        assert not onelake.stopped()

From another process: see ``GET /_sim`` on the same port.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from local.vendors import simulated
from local.vendors.entra import EntraBehaviour, EntraVendor
from local.vendors.mirroring import Mirroring
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

CLIENT_ID = "77777777-8888-9999-0000-111111111111"
CLIENT_SECRET = "simulated-fabric-secret"  # noqa: S105 - invented
WORKSPACE = "bbbbbbbb-cccc-dddd-eeee-ffffffffffff"
DATABASE = "cccccccc-dddd-eeee-ffff-000000000000"
SCOPE = "https://storage.azure.com/.default"
ZONE = ("Files", "LandingZone")

HELP = f"""{simulated.HELP}
GET    /_sim/tables                 the mirrored tables: rows, last file read, why one is stopped
GET    /_sim/tables/<t>/rows        rows of a table
DELETE /_sim/tables/<t>             delete a table's folder
GET    /_sim/files                  every path of the landing zone with its length
DELETE /_sim/tokens                 expire every token issued so far
"""


@dataclass(slots=True)
class OneLakeBehaviour(EntraBehaviour):
    """How this tenant behaves."""

    names_per_page: int = 5_000
    allowed: bool = True
    """False: the application is not in the workspace, 403."""
    has_workspace: bool = True
    has_database: bool = True
    is_mirroring: bool = True
    """False: the capacity is paused; files are taken and not read."""


class SimulatedOneLake(EntraVendor):
    """The server; token endpoint and API on one port.

    Args:
        port: 0 for any free port.
        now: seconds, for token expiry.
    """

    name = "onelake"
    scope, client_id, client_secret = SCOPE, CLIENT_ID, CLIENT_SECRET
    modes_type = OneLakeBehaviour
    modes: OneLakeBehaviour
    help_text = HELP

    def _clear(self) -> None:
        super()._clear()
        self._files: dict[str, bytes | None] = {}
        self._appended: dict[str, bytes] = {}
        self._mirroring = Mirroring(self._files)

    # --- for tests --------------------------------------------------------------------------------

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a mirrored table, by key; empty where there is no such table."""
        with self.lock:
            found = self._mirroring.tables.get(table)
            return [dict(row) for _, row in sorted(found.rows.items())] if found else []

    def stopped(self) -> dict[str, str]:
        """Why tables are not replicated any more, by table."""
        with self.lock:
            tables = self._mirroring.tables.items()
            return {name: table.stopped for name, table in tables if table.stopped}

    def last_file(self, table: str) -> int:
        """Number of the last file that was applied to a table."""
        with self.lock:
            return self._mirroring.tables[table].read

    def files(self) -> dict[str, int]:
        """Lengths of the landing zone's files by path."""
        with self.lock:
            return {path: len(body) for path, body in self._files.items() if body is not None}

    def put(self, path: str, body: bytes) -> None:
        """A file that somebody else has written there, with its folder."""
        with self.lock:
            self._make_parents(path)
            self._files[path] = body
            self._mirror()

    def drop(self, table: str) -> None:
        """Delete a table's folder."""
        with self.lock:
            for path in [p for p in self._files if p == table or p.startswith(f"{table}/")]:
                del self._files[path]
            self._mirror()

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """``token``, ``look``, ``list``, ``read``, ``create_file``, ``append``, ``rename``, ..."""
        if self._asks_for_token(request):
            return "token"
        match request.method:
            case "HEAD":
                return "look"
            case "GET":
                return "list" if request.query.get("resource") == "filesystem" else "read"
            case "PUT" if "x-ms-rename-source" in request.headers:
                return "rename"
            case "PUT" if request.query.get("resource") in ("file", "directory"):
                return f"create_{request.query['resource']}"
            case "DELETE":
                return "delete"
            case "PATCH" if request.query.get("action") in ("append", "flush"):
                return request.query["action"]
        return "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """401 without a valid token, 403 outside the workspace, 404 where something is not there."""
        if operation == "token":
            return None
        if not self._has_token(request):
            return WireAnswer(401, self._error("InvalidAuthenticationInfo"))
        if "x-ms-version" not in request.headers:
            return WireAnswer(400, self._error("MissingRequiredHeader"))
        if not self.modes.has_workspace or unquote(request.segments[0]) != WORKSPACE:
            return WireAnswer(404, self._error("WorkspaceNotFound"))
        if not self.modes.allowed:
            return WireAnswer(403, self._error("AuthorizationPermissionMismatch"))
        if operation == "unknown":
            return WireAnswer(400, self._error("UnsupportedQueryParameter"))
        where = self._where(request, operation)
        if not self.modes.has_database or where[:1] != (DATABASE,):
            return WireAnswer(404, self._error("ItemNotFound"))
        if where[1:3] != ZONE:
            return WireAnswer(403, self._error("OperationNotAllowedOnThePath"))
        return None

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation, then mirror what it has published."""
        if operation == "token":
            return self._token(request)
        path = "/".join(self._where(request, operation)[3:])
        performed: dict[str, Callable[[str, Request], WireAnswer]] = {
            "look": self._look,
            "list": self._list,
            "read": self._read,
            "create_file": self._create_file,
            "create_directory": self._create_directory,
            "append": self._append,
            "flush": self._flush,
            "rename": self._rename,
            "delete": self._delete,
        }
        answer = performed[operation](path, request)
        self._mirror()
        return answer

    def error_body(self, status: int) -> dict[str, Any]:
        """A code and a sentence."""
        return self._error({429: "TooManyRequests", 503: "ServerBusy"}.get(status, "InternalError"))

    @staticmethod
    def _error(code: str) -> dict[str, Any]:
        return {"error": {"code": code, "message": "simulated"}}

    @staticmethod
    def _where(request: Request, operation: str) -> tuple[str, ...]:
        """The parts of the path within the workspace."""
        if operation == "list":
            return tuple(request.query.get("directory", "").split("/"))
        return tuple(unquote(part) for part in request.segments[1:])

    def _mirror(self) -> None:
        if self.modes.is_mirroring:
            self._mirroring.replicate()

    # --- paths ----------------------------------------------------------------------------------

    def _look(self, path: str, _request: Request) -> WireAnswer:
        there = not path or path in self._files
        return WireAnswer(200, "") if there else WireAnswer(404, self._error("PathNotFound"))

    def _list(self, path: str, request: Request) -> WireAnswer:
        if path and self._files.get(path, b"") is not None:
            return WireAnswer(404, self._error("PathNotFound"))
        within = f"{path}/" if path else ""
        names = sorted(
            p for p in self._files if p.startswith(within) and "/" not in p[len(within) :]
        )
        start = int(request.query.get("continuation", "0"))
        end = start + self.modes.names_per_page
        prefix = "/".join((DATABASE, *ZONE))
        shown = [
            {"name": f"{prefix}/{name}", "contentLength": str(len(self._files[name] or b""))}
            for name in names[start:end]
        ]
        more = {"x-ms-continuation": str(end)} if end < len(names) else {}
        return WireAnswer(200, {"paths": shown}, more)

    def _read(self, path: str, _request: Request) -> WireAnswer:
        body = self._files.get(path)
        if body is None:
            return WireAnswer(404, self._error("PathNotFound"))
        return WireAnswer(200, body.decode())

    def _create_file(self, path: str, request: Request) -> WireAnswer:
        if path in self._files and request.headers.get("if-none-match") == "*":
            return WireAnswer(409, self._error("PathAlreadyExists"))
        self._make_parents(path)
        self._files[path] = b""
        self._appended[path] = b""
        return WireAnswer(201, "")

    def _create_directory(self, path: str, request: Request) -> WireAnswer:
        if path in self._files and request.headers.get("if-none-match") == "*":
            return WireAnswer(409, self._error("PathAlreadyExists"))
        self._make_parents(f"{path}/")
        return WireAnswer(201, "")

    def _make_parents(self, path: str) -> None:
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            self._files.setdefault("/".join(parts[:count]), None)

    def _append(self, path: str, request: Request) -> WireAnswer:
        flushed = self._files.get(path)
        if flushed is None:
            return WireAnswer(404, self._error("PathNotFound"))
        waiting = self._appended.setdefault(path, b"")
        if int(request.query["position"]) != len(flushed) + len(waiting):
            return WireAnswer(400, self._error("InvalidAppendPosition"))
        self._appended[path] = waiting + request.raw
        return WireAnswer(202, "")

    def _flush(self, path: str, request: Request) -> WireAnswer:
        flushed = self._files.get(path)
        if flushed is None:
            return WireAnswer(404, self._error("PathNotFound"))
        whole = flushed + self._appended.get(path, b"")
        if int(request.query["position"]) != len(whole) or request.raw:
            return WireAnswer(400, self._error("InvalidFlushPosition"))
        self._files[path] = whole
        self._appended[path] = b""
        return WireAnswer(200, "")

    def _rename(self, path: str, request: Request) -> WireAnswer:
        given = [unquote(part) for part in request.headers["x-ms-rename-source"].split("/")]
        source = "/".join(given[5:])
        if given[:5] != ["", WORKSPACE, DATABASE, *ZONE] or self._files.get(source) is None:
            return WireAnswer(404, self._error("SourcePathNotFound"))
        parent = path.rpartition("/")[0]
        if parent and self._files.get(parent, b"") is not None:
            return WireAnswer(404, self._error("RenameDestinationParentPathNotFound"))
        if path in self._files and request.headers.get("if-none-match") == "*":
            return WireAnswer(409, self._error("PathAlreadyExists"))
        self._files[path] = self._files.pop(source)
        self._appended.pop(source, None)
        return WireAnswer(201, "")

    def _delete(self, path: str, _request: Request) -> WireAnswer:
        if self._files.get(path) is None:
            return WireAnswer(404, self._error("PathNotFound"))
        del self._files[path]
        self._appended.pop(path, None)
        return WireAnswer(200, "")

    # --- driven from another process ------------------------------------------------------------

    def admin(self, request: Request) -> WireAnswer:
        """Adds tables and files to the paths of every vendor."""
        with self.lock:
            match (request.method, *request.segments[1:]):
                case ("GET", "tables"):
                    tables = self._mirroring.tables.items()
                    shown = [
                        {"name": n, "rows": len(t.rows), "read": t.read, "stopped": t.stopped}
                        for n, t in tables
                    ]
                    return WireAnswer(200, {"tables": shown})
                case ("GET", "tables", table, "rows"):
                    return WireAnswer(200, {"rows": self.rows(table)})
                case ("GET", "files"):
                    return WireAnswer(200, {"files": self.files()})
                case ("DELETE", "tables", table):
                    self.drop(table)
                    return WireAnswer(200, {"ok": True})
        return super().admin(request)
