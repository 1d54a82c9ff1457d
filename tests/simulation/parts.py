"""The ports of one container: time, log, tables, queue and switches, every call over the network.

Everything above them is unchanged product code; `containers` wires it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError

from chalicelib.aws import dynamo
from chalicelib.errors import TransientError, UnavailableError
from chalicelib.once.lanes import TICKETS, Lane
from tests.simulation.faults import Port
from tests.simulation.memory_queue import ReceiptError
from tests.simulation.memory_table import MemoryTable
from tests.simulation.staleness import TABLE_SECONDS, is_behind

if TYPE_CHECKING:
    from tests.simulation.world import World

Wrote = Callable[[Mapping[str, Any] | None, Mapping[str, Any]], None]
"""Called with a row before (None where there was none) and after a write."""
_START = datetime.fromtimestamp(0.0, UTC)


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

    def set(self, skew: float) -> None:
        """Set the clock's error."""
        self._skew = skew
        self._at = 0.0

    def monotonic(self) -> float:
        return self._world.now

    def sleep(self, seconds: float) -> None:
        self._world.now += seconds


class SimLog:
    """`ports.Log`: counts the names, and checks for text that must not be logged."""

    def __init__(self, world: World) -> None:
        self._logged = world.oracle.logged
        self._measured = world.measured

    def event(self, name: str, **fields: object) -> None:
        self._logged(name, fields)

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        self._logged(name, dimensions)
        self._measured(name, value, dimensions)


class SimTable:
    """A memory table behind the network.

    Args:
        world: provides the network and the oracle that judges the ledgers' rows.
        table: the rows.
        wrote: called for every changed row of a table without a range key.
    """

    def __init__(self, world: World, table: MemoryTable, *, wrote: Wrote | None = None) -> None:
        self._world = world
        self._call = world.network.call
        self._table = table
        self._wrote = wrote
        self._hash_key = table.key[0]
        self.name = table.name
        self.putting = table.putting
        self.updating = table.updating
        self.checking = table.checking

    def put(self, item: Mapping[str, Any], **more: Any) -> None:
        if self._wrote is not None:
            at = item[self._hash_key]
            self._call(Port.WRITE, self._watch, at, self._table.put, item, more)
        else:
            self._call(Port.WRITE, self._table.put, item, **more)

    def update(self, key: Mapping[str, Any], **more: Any) -> Any:
        if self._wrote is not None:
            at = key[self._hash_key]
            return self._call(Port.WRITE, self._watch, at, self._table.update, key, more)
        return self._call(Port.WRITE, self._table.update, key, **more)

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Any:
        seen = None if consistent else TABLE_SECONDS
        return self._call(Port.READ, lambda: self._seen(seen).get(key))

    def insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        found: list[bool] = self._call(
            Port.WRITE, self._batch, items, self._insert_all, "DuplicateItem"
        )
        return found

    def update_all(self, keys: Sequence[Mapping[str, Any]], **more: Any) -> list[bool]:
        found: list[bool] = self._call(
            Port.WRITE,
            self._batch,
            keys,
            lambda taken: self._update_all(taken, more),
            "ConditionalCheckFailed",
        )
        return found

    def put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        self._call(Port.WRITE, self._put_all, items)

    def get_all(self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str] = ()) -> Any:
        return self._call(Port.READ, self._table.get_all, keys, attributes=attributes)

    def query(self, **arguments: Any) -> Any:
        seen = is_behind(arguments)
        return self._call(Port.READ, lambda: self._seen(seen).query(**arguments))

    def query_all(self, **arguments: Any) -> Any:
        seen = is_behind(arguments)
        return self._call(Port.READ, lambda: self._seen(seen).query_all(**arguments))

    def query_pages(self, **arguments: Any) -> Iterator[Any]:
        seen = is_behind(arguments)
        found: Iterator[Any] = self._call(
            Port.READ, lambda: self._seen(seen).query_pages(**arguments)
        )
        return found

    def scan_page(self, *, limit: int, **more: Any) -> Any:
        return self._call(Port.READ, self._table.scan_page, limit=limit, **more)

    def transact(self, writes: Sequence[Any]) -> None:
        self._call(Port.TRANSACT, self._transact, writes)

    def _transact(self, writes: Sequence[Any]) -> None:
        watched = [w for w in writes if w["table"] in self._world.watched]
        before = [write["table"].rows.get(write["key"]) for write in watched]
        self._table.transact(writes)
        for was, write in zip(before, watched, strict=True):
            self._world.oracle.wrote(was, write["table"].rows[write["key"]])

    def _seen(self, at_most: float | None) -> MemoryTable:
        """The table as a read shows it that may be so many seconds behind."""
        return self._table if at_most is None else self._world.seen(self._table, at_most)

    def _batch(
        self, what: Sequence[Any], execute: Callable[[Any], Sequence[bool]], refused: str
    ) -> list[bool]:
        """Statements of one call, each of which may fail alone; the product reads the answer."""
        partial = self._world.network.next_partial()
        done = iter(execute(what if partial is None else partial.taken(what)))
        answers: list[Any] = [
            {"Error": {"Code": "ThrottlingError"}}
            if partial is not None and partial.is_failing(number)
            else {}
            if next(done)
            else {"Error": {"Code": refused}}
            for number in range(len(what))
        ]
        client = SimpleNamespace(batch_execute_statement=lambda **_: {"Responses": answers})
        return dynamo.Table(client, self.name)._batch([], refused=refused)

    def _put_all(self, items: Sequence[Mapping[str, Any]]) -> None:
        partial = self._world.network.next_partial()
        self._table.put_all(items if partial is None else partial.taken(items))
        if partial is not None:
            raise TransientError("dynamodb", "batch_write_item", reason="unprocessed")

    def _insert_all(self, items: Sequence[Mapping[str, Any]]) -> list[bool]:
        inserted = self._table.insert_all(items)
        if self._wrote is not None:
            for item, is_new in zip(items, inserted, strict=True):
                if is_new:
                    self._wrote(None, self._table.rows[(item[self._hash_key],)])
        return inserted

    def _update_all(self, keys: Sequence[Mapping[str, Any]], more: Mapping[str, Any]) -> list[bool]:
        if self._wrote is None:
            return self._table.update_all(keys, **more)
        at = [(key[self._hash_key],) for key in keys]
        before = [self._table.rows.get(key) for key in at]
        changed = self._table.update_all(keys, **more)
        for was, key, is_changed in zip(before, at, changed, strict=True):
            if is_changed:
                self._wrote(was, self._table.rows[key])
        return changed

    def _watch(self, row_key: str, write: Any, what: Any, more: Mapping[str, Any]) -> Any:
        rows, at = self._table.rows, (row_key,)
        before = rows.get(at)
        result = write(what, **more)
        assert self._wrote is not None  # only a watched table's writes come here
        self._wrote(before, rows[at])
        return result


class SimOutbox:
    """`ports.Outbox` on the memory queue."""

    def __init__(self, world: World) -> None:
        self._world = world

    def put(self, body: str, *, group_id: str, deduplication_id: str, lane: Lane = TICKETS) -> str:
        network = self._world.network
        try:
            kept: str = network.call(
                Port.SEND, network.send, body, group_id, deduplication_id, lane=lane
            )
        except TransientError:
            raise UnavailableError("enqueue_failed") from None
        return kept

    def defer(self, receipt_handle: str, seconds: float, *, lane: Lane = TICKETS) -> None:
        del lane  # a receipt names its message
        world = self._world
        try:
            world.network.call(Port.DEFER, world.queue.change_visibility, receipt_handle, seconds)
        except ReceiptError:
            raise TransientError("sqs", "change_visibility", reason="receipt") from None


class SimDelayQueue:
    """`ports.DelayQueue`: a standard queue; it may deliver a message twice, and in any order."""

    def __init__(self, world: World, handle: Callable[[str, str], None]) -> None:
        self._world = world
        self._handle = handle

    def put(self, body: str, *, delay_seconds: float) -> None:
        try:
            self._world.network.call(Port.SEND, self._keep, body, delay_seconds)
        except TransientError:
            raise UnavailableError("enqueue_failed") from None

    def _keep(self, body: str, delay_seconds: float) -> None:
        world, message_id = self._world, self._world.new_id()
        world.happened["put_aside"] += 1
        for _ in range(1 + (world.rng.random() < 0.2)):
            at = world.now + delay_seconds + 5.0 * world.rng.random()
            world.at(at, lambda: self._handle(body, message_id))


class PlainOutbox:
    """The sending side of `ports.Outbox`, without faults: its caller is repeated until it succeeds.

    A standard queue delivers some messages twice: the second time its job is on the queue already.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._put: set[str] = set()

    def put(self, body: str, *, group_id: str, deduplication_id: str, lane: Lane = TICKETS) -> str:
        is_copy = deduplication_id in self._put
        self._put.add(deduplication_id)
        return self._world.network.send(
            body, group_id, deduplication_id, is_copy=is_copy, lane=lane
        )


class SimSsm:
    """The boto3 client under `SsmSwitches`.

    Attributes:
        read_at: when the switches were last actually read.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.read_at = 0.0

    def get_parameters(self, *, Names: Sequence[str]) -> Any:  # noqa: N803 - boto3's name
        try:
            return self._world.network.call(Port.SWITCHES, self._read, Names)
        except TransientError:
            raise BotoCoreError from None

    def _read(self, names: Sequence[str]) -> Any:
        switches = self._world.switches
        self.read_at = self._world.now
        values = [(name, switches[name.rpartition("/")[2]]) for name in names]
        return {"Parameters": [{"Name": n, "Value": "true" if v else "false"} for n, v in values]}
