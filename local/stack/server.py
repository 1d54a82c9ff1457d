"""Chalice's own local HTTP server, in a thread, without its 44 ms delay per request.

`chalice local` writes headers and body in two packets.  With Nagle's algorithm the second waits for
the client's delayed acknowledgement: 44 ms per request on a kept connection.  The handler disables
the algorithm.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from chalice.cli.factory import CLIFactory
from chalice.local import ChaliceRequestHandler, LocalDevServer

from local.stack.engine import HOST, ROOT, require_free
from local.stack.stoppable import Running

if TYPE_CHECKING:
    from pathlib import Path

    from chalice.app import Chalice
    from chalice.local import HeaderType


class _Handler(ChaliceRequestHandler):
    disable_nagle_algorithm = True
    do_TRACE = ChaliceRequestHandler.do_GET  # noqa: N815 - so that the routes refuse it, instead of a 501

    def _parse_payload(self) -> tuple[HeaderType, bytes | None]:
        """Take the caller's address from X-Forwarded-For, so that one machine can act as many callers."""
        converter = self.local_gateway.event_converter
        converter.LOCAL_SOURCE_IP = self.headers.get("x-forwarded-for", converter.LOCAL_SOURCE_IP)
        return super()._parse_payload()

    def _send_http_response(self, code: int, headers: HeaderType, body: str | bytes | None) -> None:
        """Answer HEAD without a body, which the client would take for the next response."""
        super()._send_http_response(code, headers, None if self.command == "HEAD" else body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing: the application has its own log."""


class Http(Running):
    """The HTTP server of a Chalice app; a context manager that stops it.

    Args:
        app: the Chalice object.
        port: 0 for any free port.
        stage: the stage whose configuration applies.

    Raises:
        PortTakenError: another process listens there.
    """

    def __init__(
        self, app: Chalice, port: int = 0, *, stage: str = "dev", project: Path = ROOT
    ) -> None:
        if port:
            require_free(port, "the HTTP server")
        config = CLIFactory(str(project)).create_config_obj(chalice_stage_name=stage)
        self._server = LocalDevServer(app, config, HOST, port, handler_cls=_Handler).server
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="http",
            daemon=True,
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The server's base URL, without a trailing slash."""
        return f"http://{HOST}:{self.port}"

    def stop(self) -> None:
        """Accept no new connection; requests under way end in their threads."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
