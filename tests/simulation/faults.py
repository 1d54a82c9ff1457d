"""The kinds of faults at a call, and the list of faults of one schedule.

A fault is a call number and two draws: it happens at the call with that number, whatever call that
is.  Its kind follows from the kind of call, so a schedule stays meaningful while it is shrunk.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer


class Crash(BaseException):
    """SIGKILL: raised through everything, caught only by the world."""


class Port(Enum):
    """Kinds of calls, each with its possible faults."""

    READ = ("crash_before", "crash_after", "throttled", "slow")
    WRITE = ("crash_before", "crash_after", "throttled", "answer_lost", "sdk_repeats", "slow")
    TRANSACT = ("crash_before", "crash_after", "throttled", "answer_lost", "conflict", "slow")
    VENDOR_READ = ("crash_before", "vendor_503", "vendor_auth", "slow")
    EFFECT = (
        "crash_before",
        "crash_after",
        "crash_and_lands_late",
        "crash_and_never_lands",
        "lands_and_no_answer",
        "lands_late_and_no_answer",
        "never_lands_and_no_answer",
        "connection_refused",
        "rate_limited",
        "refused",
        "vendor_auth",
        "slow",
    )
    SWITCHES = ("unreadable", "crash_before", "slow")
    SEND = ("not_kept", "kept_and_no_answer", "crash_before", "crash_after")
    DEFER = ("throttled", "crash_before", "crash_after")


PortByName = Annotated[
    Port,
    BeforeValidator(lambda name: Port[name] if isinstance(name, str) else name),
    PlainSerializer(lambda port: port.name),
]
"""A port in a file: its value would be the list of its faults."""

PAUSES = (0.02, 0.5, 5.0, 40.0, 140.0, 260.0, 400.0, 900.0)
"""How long a worker is paused: from less than two calls of another up to far beyond its lease."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        at: the number of the call.
        pick: 0 to 1, which of the faults possible at such a call.
        size: 0 to 1, how long or how late.
        pauses: the worker is paused instead, before or after the call, while others run.
    """

    at: int
    pick: float
    size: float
    pauses: bool

    def kind(self, port: Port) -> str:
        """The fault that happens at a call of this kind."""
        if self.pauses:
            return "pause_before" if self.pick < 0.5 else "pause_after"
        return str(port.value[int(self.pick * len(port.value))])

    @property
    def pause_seconds(self) -> float:
        """How long a pause takes."""
        return PAUSES[int(self.size * len(PAUSES))] * (0.5 + self.pick)


def drawn(rng: random.Random, *, calls: int, most: int = 12) -> list[Fault]:
    """The faults of a schedule of about so many calls: none to `most`, sometimes in a cluster."""
    if rng.random() < 0.1:
        return []
    count = 1 + int(rng.expovariate(0.4) * most / 12)
    near = rng.randrange(calls) if rng.random() < 0.3 else None
    faults: dict[int, Fault] = {}
    for _ in range(min(count, most)):
        at = rng.randrange(calls) if near is None else near + int(rng.expovariate(0.1))
        faults[at] = Fault(at, rng.random(), rng.random(), pauses=rng.random() < 0.3)
    return [faults[at] for at in sorted(faults)]
