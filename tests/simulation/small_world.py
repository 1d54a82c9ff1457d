"""A world that stops before every call, so that its caller decides what happens next.

Time passes only when its caller says so.  Workers and the sweep are stacks of their own; between two of
their calls the state of everything can be compared, as each of them depends on nothing but what its
calls returned.  A request to a vendor stops twice: before it connects, where its fault is chosen,
and on its way, where it may be overtaken.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import partial
from typing import Any

from local.vendors.wire import Request, WireAnswer
from tests.simulation import verdict, wire, workload
from tests.simulation.containers import Container
from tests.simulation.exchange import Change, connect
from tests.simulation.faults import Fault, Port
from tests.simulation.network import LANDING_SECONDS, Network
from tests.simulation.partials import Partial
from tests.simulation.runner import Runner
from tests.simulation.scenario import Scenario
from tests.simulation.world import World

WAIT_SECONDS = 760.0
"""Beyond a lease and the visibility of a message; two of them are beyond the landing time."""
MOST_WAITS = 3
IN_PART = "fault done_in_part"
"""A batch's statements are executed but for the first one."""
LEFT_OUT = frozenset({"slow"})
"""Faults that are nothing but time."""


class OnItsWay(Enum):
    """Where a request stops that has left: it meets no further fault."""

    ON_ITS_WAY = ()


ON_ITS_WAY = OnItsWay.ON_ITS_WAY


class Middle(random.Random):
    """Random numbers that are always the same, in whatever order they are drawn."""

    def random(self) -> float:
        return 0.5


class SteppedNetwork(Network):
    """The network; every call of a stepped worker waits until it is chosen."""

    _world: SmallWorld

    def call(self, port: Port, act: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """See `Network.call`."""
        self._world.is_batch = getattr(act, "__name__", "") in {"_batch", "_put_all"}
        return self._seen(lambda: super(SteppedNetwork, self).call(port, act, *arguments, **named))

    def effect(
        self, actions: Sequence[Any], land: Callable[[], Any], *, within: float = 0.0
    ) -> Any:
        """See `Network.effect`."""
        return self._seen(lambda: super(SteppedNetwork, self).effect(actions, land, within=within))

    def _seen(self, call: Callable[[], Any]) -> Any:
        return self._world.seen_by_caller(call)

    def next_partial(self) -> Partial | None:
        """See `Network.next_partial`: the first statement fails, the others are executed."""
        is_partial, self._world.is_partial = self._world.is_partial, False
        return Partial(0, 1) if is_partial else super().next_partial()

    def next_fault(self, port: Port) -> Fault | None:
        if not self._world.is_stepping:
            return super().next_fault(port)
        self.calls += 1
        return self._world.wait_for_turn(port)


class SteppedExchange:
    """A vendor request of a stepped container: it stops once more when it is on its way."""

    def __init__(self, world: SmallWorld, vendor: str, method: str, url: str) -> None:
        self._world = world
        actor = world.actor
        try:
            self._exchange = connect(world, vendor, method, url)
        except OSError as error:
            world.saw(actor, repr(error))
            raise

    def clock(self) -> float:
        """See `wire.Exchange.clock`."""
        return self._exchange.clock()

    def start(self) -> None:
        """See `wire.Exchange.start`."""
        self._exchange.start()

    def answer(self, request: Request) -> WireAnswer:
        """See `wire.Exchange.answer`."""
        if isinstance(self._exchange, Change):
            self._world.wait_for_turn(ON_ITS_WAY)
        answer: WireAnswer = self._world.seen_by_caller(lambda: self._exchange.answer(request))
        return answer


class SmallWorld(World):
    """One schedule whose next step is chosen from outside.

    Attributes:
        waiting: where each running container has stopped: the port of its next call, or that its
            request to a vendor is on its way.
        is_batch: whether the call that is about to stop writes a batch.
        is_partial: whether the batch that is written next is done in part.
    """

    network_class = SteppedNetwork

    def __init__(self, scenario: Scenario) -> None:
        self.is_stepping = self.is_batch = self.is_partial = False
        self._batching: set[int] = set()
        self._seen: dict[int, int] = {}
        self._made: dict[int, int] = {}
        super().__init__(scenario)
        self.rng = Middle()
        self.is_fault_free = False
        self.waiting: dict[int, Port | OnItsWay] = {}
        self._since: dict[int, float] = {}
        self._stacks: dict[int, tuple[Container, Runner]] = {}
        self._asleep: set[int] = set()
        self._fault: Fault | None = None
        self._left = {"wait": MOST_WAITS, "sweep": 1, "fault": 1}
        self._last = -1

    @contextmanager
    def running(self) -> Iterator[None]:
        """Vendors are reached while the context is open."""
        with wire.running(partial(SteppedExchange, self), lambda: self.now):
            yield

    def begin(self) -> None:
        """Put the workload on the queue and stop before the first delivery."""
        workload.plan(self)
        while self._timeline.next_at is not None and self._timeline.next_at <= self.now:
            self._do_next()
        self.is_stepping = True

    def options(self) -> list[str]:
        """What may happen next; the first is what happens by default.

        Who runs, goes on; who was running when time passed, sleeps on until the others are done.
        """
        turns = self._in_turn()
        found = [f"go {number}" for number in turns if number not in self._asleep]
        if self.queue.ready_groups() and self._idle():
            found.append("deliver")
        found += [f"go {number}" for number in turns if number in self._asleep]
        if not found:
            return []
        if self._left["sweep"] and not self.sweepers[0].busy:
            found.append("sweep")
        if self._left["wait"] and not self._are_late:
            found.append("wait")
        if self._left["fault"] and found[0].startswith("go"):
            port = self.waiting[int(found[0].split()[1])]
            found += [f"fault {kind}" for kind in port.value if kind not in LEFT_OUT]
            if int(found[0].split()[1]) in self._batching:
                found.append(IN_PART)
        return found

    def take(self, option: str) -> None:
        """Let it happen, up to the next call of the running container."""
        what, _, which = option.partition(" ")
        match what:
            case "go":
                self._resume(int(which))
            case "fault" if option == IN_PART:
                self._left["fault"] -= 1
                self.is_partial = True
                self._resume(int(self.options()[0].split()[1]))
            case "fault":
                number = int(self.options()[0].split()[1])
                self._left["fault"] -= 1
                kinds = self.waiting[number].value
                pick = (kinds.index(which) + 0.5) / len(kinds)
                self._fault = Fault(0, pick, 0.99, pauses=False)
                self._resume(number)
            case "deliver":
                group = self.queue.ready_groups()[0]
                message = self.queue.receive(group)
                if message is not None:
                    self._deliver(self._idle()[0], message)
            case "sweep":
                self._left["sweep"] -= 1
                self.sweep()
            case _:
                self._left["wait"] -= 1
                self._asleep |= self.waiting.keys()
                self.now += WAIT_SECONDS
                self._land_until(self.now)

    def end(self) -> None:
        """Let everything come to rest, and judge it."""
        self.is_stepping = False
        self._run_until_idle()
        self._run_until_at_rest()
        verdict.judge(self)

    def fingerprint(self) -> int:
        """A hash of everything that the future depends on."""
        tables = (self.ledger, self.conversations, self.state, self.audit, self.sweeps)
        rows = [
            sorted((key, sorted(_shown(row))) for key, row in table.rows.items())
            for table in tables
        ]
        messages = [
            (message.id, message.visible_at, message.receives, message.receipt)
            for message in self.queue.waiting()
        ]
        vendors = (
            sorted(self.landed.items()),
            sorted((name, repr(ticket)) for name, ticket in self.vendor._tickets.items()),
            (self.twilio._messages, self.twilio._received, self.ses._emails),
        )
        return hash(
            repr(
                (
                    *(self.now, sorted(self._left.items()), sorted(self._seen.items())),
                    sorted(self._asleep),
                    *(sorted((n, port.name) for n, port in self.waiting.items()), rows, messages),
                    *(vendors, len(self.queue.dead), len(self.oracle.violations)),
                )
            )
        )

    # --- called by the stacks -----------------------------------------------------------------

    def wait_for_turn(self, port: Port | OnItsWay) -> Fault | None:
        """Stop before a call, or while a request is on its way; returns the fault it meets."""
        actor = self.actor
        if actor is None or actor.number not in self._stacks:
            return None
        self.waiting[actor.number], self._since[actor.number] = port, self.now
        if self.is_batch:
            self._batching.add(actor.number)
        self.is_batch = False
        self.actor = None
        self._stacks[actor.number][1].pause()
        self.actor = actor
        fault, self._fault = self._fault, None
        return fault

    def seen_by_caller(self, call: Callable[[], Any]) -> Any:
        """The result of a call, which its caller's next steps depend on."""
        actor = self.actor
        try:
            result = call()
        except Exception as error:
            self.saw(actor, repr(error))
            raise
        if isinstance(result, Iterator):
            result = list(result)
            self.saw(actor, repr(result))
            return iter(result)
        self.saw(actor, repr(result))
        return result

    def saw(self, actor: Container | None, what: str) -> None:
        """Note what a call returned to a container, and when."""
        if actor is not None:
            self._seen[actor.number] = hash((self._seen.get(actor.number), self.now, what))

    def new_id(self) -> str:
        """An id by its maker, so that it does not depend on whose turn was first."""
        number = self.actor.number if self.actor is not None else -1
        self._made[number] = self._made.get(number, 0) + 1
        return f"id{number}.{self._made[number]}"

    def _run(self, container: Container, work: Callable[[], Any]) -> None:
        if not self.is_stepping:
            super()._run(container, work)
            return
        container.busy = True
        runner = Runner(lambda: self.invoke(container, work))
        self._stacks[container.number] = (container, runner)
        self._resume(container.number)

    def _resume(self, number: int) -> None:
        _, runner = self._stacks[number]
        self._last = number
        self._asleep.discard(number)
        self.waiting.pop(number, None)
        self._batching.discard(number)
        runner.resume()
        if runner.is_done:
            del self._stacks[number]
            self._seen[number] = hash((self._seen.get(number), "ended"))
        self.actor = None

    @property
    def _are_late(self) -> bool:
        """Whether a request has left that would land too late after another wait."""
        until = self.now + WAIT_SECONDS - LANDING_SECONDS
        return any(
            port in {Port.EFFECT, ON_ITS_WAY} and self._since[number] < until
            for number, port in self.waiting.items()
        )

    def _in_turn(self) -> list[int]:
        """The running containers; first the one that ran last."""
        return sorted(self.waiting, key=lambda number: (number != self._last, number))

    def _idle(self) -> list[Container]:
        return [container for container in self.containers[:2] if not container.busy]


def _shown(row: Any) -> list[tuple[str, str]]:
    return [(name, repr(value)) for name, value in row.items()]
