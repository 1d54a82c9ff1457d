"""A company's endpoint for events: it verifies each signature and acts on an id once.

As `docs/outreach.md` advises a company: the public package of Standard Webhooks checks the request,
and an id that was seen before is answered and not acted upon.
"""

from __future__ import annotations

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from local.stack.running import Running
from local.vendors.wire import HOST

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET = "whsec_" + "bG9jYWwtY29tcGFueS1zaWduaW5nLXNlY3JldA=="
"""The secret that signs its events: invented, and known to the local stage only."""


class CompanyEndpoint(Running):
    """The server; a context manager.

    Attributes:
        url: of the project's ``event_webhook``.
        received: the events that it acted upon, by id, in order.
        attempts: number of signed requests.
        forged: number of requests whose signature was wrong.
    """

    def __init__(self) -> None:
        self.received: dict[str, dict[str, Any]] = {}
        self.attempts = self.forged = 0
        self._lock = threading.Lock()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.send_response(site.take(headers, body.decode()))
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        self._server = ThreadingHTTPServer((HOST, 0), Handler)
        self.url = f"http://{HOST}:{self._server.server_port}/events"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def take(self, headers: Mapping[str, str], body: str) -> HTTPStatus:
        """The status of the answer to one request."""
        with self._lock:
            try:
                Webhook(SECRET).verify(body, dict(headers))
            except WebhookVerificationError:
                self.forged += 1
                return HTTPStatus.UNAUTHORIZED
            self.attempts += 1
            self.received.setdefault(headers["webhook-id"], json.loads(body))
            return HTTPStatus.NO_CONTENT

    def calls(self) -> list[tuple[str, Any]]:
        """The tools that were called: name and arguments."""
        events = [one["data"] for one in self.received.values()]
        return [(one["tool"], one["arguments"]) for one in events if "tool" in one]

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
