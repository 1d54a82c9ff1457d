"""A Lambda endpoint: invocations run in this process; all other requests go to the engine.

POST /2015-03-31/functions/{name}/invocations    the function's answer as JSON
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

from local.stack import lambda_events
from local.stack.loopback_site import LoopbackSite
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Functions(LoopbackSite):
    """The endpoint's HTTP server; a context manager that stops it.

    Args:
        handlers: the functions that the product invokes, by name.
        engine_url: answers every other request.
    """

    name = "functions"

    def __init__(
        self,
        handlers: Mapping[str, Callable[[dict[str, Any], lambda_events.LambdaContext], Any]],
        engine_url: str,
    ) -> None:
        self._handlers, self._engine_url = handlers, engine_url
        super().__init__()

    def answer(self, request: Request, path: str) -> WireAnswer:
        """Answer an invocation of one of the handlers here, and let the engine answer the rest."""
        match (request.method, *request.segments):
            case ("POST", _, "functions", name, "invocations") if name in self._handlers:
                context = lambda_events.LambdaContext(function_name=name)
                return WireAnswer(200, self._handlers[name](json.loads(request.raw), context))
        return self._of_engine(request, path)

    def _of_engine(self, request: Request, path: str) -> WireAnswer:
        asked = urllib.request.Request(  # noqa: S310 - the engine's own address
            f"{self._engine_url}{path}",
            request.raw or None,
            {name: value for name, value in request.headers.items() if name.lower() != "host"},
            method=request.method,
        )
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310 - likewise
                return WireAnswer(answer.status, answer.read().decode())
        except urllib.error.HTTPError as error:
            kind = error.headers.get("x-amzn-errortype", "")
            return WireAnswer(error.code, error.read().decode(), {"x-amzn-errortype": kind})
