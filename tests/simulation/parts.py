"""The core wired on memory: one set of parts a container, every call through the world.

Ledger, state, audit, intake, worker, effects, settlement, reconciliation, switches and the support
flow are the product's own, unchanged; only what they stand on is in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError

from chalicelib.audit import Audit
from chalicelib.effects import Effects
from chalicelib.errors import TransientError, UnavailableError
from chalicelib.flows.support import SupportFlow
from chalicelib.intake import Intake
from chalicelib.keys import OpaqueIds
from chalicelib.ledger import Ledger
from chalicelib.ports import Found, Ticket, TicketPage, UnsettledAction
from chalicelib.rebuild import ticket_job
from chalicelib.reconcile import Reconciler
from chalicelib.settlement import Settlement
from chalicelib.state import States
from chalicelib.sweeps import Sweeps
from chalicelib.switches import SsmSwitches, Tightening
from chalicelib.worker import Worker
from tests.simulation.faults import Port
from tests.simulation.flow import REPLIES, RepliedFlow
from tests.simulation.memory_queue import ReceiptError
from tests.simulation.memory_table import MemoryTable

if TYPE_CHECKING:
    from tests.simulation.world import World

_OPAQUE = OpaqueIds(b"simulation")
_START = datetime.fromtimestamp(0.0, UTC)
MAX_EVENT_AGE = timedelta(days=7)


class SimClock:
    """`ports.Clock`: the world's time, wrong by a constant."""

    def __init__(self, world: World, skew: float) -> None:
        self._world = world
        self._skew = skew
        self._at = 0.0
        self._moment = _START

    def now(self) -> datetime:
        if self._world.now != self._at:
            self._at = self._world.now
            self._moment = datetime.fromtimestamp(self._at + self._skew, UTC)
        return self._moment

    def monotonic(self) -> float:
        return self._world.now

    def sleep(self, seconds: float) -> None:
        self._world.now += seconds


class SimLog:
    """`ports.Log`: counts the names, and looks for what must not be there."""

    def __init__(self, world: World) -> None:
        self._world = world

    def event(self, name: str, **fields: object) -> None:
        self._world.oracle.logged(name, fields)

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        del value
        self._world.oracle.logged(name, dimensions)


class SimTable:
    """A memory table behind the network."""

    def __init__(self, world: World, table: MemoryTable, *, watched: bool = False) -> None:
        self._world = world
        self._table = table
        self._watched = watched
        self.name = table.name

    def put(self, item: Mapping[str, Any], **more: Any) -> None:
        self._write(item, lambda: self._table.put(item, **more))

    def update(self, key: Mapping[str, Any], **more: Any) -> Any:
        return self._write(key, lambda: self._table.update(key, **more))

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Any:
        del consistent
        return self._world.call(Port.READ, lambda: self._table.get(key))

    def insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        found: list[bool] = self._world.call(Port.WRITE, lambda: self._table.insert_all(items))
        return found

    def update_all(self, keys: Sequence[Mapping[str, Any]], **more: Any) -> list[bool]:
        changed: list[bool] = self._world.call(
            Port.WRITE, lambda: self._table.update_all(keys, **more)
        )
        return changed

    def put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        self._world.call(Port.WRITE, lambda: self._table.put_all(items))

    def get_all(self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str]) -> Any:
        return self._world.call(Port.READ, lambda: self._table.get_all(keys, attributes=attributes))

    def query(self, **arguments: Any) -> Any:
        return self._world.call(Port.READ, lambda: self._table.query(**arguments))

    def scan_page(self, *, limit: int, **more: Any) -> Any:
        return self._world.call(Port.READ, lambda: self._table.scan_page(limit=limit, **more))

    def putting(self, item: Mapping[str, Any], **more: Any) -> Any:
        return self._table.putting(item, **more)

    def updating(self, key: Mapping[str, Any], **more: Any) -> Any:
        return self._table.updating(key, **more)

    def transact(self, writes: Sequence[Any]) -> None:
        self._world.call(Port.WRITE, lambda: self._transact(writes))

    def _transact(self, writes: Sequence[Any]) -> None:
        keys = [write["key"] for write in writes]
        before = [self._table.rows.get(key) for key in keys]
        self._table.transact(writes)
        if self._watched:
            for was, key in zip(before, keys, strict=True):
                self._world.oracle.wrote(was, self._table.rows[key])

    def _write(self, key: Mapping[str, Any], write: Any) -> Any:
        if not self._watched:
            return self._world.call(Port.WRITE, write)
        return self._world.call(Port.WRITE, lambda: self._watch(key["event_id"], write))

    def _watch(self, row_key: str, write: Any) -> Any:
        before = self._table.rows.get((row_key,))
        result = write()
        self._world.oracle.wrote(before, self._table.rows[(row_key,)])
        return result


class SimOutbox:
    """`ports.OutboxPort` on the memory queue."""

    def __init__(self, world: World) -> None:
        self._world = world

    def put(self, body: str, *, group_id: str, deduplication_id: str) -> str:
        def send() -> str:
            sent: str = self._world.send(body, group_id, deduplication_id)
            return sent

        try:
            kept: str = self._world.call(Port.SEND, send)
        except TransientError:
            raise UnavailableError("enqueue_failed") from None
        return kept

    def defer(self, receipt_handle: str, seconds: float) -> None:
        def change() -> None:
            self._world.queue.change_visibility(receipt_handle, seconds)

        try:
            self._world.call(Port.DEFER, change)
        except ReceiptError:
            raise TransientError("sqs", "change_visibility", reason="receipt") from None


class SimSsm:
    """The boto3 client under `SsmSwitches`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get_parameters(self, *, Names: Sequence[str]) -> Any:  # noqa: N803 - boto3's name
        def read() -> Any:
            switches = self._world.switches
            return {
                "Parameters": [
                    {"Name": name, "Value": str(switches[name.rpartition("/")[2]]).lower()}
                    for name in Names
                ]
            }

        try:
            return self._world.call(Port.SWITCHES, read)
        except TransientError:
            raise BotoCoreError from None


class SimTickets:
    """`ports.Tickets`, the executors and the settler of the simulated provider."""

    def __init__(self, world: World) -> None:
        self._world = world

    def read_ticket(self, conversation_id: str) -> Ticket:
        found: Ticket = self._world.call(
            Port.VENDOR_READ, lambda: self._world.vendor.read(conversation_id)
        )
        return found

    def open_page(self, *, since: datetime, page: int) -> TicketPage:
        listed: list[Ticket] = self._world.call(
            Port.VENDOR_READ, lambda: list(self._world.vendor.open_since(since.timestamp()))
        )
        return TicketPage(tuple(listed), is_last=True, fingerprint=str(page))

    def read_ticket_by_number(self, number: int) -> Ticket | None:
        raise NotImplementedError("this provider lets itself be listed")

    def perform(self, actions: Sequence[Any], *, deadline_seconds: float) -> str | None:
        del deadline_seconds
        return self._world.effect(actions)

    def replies(self, action: UnsettledAction) -> tuple[Found, ...]:
        found: tuple[Found, ...] = self._world.call(
            Port.VENDOR_READ, lambda: self._world.vendor.replies(action)
        )
        return found


class Container:
    """One warm Lambda container: a clock of its own, caches of its own.

    Attributes:
        fences: the fence this container's current invocation holds, by event key.
        busy: an invocation runs, or stands still.
    """

    def __init__(self, world: World, number: int, skew: float) -> None:
        self.world = world
        self.number = number
        self.skew = skew
        self.busy = False
        self.fences: dict[str, int] = {}
        self.started_at = 0.0
        self.rebuild()

    def rebuild(self) -> None:
        """A new process: everything that was only in memory is gone."""
        world = self.world
        clock, log = SimClock(world, self.skew), SimLog(world)
        ledger = Ledger(SimTable(world, world.ledger, watched=True), clock, world.new_id)  # type: ignore[arg-type]
        state = States(SimTable(world, world.state), clock)  # type: ignore[arg-type]
        outbox = SimOutbox(world)
        tickets = SimTickets(world)
        settlement = Settlement(ledger, {"reply_queried": tickets.replies}, clock)
        switches = SsmSwitches(SimSsm(world), "/rp-mw/sim", Tightening(), clock)
        kinds = ("add_tag", "remove_tag", "close", "note", *REPLIES)
        self.intake = Intake(
            outbox=outbox,
            opaque=lambda: _OPAQUE,
            clock=clock,
            log=log,
            new_id=world.new_id,
            ledger=(lambda: ledger) if world.scenario.ingress_ledger else None,
        )
        support = SupportFlow(tickets, state, ledger, clock, max_event_age=MAX_EVENT_AGE)
        flow = RepliedFlow(support, reply=world.scenario.reply, version=world.version)
        effects = Effects(
            ledger, switches, dict.fromkeys(kinds, tickets.perform), settlement, clock, log
        )
        self.ledger = ledger
        self.worker = Worker(
            ledger=ledger,
            audit=Audit(SimTable(world, world.audit), clock),  # type: ignore[arg-type]
            switches=switches,
            effects=effects,
            outbox=outbox,
            flows={"ticket_message": flow, "ticket_notification": flow},
            clock=clock,
            log=log,
            jitter=world.rng.random,
        )
        self.reconciler = Reconciler(
            tickets=tickets,
            ledger=ledger,
            state=state,
            intake=self.intake,
            sweeps=Sweeps(SimTable(world, world.sweeps), clock, world.new_id),  # type: ignore[arg-type]
            settlement=settlement,
            rebuilders={"evt:rp": ticket_job},
            clock=clock,
            log=log,
        )
