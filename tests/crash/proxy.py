"""A proxy on loopback that counts every outgoing call and breaks one of them as the run asks."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

HOST = "127.0.0.1"
HANG_SECONDS = 600.0
"""Longer than any wait; it only ends what a test has left running."""
FORWARD_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Call:
    """One outgoing call: its number in the run, its target and operation, and its caller.

    Attributes:
        method: the HTTP method; a GET changes nothing at a vendor.
        function: the running function.
        invocation: the number of the process in the run.
        step: the step of its flow.
    """

    number: int
    target: str
    operation: str
    method: str = ""
    function: str = ""
    step: int = 0
    invocation: int = 0

    def __str__(self) -> str:
        return f"{self.number} {self.function} {self.target} {self.operation}"


@dataclass(slots=True)
class Plan:
    """The fault at the call with this number.

    Attributes:
        kind: kill_before, kill_after, stop_before, stop_after, answer_lost, reset, hang, ignored,
            act_then_500, held, copy_lost, or a status such as 429.
        at: the number of the call; 0 is none.
        reached: set when the call was made.
        released: a stopped or held call continues when this is set.
        landed: set when a held call has reached its target.
    """

    kind: str
    at: int
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    landed: threading.Event = field(default_factory=threading.Event)


class Proxy:
    """A listener for AWS and one for each vendor, with one common count.

    Args:
        targets: name to base URL.
        kill: called to kill the process that made the call; returns when it has ended.
        stop: called to stop it.
        now: epoch seconds of the run's clock, which the engine does not follow: a message that SQS
            is asked to delay is on its queue at once, and the harness delivers it at its time.

    Attributes:
        due: when each delayed message is due, by its id; epoch seconds.
    """

    def __init__(
        self,
        targets: dict[str, str],
        *,
        kill: Callable[[], None],
        stop: Callable[[], None],
        now: Callable[[], float],
    ) -> None:
        self.calls: list[Call] = []
        self.due: dict[str, float] = {}
        self.plan: Plan | None = None
        self.function, self.step, self.invocation = "", 0, 0
        self._kill = kill
        self._stop = stop
        self._now = now
        self._lock = threading.Lock()
        self._servers = {name: _server(self, name, url) for name, url in targets.items()}

    def url(self, name: str) -> str:
        """The URL of a target through the proxy."""
        return f"http://{HOST}:{self._servers[name].server_address[1]}"

    def forget(self, plan: Plan | None = None) -> None:
        """Reset the count and set another plan."""
        with self._lock:
            self.calls = []
            self.due = {}
            self.plan = plan

    def close(self) -> None:
        """Stop listening."""
        for server in self._servers.values():
            server.shutdown()
            server.server_close()

    def met(self, target: str, operation: str, method: str) -> Plan | None:
        """Count a call; returns the plan if it is for this call."""
        with self._lock:
            number = len(self.calls) + 1
            where = (self.function, self.step, self.invocation)
            made = Call(number, target, operation, method, *where)
            self.calls.append(made)
            plan = self.plan
        return plan if plan is not None and plan.at == number else None

    def serve(self, handler: _Handler, target: str, url: str) -> None:
        """Forward one call, or apply its plan."""
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        operation = _operation(handler, body)

        def forward() -> Answer:
            if operation != TO_LATER:
                return _forward(handler, url, body)
            return self._forward_without_delay(handler, url, json.loads(body))

        plan = self.met(target, operation, handler.command)
        if plan is None:
            handler.answer(forward())
            return
        if not plan.kind.startswith("stop"):
            plan.reached.set()
        match plan.kind:
            case "kill_before":
                self._kill()
            case "kill_after":
                forward()
                self._kill()
            case "stop_before":
                self._stop()
                plan.reached.set()
                plan.released.wait(HANG_SECONDS)
                handler.answer(forward())
            case "stop_after":
                found = forward()
                self._stop()
                plan.reached.set()
                plan.released.wait(HANG_SECONDS)
                handler.answer(found)
            case "answer_lost":
                forward()
                handler.reset()
            case "reset":
                handler.reset()
            case "hang":
                forward()
                plan.released.wait(HANG_SECONDS)
            case "held" | "held_beyond":
                plan.released.wait(HANG_SECONDS)
                forward()
                plan.landed.set()
            case "act_then_500":
                forward()
                handler.answer((500, {}, b"{}"))
            case "ignored" | "copy_lost":
                handler.answer((200, {}, b"{}"))
            case status:
                handler.answer((int(status), {"Retry-After": "1"}, b"{}"))

    def _forward_without_delay(self, handler: _Handler, url: str, asked: dict[str, Any]) -> Answer:
        """Send a delayed message without its delay, and note when it is due."""
        due = self._now() + int(asked.pop("DelaySeconds", 0))
        found = _forward(handler, url, json.dumps(asked).encode())
        with self._lock:
            self.due[json.loads(found[2])["MessageId"]] = due
        return found


Answer = tuple[int, dict[str, str], bytes]
TO_LATER = "SendMessage later"
"""The operation of a send to the queue `later`, which the harness tells from those to the lanes."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy
    target: str
    base_url: str

    def _any(self) -> None:
        try:
            self.proxy.serve(self, self.target, self.base_url)
        except OSError:
            self.close_connection = True  # the caller is gone

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any  # noqa: N815 - http.server's names

    def answer(self, found: Answer) -> None:
        status, headers, body = found
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reset(self) -> None:
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


def _server(proxy: Proxy, target: str, url: str) -> ThreadingHTTPServer:
    handler = type("Handler", (_Handler,), {"proxy": proxy, "target": target, "base_url": url})
    server = ThreadingHTTPServer((HOST, 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # killed callers are the point
    serve: Any = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    serve.start()
    return server


def _forward(handler: _Handler, url: str, body: bytes) -> Answer:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(
        parts.hostname or HOST, parts.port, timeout=FORWARD_SECONDS
    )
    headers = {k: v for k, v in handler.headers.items() if k.lower() not in _HOP}
    connection.request(handler.command, handler.path, body=body, headers=headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    kept = {k: v for k, v in response.getheaders() if k.lower() not in _HOP}
    return response.status, kept, content


_HOP = {"connection", "content-length", "transfer-encoding", "host", "server"}


def _operation(handler: _Handler, body: bytes) -> str:
    """The AWS operation, or the last parts of a vendor's path."""
    target = handler.headers.get("x-amz-target")
    if not target:
        return f"{handler.command} {'/'.join(urlsplit(handler.path).path.split('/')[-2:])}"
    operation = target.rpartition(".")[2]
    return TO_LATER if operation == "SendMessage" and b"/rp-mw-later-" in body else operation
