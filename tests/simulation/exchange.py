"""One HTTP request to a simulated vendor: its faults, and when its effect lands.

A request is counted when it connects, so a connection may be refused before anything is sent.
What goes wrong later goes wrong while the response is awaited or read, as bytes: a status, a
connection that breaks, a body that is not the usual one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from chalicelib.errors import TransientError
from local.vendors.wire import Request, WireAnswer
from tests.simulation.carriers import said_in
from tests.simulation.faults import Crash, Fault, Port
from tests.simulation.spoils import Spoil
from tests.simulation.wire import request_of

if TYPE_CHECKING:
    from tests.simulation.in_memory import InMemory
    from tests.simulation.world import World


@dataclass(slots=True)
class Sending:
    """The actions that a container performs, and how many of their requests have left."""

    actions: Sequence[Any] = ()
    deadline_seconds: float = 0.0
    requests: int = field(default=0)

    @property
    def within(self) -> float:
        """A later request of the same actions may start this long after the first."""
        return self.deadline_seconds if self.requests else 0.0


def connect(world: World, vendor: str, method: str, url: str) -> Read | Change:
    """A request that is about to be sent.

    Raises:
        OSError: the vendor cannot be reached.
    """
    site = world.sites[vendor]
    operation = site.operation_of(request_of(method, url))
    world.network.requests[f"{vendor}: {operation}"] += 1
    kind = Change if operation in site.changes else Read
    return kind(world, site, operation)


class Read:
    """A request that changes nothing."""

    def __init__(self, world: World, site: InMemory, operation: str) -> None:
        self._world = world
        self._site = site
        self._operation = operation
        try:
            self._fault = world.network.next_fault(Port.VENDOR_READ)
        except TransientError:
            raise ConnectionRefusedError from None
        self._kind = _noted(world, self._fault, Port.VENDOR_READ)

    def clock(self) -> float:
        """See `wire.Exchange.clock`."""
        return self._site.clock()

    def start(self) -> None:
        """See `wire.Exchange.start`."""
        if self._kind == "crash_before":
            raise Crash

    def answer(self, request: Request) -> WireAnswer:
        """See `wire.Exchange.answer`."""
        world = self._world
        if world.vendor.failing_ticket in request.segments:
            return WireAnswer(503, self._site.error_body(503))
        if self._fault is None:
            return self._read(request)
        match self._kind:
            case "pause_before":
                world.pause(self._fault.pause_seconds)
                return self._read(request)
            case "pause_after":
                answer = self._read(request)
                world.pause(self._fault.pause_seconds)
                return answer
            case "slow":
                world.now += 14.0 * self._fault.size
                return self._read(request)
            case "vendor_auth":
                return _refused_key(self._fault, self._site)
            case _:
                return WireAnswer(503, self._site.error_body(503))

    def _read(self, request: Request) -> WireAnswer:
        answer = self._site.take(request, self._operation)
        spoil = self._world.network.next_spoil()
        if spoil is None or spoil.shape == "usual":
            return answer
        return _noted_spoil(self._world, spoil, self._operation).shaped(answer)


class Change:
    """A request of the actions that the container performs."""

    def __init__(self, world: World, site: InMemory, operation: str) -> None:
        assert world.actor is not None  # only containers send
        self._world = world
        self._site = site
        self._operation = operation
        self._sending = world.actor.sending
        self._actions = site.of(operation, self._sending.actions)
        self._fault = world.network.next_effect_fault(self._actions)
        world.actor.last_not_done = ("", 0)
        first = self._actions[0]
        if (
            world.network.is_in_outage()
            or first.conversation_id == world.vendor.failing_ticket
            or world.is_failing(first.key)
        ):
            self._refuse_connection()
        keys = [action.key for action in self._actions]
        self._kind = _noted(world, self._fault, Port.EFFECT, *keys)
        if self._fault is not None:
            world.network.disturbed.update(keys)
        if self._kind == "connection_refused":
            self._refuse_connection()

    def clock(self) -> float:
        """See `wire.Exchange.clock`."""
        return self._site.clock()

    def start(self) -> None:
        """See `wire.Exchange.start`."""
        within = self._sending.within
        self._sending.requests += 1
        self._world.oracle.effect_starts(self._actions, within=within)
        if self._kind in {"crash_before", "crash_and_never_lands"}:
            raise Crash

    def answer(self, request: Request) -> WireAnswer:
        """See `wire.Exchange.answer`."""
        world, fault = self._world, self._fault
        if self._operation == "create_message":
            world.oracle.texted(self._actions[0].key, said_in(request))
        if fault is None:
            return self._spoiled(request)
        match self._kind:
            case "rate_limited":
                world.oracle.did_not_happen(self._actions)
                wait = {"Retry-After": str(int(900.0 * fault.size))}
                return WireAnswer(429, self._site.error_body(429), wait)
            case "refused":
                return self._site.refused()
            case "vendor_auth":
                world.oracle.did_not_happen(self._actions)
                return _refused_key(fault, self._site)
            case _:
                land = partial(self._land, request)
                return world.network.arrival(fault, self._actions, land, _broken(fault))

    def _spoiled(self, request: Request) -> WireAnswer:
        """The response, which may be another than the vendor's own, or pretend."""
        spoil = self._world.network.next_spoil()
        if spoil is None or not spoil.is_possible_at(self._operation):
            return self._land(request)
        _noted_spoil(self._world, spoil, self._operation)
        if spoil.is_done or self._site.is_so(request, self._operation):
            return spoil.shaped(self._land(request))
        return spoil.shaped(self._site.pretended(request, self._operation))

    def _refuse_connection(self) -> NoReturn:
        self._world.oracle.did_not_happen(self._actions)
        raise ConnectionRefusedError

    def _land(self, request: Request) -> WireAnswer:
        world, site = self._world, self._site
        answer = site.take(request, self._operation)
        if answer.status < 300 and site.landed(request, self._operation, self._actions):
            world.landed.update(action.key for action in self._actions)
            world.oracle.landed(self._actions)
        return answer


def _noted(world: World, fault: Fault | None, port: Port, *about: str) -> str:
    """The fault's kind, counted."""
    if fault is None:
        return ""
    kind = fault.kind(port)
    world.network.applied[kind] += 1
    if port is not Port.EFFECT:
        world.network.faults_met += 1
    world.log_line("FAULT", kind, port.name, *about)
    return kind


def _noted_spoil(world: World, spoil: Spoil, operation: str) -> Spoil:
    world.network.applied[spoil.name] += 1
    world.log_line("FAULT", spoil.name, operation)
    return spoil


def _refused_key(fault: Fault, site: InMemory) -> WireAnswer:
    """The key is refused once, as while it is rotated, or has no right to it."""
    status = 401 if fault.size < 0.5 else 403
    return WireAnswer(status, site.error_body(status))


def _broken(fault: Fault) -> OSError:
    """No response: nothing comes, or the connection is reset."""
    return TimeoutError() if fault.size < 0.5 else ConnectionResetError()
