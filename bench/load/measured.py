"""The vendor calls of the real system on the local engine, beside those of the simulation.

The system is the product with its doors, queue and worker; only the vendors are local simulators.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.load.kinds import KINDS
from bench.rig.kinds import KINDS as MEASURED
from bench.rig.system import System, whole

EVENTS = 5
BURST_TICKETS = 10
NOTIFICATIONS = 4


def printed() -> Iterator[str]:
    """One line for each kind of event, and one for a burst of notifications."""
    senders = {kind.name: kind.send for kind in MEASURED}
    with whole() as system:
        yield f"{'calls of vendors an event':<36} {'model':>6} {'measured':>9}"
        for kind in KINDS:
            if kind.measured_as:
                senders[kind.measured_as](system, "warm-up of the load")
                system.work()
                calls = _calls(system, senders[kind.measured_as], kind.measured_as)
                yield f"{kind.name:<36} {len(kind.calls):>6} {calls:>9.1f}"
        yield f"{'notification, 4 for each of 10 tickets':<36}"
        for name, count in _burst(system):
            yield f"  {name:<34} {count:>16}"


def _calls(system: System, send: object, name: str) -> float:
    system.reset_counts()
    for number in range(EVENTS):
        send(system, f"{name} under load {number}")  # type: ignore[operator]
        system.work()
    return system.vendor_calls() / EVENTS


def _burst(system: System) -> Iterator[tuple[str, int]]:
    """The calls for 40 notifications of 10 tickets that arrive at once."""
    tickets = [system.message(f"burst-{number}")["ticket_id"] for number in range(BURST_TICKETS)]
    system.reset_counts()
    for number in range(NOTIFICATIONS):
        for ticket in tickets:
            system.post({"ticket_id": ticket, "trigger": f"message-{number}"})
    system.work()
    calls = [call.operation for call in system.richpanel.calls]
    yield "reads, until all are routed", calls.count("read_ticket")
    yield "writes", calls.count("add_tags")
