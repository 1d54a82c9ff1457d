"""How a vendor call ends: what may be repeated, what may not, and what nobody ever gets to see."""

from __future__ import annotations

import gzip
import json
import socket
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import vendor_server as does
from vendor_doubles import ManualClock, RecordingLog
from vendor_server import CANARY, Script, Vendor

from chalicelib.adapters.breaker import Breaker
from chalicelib.adapters.http import Call, VendorClient
from chalicelib.adapters.http_answers import retry_after_seconds
from chalicelib.adapters.rate_limit import RateLimit
from chalicelib.errors import (
    AuthError,
    BreakerOpenError,
    PermanentError,
    ProviderError,
    TransientError,
    UnavailableError,
    UncertainError,
)

READ = Call("read", "GET", "/v1/things/7", is_repeatable=True)
WRITE = Call("write", "PUT", "/v1/things/7", is_repeatable=True, body={"text": CANARY})
SEND = Call("send", "POST", "/v1/things/7/send", is_repeatable=False, body={"text": CANARY})
EVERY_CALL = pytest.mark.parametrize("call", [READ, WRITE, SEND], ids=lambda call: call.operation)


@pytest.fixture
def client_of(clock: ManualClock, log: RecordingLog) -> Callable[..., VendorClient]:
    def build(url: str, **changes: object) -> VendorClient:
        parts: dict[str, Any] = {
            "provider": "acme",
            "base_url": url,
            "authorize": lambda _refresh: {"x-key": "secret"},
            "clock": clock,
            "log": log,
            "rate_limit": RateLimit("acme", clock, clock.sleep, requests_per_window=1000),
            "breaker": Breaker("acme", clock, failures_to_open=100),
        }
        return VendorClient(**(parts | changes))

    return build


@pytest.fixture
def client(vendor: Vendor, client_of: Callable[..., VendorClient]) -> VendorClient:
    return client_of(vendor.url)


def failure(client: VendorClient, call: Call, *, seconds: float = 5.0) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        client.send(call, deadline_seconds=seconds)
    return caught.value


# --- what an answer means ---------------------------------------------------------------------


def test_a_good_answer_is_its_json_object(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer(200, {"ticket": {"id": "7"}}))

    assert client.send(READ, deadline_seconds=5) == {"ticket": {"id": "7"}}
    (request,) = vendor.requests
    assert (request.method, request.path) == ("GET", "/v1/things/7")
    assert request.headers["x-key"] == "secret"


def test_a_body_goes_out_as_json_and_a_query_in_the_address(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer())
    call = Call("list", "GET", "/v1/things", is_repeatable=True, query={"a": "1 2", "b": "é&"})

    client.send(WRITE, deadline_seconds=5)
    client.send(call, deadline_seconds=5)

    assert vendor.requests[0].json == {"text": CANARY}
    assert vendor.requests[0].headers["content-type"] == "application/json"
    assert vendor.requests[1].path == "/v1/things?a=1+2&b=%C3%A9%26"


@EVERY_CALL
@pytest.mark.parametrize("status", [400, 404, 409, 410, 413, 415, 422])
def test_a_refusal_is_permanent(client: VendorClient, vendor: Vendor, call: Call, status: int):
    vendor.will(does.answer(status, {"error": CANARY}))

    error = failure(client, call)

    assert type(error) is PermanentError
    assert (error.status, error.reason) == (status, f"http_{status}")
    assert len(vendor.requests) == 1


@EVERY_CALL
def test_a_429_is_transient_whatever_was_sent(client: VendorClient, vendor: Vendor, call: Call):
    vendor.will(does.answer(429, {"error": CANARY}, Retry_After="7"))

    error = failure(client, call)

    assert type(error) is TransientError
    assert error.retry_after == 7.0


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
def test_f21_a_server_error_leaves_open_whether_a_send_happened(
    client: VendorClient, vendor: Vendor, status: int
):
    vendor.will(does.answer(status, b"<html>"))

    assert type(failure(client, READ)) is TransientError
    assert type(failure(client, WRITE)) is TransientError
    assert type(failure(client, SEND)) is UncertainError


def test_a_503_says_when_to_come_back(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer(503, Retry_After="12"))

    assert failure(client, READ).retry_after == 12.0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(client: VendorClient, vendor: Vendor, status: int):
    vendor.will(does.answer(status, Location=f"{vendor.url}/elsewhere"))

    assert type(failure(client, READ)) is PermanentError
    assert type(failure(client, SEND)) is UncertainError
    assert [request.path for request in vendor.requests] == [READ.path, SEND.path]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (does.answer(200, b"<html>maintenance</html>"), "answer_not_json"),
        (does.answer(200, b""), "answer_not_json"),
        (does.answer(200, b"\xff\xfe{"), "answer_not_json"),
        (does.answer(200, b"[" * 200_000), "answer_not_json"),
        (does.answer(200, [1, 2]), "answer_not_an_object"),
        (does.answer(204), "answer_not_json"),
        (does.promise_more_than_comes, "connection_broken"),
        (does.answer(200, b"not gzip", Content_Encoding="gzip"), "connection_broken"),
    ],
)
def test_a_success_that_is_not_the_json_expected_proves_nothing(
    client: VendorClient, vendor: Vendor, script: Script, reason: str
):
    vendor.will(script)

    reading, sending = failure(client, READ), failure(client, SEND)

    assert type(reading) is TransientError
    assert type(sending) is UncertainError
    assert reading.reason == sending.reason == reason
    assert reading.status == sending.status


def test_where_no_json_is_expected_a_success_is_enough(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer(202, b"queued"))
    call = Call("send", "POST", "/v1/x", is_repeatable=False, expects_json=False)

    assert client.send(call, deadline_seconds=5) == {}


def test_a_compressed_answer_is_read(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer(200, gzip.compress(b'{"a": 1}'), Content_Encoding="gzip"))

    assert client.send(READ, deadline_seconds=5) == {"a": 1}


@pytest.mark.parametrize(
    "script",
    [
        does.answer(200, {"a": "x" * 5000}),
        does.endless,
        does.answer(200, gzip.compress(b"[" * 10_000_000), Content_Encoding="gzip"),
    ],
    ids=["long", "endless", "bomb"],
)
def test_an_answer_that_is_too_large_is_dropped_early(
    vendor: Vendor, client_of: Callable[..., VendorClient], script: Script
):
    vendor.will(script)
    client = client_of(vendor.url, max_answer_bytes=4000)
    assert failure(client, READ).reason == "answer_too_large"
    assert type(failure(client, SEND)) is UncertainError


# --- when nothing left the machine ------------------------------------------------------------


@EVERY_CALL
@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"http://127.0.0.1:{does.closed_port()}", "connect_failed"),
        (f"https://127.0.0.1:{does.closed_port()}", "connect_failed"),
    ],
    ids=["plain", "tls"],
)
def test_what_was_surely_not_sent_is_transient(
    client_of: Callable[..., VendorClient], call: Call, url: str, reason: str
):
    error = failure(client_of(url), call)

    assert type(error) is TransientError
    assert (error.status, error.reason) == (None, reason)


def test_a_name_that_does_not_resolve_is_transient(
    client_of: Callable[..., VendorClient], monkeypatch: pytest.MonkeyPatch
):
    def unresolved(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unresolved)

    error = failure(client_of("http://vendor.example"), SEND)

    assert type(error) is TransientError
    assert (error.status, error.reason) == (None, "connect_failed")


def test_a_name_that_resolves_after_the_deadline_sends_nothing(
    vendor: Vendor, client: VendorClient, monkeypatch: pytest.MonkeyPatch
):
    resolve = socket.getaddrinfo

    def slow(*args: Any, **kwargs: Any) -> Any:
        time.sleep(0.3)
        return resolve(*args, **kwargs)

    vendor.will(does.answer())
    monkeypatch.setattr(socket, "getaddrinfo", slow)

    assert type(failure(client, SEND, seconds=0.2)) is TransientError
    assert vendor.requests == []


def test_a_vendor_that_speaks_no_tls_got_nothing(
    vendor: Vendor, client_of: Callable[..., VendorClient]
):
    vendor.will(does.answer())

    error = failure(client_of(vendor.url.replace("http:", "https:")), SEND)

    assert type(error) is TransientError
    assert vendor.requests == []


def test_a_tls_handshake_that_drips_is_cut_off(
    client_of: Callable[..., VendorClient],
):
    with does.dripping_tls() as url:
        error = failure(client_of(url), SEND, seconds=0.4)

    assert type(error) is TransientError
    assert error.reason == "connect_timeout"


def test_nothing_is_sent_after_the_deadline(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer())
    client.send(READ, deadline_seconds=5)

    on_a_new_connection = failure(client, SEND, seconds=0.0)
    on_a_kept_connection = failure(client, READ, seconds=0.0)

    assert type(on_a_new_connection) is type(on_a_kept_connection) is TransientError
    assert len(vendor.requests) == 1


def test_a_turn_that_would_come_too_late_is_not_waited_for(
    vendor: Vendor, clock: ManualClock, client_of: Callable[..., VendorClient]
):
    vendor.will(does.answer())
    limit = RateLimit("acme", clock, clock.sleep, requests_per_window=2)
    client = client_of(vendor.url, rate_limit=limit)
    client.send(SEND, deadline_seconds=5)

    error = failure(client, SEND)

    assert type(error) is TransientError
    assert error.reason == "local_rate_limit"
    assert error.retry_after == pytest.approx(15.0)
    assert len(vendor.requests) == 1


# --- when the request left and no answer came -------------------------------------------------


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (does.hang, "timeout"),
        (does.drip_headers, "timeout"),
        (does.drip_body, "timeout"),
        (does.reset, "connection_broken"),
        (does.close_silently, "connection_broken"),
        (does.speak_no_http, "connection_broken"),
    ],
)
def test_f21_an_outcome_that_cannot_be_known_is_uncertain_unless_repeatable(
    client: VendorClient, vendor: Vendor, script: Script, reason: str
):
    vendor.will(script)
    errors = [failure(client, call, seconds=0.4) for call in (READ, WRITE, SEND)]

    assert [type(error) for error in errors] == [TransientError, TransientError, UncertainError]
    assert {error.reason for error in errors} == {reason}
    assert len(vendor.requests) == 3


def test_the_deadline_covers_the_whole_answer_and_not_each_read(
    client: VendorClient, vendor: Vendor
):
    """Each byte comes well within any socket time-out; the call ends all the same."""
    vendor.will(does.drip_body)

    assert failure(client, READ, seconds=0.5).reason == "timeout"


def test_a_repeatable_call_reuses_its_connection_and_a_send_never_does(
    client: VendorClient, vendor: Vendor
):
    vendor.will(does.answer())

    for call in (READ, READ, SEND, SEND, READ):
        client.send(call, deadline_seconds=5)

    assert [request.connection for request in vendor.requests] == [1, 1, 2, 3, 1]


def test_a_send_is_not_made_uncertain_by_a_stale_connection(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer_then_close({}), does.answer(200, {"sent": True}))

    client.send(READ, deadline_seconds=5)

    assert client.send(SEND, deadline_seconds=5) == {"sent": True}


def test_a_connection_that_idled_is_not_trusted(
    client: VendorClient, vendor: Vendor, clock: ManualClock
):
    """A container that was frozen wakes with dead connections that look alive."""
    vendor.will(does.answer())
    client.send(READ, deadline_seconds=5)
    clock.elapsed += 60

    client.send(READ, deadline_seconds=5)

    assert [request.connection for request in vendor.requests] == [1, 2]


# --- who we are -------------------------------------------------------------------------------


@EVERY_CALL
def test_f55_a_refused_key_is_fetched_anew_once_and_the_call_repeated(
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


def test_f55_without_a_key_nothing_is_sent_and_it_is_tried_again_later(
    vendor: Vendor, client_of: Callable[..., VendorClient]
):
    def authorize(_refresh: bool) -> dict[str, str]:  # noqa: FBT001 - the port's shape
        raise UnavailableError("secret_unreadable")

    vendor.will(does.answer())

    error = failure(client_of(vendor.url, authorize=authorize), SEND)

    assert type(error) is TransientError
    assert error.reason == "secret_unavailable"
    assert vendor.requests == []


def test_the_environment_gives_no_proxy_and_no_password(
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


# --- what is told -----------------------------------------------------------------------------


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

    told = "".join(traceback.format_exception(error))
    told += repr((error.args, vars(error), log.events, log.metrics, with_address))
    for secret in (*CANARY.split(), "canary", vendor.url, "x-key", "secret"):
        assert secret not in told
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
    assert log.metrics == [("mw.vendor.failed", {"provider": "acme", "outcome": "PermanentError"})]


def test_a_429_is_counted_and_silences_the_whole_container(
    client: VendorClient, vendor: Vendor, log: RecordingLog
):
    vendor.will(does.answer(429, Retry_After="40"), does.answer())

    failure(client, READ)
    error = failure(client, READ)

    assert error.reason == "local_rate_limit"
    assert error.retry_after == pytest.approx(40.0)
    assert log.metrics == [("mw.vendor.rate_limited", {"provider": "acme"})]
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
        ("Fri, 20 Nov 2026 09:00:45 GMT", 45.0),
        ("Fri, 20 Nov 2026 08:00:00 GMT", 0.0),
        ("Fri, 20 Nov 2027 09:00:00 GMT", 900.0),
        ("Fri, 20 Nov 2026 09:00:10", 10.0),
        ("Fri, 99 Nov 2026 99:99:99 GMT", None),
        (None, None),
    ],
)
def test_f45_retry_after_is_understood_or_ignored_and_never_long(
    clock: ManualClock, value: str | None, seconds: float | None
):
    assert retry_after_seconds(value, clock.now()) == seconds


# --- the breaker ------------------------------------------------------------------------------


def test_f46_a_vendor_that_is_down_is_left_alone(
    vendor: Vendor, clock: ManualClock, client_of: Callable[..., VendorClient]
):
    breaker = Breaker("acme", clock, failures_to_open=3)
    client = client_of(vendor.url, breaker=breaker)
    vendor.will(does.answer(500), does.reset, does.answer(503), does.answer(200, {"up": 1}))

    for _ in range(3):
        assert type(failure(client, READ)) is TransientError
    refused = failure(client, READ)
    clock.elapsed += 31

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


def test_a_body_is_never_read_from_an_error(client: VendorClient, vendor: Vendor):
    """An error page that never ends costs nothing."""

    def endless_error(handler: does.Handler) -> None:
        handler.close_connection = True
        handler.raw(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 100000\r\n\r\n")
        handler.vendor.stopping.wait(10)

    vendor.will(endless_error)
    assert type(failure(client, SEND)) is PermanentError


def test_json_is_the_vendors_own(client: VendorClient, vendor: Vendor):
    """Nothing is lost on the way: text beyond ASCII arrives as it was."""
    vendor.will(does.answer(200, json.dumps({"a": "ü🙂"}, ensure_ascii=False).encode()))

    assert client.send(READ, deadline_seconds=5) == {"a": "ü🙂"}
