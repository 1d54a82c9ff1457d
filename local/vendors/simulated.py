"""The base class of simulated vendors: it records each request and fails on demand.

Faults are a queue; the first one that matches a request is applied to it::

    vendor.fault("status", operation="add_tags", status=503)            # once
    vendor.fault("status", status=429, headers={"Retry-After": "30"}, times=3)
    vendor.fault("act_then_drop", operation="send_message")             # done, but no response
    vendor.fault("hang", seconds=60, times=None)                        # until cleared

The same from another process, as JSON, under ``/_sim/``: see `HELP`.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections import Counter, deque
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, get_args

from local.stack.stoppable import Running
from local.vendors.faults import SILENT, Fault, FaultKind, deliver
from local.vendors.wire import HOST, ClientConnection, Listener, Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HELP = """\
GET    /_sim                       this text
GET    /_sim/requests              what was received: ?operation=add_tags&after=17
DELETE /_sim/requests              clear the record
GET    /_sim/faults                pending faults
POST   /_sim/faults                {"kind": "status", "operation": "add_tags", "status": 503,
                                    "headers": {}, "seconds": 0, "times": 1, "skip": 0}
                                   (times null: until deleted)
DELETE /_sim/faults                remove all of them
GET    /_sim/modes                 settings of the vendor
PATCH  /_sim/modes                 change some of them
POST   /_sim/reset                 clear everything: state, requests, faults, modes
"""


@dataclass(frozen=True, slots=True)
class ReceivedCall:
    """The record of a request; without headers, so without the key.

    Attributes:
        number: 1 for the first since the start or the last reset.
        at_epoch: when it arrived.
        operation: the vendor's name for it, e.g. ``add_tags``.
        status: the response's status, None if the connection was dropped or left hanging.
        acted: whether the vendor performed the operation; True for reads.
        fault: the kind of the fault applied to it, if any.
    """

    number: int
    at_epoch: float
    method: str
    path: str
    query: Mapping[str, str]
    operation: str
    body: Any
    status: int | None
    acted: bool
    fault: str | None


@dataclass(slots=True)
class Behaviour:
    """Settings that every vendor has; a vendor adds its own by subclassing.

    Attributes:
        rate_limit: requests per `rate_window_seconds`; None disables the limit.
        rate_headers: whether the three documented headers are sent.
        retry_after: whether ``Retry-After`` is one of them.
    """

    rate_limit: int | None = None
    rate_window_seconds: float = 30.0
    rate_headers: bool = True
    retry_after: bool = True


class Vendor(Running):
    """A simulated vendor: a threaded HTTP server on 127.0.0.1; a context manager.

    Subclasses implement `operation_of` and `answer`, and add their own paths to `admin`.

    Args:
        port: 0 for any free port.
        now: seconds, for the vendor's own times; the rate limit uses the monotonic clock.

    Raises:
        OSError: the port is taken.
    """

    name = "vendor"
    modes_type: type[Behaviour] = Behaviour
    help_text = HELP

    def __init__(self, port: int = 0, *, now: Callable[[], float] = time.time) -> None:
        self._now = self._own_now = now
        self.lock = threading.RLock()
        self.modes = self.modes_type()
        self._calls: list[ReceivedCall] = []
        self._number = 0
        self._faults: list[Fault] = []
        self._arrivals: deque[float] = deque()
        self._stopping = threading.Event()
        self._listener: Listener | None = None
        self.port = port
        self._clear()
        self.up()

    # --- implemented by each vendor -------------------------------------------------------------

    @abstractmethod
    def operation_of(self, request: Request) -> str:
        """The vendor's name for the request's operation."""

    @abstractmethod
    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """A response that precedes the operation, such as 401; None to go ahead."""

    @abstractmethod
    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation, under the lock."""

    def _clear(self) -> None:
        """Reset the vendor's own state."""

    def ignored(self, request: Request) -> WireAnswer:
        """The success reported for a request that is accepted and not carried out."""
        del request
        return WireAnswer(200, {})

    def error_body(self, status: int) -> Any:  # noqa: ANN401 - JSON
        """The vendor's body for an injected error."""
        return {"error": {"message": f"status {status}"}}

    # --- for tests --------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The server's base URL, without a trailing slash."""
        return f"http://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """The value for the middleware's base URL setting of this vendor."""
        return self.url

    @property
    def calls(self) -> tuple[ReceivedCall, ...]:
        """Every request since the start or the last `forget_calls`, oldest first."""
        with self.lock:
            return tuple(self._calls)

    def calls_of(self, operation: str) -> tuple[ReceivedCall, ...]:
        """Those of one operation."""
        return tuple(call for call in self.calls if call.operation == operation)

    def count(self) -> Counter[str]:
        """Number of requests per operation."""
        return Counter(call.operation for call in self.calls)

    def forget_calls(self) -> None:
        """Clear the record of requests."""
        with self.lock:
            self._calls.clear()

    def fault(self, kind: FaultKind, **settings: Any) -> Fault:  # noqa: ANN401 - fields of Fault
        """Add a fault; settings are the fields of `Fault`."""
        if kind not in get_args(FaultKind):
            raise ValueError(f"no such fault: {kind}")
        fault = Fault(kind, **settings)
        with self.lock:
            self._faults.append(fault)
        return fault

    def clear_faults(self) -> None:
        """Remove all faults; requests that already hang keep hanging."""
        with self.lock:
            self._faults.clear()

    def set_modes(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Modes
        """Change modes by name."""
        with self.lock:
            for name, value in changes.items():
                if name not in {field.name for field in fields(self.modes)}:
                    raise ValueError(f"no such mode: {name}")
                setattr(self.modes, name, value)

    def date_by(self, now: Callable[[], float]) -> None:
        """Take its times from another clock, until it is reset."""
        self._now = now

    def reset(self) -> None:
        """Clear everything but the port."""
        with self.lock:
            self.modes = self.modes_type()
            self._now = self._own_now
            self._calls.clear()
            self._number = 0
            self._faults.clear()
            self._arrivals.clear()
            self._clear()

    def down(self) -> None:
        """Stop listening and reset every connection: the next connect is refused."""
        if self._listener is not None:
            self._stopping.set()
            self._listener.close()
            self._listener = None

    def up(self) -> None:
        """Listen again on the same port."""
        if self._listener is None:
            self._stopping = threading.Event()
            self._listener = Listener(self, self.port)
            self.port = self._listener.port

    stop = down

    def epoch(self) -> float:
        """See `wire.Site.epoch`."""
        return self._now()

    # --- one request ----------------------------------------------------------------------------

    def serve(self, request: Request, connection: ClientConnection) -> None:
        """Answer one request, normally or with a fault, and record it."""
        operation = self.operation_of(request)
        arrived = time.time()
        with self.lock:
            fault = next((fault for fault in self._faults if fault.spend(operation)), None)
            headers, limited = self._rate()
        if fault is not None and fault.kind == "slow":
            self._stopping.wait(fault.seconds)
        with self.lock:
            answer, acted = self._outcome(request, operation, fault, limited=limited)
            if answer is not None:
                answer = WireAnswer(answer.status, answer.body, {**headers, **answer.headers})
            silent = answer is None or (fault is not None and fault.kind in SILENT)
            self._number += 1
            self._calls.append(
                ReceivedCall(
                    number=self._number,
                    at_epoch=arrived,
                    method=request.method,
                    path=request.path,
                    query=request.query,
                    operation=operation,
                    body=request.body,
                    status=None if silent or answer is None else answer.status,
                    acted=acted,
                    fault=fault.kind if fault else None,
                )
            )
        deliver(answer, fault, connection, self._stopping)

    def _outcome(
        self, request: Request, operation: str, fault: Fault | None, *, limited: bool
    ) -> tuple[WireAnswer | None, bool]:
        """The response, and whether the operation was performed."""
        if fault is not None and fault.kind == "status":
            body = self.error_body(fault.status) if fault.body is None else fault.body
            return WireAnswer(fault.status, body, fault.headers), False
        if fault is not None and fault.kind in ("drop", "hang"):
            return None, False
        if limited:
            return WireAnswer(429, self.error_body(429)), False
        refused = self.refusal(request, operation)
        if refused is not None:
            return refused, False
        if fault is not None and fault.kind == "ignored":
            shown = self.ignored(request)
            return (shown if fault.body is None else WireAnswer(shown.status, fault.body)), False
        answer = self.answer(request, operation)
        acted = answer.status < 400  # noqa: PLR2004
        if fault is not None and fault.kind == "act_then_status":
            body = self.error_body(fault.status) if fault.body is None else fault.body
            answer = WireAnswer(fault.status, body, fault.headers)
        return answer, acted

    def _rate(self) -> tuple[dict[str, str], bool]:
        limit = self.modes.rate_limit
        if limit is None:
            return {}, False
        now = time.monotonic()
        window = self.modes.rate_window_seconds
        while self._arrivals and now - self._arrivals[0] >= window:
            self._arrivals.popleft()
        limited = len(self._arrivals) >= limit
        if not limited:
            self._arrivals.append(now)
        if not self.modes.rate_headers:
            return {}, limited
        remaining = limit - len(self._arrivals)
        headers = {"X-RateLimit-Limit": str(limit), "X-RateLimit-Remaining": str(remaining)}
        if self.modes.retry_after:
            wait = int(window - (now - self._arrivals[0])) + 1 if limited else 0
            headers["Retry-After"] = str(wait)
        return headers, limited

    # --- driven from another process ------------------------------------------------------------

    def admin(self, request: Request) -> WireAnswer:
        """Answer a request under ``/_sim``; it is not recorded, limited or disturbed."""
        rest = request.segments[1:]
        with self.lock:
            match (request.method, *rest):
                case ("GET",):
                    return WireAnswer(200, self.help_text)
                case ("GET", "requests"):
                    return WireAnswer(200, {"requests": self._listed(request.query)})
                case ("DELETE", "requests"):
                    self._calls.clear()
                case ("GET", "faults"):
                    left = [asdict(fault) for fault in self._faults if fault.times != 0]
                    return WireAnswer(200, {"faults": left})
                case ("POST", "faults"):
                    self.fault(**request.body)
                case ("DELETE", "faults"):
                    self._faults.clear()
                case ("GET", "modes"):
                    return WireAnswer(200, asdict(self.modes))
                case ("PATCH", "modes"):
                    self.set_modes(**request.body)
                case ("POST", "reset"):
                    self.reset()
                case _:
                    return WireAnswer(404, {"error": "unknown path; GET /_sim lists all paths"})
        return WireAnswer(200, {"ok": True})

    def _listed(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        operation, after = query.get("operation"), int(query.get("after", "0"))
        return [
            asdict(call)
            for call in self._calls
            if call.number > after and operation in (None, call.operation)
        ]
