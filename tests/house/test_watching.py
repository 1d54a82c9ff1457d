"""Alarms and dashboard read metrics that the code emits: exact name, namespace and dimensions.

An alarm on a metric that is never written never fires.  So every name is looked up in the code,
every set of dimensions in the output of `JsonLog`, and some alarms are triggered for real.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from chalice.test import Client

from chalicelib import redaction
from chalicelib.aws.logs import JsonLog
from chalicelib.aws.metric_records import ROLLUPS
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import EventStatus
from chalicelib.wiring import services
from local.stack.lambda_events import LambdaContext, schedule_event
from ops.stage.template import StageTemplate
from tests.rigs.alarms import ALARMS, COMPOSITES, RAW, Series, alarms, series, series_in
from tests.rigs.each_row import each_row
from tests.rigs.engines import drain
from tests.rigs.fakes import ManualClock

ROOT = Path(__file__).parents[2]
OURS = "rp-mw/dev"
AWS_METRICS = {
    ("AWS/Lambda", "Errors"): {"FunctionName"},
    ("AWS/Lambda", "Throttles"): {"FunctionName"},
    ("AWS/Lambda", "Duration"): {"FunctionName"},
    ("AWS/ApiGateway", "5XXError"): {"ApiName", "Stage"},
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): {"QueueName"},
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): {"QueueName"},
    ("AWS/SQS", "ApproximateNumberOfMessagesNotVisible"): {"QueueName"},
    ("AWS/DynamoDB", "WriteThrottleEvents"): {"TableName"},
}
"""AWS's own metrics, with the dimensions it publishes them under."""

CLOSED_SETS = {
    ("mw.effects", "outcome"): {actionstatu.value for actionstatu in ActionStatus},
    ("mw.worker.events", "outcome"): {eventstatu.value for eventstatu in EventStatus},
}


@functools.cache
def emitted() -> dict[str, set[frozenset[str]]]:
    """Metric name to the sets of dimensions it is stored under, from the code's own calls."""
    found: dict[str, set[frozenset[str]]] = {}
    for path in (ROOT / "chalicelib").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if called and node.func.attr == "metric" and node.args:
                name = node.args[0]
                assert isinstance(name, ast.Constant), f"{path.name}: a metric's name is literal"
                labels = [word.arg for word in node.keywords if word.arg != "value"]
                assert None not in labels, f"{path.name}: a metric's dimensions are literal"
                found.setdefault(name.value, set()).update(sets_of(name.value, labels))
    return found


def sets_of(name: str, labels: list[str | None]) -> set[frozenset[str]]:
    stream = io.StringIO()
    log = JsonLog(ManualClock(), stage="dev", release="1", stream=stream)
    log.metric(name, **{str(label): "x" for label in labels})
    (metrics,) = json.loads(stream.getvalue())["_aws"]["CloudWatchMetrics"]
    return {frozenset(dimension) for dimension in metrics["Dimensions"]}


def on_dashboard() -> list[Series]:
    """Every line of the dashboard of stage dev."""
    body = RAW["Resources"]["Dashboard"]["Properties"]["DashboardBody"]
    stage = StageTemplate(RAW, {"Stage": "dev"}, account="0" * 12, region="us-east-1")
    widgets = json.loads(stage.resolved(body))["widgets"]
    lines = [line for widget in widgets for line in widget["properties"].get("metrics", [])]
    return [
        (line[0], line[1], frozenset(zip(line[2::2], line[3::2], strict=True))) for line in lines
    ]


def assert_somebody_writes(line: Series):
    namespace, name, dimensions = line
    labels = {label for label, _ in dimensions}
    if namespace != OURS:
        assert labels == AWS_METRICS[namespace, name]
        return
    assert frozenset(labels) in emitted()[name], f"{name} is never stored by {sorted(labels)}"
    assert ("stage", "dev") in dimensions
    for label, value in dimensions:
        if (name, label) in CLOSED_SETS:
            assert value in CLOSED_SETS[name, label]


# --- the declaration --------------------------------------------------------------------------


@each_row("name", sorted(alarms()))
def test_an_alarm_reads_a_metric_written_under_exactly_its_dimensions(name):
    assert_somebody_writes(series(alarms()[name]))


def test_every_line_of_the_dashboard_is_written_too():
    assert len(on_dashboard()) > 30
    for line in on_dashboard():
        assert_somebody_writes(line)


def test_every_metric_rollup_is_read_by_an_alarm_or_the_dashboard():
    """A set of dimensions costs as much as a metric."""
    read = {
        (name, label)
        for _, name, dimensions in [*map(series, alarms().values()), *on_dashboard()]
        for label, _ in dimensions
    }
    assert {(name, label) for name, labels in ROLLUPS.items() for label in labels} <= read


def systems_of(alarm: dict[str, Any]) -> set[str]:
    """The packages of the systems that write an alarm's metric, or whose lane the alarm is on."""
    text = json.dumps(alarm["Properties"])
    if lane := re.search(r"rp-mw-(?:\$\{Stage\}-)?(outreach|email|companies|facts)[_-]", text):
        return {"facts" if lane[1] == "facts" else "outreach"}
    name = alarm["Properties"]["MetricName"]
    paths = (ROOT / "chalicelib").rglob("*.py")
    return {
        path.relative_to(ROOT / "chalicelib").parts[0]
        for path in paths
        if f'metric("{name}"' in path.read_text()
    }


@each_row("logical_id", sorted(ALARMS))
def test_an_alarm_of_one_system_exists_only_where_the_stage_runs_it(logical_id):
    systems = systems_of(ALARMS[logical_id])
    if len(systems) == 1 and systems <= {"support", "outreach", "facts"}:
        assert ALARMS[logical_id].get("Condition") == f"With{systems.pop().title()}"


@each_row("name", sorted(ALARMS))
def test_an_alarm_has_a_recipient_and_its_runbook_section(name):
    properties = ALARMS[name]["Properties"]
    page = properties["AlarmName"]["Fn::Sub"].removeprefix("rp-mw-${Stage}-")
    notifies = COMPOSITES.get(name, properties)
    assert notifies["AlarmActions"] == notifies["OKActions"] == [{"Ref": "AlarmTopic"}]
    assert re.search(rf"docs/runbook-[a-z]+\.md#{page}$", properties["AlarmDescription"])
    assert len(properties["AlarmDescription"]) <= 1024


@pytest.mark.parametrize("name", sorted(COMPOSITES))
def test_a_consequence_notifies_alone_and_only_without_its_cause(name):
    """It cannot ring twice or wait for ever: it and the vendor's alarm are both declared."""
    composite = COMPOSITES[name]
    page = ALARMS[name]["Properties"]["AlarmName"]["Fn::Sub"]
    assert composite["AlarmRule"] == {"Fn::Sub": f'ALARM("${{{name}}}")'}
    assert composite["AlarmName"] == {"Fn::Sub": f"{page}-alone"}
    anchor = page.split("}-")[1]
    assert re.search(rf"docs/runbook-[a-z]+\.md#{anchor}$", composite["AlarmDescription"])
    assert "AlarmActions" not in ALARMS[name]["Properties"]
    cause = composite["ActionsSuppressor"]["Ref"]
    assert ALARMS[cause]["Properties"]["MetricName"] == "mw.vendor.down"


def test_alarms_name_existing_resources():
    """An alarm whose dimension names a wrong queue or function never fires."""
    stage = StageTemplate(RAW, {"Stage": "dev"}, account="0" * 12, region="us-east-1")
    real = {
        function["Properties"].get("FunctionName", {}).get("Fn::Sub") for function in functions()
    }
    real |= {
        resource["Properties"][key]["Fn::Sub"]
        for resource in RAW["Resources"].values()
        for key in ("QueueName", "TableName")
        if key in resource.get("Properties", {}) and "Dimensions" not in resource["Properties"]
    }
    names = {stage.resolved({"Fn::Sub": name}) for name in real if name}
    used = {
        value
        for _, _, dimensions in map(series, alarms().values())
        for label, value in dimensions
        if label in ("FunctionName", "QueueName", "TableName")
    }
    assert used <= names


def functions():
    raw = json.loads((ROOT / ".chalice" / "functions.json").read_text())
    return [resource for resource in raw["Resources"].values() if "Type" not in resource]


# --- alarms that can be triggered --------------------------------------------------------------


def test_failures_are_counted_under_the_alarms_dimensions(
    app, stage, richpanel, pump, capsys, without_waits
):
    """One run of the whole system with several failures."""
    services()  # before Chalice's test client sets the deployed stage's environment
    with Client(app.app) as client:
        for token in ("wrong", stage.secrets.webhook_token):
            headers = {"content-type": "application/json", "x-richpanel-webhook-token": token}
            client.http.post(
                "/webhook/richpanel", headers=headers, body=b'{"ticket_id":"1","message_id":"c"}'
            )
    richpanel.add_ticket("1", comments=[{"body": "refund", "id": "c"}])
    richpanel.fault("status", operation="read_ticket", status=429)
    drain(pump)
    richpanel.set_modes(list_allowed=False)
    app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))

    written = series_in(capsys.readouterr().out)
    for name in ("invalid-tokens", "vendor-rate-limits", "listing-forbidden"):
        assert series(alarms()[name]) in written, name
    assert series(alarms()["reconcile-silent"]) in written


def test_a_line_that_cannot_be_redacted_is_counted_under_the_alarms_dimensions(monkeypatch):
    def fails(value):
        raise RuntimeError

    monkeypatch.setattr(redaction, "redact_mapping", fails)
    stream = io.StringIO()
    JsonLog(ManualClock(), stage="dev", release="1", stream=stream).event("x", text="y")
    assert series(alarms()["redaction-failures"]) in series_in(stream.getvalue())


# --- log lines ----------------------------------------------------------------------------------


def test_one_trace_leads_from_the_webhook_to_the_vendor_call(app, stage, richpanel, pump, capsys):
    services()
    richpanel.add_ticket("1042", comments=[{"body": "I want a refund", "id": "c-1"}])
    with Client(app.app) as client:
        client.http.post(
            "/webhook/richpanel",
            headers={
                "content-type": "application/json",
                "x-richpanel-webhook-token": stage.secrets.webhook_token,
            },
            body=b'{"ticket_id":"1042","message_id":"c-1"}',
        )
    drain(pump)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    logged = {line["event"]: line for line in lines if "event" in line}
    trace = logged["ingress.accepted"]["mw_trace_id"]
    chain = ("worker.job.start", "vendor.richpanel.add_tags", "action.done", "worker.processed")
    assert [logged[name]["mw_trace_id"] for name in chain] == [trace] * 4
    for name in chain:
        assert re.fullmatch(r"[0-9a-f]{16}", logged[name]["ticket_id"])
        assert re.fullmatch(r"[0-9a-f]{16}", logged[name]["idempotency_key"])
        assert {"ts", "level", "event", "step", "env", "mw_release"} <= logged[name].keys()
    assert logged["vendor.richpanel.add_tags"]["step"] == "vendor"
