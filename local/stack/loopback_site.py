"""A place of the local stack that answers over HTTP on loopback, with nothing of a vendor."""

from __future__ import annotations

from abc import abstractmethod
from datetime import UTC, datetime

from local.stack.stoppable import Running
from local.vendors.wire import HOST, ClientConnection, Listener, Request, WireAnswer


class LoopbackSite(Running):
    """A server on any free port, from its making until `stop`; a context manager."""

    name: str

    def __init__(self) -> None:
        self._listener = Listener(self, 0)

    @property
    def url(self) -> str:
        """Its base URL, without a trailing slash."""
        return f"http://{HOST}:{self._listener.port}"

    def stop(self) -> None:
        """Stop listening."""
        self._listener.close()

    def epoch(self) -> float:
        """See `wire.Site.epoch`."""
        return datetime.now(UTC).timestamp()

    def serve(self, request: Request, connection: ClientConnection) -> None:
        """Answer one request."""
        connection.send(self.answer(request, connection.path))

    def admin(self, request: Request) -> WireAnswer:
        """There is nothing to control."""
        return WireAnswer(404, {"path": request.path})

    @abstractmethod
    def answer(self, request: Request, path: str) -> WireAnswer:
        """The answer to a request; `path` has the query."""
