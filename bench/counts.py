"""AWS calls and units of each kind of event, counted at the wire."""

from __future__ import annotations

from dataclasses import dataclass

from bench.system import System


@dataclass(frozen=True, slots=True)
class Count:
    """What one event cost.

    Attributes:
        actions: how many actions it had.
        limit_calls: DynamoDB calls it may make; None where the total of all services counts.
        limit_writes: write units it may use.
    """

    name: str
    actions: int
    aws_calls: int
    dynamodb_calls: int
    writes: float
    reads: float
    vendor_calls: int
    limit_calls: int | None = None
    limit_writes: int | None = None


def measure(system: System) -> list[Count]:
    """Ingress, a routed event, a rerouted one and a duplicate, after a warm-up."""
    system.post(system.message("warm-up"))
    system.work()
    counts = [_ingress(system), _routed(system), _rerouted(system)]
    return [*counts, _duplicate(system)]


def _ingress(system: System) -> Count:
    body = system.message("routed")
    _reset(system)
    system.post(body)
    return _read(system, "webhook at the door", 0, limit_writes=0)


def _routed(system: System) -> Count:
    _reset(system)
    assert system.work() == 1
    return _limited(system, "routed event", 4)


def _rerouted(system: System) -> Count:
    system.post(system.message("rerouted", tags=["route-sales-team"]))
    _reset(system)
    assert system.work() == 1
    return _limited(system, "event that moves a ticket", 5)


def _duplicate(system: System) -> Count:
    from chalicelib.jobs import Recovery  # noqa: PLC0415 - the app's environment is set by now
    from chalicelib.sources import InboundRequest, richpanel  # noqa: PLC0415

    raw = b'{"ticket_id": "routed", "message_id": "c-routed"}'
    job = richpanel.parse(InboundRequest({}, raw, "2026-11-20T09:00:00.000Z", "d"))
    system.services.intake.accept(job, recovery=Recovery.SWEEP)
    _reset(system)
    assert system.work() == 1
    return _read(system, "duplicate in the worker", 0, limit_calls=1, limit_writes=1)


def _limited(system: System, name: str, actions: int) -> Count:
    return _read(system, name, actions, limit_calls=2 * actions + 4, limit_writes=3 * actions + 4)


def _reset(system: System) -> None:
    system.meter.reset()
    system.richpanel.forget_calls()


def _read(
    system: System,
    name: str,
    actions: int,
    *,
    limit_calls: int | None = None,
    limit_writes: int | None = None,
) -> Count:
    meter = system.meter
    return Count(
        name,
        actions,
        meter.total,
        meter.of("dynamodb"),
        meter.writes,
        meter.reads,
        len(system.richpanel.calls),
        limit_calls,
        limit_writes,
    )
