"""Logs: one JSON line each, redacted at the exit, and never an obstacle to the event."""

import io
import json

import pytest

from chalicelib import redaction
from chalicelib.aws.logs import JsonLog
from chalicelib.once import trace
from tests.rigs.fakes import ManualClock


@pytest.fixture
def stream():
    return io.StringIO()


@pytest.fixture
def log(stream):
    return JsonLog(ManualClock(), stage="dev", release="1.2.3", stream=stream)


def lines(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_has_time_level_event_stage_and_release(log, stream):
    log.event("worker.processed", attempt=2, reason=None)
    assert lines(stream) == [
        {
            "ts": "2026-11-20T12:00:00.000Z",
            "level": "INFO",
            "event": "worker.processed",
            "step": "worker",
            "env": "dev",
            "mw_release": "1.2.3",
            "attempt": 2,
        }
    ]


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1", True),
        ("Root=1-57590988-000012345678901234567890;Sampled=1", True),
        ("Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0", False),
        ("Root=jane@example.com;Sampled=1", False),
        ("", False),
    ],
)
def test_a_line_names_its_x_ray_trace_if_there_is_one(stream, header, shown):
    """The header that Lambda sets for each invocation."""
    log = JsonLog(ManualClock(), stage="dev", release="1", stream=stream, xray=lambda: header)
    log.event("x")
    root = header.partition(";")[0].removeprefix("Root=")
    assert lines(stream)[0].get("xray_trace_id") == (root if shown else None)


def test_personal_data_in_any_field_or_key_is_masked(log, stream):
    """F53: personal data in any sink."""
    log.event("x", **{"jane@example.com": 1, "nested": {"a": ["mail jane@example.com now"]}})
    assert "jane" not in stream.getvalue()
    assert "***@***" in stream.getvalue()


def test_a_trace_id_is_logged_whole_and_other_values_in_its_field_are_masked(log, stream):
    """A digest that looks like a number must not be masked, or the trace is lost."""
    log.event("x", mw_trace_id="4111111111111a11")
    log.event("x", mw_trace_id="4111111111111111")
    log.event("x", mw_trace_id="jane@example.com")

    shown = [line["mw_trace_id"] for line in lines(stream)]
    assert shown[0] == "4111111111111a11"
    assert "4111111111111111" not in shown
    assert "jane@example.com" not in shown


def test_message_digests_stay_whole_and_numbers_in_their_fields_are_masked(log, stream):
    """Some digests look like an order number; masked, a trace would end in the middle."""
    digests = [trace.short(str(number)) for number in range(200)]
    for one in digests:
        log.event("x", mw_trace_id=one, ticket_id=one, idempotency_key=one)
    log.event("x", mw_trace_id="4111111111111111", ticket_id="jane@example.com")
    *written, last = lines(stream)
    for name in ("mw_trace_id", "ticket_id", "idempotency_key"):
        assert [line[name] for line in written] == digests
    assert "4111111111111111" not in last["mw_trace_id"]
    assert last["ticket_id"] == "***@***"


def test_a_redactor_that_fails_drops_the_text_and_not_the_line(log, stream, monkeypatch):
    """F54: the redactor fails or is fed a megabyte."""

    def fails(value):
        raise RuntimeError("jane@example.com")

    monkeypatch.setattr(redaction, "redact_mapping", fails)
    log.event("x", text="jane@example.com")
    counted, line = lines(stream)
    assert line["redaction"] == "failed"
    assert counted["mw.redaction.failed"] == 1
    assert "jane" not in stream.getvalue()


def test_a_megabyte_of_hostile_text_does_not_slow_the_log_down(log, stream):
    """F54: text beyond the cap is dropped, never passed through."""
    log.event("x", text="1 " * 500_000 + "jane@example.com")
    assert "jane" not in stream.getvalue()


def test_a_metric_is_in_cloudwatchs_embedded_format(log, stream):
    log.metric("mw.effects", 3, outcome="done")
    (line,) = lines(stream)
    metrics = line["_aws"]["CloudWatchMetrics"][0]
    assert metrics["Namespace"] == "rp-mw/dev"
    assert metrics["Dimensions"] == [["stage"], ["outcome", "stage"]]
    assert (line["mw.effects"], line["outcome"], line["stage"]) == (3, "done", "dev")


def test_a_metric_is_stored_by_stage_and_by_the_dimensions_of_alarms(log, stream):
    log.metric("mw.effects", outcome="unknown", vendor="richpanel", kind="add_tag")
    log.metric("mw.worker.duplicates")
    with_labels, without = (
        one["_aws"]["CloudWatchMetrics"][0]["Dimensions"] for one in lines(stream)
    )
    assert with_labels == [["stage"], ["outcome", "stage"], ["kind", "outcome", "stage", "vendor"]]
    assert without == [["stage"]]


def test_lines_inside_a_scope_carry_its_fields_and_lines_outside_do_not(log, stream):
    with trace.within(mw_trace_id="1f", ticket_id="9b"):
        with trace.within(ticket_id="77"):
            log.event("vendor.richpanel.add_tags")
        log.event("worker.processed", mw_trace_id="2a")
    log.event("reconcile.summary")
    inner, outer, outside = lines(stream)
    assert (inner["mw_trace_id"], inner["ticket_id"], inner["step"]) == ("1f", "77", "vendor")
    assert (outer["mw_trace_id"], outer["ticket_id"]) == ("2a", "9b")
    assert "mw_trace_id" not in outside
    assert outside["step"] == "system"
