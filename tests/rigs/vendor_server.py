"""A vendor on loopback that misbehaves as scripted, one script per request, in order."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.rigs.fakes import NOON

CANARY = "canary.person@example.com +1-555-0100"
"""Stands for personal data in whatever a vendor sends; it must never be seen again."""


@dataclass(frozen=True)
class Request:
    """What arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Script = Callable[["Handler"], None]


@dataclass
class Vendor:
    """Runs the scripts in order; the last one is repeated."""

    scripts: list[Script] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def will(self, *scripts: Script) -> None:
        self.scripts = list(scripts)

    def next_script(self) -> Script:
        return self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    vendor: Vendor

    def setup(self) -> None:
        super().setup()
        self.vendor.connections += 1
        self.number = self.vendor.connections

    def serve_one(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body, self.number)
        self.vendor.requests.append(request)
        self.vendor.next_script()(self)

    do_GET = do_PUT = do_POST = serve_one  # noqa: N815 - the names of http.server

    def log_message(self, *_: object) -> None:
        """Silent."""

    def raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()


@contextmanager
def running() -> Iterator[Vendor]:
    vendor = Vendor()
    handler = type("VendorHandler", (Handler,), {"vendor": vendor})
    server = _Server(("127.0.0.1", 0), handler)
    vendor.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield vendor
    finally:
        vendor.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """The client closed the connection, as some tests want."""


# --- scripts ------------------------------------------------------------------------------------


def answer(status: int = 200, body: object = None, **headers: str) -> Script:
    """A well-formed answer; a text or bytes body goes out as it is.

    Without a `Date` given, it is that of a new `ManualClock`; an empty one is left out.
    """
    data = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()

    def script(handler: Handler) -> None:
        handler.send_response_only(status)
        dated = {"Date": format_datetime(NOON, usegmt=True), **headers}
        for name, value in ((name, value) for name, value in dated.items() if value):
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return script


def hang(handler: Handler) -> None:
    """Read the request and never answer."""
    handler.vendor.stopping.wait(60)
    handler.close_connection = True


def drip_headers(handler: Handler) -> None:
    _drip(handler, b"HTTP/1.1 200 OK\r\nx-padding: ")


def drip_body(handler: Handler) -> None:
    _drip(handler, b'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{"a": "')


def _drip(handler: Handler, start: bytes) -> None:
    handler.close_connection = True
    handler.raw(start)
    for _ in range(200):
        if handler.vendor.stopping.wait(0.05):
            return
        handler.raw(b"x")


def reset(handler: Handler) -> None:
    """Read the request, then reset the connection."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def close_silently(handler: Handler) -> None:
    """Read the request, then close without an answer."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def promise_more_than_comes(handler: Handler) -> None:
    handler.close_connection = True
    handler.raw(b'HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"ticket": {}}')


def speak_no_http(handler: Handler) -> None:
    handler.close_connection = True
    handler.raw(b"220 mail ESMTP " + CANARY.encode() + b"\r\n\r\n")


def endless(handler: Handler) -> None:
    """A body without end or length, fast."""
    handler.close_connection = True
    handler.raw(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
    while not handler.vendor.stopping.is_set():
        handler.raw(b"[" * 65_536)


def answer_then_close(body: object) -> Script:
    """Answer as if the connection stayed open, and close it: what the client keeps is stale."""
    answered = answer(200, body)

    def script(handler: Handler) -> None:
        answered(handler)
        handler.wfile.flush()
        handler.close_connection = True

    return script


def closed_port() -> int:
    """A port without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def dripping_tls() -> Iterator[str]:
    """A server that never finishes its TLS handshake and keeps sending."""
    listener = socket.create_server(("127.0.0.1", 0))
    stopping = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"\x16\x03\x03\x3f\x00")
            try:
                while not stopping.wait(0.05):
                    connection.sendall(b"\x02")
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        stopping.set()
        thread.join(60)
        listener.close()
