"""Time, containers and deliveries of one schedule, run to its end.

One thing happens at a time.  A call to the store, queue, provider or switches takes a few
milliseconds of simulated time, may meet a fault, and may let other containers run meanwhile.
After the workload the faults stop, and the system gets time to come to rest on its own.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from chalicelib.errors import MiddlewareError
from chalicelib.once.ports import Delivery
from chalicelib.once.worker import HandedBackError
from local import company
from local.vendors import twilio
from tests.simulation import (
    crowds,
    endpoints,
    follow_ups,
    neighbours,
    tables,
    tools,
    verdict,
    wire,
    workload,
)
from tests.simulation.agreed import Agreed
from tests.simulation.carriers import MemorySes, MemoryTwilio
from tests.simulation.clients import secrets
from tests.simulation.consent import Consent
from tests.simulation.containers import Container
from tests.simulation.dataset import MemoryDataset
from tests.simulation.endpoints import Endpoints
from tests.simulation.exchange import connect
from tests.simulation.faults import Crash
from tests.simulation.in_memory import InMemory
from tests.simulation.memory_queue import MemoryQueue, Message, ReceiptError
from tests.simulation.memory_table import MemoryTable
from tests.simulation.network import Network
from tests.simulation.oracle import Oracle
from tests.simulation.pairs import Pairs
from tests.simulation.people import People
from tests.simulation.progress import Progress
from tests.simulation.runner import Runner
from tests.simulation.scenario import EPOCH, Scenario
from tests.simulation.senders import Senders
from tests.simulation.staleness import Versions
from tests.simulation.timeline import Timeline
from tests.simulation.vendor import MemoryShop, MemoryVendor

FUNCTION_SECONDS = 120.0
SCHEDULE_SECONDS = 240.0
VISIBILITY_SECONDS = 720.0
MAX_RECEIVES = 10
UNSWEPT_SECONDS = 20_000.0
"""No schedule is without a sweep for longer: less than the day that a sweep's first look goes back."""
REST_SECONDS = 420.0
"""Pause between two sweeps while the system comes to rest."""
REST_ROUNDS = 40
LOOK_AHEAD_CALLS = 200
"""An invocation makes fewer calls than this; it gets its own stack only if a pause lies within them."""
MONTH_SECONDS = 31 * 86_400.0
"""Longer than the ledger's retention."""


class World:
    """One schedule.

    Args:
        scenario: what happens.
        trace: keep a readable trace, call by call.

    Attributes:
        landed: the truth: how often each action really happened.
        watched: the tables whose rows are fenced.
        faults_ended_at: when the last fault ended.
    """

    network_class = Network

    def __init__(self, scenario: Scenario, *, trace: bool = False) -> None:
        self.scenario = scenario
        self.now = EPOCH
        faults = (
            *(scenario.faults, scenario.flips, scenario.deploys, any(scenario.outage)),
            *(scenario.unavailable, scenario.echoes, scenario.failing_ticket[0]),
            *(scenario.failing, scenario.effect_faults, scenario.provider_apart, scenario.spoils),
            *(scenario.partials, scenario.lags, scenario.deleted, scenario.neighbour),
        )
        self.is_fault_free = not any(faults)
        self.rng = random.Random(scenario.seed ^ 0x5EED)
        self.version = 1
        self.deliveries = 0
        self.happened: Counter[str] = Counter()
        self.landed: Counter[str] = Counter()
        self.trace: list[str] | None = [] if trace else None
        self.outage = (EPOCH + scenario.outage[0], EPOCH + scenario.outage[1])
        self.failing = scenario.failing
        self.switches = {
            "kill_switch": False,
            "safe_mode": False,
            "automation_enabled": True,
            "shadow_mode": False,
        }
        self.actor: Container | None = None
        self.faults_ended_at = 0.0
        self._ids = 0
        self._timeline = Timeline()
        self._runner: Runner | None = None
        self._make_tables()
        self.queue = MemoryQueue(
            lambda: self.now, visibility_seconds=VISIBILITY_SECONDS, max_receives=MAX_RECEIVES
        )
        self.oracle = Oracle(self)
        self.endpoints = Endpoints(self)
        self.consent = Consent(self)
        self.agreed = Agreed(self)
        self.follow_ups = follow_ups.FollowUps(self)
        self.pairs = Pairs(self)
        self.network = self.network_class(self)
        self.senders = Senders(self)
        self.people = People(self)
        door, sweeper, writer, provider = scenario.other_skews
        self._provider_skew = provider + scenario.provider_apart
        self._make_providers(self._provider_skew)
        self.containers = [Container(self, n, skew) for n, skew in enumerate(scenario.skews)]
        self.door = Container(self, 9, door)
        self.sweepers = [Container(self, n, sweeper) for n in (10, 11)]
        self.writers = [Container(self, n, writer) for n in (12, 13)]

    def _make_tables(self) -> None:
        self.ledger = tables.ledger()
        self.facts = tables.facts()
        self.conversations = tables.conversations()
        self.state = tables.state()
        self.audit = tables.audit()
        self.sweeps = MemoryTable("sweeps", ("event_id",))
        self.companies = MemoryTable("companies", ("company_id", "project_id"))
        if self.scenario.starts:
            for number in (neighbours.FIRST, neighbours.SECOND):
                project = neighbours.project(
                    number, **self._rules(), **endpoints.setting(self, number)
                )
                account = neighbours.ACCOUNTS[number]
                for item in (project, *company.sender_rows(project, account)):
                    self.companies.put(item)
        self.watched = (self.ledger, self.facts)
        self._versions: dict[str, Versions] = {}
        if self.scenario.lags:
            lagging = (self.ledger, self.facts, self.conversations, self.companies)
            self._versions = {table.name: Versions(table, lambda: self.now) for table in lagging}

    def seen(self, table: MemoryTable, at_most: float) -> MemoryTable:
        """A table as a read shows it that may be so many seconds behind."""
        after = self.now - EPOCH
        lags = [by for since, to, by in self.scenario.lags if since <= after < to]
        if not lags or self.faults_ended_at or table.name not in self._versions:
            return table
        self.happened["read_behind"] += 1
        return self._versions[table.name].before(self.now - min([*lags, at_most]))

    def _rules(self) -> dict[str, Any]:
        """The project's settings: held messages, quiet period and quiet hours."""
        rules: dict[str, Any] = {self.scenario.held: True} if self.scenario.held else {}
        rules |= tools.setting(self.scenario.tools)
        rules |= follow_ups.setting(self.scenario.follow_ups)
        rules["answering"] = {"quiet_period_seconds": self.scenario.quiet_period}
        if until := self.scenario.quiet_until:
            rules["quiet_hours"] = {"from": "14:00", "until": until, "zone": "UTC"}
        return rules

    def _make_providers(self, skew: float) -> None:
        scenario = self.scenario
        lag = scenario.lag_seconds

        def clock() -> float:
            return self.now + skew

        on_comment = self.senders.echo if scenario.echoes else None
        self.vendor = MemoryVendor(
            clock, lag_seconds=lag, on_comment=on_comment, landed=self.landed
        )
        self.shop = MemoryShop(clock)
        self.twilio = MemoryTwilio(
            clock,
            lag_seconds=lag,
            report=self.senders.text_accepted,
            accounts=dict.fromkeys(neighbours.ACCOUNTS, twilio.AUTH_TOKEN),
        )
        self.ses = MemorySes(
            clock, report=self.senders.mail_accepted, verified=set(neighbours.EMAILS)
        )
        self.dataset = MemoryDataset(clock, is_numbered=scenario.is_numbered)
        if scenario.batches:
            self.dataset.build()
        self.sites: dict[str, InMemory] = {
            site.name: site for site in (self.vendor, self.twilio, self.ses, self.dataset)
        }
        self.secrets = secrets()
        self.deleted_secrets: set[str] = set()

    def row(self, key: str) -> Mapping[str, Any] | None:
        """A fenced row by its key."""
        return self.ledger.rows.get((key,)) or self.facts.rows.get((key,))

    # --- one schedule -------------------------------------------------------------------------

    def run(self) -> World:
        """Run it to its end and judge it."""
        with wire.running(partial(connect, self), lambda: self.now):
            neighbours.begin(self, EPOCH)
            crowds.gather(self)
            workload.plan(self)
            self._run_until_idle()
            neighbours.judge(self, verdict.stays_unknown)
            neighbours.end(self)
            self._run_until_at_rest()
            verdict.judge(self)
            if self.scenario.late_ttl:
                self._a_month_later()
        return self

    def _run_until_idle(self) -> None:
        """Run until nothing is planned, queued or paused."""
        while True:
            self._deliver_all()
            due = self.queue.next_change()
            planned = self._timeline.next_at
            if planned is None and due is None:
                return
            if planned is not None and (due is None or planned <= max(due, self.now)):
                if planned - self.now > UNSWEPT_SECONDS:
                    self.now += UNSWEPT_SECONDS
                    self.sweep()  # deployed, it runs every five minutes
                else:
                    self._do_next()
            elif due is not None:
                self.now = max(self.now, due)

    def _run_until_at_rest(self) -> None:
        """Stop all faults; tick the schedules until nothing changes any more."""
        self.faults_ended_at = self.now
        self.network.faults = {}
        self.network.pauses = []
        self.network.effect_faults = {}
        self.network.spoils = {}
        self.network.partials = {}
        self.network.unavailable = ()
        self.vendor.failing_ticket = ""
        self.failing = ()
        self.outage = (0.0, 0.0)
        for name, value in (("kill_switch", False), ("safe_mode", False), ("shadow_mode", False)):
            self.flip(name, value)
        self.flip("automation_enabled", value=True)
        progress = Progress(self)
        for _ in range(REST_ROUNDS):
            self.now += REST_SECONDS
            self.sweep()
            if self.scenario.batches:
                self.write_facts()
            self._run_until_idle()
            progress.swept()
            if verdict.is_at_rest(self):
                return
            self.now = max(self.now, verdict.silent_until(self))
        progress.gave_up()

    def _a_month_later(self) -> None:
        """Rows have expired, TTL has deleted some of them, and every copy is posted again."""
        truth = Counter(self.landed)
        self.now += MONTH_SECONDS
        lateness = self.rng.choice((0.0, 86_400.0, 86_400.0 * 30))
        for table in (self.ledger, self.state):
            self.happened["expired_row_deleted"] += table.expire(self.now - lateness)
            left = sum(row.get("expires_at", self.now) < self.now for row in table.rows.values())
            self.happened["expired_row_left"] += left
        for post in self.scenario.posts:
            self.happened["copy_after_a_month"] += 1
            self.senders.post(post)
        self._run_until_idle()
        verdict.judge_month(self, truth)

    # --- the timeline ------------------------------------------------------------------------

    def at(self, when: float, action: Callable[[], None]) -> None:
        """Run an action at a time."""
        self._timeline.plan(when, action)

    def land_at(self, when: float, land: Callable[[], None]) -> None:
        """A request in flight arrives then, even if its sender is paused."""
        self._timeline.send(when, land)
        self.at(when, lambda: self._land_until(when))

    def _land_until(self, until: float) -> None:
        while arrived := self._timeline.arrived(until):
            when, land = arrived
            self.now = max(self.now, when)
            land()

    def _do_next(self) -> None:
        when, action = self._timeline.take()
        self.now = max(self.now, when)
        action()

    def flip(self, name: str, value: bool) -> None:  # noqa: FBT001 - the switch's value is data
        """Set a switch."""
        if self.switches[name] != value:
            self.switches[name] = value
            self.oracle.flipped()

    def deploy(self) -> None:
        """Deploy the other version: idle containers are replaced now, busy ones when they finish."""
        self.version = 3 - self.version
        self.log_line("deploy", self.version)
        for container in (*self.containers, *self.sweepers, *self.writers):
            if not container.busy:
                container.rebuild()

    def sweep(self) -> None:
        """The reconciliation's schedule ticks."""
        self.log_line("sweep")
        self._scheduled(
            self.sweepers,
            lambda container: container.reconciler.sweep(time_left_seconds=lambda: 200.0),
        )

    def write_facts(self) -> None:
        """The fact writer's schedule ticks."""
        self.log_line("write facts")
        self._scheduled(
            self.writers,
            lambda container: container.facts.writer.run(
                time_left_seconds=lambda: SCHEDULE_SECONDS
            ),
        )

    def _scheduled(self, pool: Sequence[Container], work: Callable[[Container], Any]) -> None:
        """Run a scheduled function on an idle container."""
        idle = [container for container in pool if not container.busy]
        if idle:
            self._run(idle[0], lambda: work(idle[0]))

    # --- invocations --------------------------------------------------------------------------

    def _deliver_all(self) -> None:
        while True:
            ready = self.queue.ready_groups()
            idle = [container for container in self.containers if not container.busy]
            if not ready or not idle:
                if ready:
                    self._run_next_to_free_a_container()
                    continue
                return
            group = ready[self.rng.randrange(len(ready))]
            dead = len(self.queue.dead)
            message = self.queue.receive(group)
            for dead_lettered in self.queue.dead[dead:]:
                self.oracle.dead_lettered(
                    dead_lettered.id, json.loads(dead_lettered.body)["event_key"]
                )
            if message is not None:
                self._deliver(idle[self.rng.randrange(len(idle))], message)

    def _run_next_to_free_a_container(self) -> None:
        """Every container is paused: take the next entry of the timeline."""
        self._do_next()

    def _deliver(self, container: Container, message: Message) -> None:
        receipt, ends = message.receipt, self.now + FUNCTION_SECONDS
        delivery = Delivery(
            body=message.body,
            message_id=message.id,
            receipt_handle=receipt,
            receive_count=message.receives,
            max_receives=MAX_RECEIVES,
            time_left_seconds=lambda: ends - self.now,
            lane=message.lane,
        )
        self.deliveries += 1
        container.message = replace(message)  # as this receive saw it
        self.log_line("deliver", container.number, message.id, message.receives)

        def work() -> None:
            container.worker.process(delivery)
            self._acknowledge(receipt)

        self._run(container, work)

    def _run(self, container: Container, work: Callable[[], Any]) -> None:
        """One Lambda invocation; on its own stack if it may have to pause."""
        container.busy = True
        if not self.network.is_pause_within(LOOK_AHEAD_CALLS):
            self.invoke(container, work)
            return
        runner = Runner(lambda: self.invoke(container, work))
        self._runner = runner
        runner.resume()
        self._runner = None

    def invoke(self, container: Container, work: Callable[[], Any]) -> None:
        """Run a container's work and judge how it ends."""
        self.actor = container
        container.fences, container.looks, container.last_not_done = {}, {}, ("", 0)
        try:
            work()
        except Crash:
            self.log_line("crashed", container.number)
            container.rebuild()
        except HandedBackError as why:
            self.log_line("handed back", container.number, why)
            self.oracle.handed_back(container)
            if container.message is not None and container.message.receives == MAX_RECEIVES:
                self.oracle.last_receive_failed(json.loads(container.message.body)["event_key"])
        except MiddlewareError as error:
            self.log_line("gave up", container.number, error)
            if container in self.containers:
                self.oracle.unexpected(error)
        except Exception as error:  # noqa: BLE001 - judged, not hidden
            self.oracle.unexpected(error)
        self.actor = None
        container.busy = False

    def _acknowledge(self, receipt: str) -> None:
        """Lambda deletes the message of an invocation that returned, unless its receipt has expired."""
        try:
            self.queue.delete(receipt)
        except ReceiptError:
            self.happened["delete_too_late"] += 1

    # --- shared ---------------------------------------------------------------------------------

    def is_failing(self, key: str) -> bool:
        """Whether this event or action fails at the moment, however often it is tried."""
        after = self.now - EPOCH
        if not any(
            key.startswith(name) and since <= after < to for name, since, to in self.failing
        ):
            return False
        self.happened["failed_for_hours"] += 1
        return True

    def provider_ahead_seconds(self) -> float:
        """How far the providers' clock is ahead of the running container's."""
        own = self.actor.clock.now().timestamp() if self.actor is not None else self.now
        return self.now + self._provider_skew - own

    def new_id(self) -> str:
        """An id that was never used before in this world."""
        self._ids += 1
        return f"id{self._ids}"

    def pause(self, seconds: float) -> None:
        """Pause; other containers run meanwhile if this invocation has its own stack."""
        runner, actor = self._runner, self.actor
        if runner is None or actor is self.door:
            until = self.now + seconds
            self._land_until(until)
            self.now = until
            return
        self.at(self.now + seconds, lambda: self._resume_paused(runner, actor))
        self.actor = None
        runner.pause()

    def _resume_paused(self, runner: Runner, actor: Container | None) -> None:
        self.log_line("wakes", actor.number if actor else None)
        self.actor = actor
        if actor is not None:
            actor.resumed_at = self.now
        self._runner = runner
        runner.resume()
        self._runner = None

    def measured(self, name: str, value: float, dimensions: Mapping[str, str]) -> None:
        """A container wrote a metric; `measured` keeps them."""

    def log_line(self, *words: object) -> None:
        """Add a line to the trace."""
        if self.trace is not None:
            self.trace.append(f"{self.now - EPOCH:10.3f} {' '.join(map(str, words))}")
