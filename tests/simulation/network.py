"""Every call of a schedule: it takes some simulated time, and may meet a fault.

While a call is paused other containers run; likewise while a request is held in the network.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from chalicelib.errors import AuthError, PermanentError, TransientError, UncertainError
from chalicelib.once.lanes import TICKETS, Lane
from chalicelib.once.store import TransactionConflict
from tests.simulation.faults import Crash, Fault, Port
from tests.simulation.partials import Partial
from tests.simulation.scenario import CANARIES, EPOCH
from tests.simulation.spoils import Spoil

if TYPE_CHECKING:
    from tests.simulation.world import World

_T = TypeVar("_T")
CALL_SECONDS = 0.004
LANDING_SECONDS = 900.0
LATEST_SECONDS = LANDING_SECONDS - 20.0
"""A request lands within D of its start, or never."""


class Network:
    """The network between the containers of one world and everything else.

    Attributes:
        faults_met: how many calls other than effects met a fault.
        requests: how many requests of each kind connected to each vendor.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.calls = 0
        self.faults_met = 0
        self.applied: Counter[str] = Counter()
        self.faults = {fault.at: fault for fault in world.scenario.faults}
        self.effects = 0
        self.disturbed: Counter[str] = Counter()
        """How often the request of each action met a fault."""
        self.effect_faults = {fault.at: fault for fault in world.scenario.effect_faults}
        self.requests = Counter[str]()
        self.answers = 0
        self.spoils = {spoil.at: spoil for spoil in world.scenario.spoils}
        self.batches = 0
        self.partials = {partial.at: partial for partial in world.scenario.partials}
        self.unavailable = world.scenario.unavailable
        self.pauses = sorted(fault.at for fault in world.scenario.faults if fault.pauses)

    def is_pause_within(self, calls: int) -> bool:
        """Whether a pause may occur within so many calls."""
        return any(self.calls <= at < self.calls + calls for at in self.pauses)

    def send(
        self,
        body: str,
        group_id: str,
        deduplication_id: str,
        *,
        is_copy: bool = False,
        lane: Lane = TICKETS,
    ) -> str:
        """Put a message on a lane's queue; `is_copy`: it may be there already."""
        world = self._world
        job = json.loads(body)
        if any(canary in group_id + deduplication_id for canary in CANARIES):
            world.oracle.broken("P4", "text in a message's attributes")
        message_id = world.queue.send(
            body, group_id=group_id, deduplication_id=deduplication_id, lane=lane
        )
        world.oracle.sent(job, int(message_id[1:]), is_copy=is_copy)
        return message_id

    def call(self, port: Port, act: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """One call over the network."""
        fault = self.next_fault(port)
        if fault is None:
            return act(*arguments, **named)
        return self._faulty(fault, port, lambda: act(*arguments, **named))

    def _faulty(self, fault: Fault, port: Port, act: Callable[[], Any]) -> Any:
        kind = fault.kind(port)
        world = self._world
        self.applied[kind] += 1
        self.faults_met += 1
        world.log_line("FAULT", kind, port.name)
        match kind:
            case "pause_before":
                world.pause(fault.pause_seconds)
                return act()
            case "pause_after":
                result = act()
                world.pause(fault.pause_seconds)
                return result
            case "crash_before":
                raise Crash
            case "crash_after":
                act()
                raise Crash
            case "answer_lost" | "kept_and_no_answer":
                act()
                raise TransientError("aws", "call", reason="answer_lost")
            case "sdk_repeats":
                act()
                return act()
            case "slow":
                world.now += 14.0 * fault.size
                return act()
            case "vendor_auth":
                raise AuthError("vendor", "call", status=401)
            case "conflict":
                raise TransactionConflict("transact")
            case _:
                raise TransientError("aws", "call", reason=kind)

    def effect(
        self, actions: Sequence[Any], land: Callable[[], Any], *, within: float = 0.0
    ) -> Any:
        """One vendor request that changes something; `land` applies it when it arrives.

        `within`: a second request of one action may start this long after the first.
        """
        world, vendor = self._world, actions[0].kind.vendor
        world.oracle.effect_starts(actions, within=within)
        fault = self.next_effect_fault(actions)
        kind = "none" if fault is None else fault.kind(Port.EFFECT)
        is_failing_ticket = actions[0].conversation_id == world.vendor.failing_ticket
        if self.is_in_outage() or is_failing_ticket or world.is_failing(actions[0].key):
            world.oracle.did_not_happen(actions)
            raise TransientError(vendor, "effect", reason="connect_failed")
        if fault is None:
            return self._land(actions, land)
        self.applied[kind] += 1
        self.disturbed.update(action.key for action in actions)
        world.log_line("FAULT", kind, "EFFECT", *[action.key for action in actions])
        match kind:
            case "crash_before" | "crash_and_never_lands":
                raise Crash
            case "connection_refused":
                world.oracle.did_not_happen(actions)
                raise TransientError(vendor, "effect", reason="connect_failed")
            case "rate_limited":
                wait = 900.0 * fault.size
                world.oracle.did_not_happen(actions)
                raise TransientError(vendor, "effect", status=429, retry_after=wait)
            case "refused":
                raise PermanentError(vendor, "effect", status=400)
            case "vendor_auth":
                world.oracle.did_not_happen(actions)
                raise AuthError(vendor, "effect", status=401)
            case _:
                lost = UncertainError(vendor, "effect", reason="timeout")
                return self.arrival(fault, actions, lambda: self._land(actions, land), lost)

    def arrival(
        self, fault: Fault, actions: Sequence[Any], land: Callable[[], _T], lost: Exception
    ) -> _T:
        """What comes of a request that has left; `lost` is raised where no response comes."""
        world = self._world

        def land_late() -> None:
            world.log_line("lands late", *[action.key for action in actions])
            land()

        match fault.kind(Port.EFFECT):
            case "pause_before":
                # It is held in the network: it starts now.
                return self._held(min(fault.pause_seconds, LATEST_SECONDS), land)
            case "pause_after":
                result = land()
                world.pause(fault.pause_seconds)
                return result
            case "crash_after":
                land()
                raise Crash
            case "crash_and_lands_late":
                world.land_at(world.now + fault.size * LATEST_SECONDS, land_late)
                raise Crash
            case "lands_and_no_answer":
                land()
                raise lost
            case "lands_late_and_no_answer":
                world.land_at(world.now + fault.size * LATEST_SECONDS, land_late)
                raise lost
            case "never_lands_and_no_answer":
                raise lost
            case _:
                world.now += 14.0 * fault.size
                return land()

    def _held(self, seconds: float, land: Callable[[], _T]) -> _T:
        """The request arrives on time even if its worker resumes later."""
        arrived: list[Callable[[], _T]] = []

        def arrive() -> None:
            try:
                result = land()
            except Exception as error:  # noqa: BLE001 - raised where the response is read
                arrived.append(partial(_raise, error))
            else:
                arrived.append(lambda: result)

        self._world.land_at(self._world.now + seconds, arrive)
        self._world.pause(seconds)
        return arrived[0]()

    def _land(self, actions: Sequence[Any], land: Callable[[], Any]) -> Any:
        result = land()
        self._world.oracle.landed(actions)
        return result

    def next_effect_fault(self, actions: Sequence[Any]) -> Fault | None:
        """The fault at the next request that changes something at a vendor, for these actions."""
        del actions
        fault = self.next_fault(Port.EFFECT) or self.effect_faults.get(self.effects)
        self.effects += 1
        return fault

    def next_spoil(self) -> Spoil | None:
        """How the next response of a vendor is spoiled, if it is."""
        self.answers += 1
        return self.spoils.get(self.answers - 1)

    def next_partial(self) -> Partial | None:
        """How the next batch of writes is done in part, if it is."""
        self.batches += 1
        partial = self.partials.get(self.batches - 1)
        if partial is not None:
            self.applied["batch_done_in_part"] += 1
            self.faults_met += 1
            self._world.log_line("FAULT", "batch_done_in_part", f"{partial.mask:016b}")
        return partial

    def is_in_outage(self) -> bool:
        """Whether no provider can be reached."""
        start, end = self._world.outage
        return start <= self._world.now < end

    def next_fault(self, port: Port) -> Fault | None:
        """The fault at the next call, which is of this kind; None if there is none.

        Raises:
            TransientError: nothing answers at the moment.
        """
        number = self.calls
        self.calls += 1
        world = self._world
        world.now += CALL_SECONDS
        if world.trace is not None:
            world.log_line("call", number, port.name, world.actor.number if world.actor else "-")
        if port is Port.VENDOR_READ and self.is_in_outage():
            self.applied["vendor_out"] += 1
            raise TransientError("vendor", "read", reason="connect_failed")
        if self.unavailable and port is not Port.EFFECT and self._is_unavailable(port):
            self.applied["aws_away"] += 1
            self.faults_met += 1
            raise TransientError("aws", "call", reason="unavailable")
        return self.faults.get(number)

    def _is_unavailable(self, port: Port) -> bool:
        at = self._world.now - EPOCH
        return any(port in ports and start <= at < end for ports, start, end in self.unavailable)


def _raise(error: Exception) -> NoReturn:
    raise error
