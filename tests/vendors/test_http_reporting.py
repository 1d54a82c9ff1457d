"""Credentials for a vendor, logs and metrics of a call, and when a vendor is not called."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from chalicelib.errors import AuthError, BreakerOpenError, TransientError, UnavailableError
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.http_answers import retry_after_seconds
from tests.rigs import vendor_server as does
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.http_calls import EVERY_CALL, READ, SEND, failure
from tests.rigs.vendor_server import CANARY, Script, Vendor

# --- credentials ------------------------------------------------------------------------------


@EVERY_CALL
def test_f55_a_refused_key_is_fetched_again_once_and_the_call_retried(
    vendor: Vendor, client_of: Callable[..., VendorClient], call: Call
):
    asked: list[bool] = []

    def authorize(refresh: bool) -> dict[str, str]:  # noqa: FBT001 - the port's shape
        asked.append(refresh)
        return {"x-key": "new" if refresh else "old"}

    vendor.will(does.answer(401, {"error": CANARY}), does.answer(200, {"ok": 1}))

    assert client_of(vendor.url, authorize=authorize).send(call, deadline_seconds=5) == {"ok": 1}
    assert asked == [False, True]
    assert [request.headers["x-key"] for request in vendor.requests] == ["old", "new"]


@pytest.mark.parametrize(("status", "requests"), [(401, 2), (403, 1)])
def test_a_key_that_stays_refused_is_an_auth_error(
    client: VendorClient, vendor: Vendor, status: int, requests: int
):
    vendor.will(does.answer(status, {"error": CANARY}))

    error = failure(client, SEND)

    assert type(error) is AuthError
    assert (error.status, error.reason) == (status, f"http_{status}")
    assert len(vendor.requests) == requests


def test_f55_without_a_key_nothing_is_sent_and_the_call_is_retried_later(
    vendor: Vendor, client_of: Callable[..., VendorClient]
):
    def authorize(_refresh: bool) -> dict[str, str]:  # noqa: FBT001 - the port's shape
        raise UnavailableError("secret_unreadable")

    vendor.will(does.answer())

    error = failure(client_of(vendor.url, authorize=authorize), SEND)

    assert type(error) is TransientError
    assert error.reason == "secret_unavailable"
    assert vendor.requests == []


def test_proxy_and_netrc_of_the_environment_are_ignored(
    client: VendorClient, vendor: Vendor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password hidden\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{does.closed_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    vendor.will(does.answer())

    client.send(READ, deadline_seconds=5)

    assert "authorization" not in vendor.requests[0].headers


def test_no_cookie_is_kept(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer(200, {}, Set_Cookie="session=someone; Path=/"))

    client.send(READ, deadline_seconds=5)
    client.send(READ, deadline_seconds=5)

    assert "cookie" not in vendor.requests[1].headers


# --- logs and metrics -------------------------------------------------------------------------

FAILURES = [
    does.answer(404, {"error": CANARY}, X_Note=CANARY),
    does.answer(500, CANARY.encode(), X_Request_Id=CANARY),
    does.answer(429, CANARY.encode(), Retry_After=CANARY),
    does.answer(302, Location=f"/{CANARY}"),
    does.answer(200, CANARY.encode()),
    does.answer(401, CANARY.encode()),
    does.speak_no_http,
    does.promise_more_than_comes,
    does.reset,
]


@EVERY_CALL
@pytest.mark.parametrize("script", FAILURES)
def test_f53_no_error_or_log_line_holds_a_body_an_address_or_a_header(
    client: VendorClient, vendor: Vendor, log: RecordingLog, call: Call, script: Script
):
    vendor.will(script)
    with_address = Call(
        call.operation,
        call.method,
        f"/v1/{CANARY}",
        is_repeatable=call.is_repeatable,
        body=call.body,
    )

    error = failure(client, with_address)

    result = "".join(traceback.format_exception(error))
    result += repr((error.args, vars(error), log.events, log.metrics, with_address))
    for secret in (*CANARY.split(), "canary", vendor.url, "x-key", "secret"):
        assert secret not in result
    assert error.__context__ is None
    assert error.__cause__ is None


def test_a_call_is_logged_with_its_status_latency_and_request_id(
    client: VendorClient, vendor: Vendor, log: RecordingLog
):
    vendor.will(does.answer(200, {}, X_Request_Id="req-1"), does.answer(404))

    client.send(READ, deadline_seconds=5)
    failure(client, READ)

    (first, ok), (second, refused) = log.events
    assert first == second == "vendor.acme.read"
    assert (ok["http_status"], ok["result"], ok["request_id"]) == (200, "success", "req-1")
    assert isinstance(ok["latency_ms"], int)
    assert (refused["http_status"], refused["error_class"]) == (404, "PermanentError")
    assert log.metrics == [
        ("mw.vendor.failed", 1, {"provider": "acme", "outcome": "PermanentError"})
    ]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("RowTooLong", "RowTooLong"),
        (21610, "21610"),
        *(
            (value, "")
            for value in (f"row {CANARY} is too long", CANARY + "!", True, None, {}, "x" * 65)
        ),
    ],
)
def test_f53_a_vendors_own_error_code_is_a_plain_identifier_or_dropped(
    client_of: Callable[..., VendorClient], vendor: Vendor, code: object, reason: str
):
    vendor.will(does.answer(400, {"error": {"code": code}}))

    error = failure(client_of(vendor.url, error_code_at=("error", "code")), READ)

    assert error.reason == (reason or "http_400")


def test_a_fault_of_the_vendors_server_has_its_status_as_its_reason(
    client_of: Callable[..., VendorClient], vendor: Vendor
):
    vendor.will(does.answer(503, {"code": 20503}))

    error = failure(client_of(vendor.url, error_code_at=("code",)), READ)

    assert error.reason == "http_503"


def test_a_429_is_counted_and_pauses_the_whole_container(
    client: VendorClient, vendor: Vendor, log: RecordingLog
):
    vendor.will(does.answer(429, Retry_After="40"), does.answer())

    failure(client, READ)
    error = failure(client, READ)

    assert error.reason == "local_rate_limit"
    assert error.retry_after == pytest.approx(40.0)
    assert log.metrics == [("mw.vendor.rate_limited", 1, {"provider": "acme"})]
    assert len(vendor.requests) == 1


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-5", 0.0),
        ("999999999999", 900.0),
        ("inf", 900.0),
        ("nan", None),
        ("", None),
        ("soon", None),
        ("1 minute", None),
        ("Fri, 20 Nov 2026 12:00:45 GMT", 45.0),
        ("Fri, 20 Nov 2026 08:00:00 GMT", 0.0),
        ("Fri, 20 Nov 2027 12:00:00 GMT", 900.0),
        ("Fri, 20 Nov 2026 12:00:10", 10.0),
        ("Fri, 99 Nov 2026 99:99:99 GMT", None),
        (None, None),
    ],
)
def test_f45_retry_after_is_parsed_or_ignored_and_capped(
    clock: ManualClock, value: str | None, seconds: float | None
):
    assert retry_after_seconds(value, clock.now()) == seconds


# --- the breaker ------------------------------------------------------------------------------


def test_f46_a_vendor_that_is_down_is_not_called(
    vendor: Vendor, clock: ManualClock, client_of: Callable[..., VendorClient]
):
    breaker = Breaker("acme", clock, failures_to_open=3)
    client = client_of(vendor.url, breaker=breaker)
    vendor.will(does.answer(500), does.reset, does.answer(503), does.answer(200, {"up": 1}))

    for _ in range(3):
        assert type(failure(client, READ)) is TransientError
    refused = failure(client, READ)
    clock.forward(31)

    assert type(refused) is BreakerOpenError
    assert refused.retry_after == pytest.approx(30.0)
    assert len(vendor.requests) == 3
    assert client.send(READ, deadline_seconds=5) == {"up": 1}


@pytest.mark.parametrize("status", [400, 404, 401, 403, 429])
def test_a_vendor_that_answers_is_not_down(
    vendor: Vendor, clock: ManualClock, client_of: Callable[..., VendorClient], status: int
):
    breaker = Breaker("acme", clock, failures_to_open=2)
    client = client_of(vendor.url, breaker=breaker)
    vendor.will(does.answer(status, Retry_After="0"))

    errors = [failure(client, READ) for _ in range(5)]

    assert not [error for error in errors if isinstance(error, BreakerOpenError)]
