"""How a vendor's response ends a call: success, error, or unknown outcome."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable

import pytest

from chalicelib.errors import PermanentError, TransientError, UncertainError
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.http_answers import Expects
from tests.rigs import vendor_server as does
from tests.rigs.http_calls import EVERY_CALL, READ, SEND, WRITE, failure
from tests.rigs.vendor_server import CANARY, Script, Vendor


def test_a_successful_response_is_its_json_object(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer(200, {"ticket": {"id": "7"}}))

    assert client.send(READ, deadline_seconds=5) == {"ticket": {"id": "7"}}
    (request,) = vendor.requests
    assert (request.method, request.path) == ("GET", "/v1/things/7")
    assert request.headers["x-key"] == "secret"


def test_a_body_is_sent_as_json_and_a_query_in_the_url(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer())
    call = Call("list", "GET", "/v1/things", is_repeatable=True, query={"a": "1 2", "b": "é&"})

    client.send(WRITE, deadline_seconds=5)
    client.send(call, deadline_seconds=5)

    assert vendor.requests[0].json == {"text": CANARY}
    assert vendor.requests[0].headers["content-type"] == "application/json"
    assert vendor.requests[1].path == "/v1/things?a=1+2&b=%C3%A9%26"


@EVERY_CALL
@pytest.mark.parametrize("status", [400, 404, 409, 410, 413, 415, 422])
def test_a_4xx_refusal_is_permanent(client: VendorClient, vendor: Vendor, call: Call, status: int):
    vendor.will(does.answer(status, {"error": CANARY}))

    error = failure(client, call)

    assert type(error) is PermanentError
    assert (error.status, error.reason) == (status, f"http_{status}")
    assert len(vendor.requests) == 1


@EVERY_CALL
def test_a_429_is_transient_for_every_method(client: VendorClient, vendor: Vendor, call: Call):
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


def test_a_503_carries_its_retry_after(client: VendorClient, vendor: Vendor):
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
def test_a_success_without_the_expected_json_is_an_error(
    client: VendorClient, vendor: Vendor, script: Script, reason: str
):
    vendor.will(script)

    reading, sending = failure(client, READ), failure(client, SEND)

    assert type(reading) is TransientError
    assert type(sending) is UncertainError
    assert reading.reason == sending.reason == reason
    assert reading.status == sending.status


def test_a_success_is_enough_where_no_json_is_expected(client: VendorClient, vendor: Vendor):
    vendor.will(does.answer(202, b"queued"))
    call = Call("send", "POST", "/v1/x", is_repeatable=False, expects=Expects.NOTHING)

    assert client.send(call, deadline_seconds=5) == {}


@pytest.mark.parametrize("kind", ["text/html", "Text/HTML; charset=utf-8"])
def test_a_page_is_no_success_even_where_no_json_is_expected(
    client: VendorClient, vendor: Vendor, kind: str
):
    """A proxy answers for the vendor: whether the vendor has done anything is not known."""
    vendor.will(does.answer(200, b"<html>please wait</html>", Content_Type=kind))
    sending = Call("send", "POST", "/v1/x", is_repeatable=False, expects=Expects.NOTHING)
    reading = Call("read", "GET", "/v1/x", is_repeatable=True, expects=Expects.NOTHING)

    errors = [failure(client, call) for call in (sending, reading)]

    assert [type(error) for error in errors] == [UncertainError, TransientError]
    assert {error.reason for error in errors} == {"answer_is_a_page"}


def test_a_compressed_response_is_read(client: VendorClient, vendor: Vendor):
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
def test_a_response_that_is_too_large_is_dropped_early(
    vendor: Vendor, client_of: Callable[..., VendorClient], script: Script
):
    vendor.will(script)
    client = client_of(vendor.url, max_answer_bytes=4000)
    assert failure(client, READ).reason == "answer_too_large"
    assert type(failure(client, SEND)) is UncertainError


def test_the_body_of_an_error_response_is_never_read(client: VendorClient, vendor: Vendor):
    """An error page that never ends costs nothing."""

    def endless_error(handler: does.Handler) -> None:
        handler.close_connection = True
        handler.raw(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 100000\r\n\r\n")
        handler.vendor.stopping.wait(60)

    vendor.will(endless_error)
    assert type(failure(client, SEND)) is PermanentError


def test_non_ascii_text_arrives_unchanged(client: VendorClient, vendor: Vendor):
    """Nothing is lost on the way: text beyond ASCII arrives as it was."""
    vendor.will(does.answer(200, json.dumps({"a": "ü🙂"}, ensure_ascii=False).encode()))

    assert client.send(READ, deadline_seconds=5) == {"a": "ü🙂"}
