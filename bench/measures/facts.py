"""Requests and rows for 1,000 HubSpot events (ten batches, 30 % repeats) to Power BI, counted at the wire."""

from __future__ import annotations

import importlib
import json
import random
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import boto3

from bench.report.table import Row
from bench.rig.meter import Meter
from bench.rig.system import gateway_event
from chalicelib.facts import hubspot_webhook
from chalicelib.facts.dataset import FACT_EVENT, ROWS_PER_POST, definition
from local.stack import engine, environment, lambda_events, resources
from local.stack.pump import Pump, lane_handler, lane_pump
from local.vendors import hubspot
from local.vendors.powerbi import SimulatedPowerBi
from local.vendors.richpanel import SimulatedRichpanel

EVENTS, BATCHES, REPEATS = 1000, 10, 0.3
WRITES_PER_FACT = 2.0


def measure() -> list[Row]:
    """Result rows of one run; raises unless each fact is in the dataset exactly once."""
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        running = opened.enter_context(engine.ministack())
        aws = resources.Aws(running.url)
        stage = resources.create(aws, "dev")
        powerbi = opened.enter_context(SimulatedPowerBi())
        assert isinstance(powerbi, SimulatedPowerBi)
        vendor = opened.enter_context(SimulatedRichpanel())
        dataset = powerbi.create_dataset(definition())
        variables = environment.facts(powerbi, dataset, Path(folder))
        environment.enter(environment.local("dev", aws, richpanel_url=vendor.url, **variables))
        writes = Writes()
        app: Any = importlib.import_module("app")
        services = importlib.import_module("chalicelib.wiring").services()
        services.log._stream = opened.enter_context(open("/dev/null", "w"))  # noqa: PTH123, SLF001
        pump = lane_pump(stage, lane_handler(app))
        return _measured(app, pump, writes, powerbi, dataset, stage.secrets.hubspot_secret)


class Writes:
    """Counts the rows in the application's write requests, including rejected and repeated ones.

    Attributes:
        facts: writes of fact rows.
        others: writes of all other rows.
    """

    def __init__(self) -> None:
        Meter()
        events = boto3.DEFAULT_SESSION.events  # type: ignore[union-attr]
        events.register("provide-client-params.dynamodb", self._asked)
        self.reset()

    def reset(self) -> None:
        """Set the counters to zero."""
        self.facts = self.others = 0

    def _asked(self, params: dict[str, Any], model: Any, **_: Any) -> None:  # noqa: ANN401
        if model.name not in {"PutItem", "UpdateItem", "BatchWriteItem", "BatchExecuteStatement"}:
            return
        for key in _keys(params):
            is_fact = key.startswith("HUBSPOT:")
            self.facts += is_fact
            self.others += not is_fact


def _keys(params: dict[str, Any]) -> list[str]:
    if "Statements" in params:
        return [statement["Parameters"][0]["S"] for statement in params["Statements"]]
    if "RequestItems" in params:
        puts = [request for requests in params["RequestItems"].values() for request in requests]
        return [put["PutRequest"]["Item"].get("pk", {"S": ""})["S"] for put in puts]
    item = params.get("Item") or params["Key"]
    return [item.get("pk", {"S": ""})["S"]]


def _measured(
    app: Any,  # noqa: ANN401 - the module
    pump: Pump,
    writes: Writes,
    powerbi: SimulatedPowerBi,
    dataset: str,
    secret: str,
) -> list[Row]:
    context = lambda_events.LambdaContext(timeout_seconds=240.0)
    app.post_facts(lambda_events.schedule_event(), context)
    batches = _batches()
    distinct = len({event["objectId"] for batch in batches for event in batch})
    writes.reset()
    started = time.perf_counter()
    for batch in batches:
        _post(app, batch, secret)
    jobs = 0
    while pump.pump_one() is not None:
        jobs += 1
    keeping = writes.facts
    run = app.post_facts(lambda_events.schedule_event(), context)
    seconds = time.perf_counter() - started
    assert run["outcome"] == "posted", run
    rows = Counter(row["EventID"] for row in powerbi.rows(dataset, FACT_EVENT))
    assert len(rows) == distinct
    assert set(rows.values()) == {1}
    posts = sum(f"/tables/{FACT_EVENT}/" in call.path for call in powerbi.calls_of("post_rows"))
    most = max(1, -(-distinct // ROWS_PER_POST))
    section, name = "facts", f"{EVENTS:,} events, {EVENTS - distinct} of them repeats"

    def count(which: str, unit: str, figure: float, target: float | None = None) -> Row:
        return Row(section, f"{name}: {which}", unit, figure, target=target, is_exact=True)

    return [
        count("queue messages", "messages", jobs),
        count("rows in the dataset", "rows", rows.total()),
        count("requests with rows", "requests", posts, most),
        count("writes to keep a fact", "writes", keeping / distinct),
        count("writes of a fact", "writes", writes.facts / distinct, WRITES_PER_FACT),
        count("the writer's own rows", "rows", writes.others),
        Row(section, "from the first event to the last row", "s", seconds),
    ]


def _batches() -> list[list[dict[str, Any]]]:
    """The batches: distinct events and repeats of them, shuffled."""
    chance = random.Random(7)  # noqa: S311 - a repeatable choice
    distinct = [hubspot.event() for _ in range(round(EVENTS * (1 - REPEATS)))]
    repeated = [
        {**choice, "attemptNumber": 1}
        for choice in chance.choices(distinct, k=EVENTS - len(distinct))
    ]
    everything = distinct + repeated
    chance.shuffle(everything)
    size = EVENTS // BATCHES
    return [everything[start : start + size] for start in range(0, EVENTS, size)]


def _post(app: Any, batch: list[dict[str, Any]], secret: str) -> None:  # noqa: ANN401
    body = json.dumps(batch)
    stamp = str(int(time.time() * 1000))
    signature = hubspot_webhook.signature_v3(
        secret, uri=hubspot.TARGET_URL, body=body.encode(), stamp=stamp
    )
    headers = {
        hubspot_webhook.SIGNATURE_V3: signature,
        hubspot_webhook.TIMESTAMP: stamp,
    }
    event = gateway_event("/webhook/hubspot", body, headers)
    answer = app.app(event, lambda_events.LambdaContext("rp-mw-dev", 25.0))
    assert answer["statusCode"] == 200, answer  # noqa: PLR2004
