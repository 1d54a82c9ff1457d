"""The HTTP server under a simulated vendor: it records every request and misbehaves on demand.

It stands at the wire, so URL, encoding, headers, keep-alive and broken connections are real.

Misbehaviour is a queue of `Fault`s per operation; the first that matches a request is spent on it::

    vendor.fault("status", operation="add_tags", status=503)            # once
    vendor.fault("status", status=429, headers={"Retry-After": "30"}, times=3)
    vendor.fault("act_then_drop", operation="send_message")             # done, and no answer
    vendor.fault("hang", seconds=60, times=None)                        # until cleared

The same from another process, as JSON, under ``/_sim/``: see `HELP`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from abc import abstractmethod
from collections import Counter, deque
from dataclasses import asdict, dataclass, field, fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import parse_qs, urlsplit

from local.running import Running

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HOST = "127.0.0.1"

FaultKind = Literal[
    "status",  # answer `status` with `headers` and `body`; nothing is done
    "act_then_status",  # done, and answered `status` all the same
    "drop",  # the connection is reset; nothing is done
    "act_then_drop",  # done, and the connection is reset before the answer
    "hang",  # nothing is done and nothing answered for `seconds`, then the connection is reset
    "act_then_hang",  # done, and nothing answered for `seconds`
    "delay",  # done at once and answered rightly, `seconds` late
    "slow",  # done only after `seconds`, even when the client has given up by then
    "trickle",  # done and answered one byte per `seconds`: only a total deadline ends it
    "garbage",  # done, and answered 200 with a body that is not JSON
]

HELP = """\
GET    /_sim                       this text
GET    /_sim/requests              what was received: ?operation=add_tags&after=17
DELETE /_sim/requests              forget it
GET    /_sim/faults                faults still to come
POST   /_sim/faults                {"kind": "status", "operation": "add_tags", "status": 503,
                                    "headers": {}, "seconds": 0, "times": 1, "skip": 0}
                                   (times null: for ever)
DELETE /_sim/faults                none any more
GET    /_sim/modes                 settings of the vendor
PATCH  /_sim/modes                 change some of them
POST   /_sim/reset                 forget everything: state, requests, faults, modes
"""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived.

    Attributes:
        path: as on the wire, not decoded, without the query.
        segments: the path's parts, not decoded.
        body: the JSON body, or the text when it is not JSON, or None when there was none.
    """

    method: str
    path: str
    segments: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, JSON body and extra headers of an answer."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """What is kept of a request: no headers, so no key.

    Attributes:
        number: 1 for the first since the start or the last reset.
        at_epoch: when it arrived.
        operation: the vendor's name for it, e.g. ``add_tags``.
        status: what was answered, or None when the connection was dropped or left hanging.
        acted: the vendor did what was asked (reads count as asked and done).
        fault: the kind of the fault spent on it, if any.
    """

    number: int
    at_epoch: float
    method: str
    path: str
    query: Mapping[str, str]
    operation: str
    body: Any
    status: int | None
    acted: bool
    fault: str | None


@dataclass(slots=True)
class Fault:
    """A misbehaviour for the next requests that match.

    Attributes:
        operation: which operation it is for; ``*`` for any.
        times: how many requests it is spent on; None for all.
        skip: how many matching requests pass unharmed before.
    """

    kind: FaultKind
    operation: str = "*"
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    seconds: float = 0.0
    times: int | None = 1
    skip: int = 0

    def spend(self, operation: str) -> bool:
        """Whether it strikes this request; counts down."""
        if self.operation not in ("*", operation) or self.times == 0:
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass(slots=True)
class Modes:
    """Standing settings every vendor has; a vendor adds its own by subclassing.

    Attributes:
        rate_limit: requests per `rate_window_seconds`; None switches the limiter off.
        rate_headers: the three documented headers are sent at all.
        retry_after: ``Retry-After`` is among them.
    """

    rate_limit: int | None = None
    rate_window_seconds: float = 30.0
    rate_headers: bool = True
    retry_after: bool = True


class Vendor(Running):
    """A simulated vendor: a threaded HTTP server on 127.0.0.1; a context manager.

    Subclasses give `operation_of` and `answer`, and extend `admin` by their own paths.

    Args:
        port: 0 for any free port.
        now: seconds, for the vendor's own times and limits.

    Raises:
        OSError: the port is taken.
    """

    name = "vendor"
    modes_type: type[Modes] = Modes
    help_text = HELP

    def __init__(self, port: int = 0, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.lock = threading.RLock()
        self.modes = self.modes_type()
        self._calls: list[Call] = []
        self._number = 0
        self._faults: list[Fault] = []
        self._arrivals: deque[float] = deque()
        self._stopping = threading.Event()
        self._listener: _Listener | None = None
        self.port = port
        self._clear()
        self.up()

    # --- what a vendor is -----------------------------------------------------------------------

    @abstractmethod
    def operation_of(self, request: Request) -> str:
        """The vendor's name for what the request asks."""

    @abstractmethod
    def refusal(self, request: Request, operation: str) -> Answer | None:
        """An answer that comes before anything is done, such as 401."""

    @abstractmethod
    def answer(self, request: Request, operation: str) -> Answer:
        """Do what is asked, under the lock."""

    def _clear(self) -> None:
        """Begin anew with everything that the vendor itself keeps."""

    def error_body(self, status: int) -> Any:  # noqa: ANN401 - JSON
        """The vendor's body for an error it makes up itself."""
        return {"error": {"message": f"status {status}"}}

    # --- what a test drives ---------------------------------------------------------------------

    @property
    def url(self) -> str:
        """Where it listens, without a trailing slash."""
        return f"http://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """What the middleware's setting of the vendor's address wants."""
        return self.url

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every request since the start or the last `forget_calls`, oldest first."""
        with self.lock:
            return tuple(self._calls)

    def calls_of(self, operation: str) -> tuple[Call, ...]:
        """Those of one operation."""
        return tuple(call for call in self.calls if call.operation == operation)

    def count(self) -> Counter[str]:
        """How many requests of each operation."""
        return Counter(call.operation for call in self.calls)

    def forget_calls(self) -> None:
        """Empty the record."""
        with self.lock:
            self._calls.clear()

    def fault(self, kind: FaultKind, **settings: Any) -> Fault:  # noqa: ANN401 - fields of Fault
        """Add a misbehaviour; settings are the fields of `Fault`."""
        if kind not in get_args(FaultKind):
            raise ValueError(f"no such fault: {kind}")
        fault = Fault(kind, **settings)
        with self.lock:
            self._faults.append(fault)
        return fault

    def clear_faults(self) -> None:
        """Behave again; requests that hang already go on hanging."""
        with self.lock:
            self._faults.clear()

    def set_modes(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Modes
        """Change standing settings by name."""
        with self.lock:
            for name, value in changes.items():
                if name not in {one.name for one in fields(self.modes)}:
                    raise ValueError(f"no such mode: {name}")
                setattr(self.modes, name, value)

    def reset(self) -> None:
        """Forget everything; the port stays."""
        with self.lock:
            self.modes = self.modes_type()
            self._calls.clear()
            self._number = 0
            self._faults.clear()
            self._arrivals.clear()
            self._clear()

    def down(self) -> None:
        """Stop listening and cut every connection: the next connect is refused."""
        if self._listener is not None:
            self._stopping.set()
            self._listener.close()
            self._listener = None

    def up(self) -> None:
        """Listen again on the same port."""
        if self._listener is None:
            self._stopping = threading.Event()
            self._listener = _Listener(self, self.port)
            self.port = self._listener.port

    stop = down

    # --- one request ----------------------------------------------------------------------------

    def serve(self, request: Request, connection: Connection) -> None:
        """Answer one request, by the rules or by a fault, and record it."""
        operation = self.operation_of(request)
        arrived = time.time()
        with self.lock:
            fault = next((one for one in self._faults if one.spend(operation)), None)
            headers, limited = self._rate()
        if fault is not None and fault.kind == "slow":
            self._stopping.wait(fault.seconds)
        with self.lock:
            answer, acted = self._outcome(request, operation, fault, limited=limited)
            if answer is not None:
                answer = Answer(answer.status, answer.body, {**headers, **answer.headers})
            silent = answer is None or (fault is not None and fault.kind in _SILENT)
            self._number += 1
            self._calls.append(
                Call(
                    number=self._number,
                    at_epoch=arrived,
                    method=request.method,
                    path=request.path,
                    query=request.query,
                    operation=operation,
                    body=request.body,
                    status=None if silent or answer is None else answer.status,
                    acted=acted,
                    fault=fault.kind if fault else None,
                )
            )
        _deliver(answer, fault, connection, self._stopping)

    def _outcome(
        self, request: Request, operation: str, fault: Fault | None, *, limited: bool
    ) -> tuple[Answer | None, bool]:
        """The answer and whether what was asked was done."""
        if fault is not None and fault.kind == "status":
            body = self.error_body(fault.status) if fault.body is None else fault.body
            return Answer(fault.status, body, fault.headers), False
        if fault is not None and fault.kind in ("drop", "hang"):
            return None, False
        if limited:
            return Answer(429, self.error_body(429)), False
        refused = self.refusal(request, operation)
        if refused is not None:
            return refused, False
        answer = self.answer(request, operation)
        acted = answer.status < 400  # noqa: PLR2004
        if fault is not None and fault.kind == "act_then_status":
            body = self.error_body(fault.status) if fault.body is None else fault.body
            answer = Answer(fault.status, body, fault.headers)
        return answer, acted

    def _rate(self) -> tuple[dict[str, str], bool]:
        limit = self.modes.rate_limit
        if limit is None:
            return {}, False
        now = time.monotonic()
        window = self.modes.rate_window_seconds
        while self._arrivals and now - self._arrivals[0] >= window:
            self._arrivals.popleft()
        limited = len(self._arrivals) >= limit
        if not limited:
            self._arrivals.append(now)
        if not self.modes.rate_headers:
            return {}, limited
        remaining = limit - len(self._arrivals)
        headers = {"X-RateLimit-Limit": str(limit), "X-RateLimit-Remaining": str(remaining)}
        if self.modes.retry_after:
            wait = int(window - (now - self._arrivals[0])) + 1 if limited else 0
            headers["Retry-After"] = str(wait)
        return headers, limited

    # --- driven from another process ------------------------------------------------------------

    def admin(self, request: Request) -> Answer:
        """Answer a request under ``/_sim``; neither recorded nor limited nor broken."""
        rest = request.segments[1:]
        with self.lock:
            match (request.method, *rest):
                case ("GET",):
                    return Answer(200, self.help_text)
                case ("GET", "requests"):
                    return Answer(200, {"requests": self._listed(request.query)})
                case ("DELETE", "requests"):
                    self._calls.clear()
                case ("GET", "faults"):
                    return Answer(200, {"faults": [asdict(one) for one in self._faults]})
                case ("POST", "faults"):
                    self.fault(**request.body)
                case ("DELETE", "faults"):
                    self._faults.clear()
                case ("GET", "modes"):
                    return Answer(200, asdict(self.modes))
                case ("PATCH", "modes"):
                    self.set_modes(**request.body)
                case ("POST", "reset"):
                    self.reset()
                case _:
                    return Answer(404, {"error": "no such thing; GET /_sim tells what there is"})
        return Answer(200, {"ok": True})

    def _listed(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        operation, after = query.get("operation"), int(query.get("after", "0"))
        return [
            asdict(call)
            for call in self._calls
            if call.number > after and operation in (None, call.operation)
        ]


_SILENT = frozenset({"drop", "hang", "act_then_drop", "act_then_hang"})


def _deliver(
    answer: Answer | None, fault: Fault | None, connection: Connection, stopping: threading.Event
) -> None:
    """Send the answer the way the fault wants it; the lock is not held."""
    if fault is not None and fault.seconds and fault.kind not in ("slow", "trickle"):
        stopping.wait(fault.seconds)
    if answer is None or (fault is not None and fault.kind in _SILENT):
        connection.reset()
    elif fault is not None and fault.kind == "garbage":
        connection.send(Answer(200, "<html>not what you asked for</html>", answer.headers))
    elif fault is not None and fault.kind == "trickle":
        connection.send(answer, pause=fault.seconds, stopping=stopping)
    else:
        connection.send(answer)


class Connection(BaseHTTPRequestHandler):
    """One client connection, kept alive between requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 120
    server: _Server

    def _handle(self) -> None:
        vendor = self.server.vendor
        request = self._read()
        if request.segments[:1] == ("_sim",):
            try:
                answer = vendor.admin(request)
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                answer = Answer(400, {"error": str(error)})
            self.send(answer)
            return
        vendor.serve(request, self)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = _handle  # noqa: N815

    def send(
        self, answer: Answer, *, pause: float = 0.0, stopping: threading.Event | None = None
    ) -> None:
        """Write the answer; with a pause, one byte of the body at a time."""
        is_text = isinstance(answer.body, str)
        body = answer.body.encode() if is_text else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/plain" if is_text else "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            for part in (body[i : i + 1] for i in range(len(body))) if pause else (body,):
                self.wfile.write(part)
                self.wfile.flush()
                if pause and stopping is not None and stopping.wait(pause):
                    break

    def reset(self) -> None:
        """Cut the connection with a TCP reset: no answer will come."""
        self.close_connection = True
        self.wfile = _Nowhere()  # type: ignore[assignment]
        with contextlib.suppress(OSError):
            linger_none = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_none)
            self.connection.close()

    def _read(self) -> Request:
        url = urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body: Any = None
        if raw:
            try:
                body = json.loads(raw)
            except ValueError:
                body = raw.decode(errors="replace")
        return Request(
            method=self.command,
            path=url.path,
            segments=tuple(url.path.strip("/").split("/")),
            query={name: values[-1] for name, values in parse_qs(url.query).items()},
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: the record is the log."""


class _Nowhere:
    """A file that takes everything, for a connection that is cut."""

    closed = False

    def write(self, data: bytes) -> int:
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None: ...


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, vendor: Vendor, port: int) -> None:
        self.vendor = vendor
        self.live: set[socket.socket] = set()
        super().__init__((HOST, port), Connection)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        self.live.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401
        self.live.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """A client that went away is none of our business."""


class _Listener:
    """The server in its thread."""

    def __init__(self, vendor: Vendor, port: int) -> None:
        self._server = _Server(vendor, port)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name=f"vendor-{vendor.name}",
            daemon=True,
        )
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        for connection in tuple(self._server.live):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
