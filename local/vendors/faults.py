"""How a simulated vendor misbehaves on demand, and how an answer leaves it then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from local.vendors.wire import Answer

if TYPE_CHECKING:
    import threading

    from local.vendors.wire import Connection

FaultKind = Literal[
    "status",  # answer `status` with `headers` and `body`; nothing is done
    "act_then_status",  # done, and answered `status` all the same
    "drop",  # the connection is reset; nothing is done
    "act_then_drop",  # done, and the connection is reset before the answer
    "hang",  # nothing is done and nothing answered for `seconds`, then the connection is reset
    "act_then_hang",  # done, and nothing answered for `seconds`
    "delay",  # done at once and answered rightly, `seconds` late
    "slow",  # done only after `seconds`, even when the client has given up by then
    "trickle",  # done and answered one byte per `seconds`: only a total deadline ends it
    "garbage",  # done, and answered 200 with a body that is not JSON
]


@dataclass(slots=True)
class Fault:
    """A misbehaviour for the next requests that match.

    Attributes:
        operation: which operation it is for; ``*`` for any.
        times: how many requests it is spent on; None for all.
        skip: how many matching requests pass unharmed before.
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
        """Whether it strikes this request; counts down."""
        if self.operation not in ("*", operation) or self.times == 0:
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


SILENT: frozenset[FaultKind] = frozenset({"drop", "hang", "act_then_drop", "act_then_hang"})
"""Faults after which no answer comes."""


def deliver(
    answer: Answer | None, fault: Fault | None, connection: Connection, stopping: threading.Event
) -> None:
    """Send the answer the way the fault wants it, or cut the connection where there is none.

    It waits as long as the fault says, or until the vendor stops: never under the vendor's lock.
    """
    if fault is not None and fault.seconds and fault.kind not in ("slow", "trickle"):
        stopping.wait(fault.seconds)
    if answer is None or (fault is not None and fault.kind in SILENT):
        connection.reset()
    elif fault is not None and fault.kind == "garbage":
        connection.send(Answer(200, "<html>not what you asked for</html>", answer.headers))
    elif fault is not None and fault.kind == "trickle":
        connection.send(answer, pause=fault.seconds, stopping=stopping)
    else:
        connection.send(answer)
