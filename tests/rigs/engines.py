"""Fixtures of the engines, of a fresh stage on them, and of the simulated Richpanel.

Every test has its own: on MiniStack a new, empty account; on engines without accounts, tables that
are created again.  The engines themselves run once per session.
"""

import contextlib
import importlib
import itertools
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.vendors.rate_limit import LevelPace, RateLimit
from local.stack import creating, engine, environment, resources
from local.stack.pump import Pump, lane_handler, lane_pump
from local.vendors.richpanel import SimulatedRichpanel
from ops.stage.template import StageTemplate

STORE_ENGINES = ("ministack", "dynoxide", "ddb_local")
STORES = ("memory", *[pytest.param(name, marks=pytest.mark.long) for name in STORE_ENGINES])
"""In memory always; in the long run also on each engine, to show that the memory behaves like it."""

_accounts = itertools.count(1)


def left_out() -> dict[str, str]:
    """Which engines of the store contract this run goes without, and why."""
    missing = {}
    try:
        engine.dynoxide_binary()
    except engine.EngineMissingError as error:
        missing["dynoxide"] = str(error)
    if not os.environ.get("DDB_ENDPOINT"):
        missing["ddb_local"] = "DDB_ENDPOINT names none (its licence is yours to accept)"
    return missing


@dataclass(frozen=True)
class Dynamo:
    """Fresh tables on one of the engines."""

    engine: str
    aws: resources.Aws
    client: Any
    tables: dict[str, str]

    @property
    def ledger_table(self) -> str:
        """Table A."""
        return self.tables["IdempotencyTable"]

    @property
    def state_table(self) -> str:
        """Table B."""
        return self.tables["ConversationStateTable"]

    @property
    def audit_table(self) -> str:
        """Table C."""
        return self.tables["AuditActionsTable"]


@pytest.fixture(scope="session")
def ministack():
    """The engine process."""
    with engine.ministack() as running:
        yield running


def _account_of_the_engine(ministack):
    fresh = resources.Aws(ministack.url, account=f"{next(_accounts):012d}")
    yield fresh
    fresh.close()


engine_aws = pytest.fixture(_account_of_the_engine, name="engine_aws")
"""An account of the engine in which nothing was made yet."""
_engine_aws_of_module = pytest.fixture(
    _account_of_the_engine, scope="module", name="_engine_aws_of_module"
)


@pytest.fixture
def aws(engine_aws):
    """The account that a test's stage is made in; a folder may say `memory_aws` instead."""
    return engine_aws


@pytest.fixture
def make_stage(aws):
    """Makes the stage `dev`, attributes of its queue overridden: `VisibilityTimeout="1"`."""

    def make(**queue_attributes: str) -> resources.Stage:
        return resources.create(aws, "dev", queue_attributes=queue_attributes)

    return make


@pytest.fixture
def stage(make_stage):
    """A fresh stage `dev`: tables, queues, switches, secrets."""
    return make_stage()


@pytest.fixture(scope="session")
def _dynamo_urls():
    """Starts each engine of the store contract at its first use."""
    started: dict[str, engine.Engine] = {}

    def url(name: str) -> str:
        if name == "ddb_local":
            return os.environ["DDB_ENDPOINT"]
        if name not in started:
            started[name] = engine.dynoxide()
        return started[name].url

    yield url
    for running in started.values():
        running.stop()


@contextlib.contextmanager
def fresh_tables(
    name: str, request: pytest.FixtureRequest, engines_account: str = "engine_aws"
) -> Iterator[Dynamo]:
    """Tables of stage `dev`, empty, on one of the engines or in memory."""
    reason = left_out().get(name)
    if reason:
        pytest.skip(reason)
    of_its_own = {"ministack": engines_account, "memory": "memory_aws"}.get(name)
    account = (
        request.getfixturevalue(of_its_own)
        if of_its_own
        else resources.Aws(request.getfixturevalue("_dynamo_urls")(name))
    )
    template = StageTemplate.load("dev", account=account.account, region=engine.REGION)
    if not of_its_own:
        resources.drop_tables(account, template)
    tables = creating.tables(account, template)
    dynamodb = account.client("dynamodb")
    _let_nothing_expire(dynamodb, template)
    yield Dynamo(name, account, dynamodb, tables)
    if not of_its_own:
        account.close()


def _let_nothing_expire(dynamodb: Any, template: StageTemplate) -> None:
    """An engine uses today's time and a test its own: rows would expire between two calls."""
    for table in template.resources("AWS::DynamoDB::Table"):
        ttl = table.properties.get("TimeToLiveSpecification")
        if ttl:
            dynamodb.update_time_to_live(
                TableName=table.properties["TableName"],
                TimeToLiveSpecification=ttl | {"Enabled": False},
            )


@pytest.fixture(scope="module", params=STORE_ENGINES)
def _engine_tables(request):
    with fresh_tables(request.param, request, "_engine_aws_of_module") as made:
        yield made


@pytest.fixture
def engine_table(_engine_tables):
    """An empty table by its logical id, on every engine; a module's tests share the tables."""
    client, used = _engine_tables.client, []

    def table(logical_id, *attributes):
        used.append(_engine_tables.tables[logical_id])
        return Table(client, used[-1], *attributes)

    yield table
    for name in used:
        schema = client.describe_table(TableName=name)["Table"]["KeySchema"]
        keys = [key["AttributeName"] for key in schema]
        for page in client.get_paginator("scan").paginate(TableName=name):
            for row in page["Items"]:
                client.delete_item(TableName=name, Key={key: row[key] for key in keys})


@pytest.fixture(params=STORE_ENGINES)
def ddb(request):
    """Fresh tables of stage `dev`, once on every engine of the store contract.

    Expired rows stay, as they may on DynamoDB: a reader must check `expires_at`.
    """
    with fresh_tables(request.param, request) as made:
        yield made


@pytest.fixture(params=STORES)
def table_a(request):
    """Table A, empty."""
    with fresh_tables(request.param, request) as made:
        yield Table(made.client, made.ledger_table)


@pytest.fixture(params=STORES)
def table_b(request):
    """Table B, empty."""
    with fresh_tables(request.param, request) as made:
        yield Table(made.client, made.state_table)


@pytest.fixture(scope="session")
def _richpanel_server():
    with SimulatedRichpanel() as running:
        yield running


@pytest.fixture
def richpanel(_richpanel_server):
    """A simulated Richpanel without tickets, faults or records."""
    _richpanel_server.up()
    _richpanel_server.reset()
    yield _richpanel_server
    _richpanel_server.clear_faults()


@pytest.fixture
def app_environment(stage, richpanel, powerbi, dataset, facts_folder):
    """The environment a function of the stage sees."""
    return environment.local(
        "dev",
        stage.aws,
        richpanel_url=richpanel.base_url,
        **environment.facts(powerbi, dataset, facts_folder),
    )


@pytest.fixture
def app(aws, app_environment, monkeypatch):
    """The module `app` in a new container: its services are built for this test's stage."""
    return new_app(aws, app_environment, monkeypatch)


def new_app(aws, variables, monkeypatch):
    """The module `app` as the first container that sees these variables; its clients are the account's."""
    for name in environment.foreign(os.environ):
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", getattr(aws, "session", None))
    module = importlib.import_module("app")
    monkeypatch.setattr(importlib.import_module("chalicelib.wiring"), "_services", [])
    return module


@pytest.fixture
def without_rate_limits(richpanel, monkeypatch):
    """Calls to vendors wait for no rate limit; the limits are tested with the clients."""
    richpanel.set_modes(rate_limit=None)

    def unlimited(*arguments, **how):
        return RateLimit(*arguments, **how | {"pace": LevelPace(1e6)})

    monkeypatch.setattr("chalicelib.vendors.rate_limit.RateLimit", unlimited)


@pytest.fixture
def pump(app, stage):
    """Pumps every lane into its worker; not started: `pump_one()`, `drain(pump)`."""
    made = lane_pump(stage, lane_handler(app))
    yield made
    assert made.stop()


def drain(pump: Pump, *, at_most: int = 100) -> list:
    """Handle messages on this thread until none is visible; returns the invocations."""
    done = []
    while len(done) < at_most:
        invocation = pump.pump_one()
        if invocation is None:
            break
        done.append(invocation)
    return done


@pytest.fixture(autouse=True)
def no_thread_outlives_its_test():
    """A thread that outlives its test would disturb the next one."""
    before = set(threading.enumerate())
    yield
    left = [
        thread
        for thread in threading.enumerate()
        if thread not in before and not thread.daemon and thread.is_alive()
    ]
    assert not left, f"left behind: {left}"
