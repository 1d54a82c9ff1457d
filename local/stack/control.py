"""The loopback HTTP control of a trial stack: moves its clock, waits until it is idle, and more.

::

    GET  /clock                            {"now": "2026-11-25T15:00:00.000Z"}
    POST /clock  {"forward_seconds": 600}  moves the clock, waits until all due work has ended
    POST /settle {}                        waits until all due work has ended
    GET  /chains                           {"rp-mw-later-dev": 7, ...}, as `lineage.longest`
    POST /company-data {...}               stores a project's item unchecked
    POST /console {}                       opens a console: {"url": "http://..."} signs in once

The answers to the first two POSTs have ``settled``: false if work did not end in time.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from chalicelib.clock import iso
from local.stack import lineage
from local.stack.loopback_site import LoopbackSite
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from local.stack.idle_watch import IdleWatch
    from local.stack.turned_clock import MovedClock

SETTLE_SECONDS = 60.0


class Control(LoopbackSite):
    """The control's HTTP server; a context manager that stops it.

    Args:
        store: stores an item of `company-data`.
        open_console: opens a console and returns the link that signs in.
    """

    name = "control"

    def __init__(
        self,
        clock: MovedClock,
        idle_watch: IdleWatch,
        store: Callable[[Mapping[str, Any]], None],
        open_console: Callable[[], str],
    ) -> None:
        self._clock, self._idle_watch = clock, idle_watch
        self._store, self._open_console = store, open_console
        super().__init__()

    def answer(self, request: Request, path: str) -> WireAnswer:
        """Route a request and return the answer."""
        del path
        match (request.method, *request.segments):
            case ("GET", "clock"):
                return WireAnswer(200, self._now())
            case ("POST", "clock"):
                seconds = _seconds(request.body)
                if seconds is None:
                    return WireAnswer(400, {"error": "forward_seconds must be a number, 0 or more"})
                with self._idle_watch.between(timeout_seconds=SETTLE_SECONDS):  # a jump ends leases
                    self._clock.forward(seconds)
                return self._settled()
            case ("POST", "settle"):
                return self._settled()
            case ("GET", "chains"):
                return WireAnswer(200, lineage.longest())
            case ("POST", "company-data"):
                if not isinstance(request.body, dict):
                    return WireAnswer(400, {"error": "company-data must be a JSON object"})
                self._store(request.body)
                return WireAnswer(200, {})
            case ("POST", "console"):
                return WireAnswer(200, {"url": self._open_console()})
        routes = "GET or POST /clock, GET /chains, POST /settle, POST /company-data, POST /console"
        return WireAnswer(404, {"error": routes})

    def _settled(self) -> WireAnswer:
        settled = self._idle_watch.settle(timeout_seconds=SETTLE_SECONDS)
        return WireAnswer(200, {**self._now(), "settled": settled})

    def _now(self) -> dict[str, Any]:
        return {"now": iso(datetime.now(UTC))}


def _seconds(body: Any) -> float | None:  # noqa: ANN401 - any JSON
    given = body.get("forward_seconds") if isinstance(body, dict) else None
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if given >= 0 and math.isfinite(given) else None
