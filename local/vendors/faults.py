"""The faults a simulated vendor can be given, and how each one disturbs a response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from local.vendors.wire import WireAnswer

if TYPE_CHECKING:
    import threading

    from local.vendors.wire import ClientConnection

FaultKind = Literal[
    "status",  # respond with `status`, `headers` and `body`; nothing is done
    "act_then_status",  # done, but the response has `status`
    "drop",  # the connection is reset; nothing is done
    "act_then_drop",  # done, and the connection is reset before the response
    "hang",  # nothing is done, no response for `seconds`, then the connection is reset
    "act_then_hang",  # done, no response for `seconds`, then the connection is reset
    "delay",  # done at once, with the right response `seconds` late
    "slow",  # done only after `seconds`, even if the client has given up by then
    "trickle",  # done, with a response of one byte per `seconds`: only a total deadline ends it
    "ignored",  # a success is reported and nothing is done
    "garbage",  # done, with a 200 response whose body is not JSON
]


@dataclass(slots=True)
class Fault:
    """A fault for the next matching requests.

    Attributes:
        body: of the response; None for the vendor's own.
        operation: the operation it applies to; ``*`` for any.
        times: how many requests it applies to; None for all.
        skip: how many matching requests are left undisturbed first.
    """

    kind: FaultKind
    operation: str = "*"
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    seconds: float = 0.0
    times: int | None = 1
    skip: int = 0

    def spend(self, operation: str) -> bool:
        """Whether it applies to this request; counts down."""
        if self.operation not in ("*", operation) or self.times == 0:
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


SILENT: frozenset[FaultKind] = frozenset({"drop", "hang", "act_then_drop", "act_then_hang"})
"""Faults without any response."""


def deliver(
    answer: WireAnswer | None,
    fault: Fault | None,
    connection: ClientConnection,
    stopping: threading.Event,
) -> None:
    """Send the response as the fault requires, or reset the connection if there is none.

    Waits as long as the fault says, or until the vendor stops; never under the vendor's lock.
    """
    if fault is not None and fault.seconds and fault.kind not in ("slow", "trickle"):
        stopping.wait(fault.seconds)
    if answer is None or (fault is not None and fault.kind in SILENT):
        connection.reset()
    elif fault is not None and fault.kind == "garbage":
        connection.send(WireAnswer(200, "<html>not the expected response</html>", answer.headers))
    elif fault is not None and fault.kind == "trickle":
        connection.send(answer, pause=fault.seconds, stopping=stopping)
    else:
        connection.send(answer)
