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
from chalicelib.facts.posting.entra import EntraTokens
from chalicelib.facts.posting.file_assignments import FileAssignments
from chalicelib.facts.posting.landing_zone import SCOPE as STORAGE_SCOPE
from chalicelib.facts.posting.landing_zone import LandingZone
from chalicelib.facts.posting.mirrored_tables import KEYS
from chalicelib.facts.posting.onelake import OneLake, target_of
from chalicelib.facts.posting.powerbi import SCOPE as POWERBI_SCOPE
from chalicelib.facts.posting.powerbi import PowerBi
from chalicelib.facts.posting.writer import FactSinks, FactWriter
from chalicelib.once.effects import Effects
from chalicelib.once.lazy import executors_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Runtime
from chalicelib.once.settlement import Settlement
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors import onelake as onelake_vendor
from local.vendors.powerbi import CLIENT_ID, CLIENT_SECRET, WORKSPACE
from tests.rigs.fakes import ManualClock, RecordingLog, SetSwitches

RETENTION = timedelta(days=14)


class Crash(BaseException):
    """The process dies here; nothing catches it."""


class CrashingClient:
    """A boto3 client whose owner dies at the n-th call, before or after the call is carried out."""

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
    onelake: object = None

    def store(self, client=None):
        table = Table(client or self.client, self.table_name, ATTRIBUTES)
        return FactLedger(table=table, clock=self.clock, retention=RETENTION)

    def ledger(self, client=None):
        table = Table(client or self.client, self.table_name, ATTRIBUTES)
        return Ledger(table=table, clock=self.clock, new_owner=self._new_owner, retention=RETENTION)

    def writer(
        self, client=None, *, is_numbered=False, rows_per_post=10_000, archives=(), onelake=False
    ):
        """A new container; `archives` are its sinks beside the dataset, or with OneLake in its place."""
        ledger, store = self.ledger(client), self.store(client)
        refusing = None if self.dataset is None else self.sink(is_numbered=is_numbered)
        accepting = [*([self.onelake_sink(client)] if onelake else []), *archives]
        sinks = {sink.target: sink for sink in [*([refusing] if refusing else []), *accepting]}
        executors = executors_of(KINDS, SimpleNamespace(sinks=sinks))
        settlement = Settlement(ledger=ledger, executors=executors, clock=self.clock)
        effects = Effects(
            ledger=ledger,
            switches=self.switches,
            executors=executors,
            settlement=settlement,
            clock=self.clock,
            log=self.log,
        )

        def dimensions(sink):
            return Dimensions(
                store=store,
                effects=effects,
                clock=self.clock,
                log=self.log,
                target=sink.target,
                directories=Directories(agents=lambda: self.agents, shifts=lambda: self.shifts),
            )

        return FactWriter(
            ledger=ledger,
            store=store,
            sinks=FactSinks(
                refusing=dimensions(refusing) if refusing else None,
                accepting=[dimensions(sink) for sink in accepting],
            ),
            effects=effects,
            rows_per_post=rows_per_post,
            runtime=Runtime(clock=self.clock, log=self.log, switches=self.switches),
        )

    def sink(self, *, is_numbered=False):
        secret = (POWERBI_SCOPE, CLIENT_ID, CLIENT_SECRET)
        return PowerBi(
            client=self._vendor_client(self.powerbi, *secret),
            clock=self.clock,
            workspace_id=WORKSPACE,
            dataset_id=self.dataset,
            is_numbered=is_numbered,
        )

    def onelake_sink(self, client=None):
        secret = (STORAGE_SCOPE, onelake_vendor.CLIENT_ID, onelake_vendor.CLIENT_SECRET)
        return OneLake(
            zone=LandingZone(
                client=self._vendor_client(self.onelake, *secret),
                clock=self.clock,
                workspace_id=onelake_vendor.WORKSPACE,
                database_id=onelake_vendor.DATABASE,
            ),
            assignments=FileAssignments(
                table=Table(client or self.client, self.table_name, ATTRIBUTES),
                clock=self.clock,
                target=target_of(onelake_vendor.DATABASE),
            ),
        )

    def _vendor_client(self, vendor, scope, client_id, secret):
        def client(authorize):
            return VendorClient(
                api=VendorApi(provider=vendor.name, base_url=vendor.url, authorize=authorize),
                clock=self.clock,
                log=self.log,
                rate_limit=RateLimit(provider=vendor.name, clock=self.clock, pace=LevelPace(1000)),
                breaker=Breaker(vendor.name, self.clock, failures_to_open=1000),
            )

        tokens = EntraTokens(
            client=client(lambda _refresh: {}),
            path=vendor.token_url.removeprefix(vendor.url),
            scope=scope,
            client_id=client_id,
            secret=lambda _refresh: secret,
            clock=self.clock,
        )
        return client(tokens.headers)

    def make_tables(self):
        """The landing zone's tables, as `ops facts create` makes them."""
        sink = self.onelake_sink()
        for table in sink.tables:
            sink.make_table(table, deadline_seconds=20)

    def forget_assignments(self):
        """The facts' table without what it notes of files."""
        for table in KEYS:
            key = {"pk": {"S": f"FILE:{table}:{target_of(onelake_vendor.DATABASE)}"}}
            self.client.delete_item(TableName=self.table_name, Key=key)

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


@pytest.fixture
def onelake_rig(stage, onelake):
    """A writer without a dataset: OneLake is its sink, and its tables are made."""
    table = stage.tables["QuillLedgerTable"]
    rig = WriterRig(stage.aws.client("dynamodb"), table, None, None, onelake=onelake)
    rig.make_tables()
    onelake.forget_calls()
    return rig
