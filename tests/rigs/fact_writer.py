"""The writer over a table and an HTTP server, whose clock and crashes a test controls."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.ledger import ATTRIBUTES, FactLedger
from chalicelib.facts.model import Fact, Metric
from chalicelib.facts.posting.dimensions import Dimensions, Directories
from chalicelib.facts.posting.effects import KINDS
from chalicelib.facts.posting.powerbi import PowerBi, Tokens
from chalicelib.facts.posting.writer import FactWriter
from chalicelib.once.effects import Effects
from chalicelib.once.lazy import hands_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Runtime
from chalicelib.once.settlement import Settlement
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors.powerbi import CLIENT_ID, CLIENT_SECRET, WORKSPACE
from tests.rigs.fakes import ManualClock, RecordingLog, SetSwitches

RETENTION = timedelta(days=14)


class Crash(BaseException):
    """The process ends here: it is caught nowhere."""


class CrashingClient:
    """A boto3 client whose owner dies at its n-th call, before or after it was carried out."""

    def __init__(self, client, *, at=0, is_after=False):
        self._client = client
        self._at = at
        self._is_after = is_after
        self.before = lambda: None
        self.calls = Counter()

    def __getattr__(self, operation):
        def call(**arguments):
            self.before()
            self.calls[operation] += 1
            is_here = sum(self.calls.values()) == self._at
            if is_here and not self._is_after:
                raise Crash(operation)
            answer = getattr(self._client, operation)(**arguments)
            if is_here:
                raise Crash(operation)
            return answer

        return call


def fact(number, **changes):
    values = {
        "key": f"ALOWARE:{number}",
        "source": "ALOWARE",
        "agent_id": "101",
        "date": "2026-11-20",
        "metric": Metric.CALLS,
        "notes": "event=Call-Disposed;tz=UTC",
    }
    return Fact(**(values | changes))


@dataclass
class WriterRig:
    """Containers of the writer over one table; they share `clock`."""

    client: object
    table_name: str
    powerbi: object
    dataset: str
    clock: ManualClock = field(default_factory=ManualClock)
    log: RecordingLog = field(default_factory=RecordingLog)
    switches: SetSwitches = field(default_factory=SetSwitches)
    owners: int = 0
    agents: object = None
    shifts: object = None

    def store(self, client=None):
        table = Table(client or self.client, self.table_name, ATTRIBUTES)
        return FactLedger(table=table, clock=self.clock, retention=RETENTION)

    def ledger(self, client=None):
        table = Table(client or self.client, self.table_name, ATTRIBUTES)
        return Ledger(table=table, clock=self.clock, new_owner=self._new_owner, retention=RETENTION)

    def writer(self, client=None, *, is_numbered=False, rows_per_post=10_000, archives=()):
        """A new container; `archives` are its sinks beside the dataset."""
        ledger, store = self.ledger(client), self.store(client)
        sinks = {sink.target: sink for sink in (self.sink(is_numbered=is_numbered), *archives)}
        hands = hands_of(KINDS, SimpleNamespace(sinks=sinks))
        settlement = Settlement(ledger=ledger, hands=hands, clock=self.clock)
        effects = Effects(
            ledger=ledger,
            switches=self.switches,
            hands=hands,
            settlement=settlement,
            clock=self.clock,
            log=self.log,
        )
        return FactWriter(
            ledger=ledger,
            store=store,
            sinks=[
                Dimensions(
                    store=store,
                    effects=effects,
                    clock=self.clock,
                    log=self.log,
                    target=target,
                    directories=Directories(agents=lambda: self.agents, shifts=lambda: self.shifts),
                )
                for target in sinks
            ],
            effects=effects,
            rows_per_post=rows_per_post,
            runtime=Runtime(clock=self.clock, log=self.log, switches=self.switches),
        )

    def sink(self, *, is_numbered=False):
        def client(authorize):
            return VendorClient(
                api=VendorApi(provider="powerbi", base_url=self.powerbi.url, authorize=authorize),
                clock=self.clock,
                log=self.log,
                rate_limit=RateLimit(provider="powerbi", clock=self.clock, pace=LevelPace(1000)),
                breaker=Breaker("powerbi", self.clock, failures_to_open=1000),
            )

        path = self.powerbi.token_url.removeprefix(self.powerbi.url)
        tokens = Tokens(
            client=client(lambda _refresh: {}),
            path=path,
            client_id=CLIENT_ID,
            secret=lambda _r: CLIENT_SECRET,
            clock=self.clock,
        )
        return PowerBi(
            client=client(tokens.headers),
            clock=self.clock,
            workspace_id=WORKSPACE,
            dataset_id=self.dataset,
            is_numbered=is_numbered,
        )

    def run(self, writer=None, *, seconds=230.0):
        return (writer or self.writer()).run(time_left_seconds=lambda: seconds)

    def rows(self, table=FACT_EVENT):
        return self.powerbi.rows(self.dataset, table)

    def ids(self):
        return Counter(row["EventID"] for row in self.rows())

    def statuses(self, keys):
        table = Table(self.client, self.table_name, ATTRIBUTES)
        found = table.get_all(
            [{"event_id": key} for key in keys], attributes=["event_id", "status"]
        )
        return {row["event_id"]: row["status"] for row in found}

    def _new_owner(self):
        self.owners += 1
        return f"owner-{self.owners}"


@pytest.fixture
def writer_rig(stage, powerbi, dataset):
    return WriterRig(
        stage.aws.client("dynamodb"), stage.tables["QuillLedgerTable"], powerbi, dataset
    )
