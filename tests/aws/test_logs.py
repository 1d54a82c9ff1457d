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
    digests = [trace.digest(str(number)) for number in range(200)]
    for digest in digests:
        log.event("x", mw_trace_id=digest, ticket_id=digest, idempotency_key=digest)
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
        line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] for line in lines(stream)
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


# --- a piece of work ---------------------------------------------------------------------------


def test_a_job_ends_with_one_line_that_has_its_metrics(log, stream):
    with log.gathering():
        log.event("worker.job.start")
        log.metric("mw.support.messages", answer="none")
        log.event("worker.processed", attempt=1)
        log.metric("mw.worker.events", outcome="processed")
        log.metric("mw.worker.lag_ms", 218)
    started, ended = lines(stream)
    assert started["event"] == "worker.job.start"
    assert (ended["event"], ended["attempt"], ended["env"]) == ("worker.processed", 1, "dev")
    assert (ended["outcome"], ended["answer"]) == ("processed", "none")
    assert (ended["mw.worker.events"], ended["mw.worker.lag_ms"]) == (1, 218)
    assert {
        metric["Name"]
        for group in ended["_aws"]["CloudWatchMetrics"]
        for metric in group["Metrics"]
    } == {"mw.worker.events", "mw.worker.lag_ms", "mw.support.messages"}


def test_metrics_that_differ_in_a_dimension_are_in_two_records_and_the_lines_own_are_in_it(
    log, stream
):
    with log.gathering():
        log.metric("mw.effects", 5, outcome="done", vendor="richpanel", kind="add_tag")
        log.event("worker.failed")
        log.metric("mw.worker.events", outcome="failed")
    ended, other = lines(stream)
    assert (ended["event"], ended["outcome"]) == ("worker.failed", "failed")
    assert ended["mw.worker.events"] == 1
    assert (other["outcome"], other["mw.effects"]) == ("done", 5)
    assert "event" not in other


def test_a_metric_that_is_counted_twice_keeps_both_values(log, stream):
    """A maximum is not the sum of two."""
    with log.gathering():
        log.metric("mw.worker.lag_ms", 218)
        log.metric("mw.worker.lag_ms", 20)
    (line,) = lines(stream)
    assert line["mw.worker.lag_ms"] == [218, 20]


def test_no_record_has_more_values_of_a_metric_than_cloudwatch_takes(log, stream):
    with log.gathering():
        for number in range(101):
            log.metric("mw.worker.lag_ms", number)
    first, second = lines(stream)
    assert (len(first["mw.worker.lag_ms"]), second["mw.worker.lag_ms"]) == (100, 100)


def test_a_line_that_is_not_the_last_is_written_when_the_next_one_comes(log, stream):
    """A container's worker may be killed in its second event."""
    with log.gathering():
        log.event("worker.processed")
        log.event("worker.job.start")
        assert [line["event"] for line in lines(stream)] == ["worker.processed", "worker.job.start"]
        log.event("vendor.richpanel.add_tags")
        assert len(lines(stream)) == 3


def test_what_a_job_that_raises_has_counted_is_written(log, stream):
    def hand_back():
        with log.gathering():
            log.event("worker.handed_back", reason="busy")
            log.metric("mw.worker.handed_back", reason="busy")
            raise ValueError

    with pytest.raises(ValueError):
        hand_back()
    (line,) = lines(stream)
    assert (line["event"], line["reason"]) == ("worker.handed_back", "busy")
    assert line["mw.worker.handed_back"] == 1


def test_a_field_that_a_dimension_contradicts_keeps_its_value(log, stream):
    """The line says the whole reason, the metric its first word."""
    with log.gathering():
        log.event("worker.handed_back", reason="vendor:http_503")
        log.metric("mw.worker.handed_back", reason="vendor")
    line, record = lines(stream)
    assert (line["reason"], record["reason"]) == ("vendor:http_503", "vendor")
    assert "_aws" not in line


def test_lines_that_a_request_loses_take_their_metrics_with_them(log, stream):
    with log.holding_back() as held:
        with log.gathering():
            log.event("ingress.request.rejected", source="desk", code="UNAUTHORIZED")
            log.metric("mw.ingress.rejected", source="desk", code="UNAUTHORIZED")
        held.drop()
    assert stream.getvalue() == ""
