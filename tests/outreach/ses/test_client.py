"""How a send by SES ends, by what left the machine; on a real connection to a scripted server."""

import socket
import time

import boto3
import pytest

from chalicelib.errors import (
    AuthError,
    PermanentError,
    ProviderError,
    TransientError,
    UncertainError,
)
from chalicelib.outreach.ses.client import SES_CONFIG, Email, Ses
from tests.rigs import vendor_server as does

MAIL = Email(
    to="j.doe@example.com",
    sender="replies@company.example",
    reply_to="replies@company.example",
    subject=does.CANARY,
    text=does.CANARY,
    tag="opaque_1",
)


@pytest.fixture
def client_of():
    def build(url, **changes):
        keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x", **changes}
        return boto3.Session().client(
            "sesv2", endpoint_url=url, region_name="us-east-1", config=SES_CONFIG, **keys
        )

    return build


@pytest.fixture
def ses_of(client_of, clock, log):
    def build(url, client=None):
        return Ses(
            client=client or client_of(url),
            configuration_set=None,
            region="us-east-1",
            clock=clock,
            log=log,
        )

    return build


def failure(ses, *, seconds=5.0):
    with pytest.raises(ProviderError) as caught:
        ses.send(MAIL, deadline_seconds=seconds)
    error = caught.value
    assert does.CANARY not in repr(error)
    assert error.__cause__ is None
    return type(error), error.reason


def test_an_email_is_sent_signed_over_a_fresh_connection_each(vendor, ses_of):
    vendor.will(does.answer_then_close({"MessageId": "m-1"}))
    ses = ses_of(vendor.url)
    assert [ses.send(MAIL, deadline_seconds=5.0) for _ in range(2)] == ["m-1", "m-1"]
    first, second = vendor.requests
    assert first.connection != second.connection
    assert first.headers["authorization"].startswith("AWS4-HMAC-SHA256")
    assert first.json["Content"]["Simple"]["Body"]["Text"]["Data"] == does.CANARY


def test_a_client_that_is_shared_sends_once(vendor, client_of, ses_of):
    vendor.will(does.answer(200, {"MessageId": "m-1"}))
    shared = client_of(vendor.url)
    first, _second = ses_of("", shared), ses_of("", shared)
    first.send(MAIL, deadline_seconds=5.0)
    assert len(vendor.requests) == 1


@pytest.mark.parametrize(
    "script", [does.hang, does.drip_headers, does.drip_body], ids=lambda script: script.__name__
)
def test_a_response_that_does_not_end_is_cut_off_at_the_deadline(vendor, ses_of, script):
    """A timeout of a single read never ends a response that comes byte by byte."""
    stopped = []

    def until_cut(handler):
        script(handler)
        stopped.append(handler)

    vendor.will(until_cut)
    kind, reason = failure(ses_of(vendor.url), seconds=0.3)
    assert kind is UncertainError
    assert reason in ("timeout", "answer_without_id")
    assert len(vendor.requests) == 1
    assert stopped == [], "the server was still at it"


@pytest.mark.parametrize(
    "script",
    [does.reset, does.close_silently, does.promise_more_than_comes, does.speak_no_http],
    ids=lambda script: script.__name__,
)
def test_an_email_without_a_usable_response_may_have_been_sent(vendor, ses_of, script):
    vendor.will(script)
    assert failure(ses_of(vendor.url)) == (UncertainError, "connection_broken")
    assert len(vendor.requests) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", {}, {"MessageId": ""}])
def test_a_success_without_an_id_may_have_been_sent(vendor, ses_of, body):
    vendor.will(does.answer(200, body))
    assert failure(ses_of(vendor.url))[0] is UncertainError


def test_a_response_without_an_end_may_have_been_sent(vendor, ses_of):
    vendor.will(does.endless)
    assert failure(ses_of(vendor.url))[0] is UncertainError


def test_an_email_to_a_closed_port_was_not_sent(ses_of):
    ses = ses_of(f"http://127.0.0.1:{does.closed_port()}")
    assert failure(ses) == (TransientError, "connect_failed")


def test_an_email_to_a_server_without_tls_was_not_sent(vendor, ses_of):
    vendor.will(does.answer(200, {"MessageId": "m-1"}))
    ses = ses_of(vendor.url.replace("http:", "https:"))
    assert failure(ses) == (TransientError, "connect_failed")
    assert vendor.requests == []


def test_an_email_whose_tls_handshake_does_not_end_was_not_sent(ses_of, monkeypatch):
    monkeypatch.setattr("chalicelib.vendors.signed.CONNECT_TIMEOUT_SECONDS", 0.2)
    with does.dripping_tls() as url:
        assert failure(ses_of(url), seconds=0.4)[0] is TransientError


def test_a_name_that_resolves_after_the_deadline_sends_nothing(vendor, ses_of, monkeypatch):
    resolve = socket.getaddrinfo

    def slow(*args, **kwargs):
        time.sleep(0.3)
        return resolve(*args, **kwargs)

    vendor.will(does.answer(200, {"MessageId": "m-1"}))
    monkeypatch.setattr(socket, "getaddrinfo", slow)
    assert failure(ses_of(vendor.url), seconds=0.2) == (TransientError, "connect_timeout")
    assert vendor.requests == []


def test_a_role_without_credentials_sends_nothing(vendor, client_of, ses_of, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    vendor.will(does.answer(200, {"MessageId": "m-1"}))
    client = client_of(vendor.url, aws_access_key_id=None, aws_secret_access_key=None)
    assert failure(ses_of("", client)) == (AuthError, "no_credentials")
    assert vendor.requests == []


@pytest.mark.parametrize(
    ("status", "code", "kind", "reason"),
    [
        (400, "MessageRejected", PermanentError, "MessageRejected"),
        (400, "Other", PermanentError, "http_400"),
        (429, "TooManyRequestsException", TransientError, "TooManyRequestsException"),
        (429, "Other", TransientError, "http_429"),
        (403, "AccessDenied", AuthError, "http_403"),
        (500, "InternalFailure", UncertainError, "http_500"),
        (503, "ThrottlingException", UncertainError, "ThrottlingException"),
    ],
)
def test_an_error_that_ses_answers_says_whether_it_was_sent(
    vendor, ses_of, status, code, kind, reason
):
    vendor.will(does.answer(status, {"message": does.CANARY}, x_amzn_ErrorType=code))
    assert failure(ses_of(vendor.url)) == (kind, reason)
    assert len(vendor.requests) == 1
