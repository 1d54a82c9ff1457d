"""Hand-written schedules: a quiet one, and the calls at which a fault is placed."""

from __future__ import annotations

from typing import Any

from tests.simulation.faults import Fault, Port
from tests.simulation.scenario import Post, Scenario, Start
from tests.simulation.world import World

NEVER = Fault(1_000_000, 0.0, 0.0, pauses=False)
"""A fault that never happens; marks a schedule as one with faults."""
TEXT = Start(0.0, "req0", "sms", "+15550140000")
HELLO = Start(0.0, "req0", "whatsapp", "+15550140000")


def schedule(**changes: Any) -> Scenario:
    """A schedule in which only the given things happen."""
    quiet: dict[str, Any] = {
        "seed": 1,
        "posts": (),
        "flips": (),
        "deploys": (),
        "replays": (),
        "redrives": (),
        "sweeps": (),
        "outage": (0.0, 0.0),
        "skews": (0.0, 0.0, 0.0),
        "reply": "reply_queried",
        "lag_seconds": 0.0,
        "ingress_ledger": False,
        "sender_repeats": True,
        "faults": (),
    }
    return Scenario(**(quiet | changes))


def refund(ticket_id: str) -> tuple[Post, ...]:
    """The only message of a ticket."""
    return (Post(0.0, ticket_id, "c0", "i want a refund", "id", is_copy=False),)


def fault(port: Port, kind: str, at: int) -> Fault:
    """This kind of fault at the call with that number, which must be of that port."""
    return Fault(at, (port.value.index(kind) + 0.5) / len(port.value), 0.5, pauses=False)


def call_of(port: Port, scenario: Scenario, which: int = 0) -> int:
    """The number of the first call of a port, or of a later one, in a run of this schedule."""
    calls = [line.split() for line in _trace(scenario) if " call " in line]
    return [int(words[2]) for words in calls if words[3] == port.name][which]


def at_of(number: int, scenario: Scenario) -> float:
    """The time of that call."""
    trace = _trace(scenario)
    return next(float(line.split()[0]) for line in trace if f" call {number} " in line)


def run(scenario: Scenario) -> tuple[World, list[str]]:
    """The world at its end, and the violations."""
    world = World(scenario).run()
    return world, [str(violation) for violation in world.oracle.violations]


def _trace(scenario: Scenario) -> list[str]:
    return World(scenario, trace=True).run().trace or []
