"""Time, containers and deliveries of one schedule, run to its end.

One thing happens at a time.  A call into store, queue, provider or switches takes a few
milliseconds of simulated time, may meet a fault, and may let other containers go on meanwhile.
After the workload faults stop, and the system is given the time to come to rest on its own.
"""

from __future__ import annotations

import heapq
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from chalicelib import keys
from chalicelib.clock import iso
from chalicelib.errors import (
    AuthError,
    MiddlewareError,
    PermanentError,
    TransientError,
    UncertainError,
)
from chalicelib.jobs import Recovery, TicketMessage, decode
from chalicelib.ports import Delivery
from chalicelib.sources import richpanel
from chalicelib.worker import HandedBackError
from tests.simulation.faults import Crash, Fault, Port
from tests.simulation.memory_queue import MemoryQueue, Message, ReceiptError
from tests.simulation.memory_table import MemoryTable
from tests.simulation.oracle import Oracle
from tests.simulation.parts import Container
from tests.simulation.scenario import Post, Scenario
from tests.simulation.stage import Runner
from tests.simulation.vendor import MemoryVendor

EPOCH = 1_790_000_000.0
CALL_SECONDS = 0.004
FUNCTION_SECONDS = 120.0
VISIBILITY_SECONDS = 720.0
MAX_RECEIVES = 10
LANDING_SECONDS = 900.0
REST_SECONDS = 420.0
"""Pause between two sweeps while the system comes to rest."""
REST_ROUNDS = 40
LOOK_AHEAD_CALLS = 150
"""An invocation makes fewer calls than this; it gets a stack of its own only if a pause lies within them."""


class World:
    """One schedule.

    Args:
        scenario: what happens.
        trace: keep what happened, call by call, for a person to read.
    """

    def __init__(self, scenario: Scenario, *, trace: bool = False) -> None:
        self.scenario = scenario
        self.now = EPOCH
        self.is_fair = not (
            scenario.faults or scenario.flips or scenario.deploys or any(scenario.outage)
        )
        self.rng = random.Random(scenario.seed ^ 0x5EED)
        self.version = 1
        self.calls = 0
        self.deliveries = 0
        self.applied: Counter[str] = Counter()
        self.trace: list[str] | None = [] if trace else None
        self.switches = {
            "kill_switch": False,
            "safe_mode": False,
            "automation_enabled": True,
            "shadow_mode": False,
        }
        self.ledger = MemoryTable(
            "ledger",
            ("event_id",),
            {"unfinished-index": ("unfinished", "last_processed_at")},
        )
        self.state = MemoryTable("state", ("conversation_id",))
        self.audit = MemoryTable("audit", ("conversation_id", "ts_action_id"))
        self.sweeps = MemoryTable("sweeps", ("event_id",))
        self.queue = MemoryQueue(
            lambda: self.now, visibility_seconds=VISIBILITY_SECONDS, max_receives=MAX_RECEIVES
        )
        self.vendor = MemoryVendor(lambda: self.now, lag_seconds=scenario.lag_seconds)
        self.oracle = Oracle(self)
        self._ids = 0
        self._faults = {fault.at: fault for fault in scenario.faults}
        self._pauses = sorted(fault.at for fault in scenario.faults if fault.pauses)
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._agenda_number = 0
        self._runner: Runner | None = None
        self.actor: Container | None = None
        self.containers = [Container(self, n, skew) for n, skew in enumerate(scenario.skews)]
        self.door = Container(self, 9, 0.0)

    # --- one schedule -------------------------------------------------------------------------

    def run(self) -> World:
        """Run it to its end and judge it."""
        self._fill_agenda()
        self._go_on()
        self._come_to_rest()
        self.oracle.at_the_end()
        return self

    def _fill_agenda(self) -> None:
        scenario = self.scenario
        for post in scenario.posts:
            self.at(EPOCH + post.at, lambda post=post: self._post(post))
        for flip in scenario.flips:
            self.at(EPOCH + flip.at, lambda flip=flip: self.flip(flip.name, flip.value))
        for when in scenario.deploys:
            self.at(EPOCH + when, self._deploy)
        for when, number in scenario.replays:
            self.at(EPOCH + when, lambda number=number: self._replay(number))
        for when in scenario.redrives:
            self.at(EPOCH + when, self._redrive)
        for when in scenario.sweeps:
            self.at(EPOCH + when, self._sweep)

    def _go_on(self) -> None:
        """Until nothing is planned, nothing waits and nobody stands still."""
        while True:
            self._deliver_all()
            due = self.queue.next_change()
            planned = self._agenda[0][0] if self._agenda else None
            if planned is None and due is None:
                return
            if planned is not None and (due is None or planned <= max(due, self.now)):
                when, _, action = heapq.heappop(self._agenda)
                self.now = max(self.now, when)
                action()
            elif due is not None:
                self.now = max(self.now, due)

    def _come_to_rest(self) -> None:
        """No more faults; the schedule ticks until nothing moves any more."""
        self._faults = {}
        self.scenario = replace(self.scenario, outage=(0.0, 0.0))
        for name, value in (("kill_switch", False), ("safe_mode", False), ("shadow_mode", False)):
            self.flip(name, value)
        self.flip("automation_enabled", value=True)
        for _ in range(REST_ROUNDS):
            self.now += REST_SECONDS
            self._sweep()
            self._go_on()
            if self.oracle.is_at_rest():
                return

    # --- what the agenda does -----------------------------------------------------------------

    def at(self, when: float, action: Callable[[], None]) -> None:
        """Do something at a time."""
        self._agenda_number += 1
        heapq.heappush(self._agenda, (when, self._agenda_number, action))

    def flip(self, name: str, value: bool) -> None:  # noqa: FBT001 - the switch's value is data
        """A switch takes a value."""
        if self.switches[name] != value:
            self.switches[name] = value
            self.oracle.flipped()

    def _post(self, post: Post) -> None:
        """The sender's request; a sender that repeats does so until it is answered 2xx."""
        self._tell("post", post.conversation_id, post.comment_id, post.form)
        self.vendor.customer_writes(post.conversation_id, post.comment_id, post.text)
        self.actor = self.door
        body = _body(post)
        try:
            answer = self.door.intake.receive(
                "richpanel", {}, body, lambda headers: None, richpanel.parse
            )
            is_accepted = answer.status < 300
        except Crash:
            is_accepted = False
        self.actor = None
        if is_accepted:
            self.oracle.accepted(post)
        elif self.scenario.sender_repeats:
            again = replace(post, is_copy=True)
            self.at(self.now + 30.0, lambda: self._post(again))

    def _deploy(self) -> None:
        """Another version: idle containers are replaced now, busy ones when they are done."""
        self.version = 3 - self.version
        self._tell("deploy", self.version)
        for container in self.containers:
            if not container.busy:
                container.rebuild()

    def _replay(self, number: int) -> None:
        """An operator sends an event of the past once more."""
        posts = [post for post in self.scenario.posts if EPOCH + post.at <= self.now]
        if not posts:
            return
        post = posts[number % len(posts)]
        job = TicketMessage(
            event_key=keys.ticket_message(post.conversation_id, post.comment_id),
            conversation_id=post.conversation_id,
            message_id=post.comment_id,
            received_at=iso(self.door.worker.clock.now()),
            source="operator",
            trace_id="replay",
        )
        self.oracle.recovered(job.event_key)
        self._from_door(lambda: self.door.intake.accept(job, recovery=Recovery.OPERATOR))

    def _redrive(self) -> None:
        for message in self.queue.redrive():
            self.oracle.recovered(json.loads(message.body)["event_key"])

    def _sweep(self) -> None:
        self._tell("sweep")
        self._from_door(lambda: self.door.reconciler.sweep(time_left_seconds=lambda: 200.0))

    def _from_door(self, action: Callable[[], Any]) -> None:
        self.actor = self.door
        try:
            action()
        except Crash:
            self.door.rebuild()
        except MiddlewareError as error:
            self._tell("gave up", error)  # the next tick goes on
        except Exception as error:  # noqa: BLE001 - judged, not hidden
            self.oracle.surprised(error)
        self.actor = None

    # --- deliveries ---------------------------------------------------------------------------

    def _deliver_all(self) -> None:
        while True:
            ready = self.queue.ready_groups()
            idle = [container for container in self.containers if not container.busy]
            if not ready or not idle:
                if ready:
                    self._let_somebody_end()
                    continue
                return
            group = ready[self.rng.randrange(len(ready))]
            message = self.queue.receive(group)
            if message is not None:
                self._deliver(idle[self.rng.randrange(len(idle))], message)

    def _let_somebody_end(self) -> None:
        """Every container stands still: the next on the agenda is needed."""
        when, _, action = heapq.heappop(self._agenda)
        self.now = max(self.now, when)
        action()

    def _deliver(self, container: Container, message: Message) -> None:
        container.busy = True
        receipt = message.receipt
        delivery = Delivery(
            body=message.body,
            message_id=message.id,
            receipt_handle=receipt,
            receive_count=message.receives,
            max_receives=MAX_RECEIVES,
            time_left_seconds=FUNCTION_SECONDS,
        )
        self.deliveries += 1
        self._tell("deliver", container.number, message.id, message.receives)
        if not self._pauses_ahead():
            self._invoke(container, delivery)
            return
        runner = Runner(lambda: self._invoke(container, delivery))
        self._runner = runner
        runner.resume()
        self._runner = None

    def _pauses_ahead(self) -> bool:
        return any(self.calls <= at < self.calls + LOOK_AHEAD_CALLS for at in self._pauses)

    def _invoke(self, container: Container, delivery: Delivery) -> None:
        """One Lambda invocation."""
        self.actor = container
        container.fences = {}
        container.started_at = self.now
        try:
            container.worker.process(delivery)
        except Crash:
            self._tell("crashed", container.number)
            container.rebuild()
        except HandedBackError as why:
            self._tell("handed back", container.number, why)
        except Exception as error:  # noqa: BLE001 - judged, not hidden
            self.oracle.surprised(error)
        else:
            self._acknowledge(delivery.receipt_handle)
        self.actor = None
        container.busy = False

    def _acknowledge(self, receipt: str) -> None:
        """Lambda deletes the message of an invocation that returned; too late is too late."""
        try:
            self.queue.delete(receipt)
        except ReceiptError:
            self.applied["delete_too_late"] += 1

    # --- calls --------------------------------------------------------------------------------

    def new_id(self) -> str:
        """An id that was never used before in this world."""
        self._ids += 1
        return f"id{self._ids}"

    def send(self, body: str, group_id: str, deduplication_id: str) -> str:
        """Put a message on the queue."""
        self.oracle.sent(body)
        job = json.loads(body)
        if job["recovery"] == "handoff":  # a person is told late, after whatever came since
            self.oracle.recovered(job["event_key"])
        return self.queue.send(body, group_id=group_id, deduplication_id=deduplication_id)

    def call(self, port: Port, act: Callable[[], Any]) -> Any:
        """One call over the network."""
        fault = self._next(port)
        if fault is None:
            return act()
        kind = fault.kind(port)
        self.applied[kind] += 1
        self._tell("FAULT", kind, port.name)
        match kind:
            case "pause_before":
                self._pause(fault.pause_seconds)
                return act()
            case "pause_after":
                result = act()
                self._pause(fault.pause_seconds)
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
                self.now += 14.0 * fault.size
                return act()
            case "vendor_auth":
                raise AuthError("richpanel", "call", status=401)
            case _:
                raise TransientError("aws", "call", reason=kind)

    def effect(self, actions: list[Any] | tuple[Any, ...] | Any) -> str | None:
        """One vendor request that changes something."""
        fault = self._next(Port.EFFECT)
        kind = "none" if fault is None else fault.kind(Port.EFFECT)
        if self._is_out():
            self.oracle.effect_starts(actions)
            raise TransientError("richpanel", "effect", reason="connect_failed")
        if kind == "pause_before" and fault is not None:
            # the request has left and is held in the network: its start is now
            self.oracle.effect_starts(actions)
            self._pause(min(fault.pause_seconds, LANDING_SECONDS - 20.0))
            return self._land(actions)
        self.oracle.effect_starts(actions)
        if fault is None:
            return self._land(actions)
        self.applied[kind] += 1
        self._tell("FAULT", kind, "EFFECT", *[action.key for action in actions])
        late = fault.size * (LANDING_SECONDS - 20.0)
        match kind:
            case "crash_before" | "crash_and_never_lands":
                raise Crash
            case "crash_after":
                self._land(actions)
                raise Crash
            case "crash_and_lands_late":
                self.at(self.now + late, lambda: self._land_late(actions))
                raise Crash
            case "lands_and_no_answer":
                self._land(actions)
                raise UncertainError("richpanel", "effect", reason="timeout")
            case "lands_late_and_no_answer":
                self.at(self.now + late, lambda: self._land_late(actions))
                raise UncertainError("richpanel", "effect", reason="timeout")
            case "never_lands_and_no_answer":
                raise UncertainError("richpanel", "effect", reason="timeout")
            case "connection_refused":
                raise TransientError("richpanel", "effect", reason="connect_failed")
            case "rate_limited":
                wait = 900.0 * fault.size
                raise TransientError("richpanel", "effect", status=429, retry_after=wait)
            case "refused":
                raise PermanentError("richpanel", "effect", status=400)
            case "vendor_auth":
                raise AuthError("richpanel", "effect", status=401)
            case "pause_after":
                reference = self._land(actions)
                self._pause(fault.pause_seconds)
                return reference
            case _:
                self.now += 14.0 * fault.size
                return self._land(actions)

    def _land(self, actions: Any) -> str | None:
        reference = self.vendor.land(actions)
        self.oracle.landed(actions)
        return reference

    def _land_late(self, actions: Any) -> None:
        self._tell("lands late", *[action.key for action in actions])
        self._land(actions)

    def _is_out(self) -> bool:
        start, end = self.scenario.outage
        return EPOCH + start <= self.now < EPOCH + end and end > 0

    def _next(self, port: Port) -> Fault | None:
        number = self.calls
        self.calls += 1
        self.now += CALL_SECONDS
        if self.trace is not None:
            self._tell("call", number, port.name)
        if port is Port.VENDOR_READ and self._is_out():
            raise TransientError("richpanel", "read_ticket", reason="connect_failed")
        return self._faults.get(number)

    def _pause(self, seconds: float) -> None:
        """Stand still; others go on where this invocation has a stack of its own."""
        runner, actor = self._runner, self.actor
        if runner is None or actor is self.door:
            self.now += seconds
            return
        self.at(self.now + seconds, lambda: self._wake(runner, actor))
        self.actor = None
        runner.stand_still()

    def _wake(self, runner: Runner, actor: Container | None) -> None:
        self._tell("wakes", actor.number if actor else None)
        self.actor = actor
        self._runner = runner
        runner.resume()
        self._runner = None

    def _tell(self, *words: object) -> None:
        if self.trace is not None:
            self.trace.append(f"{self.now - EPOCH:10.3f} {' '.join(map(str, words))}")


def _body(post: Post) -> bytes:
    match post.form:
        case "id":
            fields = {
                "ticket_id": post.conversation_id,
                "message_id": post.comment_id,
                "message": post.text,
            }
        case "thin":
            fields = {"ticket_id": post.conversation_id, "trigger": "customer_message"}
        case _:
            return f'{{"ticket_id": "{post.conversation_id}", "message": "{post.text} "quoted""}}'.encode()
    return json.dumps(fields).encode()


def events_in(message: Message) -> str:
    """The event key a queued body carries."""
    return decode(message.body).event_key
