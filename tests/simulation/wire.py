"""The wire in memory: the product's HTTP clients run whole, down to the socket.

`requests`, `urllib3`, `http.client`, `botocore` and the product's own connection classes are the
real ones.  Only the socket under a connection to a ``.simulated`` host is in memory: what is written
to it is the request as it would leave, and what is read from it is a response in bytes.  Any other
host is connected to as usual.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

import botocore.awsrequest
import urllib3

from chalicelib.vendors import deadline
from local.vendors.wire import Request, WireAnswer

DOMAIN = ".simulated"


class Exchange(Protocol):
    """One request on its way, from connecting to its response."""

    def start(self) -> None:
        """The first byte is sent."""

    def answer(self, request: Request) -> WireAnswer:
        """The response; an `OSError` breaks the connection after the request was sent."""

    def clock(self) -> float:
        """Epoch seconds at the vendor."""


Connect = Callable[[str, str, str], Exchange]
"""Called with vendor, method and URL before anything is sent; an `OSError` refuses to connect."""


class _Current:
    """The world whose requests these are: one runs at a time in a process."""

    connect: Connect


@contextmanager
def running(connect: Connect, now: Callable[[], float]) -> Iterator[None]:
    """Connect every simulated host to this world, and count calls' deadlines by its time."""
    before = deadline.time, deadline.threading
    deadline.time = SimpleNamespace(monotonic=now)  # type: ignore[assignment]
    deadline.threading = SimpleNamespace(Timer=_Timer)  # type: ignore[assignment]
    _Current.connect = connect
    try:
        yield
    finally:
        deadline.time, deadline.threading = before


class _Timer:
    """No thread cuts a call off: a response that does not come is a `TimeoutError` at once."""

    def __init__(self, seconds: float, cut: Callable[[], None]) -> None:
        del seconds, cut

    def start(self) -> None: ...

    def cancel(self) -> None: ...

    def join(self) -> None: ...


def url_of(vendor: str) -> str:
    """The base URL of a simulated vendor."""
    return f"http://{vendor}{DOMAIN}"


class _Socket:
    """A connection's socket: it collects the request, and answers it when the response is read."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._sent = bytearray()

    def sendall(self, data: bytes) -> None:
        if not self._sent:
            self._exchange.start()
        self._sent += data

    def makefile(self, *mode: Any, **more: Any) -> io.BytesIO:
        del mode, more
        answer = self._exchange.answer(parsed(bytes(self._sent)))
        return io.BytesIO(response(answer, self._exchange.clock()))

    def settimeout(self, seconds: float | None) -> None: ...

    def shutdown(self, how: int) -> None: ...

    def close(self) -> None: ...


class _InMemory:
    """Mixed into a connection class: simulated hosts are reached in memory."""

    host: str

    def request(self, method: str, url: str, *more: Any, **named: Any) -> Any:
        self._about = method, url
        return super().request(method, url, *more, **named)  # type: ignore[misc]

    def _new_conn(self) -> Any:
        if not self.host.endswith(DOMAIN):
            return super()._new_conn()  # type: ignore[misc]
        try:
            return _Socket(_Current.connect(self.host.removesuffix(DOMAIN), *self._about))
        except OSError as error:
            raise urllib3.exceptions.NewConnectionError(self, "refused") from error  # type: ignore[arg-type]


class _Watched(_InMemory, deadline._WatchedHTTP):
    pass


class _Aws(_InMemory, botocore.awsrequest.AWSHTTPConnection):  # type: ignore[misc]
    pass


deadline._HTTPPool.ConnectionCls = _Watched
botocore.awsrequest.AWSHTTPConnectionPool.ConnectionCls = _Aws


def parsed(raw: bytes) -> Request:
    """A request from the bytes that were sent, as `local.vendors.wire` parses it."""
    head, _, content = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    if int(headers.get("content-length", "0")) != len(content):
        raise AssertionError("a request was cut off")
    body: Any = content.decode(errors="replace") if content else None
    if content and "json" in headers.get("content-type", ""):
        body = json.loads(content)
    return request_of(method, target, headers, body)


def request_of(
    method: str, target: str, headers: dict[str, str] | None = None, body: Any = None
) -> Request:
    """A request from its parts."""
    url = urlsplit(target)
    return Request(
        method=method,
        path=url.path,
        segments=tuple(url.path.strip("/").split("/")),
        query={name: values[-1] for name, values in parse_qs(url.query).items()},
        headers=headers or {},
        body=body,
    )


def response(answer: WireAnswer, at: float) -> bytes:
    """A response as the bytes that arrive; the connection closes behind it.

    `at`: epoch seconds at the vendor.
    """
    is_text = isinstance(answer.body, str)
    body = (answer.body if is_text else json.dumps(answer.body)).encode()
    headers = {
        "Content-Type": "text/plain" if is_text else "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        "Date": formatdate(at, usegmt=True),
        **answer.headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.status} Simulated\r\n{lines}\r\n".encode("latin-1") + body
