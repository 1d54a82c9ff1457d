"""Metric records of the functions' output become the engine's metrics, as CloudWatch makes them."""

import io
import json
from datetime import timedelta

from chalicelib.aws.logs import JsonLog
from chalicelib.clock import SystemClock
from local.stack.emf import Metrics, values_of, without_metrics
from ops.inspect import metrics
from ops.inspect.metrics import Query
from ops.session import Session
from tests.rigs.ops_session import OfflineServices

HOUR = timedelta(hours=1)


def records(*outcomes):
    stream = io.StringIO()
    log = JsonLog(SystemClock(), stage="dev", release="r", stream=stream)
    for outcome in outcomes:
        log.metric("mw.effects", outcome=outcome, vendor="richpanel", kind="reply")
    log.event("something.else")
    return [line for line in stream.getvalue().splitlines() if line.startswith('{"_aws"')]


def test_a_record_has_a_value_for_each_of_its_sets_of_dimensions():
    (line,) = records("done")
    found = [
        (space, {dimension["Name"] for dimension in v["Dimensions"]})
        for space, v in values_of(line)
    ]
    assert found == [
        ("rp-mw/dev", {"stage"}),
        ("rp-mw/dev", {"outcome", "stage"}),
        ("rp-mw/dev", {"kind", "outcome", "stage", "vendor"}),
    ]


def test_each_value_of_a_metric_is_one():
    stream = io.StringIO()
    log = JsonLog(SystemClock(), stage="dev", release="r", stream=stream)
    with log.gathering():
        log.metric("mw.worker.lag_ms", 1)
        log.metric("mw.worker.lag_ms", 2)
    assert [metric["Value"] for _, metric in values_of(stream.getvalue())] == [1.0, 2.0]


def test_a_terminal_shows_the_line_without_its_metrics_and_no_record_of_metrics_alone():
    stream = io.StringIO()
    log = JsonLog(SystemClock(), stage="dev", release="r", stream=stream)
    with log.gathering():
        log.event("worker.processed", attempt=2)
        log.metric("mw.worker.lag_ms", 1)
    shown = json.loads(without_metrics(stream.getvalue()))
    assert (shown["event"], shown["attempt"]) == ("worker.processed", 2)
    assert not {"_aws", "mw.worker.lag_ms"} & shown.keys()
    assert without_metrics(records("done")[0]) == ""


def test_what_is_no_record_has_no_value():
    assert list(values_of('{"_aws" broken')) == []


def test_what_the_functions_count_is_read_back_by_outcome_and_hour(aws):
    client = aws.client("cloudwatch")
    taken = Metrics(client)
    for line in records("done", "done", "refused"):
        taken.take(line)
    taken.put()
    session = Session("dev")
    session.__dict__["services"] = OfflineServices(cloudwatch=client)
    session.services.clock = SystemClock()
    queries = [
        Query(outcome, "mw.effects", "Sum", {"outcome": outcome})
        for outcome in ("done", "refused", "unknown")
    ]
    found = metrics.read(session, queries, period=HOUR, periods=3)
    assert len(found.times) == 3
    sums = {name: sum(value or 0 for value in values) for name, values in found.values.items()}
    assert sums == {"done": 2, "refused": 1, "unknown": 0}
    assert found.values["unknown"] == [None, None, None]
