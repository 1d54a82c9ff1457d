"""The core wired on memory: one set of parts per container.

Ledger, state, audit, intake, worker, effects, settlement, reconciliation, switches and every flow
are unchanged product code; only the ports below them are in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from chalicelib.aws.switches import SsmSwitches
from chalicelib.once.action import ActionRow
from chalicelib.once.aside import SettingAside
from chalicelib.once.current_job import CurrentJob
from chalicelib.once.effect import Effect, Executor
from chalicelib.once.event import Lease
from chalicelib.once.intake import Intake
from chalicelib.once.later import Later, put_back
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes, Tightening
from chalicelib.once.recovery.cursor import Sweeps
from chalicelib.once.recovery.reconcile import Reconciler
from chalicelib.once.resend import ResendFlow
from chalicelib.once.settlement import Settlement
from chalicelib.once.worker import Worker
from chalicelib.outreach.messages.look import FRESH_SECONDS
from chalicelib.support.jobs import ticket_job
from chalicelib.support.lost_tickets import LostTickets
from chalicelib.support.state import States
from tests.rigs.worker_parts import worker_of
from tests.simulation import support
from tests.simulation.clients import Clients
from tests.simulation.exchange import Sending
from tests.simulation.facts import FactParts
from tests.simulation.network import CALL_SECONDS
from tests.simulation.outreach import OutreachParts
from tests.simulation.parts import (
    PlainOutbox,
    SimClock,
    SimDelayQueue,
    SimLog,
    SimOutbox,
    SimSsm,
    SimTable,
)

if TYPE_CHECKING:
    from tests.simulation.memory_queue import Message
    from tests.simulation.world import World


class WatchedLedger(Ledger):
    """The ledger; every begun action is reported to the oracle."""

    def __init__(self, world: World, table: SimTable, clock: SimClock) -> None:
        super().__init__(table=table, clock=clock, new_owner=world.new_id)  # type: ignore[arg-type]
        self._oracle = world.oracle

    def begin(
        self, lease: Lease, actions: Sequence[Effect], modes: Modes, **how: bool
    ) -> tuple[ActionRow, ...]:
        """See `chalicelib.ports.Ledger.begin`."""
        for action in actions:
            self._oracle.begun(action)
        return super().begin(lease, actions, modes, **how)


class Container:
    """One warm Lambda container with its own clock and caches.

    Attributes:
        fences: the fence this container's current invocation holds, by event key.
        looks: when its current invocation began its last look at each do-not-contact mark.
        busy: an invocation runs or is paused.
        message: the message it received last.
        sending: the actions it performs, or performed last.
        last_not_done: the last action known not to have happened, and the faults met by then.
    """

    def __init__(self, world: World, number: int, skew: float) -> None:
        self.world = world
        self.number = number
        self.skew = skew
        self.busy = False
        self.fences: dict[str, int] = {}
        self.looks: dict[tuple[str, str], float] = {}
        self.resumed_at = -1.0
        self.message: Message | None = None
        self.last_not_done: tuple[str, int] = ("", 0)
        self.clock = SimClock(world, skew)
        self.log = SimLog(world)
        self.rebuild()

    def is_late(self, began: float) -> bool:
        """Whether a send starts too long after its look although no pause lies between the two.

        The product's own check of its look comes one step before the request.
        """
        is_old = self.world.now - began > FRESH_SECONDS + CALL_SECONDS
        return is_old and self.resumed_at <= began

    def rebuild(self) -> None:
        """Start a new process: everything in memory is lost."""
        world = self.world
        self.sending = Sending()
        self.current_job = CurrentJob()
        for name in ("outreach", "facts", "worker", "reconciler", "clients"):
            self.__dict__.pop(name, None)
        self.table = SimTable(world, world.ledger, wrote=world.oracle.wrote)
        self.ledger = WatchedLedger(world, self.table, self.clock)
        memory = SimTable(world, world.state, wrote=world.oracle.remembered)
        self.state = States(table=memory, clock=self.clock)  # type: ignore[arg-type]
        self.outbox = SimOutbox(world)
        self.ssm = SimSsm(world)
        self.switches = SsmSwitches(self.ssm, "/rp-mw/sim", Tightening(), self.clock)
        self.intake = Intake(
            outbox=self.outbox,
            opaque=lambda: support.OPAQUE,
            clock=self.clock,
            log=self.log,
            new_id=world.new_id,
            ledger=(lambda: self.ledger) if world.scenario.ingress_ledger else None,
        )

    def receive_count(self) -> int:
        """How often the current message has been received."""
        return self.message.receives if self.message is not None else 1

    @cached_property
    def outreach(self) -> OutreachParts:
        """The parts of outreach."""
        return OutreachParts(self)

    @cached_property
    def facts(self) -> FactParts:
        """The parts of the fact pipeline."""
        return FactParts(self)

    @cached_property
    def worker(self) -> Worker:
        """The queue's consumer."""
        world = self.world
        tickets = support.flow(self)
        flows: dict[str, Any] = {"ticket_message": tickets, "ticket_notification": tickets}
        keepers = {}
        if world.scenario.starts:
            flows |= self.outreach.flows
        if world.scenario.batches:
            keepers = {"hubspot_batch": self.facts.keeper}
        flows["action_resend"] = ResendFlow(self.ledger, flows, self._rebuilders)
        return worker_of(
            self,
            flows,
            self.performing(self._executors),
            settlement=self._settlement,
            audit_table=SimTable(world, world.audit),
            send_later=self.later.put,
            outbox=self.outbox,
            put_back=self.intake.put_back,
            jitter=world.rng.random,
            keepers=keepers,
            current=self.current_job,
        )

    @property
    def aside(self) -> SettingAside:
        """Sets events aside."""
        jitter = self.world.rng.random
        return SettingAside(
            ledger=lambda: self.ledger,
            send_later=self.later.put,
            clock=self.clock,
            log=self.log,
            jitter=jitter,
        )

    @property
    def later(self) -> Later:
        """Puts a job aside."""
        outbox: Any = PlainOutbox(self.world)

        def handle(body: str, message_id: str) -> None:
            put_back(body, message_id, outbox)

        return Later(SimDelayQueue(self.world, handle), lambda: support.OPAQUE)

    @cached_property
    def reconciler(self) -> Reconciler:
        """The sweep."""
        world, rebuilders = self.world, self._rebuilders
        sweeps = Sweeps(
            table=SimTable(world, world.sweeps), clock=self.clock, new_owner=world.new_id
        )
        lost_tickets = LostTickets(
            tickets=self.clients.richpanel,
            ledger=self.ledger,
            state=self.state,
            sweeps=sweeps,
            clock=self.clock,
            log=self.log,
        )
        return Reconciler(
            ledger=self.ledger,
            intake=self.intake,
            sweeps=sweeps,
            settlement=self._settlement,
            rebuilders=rebuilders,
            parts=(
                *((self.outreach.lost_texts(sweeps),) if world.scenario.starts else ()),
                lost_tickets,
            ),
        )

    @property
    def _rebuilders(self) -> dict[str, Any]:
        rebuilders: dict[str, Any] = {"evt:rp": ticket_job}
        if self.world.scenario.starts:
            rebuilders |= self.outreach.rebuilders
        return rebuilders

    @cached_property
    def clients(self) -> Clients:
        """The product's clients of all vendors."""
        return Clients(self)

    def performing(self, executors: Mapping[str, Executor]) -> dict[str, Executor]:
        """Executors that make their effects known to the wire below them."""
        return {
            kind: replace(executor, perform=partial(self._perform, executor.perform))
            for kind, executor in executors.items()
        }

    def _perform(
        self, execute: Any, actions: Sequence[Effect], *, deadline_seconds: float
    ) -> str | None:
        self.sending = Sending(actions, deadline_seconds)
        done: str | None = execute(actions, deadline_seconds=deadline_seconds)
        return done

    @property
    def _settlement(self) -> Settlement:
        return Settlement(ledger=self.ledger, executors=self._executors, clock=self.clock)

    @property
    def _executors(self) -> Mapping[str, Executor]:
        executors = support.executors(self)
        return executors | self.outreach.executors if self.world.scenario.starts else executors
