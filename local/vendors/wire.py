"""The HTTP server under a simulated vendor.

Requests cross a real socket, so URL, encoding, headers, keep-alive and broken connections are real.
The `Site` decides the response, and whether there is one.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "127.0.0.1"
ADMIN = "_sim"
"""First path segment of the control paths, with which another process drives the simulation."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived.

    Attributes:
        path: as on the wire, not decoded, without the query.
        segments: the path's parts, not decoded.
        body: the parsed JSON, otherwise the text; None if there was none.
        raw: the body as it was sent, which a signature covers.
    """

    method: str
    path: str
    segments: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    raw: bytes = b""


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """Status, JSON body and extra headers of a response."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Site(Protocol):
    """The application behind a server."""

    name: str

    def epoch(self) -> float:
        """Its own clock, for the ``Date`` of its responses."""

    def admin(self, request: Request) -> WireAnswer:
        """Answer a request under `ADMIN`; an exception for an invalid one becomes a 400."""

    def serve(self, request: Request, connection: ClientConnection) -> None:
        """Answer any other request on its connection, or reset it."""


class ClientConnection(BaseHTTPRequestHandler):
    """One client connection, kept alive between requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 120
    server: _Server

    def _handle(self) -> None:
        site = self.server.site
        request = self._read()
        if request.segments[:1] == (ADMIN,):
            try:
                answer = site.admin(request)
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                answer = WireAnswer(400, {"error": str(error)})
            self.send(answer)
            return
        site.serve(request, self)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PATCH = _handle  # noqa: N815

    def send(
        self, answer: WireAnswer, *, pause: float = 0.0, stopping: threading.Event | None = None
    ) -> None:
        """Write the response; with a pause, one byte of the body at a time."""
        is_text = isinstance(answer.body, str)
        body = answer.body.encode() if is_text else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/plain" if is_text else "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        with contextlib.suppress(OSError):
            for part in (body[i : i + 1] for i in range(len(body))) if pause else (body,):
                self.wfile.write(part)
                self.wfile.flush()
                if pause and stopping is not None and stopping.wait(pause):
                    break

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The ``Date`` of a response, by the vendor's own clock."""
        at = self.server.site.epoch() if timestamp is None else timestamp
        return super().date_time_string(at)

    def reset(self) -> None:
        """Close the connection with a TCP reset and without a response."""
        self.close_connection = True
        self.wfile = _NullFile()  # type: ignore[assignment]
        with contextlib.suppress(OSError):
            linger_none = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_none)
            self.connection.close()

    def _read(self) -> Request:
        url = urlsplit(self.path)
        segments = tuple(url.path.strip("/").split("/"))
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body: Any = raw.decode(errors="replace") if raw else None
        # Vendors accept JSON only with its content type; `ADMIN` paths also without, for `curl -d`.
        if raw and ("json" in self.headers.get_content_type() or segments[:1] == (ADMIN,)):
            with contextlib.suppress(ValueError):
                body = json.loads(raw)
        return Request(
            method=self.command,
            path=url.path,
            segments=segments,
            query={name: values[-1] for name, values in parse_qs(url.query).items()},
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            raw=raw,
        )

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing: the request record serves as the log."""


class _NullFile:
    """A file that discards everything, for a connection that was reset."""

    closed = False

    def write(self, data: bytes) -> int:
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None: ...


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: Site, port: int) -> None:
        self.site = site
        self.live: set[socket.socket] = set()
        super().__init__((HOST, port), ClientConnection)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        self.live.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401
        self.live.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Ignore a disconnected client; report a bug of the simulation."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Listener:
    """A server in its own thread, which runs until `close`.

    Args:
        port: 0 for any free port.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, site: Site, port: int) -> None:
        self._server = _Server(site, port)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name=f"vendor-{site.name}",
            daemon=True,
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening and reset every connection."""
        self._server.shutdown()
        self._server.server_close()
        for connection in tuple(self._server.live):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
