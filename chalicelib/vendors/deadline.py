"""HTTP sessions whose calls end at a deadline and know whether their request was sent.

A socket timeout bounds a single read, so it never cuts off a server that sends its response byte by
byte.  A `Watch` shuts down the call's socket at the deadline instead, whatever it is doing.  The
connection notifies its watch just before the request's first byte: a call that fails earlier was
certainly not sent.  Name resolution and connecting have timeouts of their own and may exceed the
deadline by that much; after the deadline nothing is sent.
"""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter

Resolve = Callable[[str, int], str]
"""Gives the address to connect to for a host and a port; raises an `OSError` where it may not be
connected to."""


def session(resolve: Resolve | None = None) -> requests.Session:
    """An HTTP session that takes no proxy, netrc or certificate from the environment, no cookies, no retries.

    Args:
        resolve: chooses the address of a host; without one the system does.
    """
    made = requests.Session()
    made.trust_env = False
    made.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    for scheme in ("http://", "https://"):
        made.mount(scheme, _Adapter(resolve))
    return made


class Watch:
    """Ends one HTTP call at its deadline and knows whether sending its request had started."""

    def __init__(self, seconds: float) -> None:
        self.was_sent = False
        self._ends = time.monotonic() + seconds
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(max(seconds, 0.0), self._cut)
        self._timer.daemon = True

    @property
    def is_over(self) -> bool:
        """Whether the deadline of the call has passed."""
        return time.monotonic() >= self._ends

    @property
    def seconds_left(self) -> float:
        """Seconds until the call's deadline; never zero, as a socket takes zero for no timeout."""
        return max(self._ends - time.monotonic(), 0.001)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Within this block, the requests that this thread sends end at the deadline."""
        token = _WATCH.set(self)
        self._timer.start()
        try:
            yield
        finally:
            self._timer.cancel()
            self._timer.join()  # or a late cut would hit the next call on the same connection
            _WATCH.reset(token)

    def sending(self, connected: socket.socket) -> None:
        """Note that a call's request is being sent; called just before its first byte.

        Raises:
            TimeoutError: the deadline has passed; nothing is sent.
        """
        self._socket = connected
        if self.is_over:
            raise TimeoutError
        self.was_sent = True

    def _cut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                # The plain socket's method: a TLS socket's own would drop the decryption layer
                # while another thread reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


_WATCH: ContextVar[Watch] = ContextVar("watch")


def seconds_left() -> float:
    """Seconds until the deadline of the HTTP call that this thread makes."""
    return _WATCH.get().seconds_left


class _WatchedHTTP(urllib3.connection.HTTPConnection):
    """An HTTP connection that notes that sending begins, just before a request's first byte."""

    def request(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed through
        """Connect, note that sending begins, and send: a failure to connect certainly sent nothing."""
        if self.sock is None:
            self.connect()
        _WATCH.get().sending(self.sock)
        super().request(*args, **kwargs)


class _WatchedHTTPS(_WatchedHTTP, urllib3.connection.HTTPSConnection):
    """An HTTPS connection that notes that sending begins, just before a request's first byte."""


class _HTTPPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _WatchedHTTP


class _HTTPSPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedHTTPS


class _Adapter(HTTPAdapter):
    def __init__(self, resolve: Resolve | None) -> None:
        self._resolve = resolve
        super().__init__(max_retries=0)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed through
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _HTTPPool, "https": _HTTPSPool}
        if self._resolve is not None:
            self.poolmanager.pool_classes_by_scheme = {
                "http": _resolving(_HTTPPool, self._resolve),
                "https": _resolving(_HTTPSPool, self._resolve),
            }


def _resolving(pool: Any, resolve: Resolve) -> Any:  # noqa: ANN401 - classes made at run time
    """Make a class of connection pool whose connections go to the address that `resolve` gives for a host.

    TLS still checks the host's name.
    """

    class TimedConnection(pool.ConnectionCls):  # type: ignore[misc]
        def _new_conn(self) -> Any:  # noqa: ANN401 - a socket
            own: Any = self
            name = own.host
            own.host = resolve(name, own.port)
            try:
                return super()._new_conn()
            finally:
                own.host = name

    return type("Pool", (pool,), {"ConnectionCls": TimedConnection})


BROKEN_ERRORS = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
    ValueError,
)
"""The exceptions that an HTTP call raises if it gets no complete response."""
