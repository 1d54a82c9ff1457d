"""Facts on a simulated dataset: door, recorder and single writer are the product's own."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING

from chalicelib.facts.keeper import FactRecorder
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.posting.dimensions import Dimensions, Directories
from chalicelib.facts.posting.effects import KINDS
from chalicelib.facts.posting.writer import FactSinks, FactWriter
from chalicelib.facts.roster import NoRoster
from chalicelib.once.effects import Effects
from chalicelib.once.intake import Intake
from chalicelib.once.lazy import executors_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Runtime
from chalicelib.once.settlement import Settlement
from tests.simulation.parts import SimTable
from tests.simulation.support import OPAQUE

if TYPE_CHECKING:
    from tests.simulation.containers import Container

RETENTION = timedelta(days=400)


class FactParts:
    """The fact parts of one container."""

    def __init__(self, container: Container) -> None:
        world = container.world
        clock, log = container.clock, container.log
        table = SimTable(world, world.facts, wrote=world.oracle.wrote)
        store = FactLedger(table=table, clock=clock, retention=RETENTION)  # type: ignore[arg-type]
        ledger = Ledger(table=table, clock=clock, new_owner=world.new_id, retention=RETENTION)  # type: ignore[arg-type]
        roster = NoRoster()
        sink = container.clients.powerbi
        parts = SimpleNamespace(sinks={sink.target: sink})
        executors = container.performing(executors_of(KINDS, parts))
        settlement = Settlement(ledger=ledger, executors=executors, clock=clock)
        effects = Effects(
            ledger=ledger,
            switches=container.switches,
            executors=executors,
            settlement=settlement,
            clock=clock,
            log=log,
        )
        target = sink.target
        intake = Intake(
            outbox=container.outbox,
            opaque=lambda: OPAQUE,
            clock=clock,
            log=log,
            new_id=world.new_id,
        )
        self.keeper = FactRecorder(store=store, roster=roster, log=log)
        self.door = intake
        self.writer = FactWriter(
            ledger=ledger,
            store=store,
            sinks=FactSinks(
                refusing=Dimensions(
                    store=store,
                    effects=effects,
                    clock=clock,
                    log=log,
                    target=target,
                    directories=Directories(agents=roster.agents),
                )
            ),
            effects=effects,
            runtime=Runtime(clock=clock, log=log, switches=container.switches),
        )
