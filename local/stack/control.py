"""The loopback control of a trial stack: its clock, and whether anything is left to do.

::

    GET  /clock                            {"now": "2026-11-25T15:00:00.000Z"}
    POST /clock  {"forward_seconds": 600}  moves it, lets everything run that is due, and answers
    POST /settle {}                        lets everything run that is due, and answers

Both answers to a POST have ``settled``: false where work did not end in time.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from chalicelib.clock import iso
from local.stack.running import Running
from local.vendors.wire import HOST, Answer, Connection, Listener, Request

if TYPE_CHECKING:
    from local.stack.clock import MovedClock
    from local.stack.turns import Turns

SETTLE_SECONDS = 60.0


class Control(Running):
    """The server; a context manager."""

    name = "control"

    def __init__(self, clock: MovedClock, turns: Turns) -> None:
        self._clock, self._turns = clock, turns
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

    def serve(self, request: Request, connection: Connection) -> None:
        """Answer one request."""
        connection.send(self.admin(request))

    def admin(self, request: Request) -> Answer:
        """The answer to a request."""
        match (request.method, *request.segments):
            case ("GET", "clock"):
                return Answer(200, self._now())
            case ("POST", "clock"):
                seconds = _seconds(request.body)
                if seconds is None:
                    return Answer(400, {"error": "forward_seconds must be a number, 0 or more"})
                self._clock.forward(seconds)
                return self._settled()
            case ("POST", "settle"):
                return self._settled()
        return Answer(404, {"error": "GET /clock, POST /clock or POST /settle"})

    def _settled(self) -> Answer:
        settled = self._turns.settle(timeout_seconds=SETTLE_SECONDS)
        return Answer(200, {**self._now(), "settled": settled})

    def _now(self) -> dict[str, Any]:
        return {"now": iso(datetime.now(UTC))}


def _seconds(body: Any) -> float | None:  # noqa: ANN401 - any JSON
    given = body.get("forward_seconds") if isinstance(body, dict) else None
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if given >= 0 and math.isfinite(given) else None
