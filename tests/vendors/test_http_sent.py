"""Whether a request was sent, and therefore may be repeated."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.errors import PacedError, TransientError, UncertainError
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from tests.rigs import vendor_server as does
from tests.rigs.fakes import ManualClock
from tests.rigs.http_calls import EVERY_CALL, READ, SEND, WRITE, failure
from tests.rigs.vendor_server import Script, Vendor

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
def test_a_request_that_was_not_sent_is_transient(
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


def test_a_vendor_without_tls_receives_nothing(
    vendor: Vendor, client_of: Callable[..., VendorClient]
):
    vendor.will(does.answer())

    error = failure(client_of(vendor.url.replace("http:", "https:")), SEND)

    assert type(error) is TransientError
    assert vendor.requests == []


def test_a_slow_tls_handshake_is_cut_off(
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


def test_a_rate_limit_wait_beyond_the_deadline_is_not_started(
    vendor: Vendor, clock: ManualClock, client_of: Callable[..., VendorClient]
):
    vendor.will(does.answer())
    limit = RateLimit(provider="acme", clock=clock, pace=LevelPace(2))
    client = client_of(vendor.url, rate_limit=limit)
    client.send(SEND, deadline_seconds=5)

    error = failure(client, SEND)

    assert type(error) is PacedError
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


def test_the_deadline_covers_the_whole_response_and_not_each_read(
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


def test_an_idle_connection_is_not_reused(client: VendorClient, vendor: Vendor, clock: ManualClock):
    """A frozen container resumes with dead connections that look alive."""
    vendor.will(does.answer())
    client.send(READ, deadline_seconds=5)
    clock.forward(60)

    client.send(READ, deadline_seconds=5)

    assert [request.connection for request in vendor.requests] == [1, 2]
