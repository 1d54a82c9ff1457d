"""Metric records of the functions' output become the engine's metrics, as CloudWatch makes them."""

import io
from datetime import timedelta

from chalicelib.aws.logs import JsonLog
from chalicelib.clock import SystemClock
from local.stack.emf import Metrics, values_of
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
    found = [(space, {one["Name"] for one in v["Dimensions"]}) for space, v in values_of(line)]
    assert found == [
        ("rp-mw/dev", {"stage"}),
        ("rp-mw/dev", {"outcome", "stage"}),
        ("rp-mw/dev", {"kind", "outcome", "stage", "vendor"}),
    ]


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
        Query(one, "mw.effects", "Sum", {"outcome": one}) for one in ("done", "refused", "unknown")
    ]
    found = metrics.read(session, queries, period=HOUR, periods=3)
    assert len(found.times) == 3
    sums = {name: sum(one or 0 for one in values) for name, values in found.values.items()}
    assert sums == {"done": 2, "refused": 1, "unknown": 0}
    assert found.values["unknown"] == [None, None, None]
