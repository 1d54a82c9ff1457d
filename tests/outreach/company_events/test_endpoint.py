"""Where events may be sent, and what signs them."""

import json
import socket
from types import SimpleNamespace

import pytest

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.outreach.company_events.endpoint import (
    SETTING,
    faults,
    secret_id,
    signing_secrets,
)
from chalicelib.outreach.project.project import Project
from chalicelib.vendors import posting
from chalicelib.vendors.posting import SignedPost, post
from tests.rigs import vendor_server
from tests.rigs.company_endpoint import SECRETS
from tests.rigs.each_row import each_row

HTTPS = "https://hooks.example.com/events"
POST = SignedPost(HTTPS, {}, b"{}", 1.0)


@each_row(
    "url",
    [
        "http://hooks.example.com/",
        "http://127.0.0.1:8000/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.0.0.1/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fd00::1]/",
        "https://LOCALHOST./",
        "https://a.localhost/",
        "https://printer.local/",
        "https://api.internal/",
        "https://intranet/",
        "ftp://hooks.example.com/",
        "//hooks.example.com/",
        "https://",
        "https://user:secret@hooks.example.com/",
        "https://hooks.example.com/#here",
        "https://hooks.example.com:99999/",
        "https://[::1/",
        "https://hooks.exämple.com/",
        "https://hooks.example.com/ x",
        "https://hooks.example.com/" + "x" * 1000,
        "",
        7,
        None,
    ],
)
def test_a_url_that_is_not_https_to_a_host_is_refused_without_its_value(url):
    (fault,) = faults({"url": url})
    assert str(url) not in fault or url in ("", None)
    assert Project({SETTING: {"url": url}}).endpoint(allows_loopback=False) is None


@pytest.mark.parametrize(
    "value",
    ["https://x.example", [], {"url": HTTPS, "secret": "x"}, {"url": HTTPS, "include": ["all"]}],
)
def test_a_setting_of_another_shape_is_refused(value):
    assert list(faults(value))


def test_loopback_is_allowed_by_setting_alone():
    here, elsewhere = (
        Project({SETTING: {"url": url}}) for url in ("http://127.0.0.1:8000/", "https://10.0.0.1/")
    )
    assert here.endpoint(allows_loopback=True) is not None
    assert elsewhere.endpoint(allows_loopback=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"signing_secrets": []}',
        '{"signing_secrets": "whsec_x"}',
        '{"signing_secrets": ["whsec_c2hvcnQ="]}',
        json.dumps({"signing_secrets": [SECRETS[0], 7]}),
    ],
)
def test_secrets_that_are_none_sign_nothing(text):
    with pytest.raises(UnavailableError):
        signing_secrets(text)


def test_a_company_cannot_name_another_ones_secret():
    assert secret_id("dev", "ci-aaa-001") == "rp-mw/dev/companies/ci-aaa-001/webhook"
    for company_id in ("a/../b", "b/webhook", "", "a b"):
        with pytest.raises(UnavailableError):
            secret_id("dev", company_id)


# --- addresses --------------------------------------------------------------------------------


def resolving(monkeypatch, *addresses):
    """Let every name have these addresses; returns what was connected to."""
    connected = []

    def found(host, port, **_):
        return [(0, 0, 0, "", (address, port)) for address in addresses]

    def create(address, *_, **__):
        connected.append(address)
        raise ConnectionRefusedError

    fake = SimpleNamespace(getaddrinfo=found, SOCK_STREAM=socket.SOCK_STREAM)
    monkeypatch.setattr(posting, "socket", fake)
    monkeypatch.setattr("urllib3.util.connection.create_connection", create)
    return connected


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - as a target
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fd00:ec2::254",
        "fe80::1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "ff02::1",
    ],
)
def test_nothing_is_connected_to_that_is_not_public(monkeypatch, address):
    """Also where another address of the name is public."""
    for addresses in ((address,), ("93.184.216.34", address)):
        connected = resolving(monkeypatch, *addresses)
        with pytest.raises(TransientError) as refused:
            post(POST)
        assert refused.value.reason == "address_not_public"
        assert connected == []


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch, address):
    connected = resolving(monkeypatch, address)
    with pytest.raises(TransientError) as failed:
        post(POST)
    assert failed.value.reason == "connect_failed"
    assert {host for host, _ in connected} == {address}


def test_loopback_allows_no_other_private_address(monkeypatch):
    connected = resolving(monkeypatch, "10.0.0.1")
    with pytest.raises(TransientError):
        post(POST, allows_loopback=True)
    assert connected == []


# --- answers ----------------------------------------------------------------------------------


@pytest.fixture
def vendor():
    with vendor_server.running() as running:
        yield running


def sent(vendor, deadline=2.0):
    return post(SignedPost(f"{vendor.url}/", {}, b"{}", deadline), allows_loopback=True)


def test_a_redirect_is_an_answer_and_is_not_followed(vendor):
    vendor.will(vendor_server.answer(302, location=f"{vendor.url}/elsewhere"))
    assert sent(vendor).status == 302
    assert len(vendor.requests) == 1


def test_a_status_and_its_retry_after_are_returned(vendor):
    vendor.will(vendor_server.answer(503, **{"retry-after": "7"}))
    receipt = sent(vendor)
    assert (receipt.status, receipt.retry_after) == (503, 7.0)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (vendor_server.close_silently, "connection_broken"),
        (vendor_server.reset, "connection_broken"),
        (vendor_server.speak_no_http, "connection_broken"),
        (vendor_server.drip_headers, "timeout"),
    ],
)
def test_an_endpoint_that_does_not_answer_is_cut_off(vendor, script, reason):
    vendor.will(script)
    with pytest.raises(TransientError) as failed:
        sent(vendor, deadline=0.3)
    assert failed.value.reason == reason
