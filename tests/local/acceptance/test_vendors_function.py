"""The simulated vendors answer behind the function's URL, and nothing does without the token."""

import base64
import json

import pytest

from local.acceptance import vendors_function
from local.vendors.richpanel import API_KEY

TOKEN = "a-token"


@pytest.fixture(autouse=True)
def vendors(monkeypatch):
    monkeypatch.setenv("VENDORS_TOKEN", TOKEN)
    yield
    for name in vendors_function.VENDORS:
        vendors_function._running(name).down()
    vendors_function._running.cache_clear()


def ask(path, body=None, *, method="GET", encoded=False, **headers):
    """What the URL answers: status and JSON."""
    text = None if body is None else json.dumps(body)
    event = {
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", "host": "url.example.com", **headers},
        "requestContext": {"http": {"method": method}},
        "isBase64Encoded": encoded,
    }
    if text is not None:
        event["body"] = base64.b64encode(text.encode()).decode() if encoded else text
    answer = vendors_function.handler(event, None)
    return answer["statusCode"], json.loads(answer.get("body") or "null")


@pytest.mark.parametrize(
    "path", ["/", "/wrong/richpanel/_sim", "//richpanel/_sim", f"/{TOKEN}/no/"]
)
def test_without_the_token_or_a_vendor_there_is_nothing(path):
    assert ask(path) == (404, None)


@pytest.mark.parametrize("encoded", [False, True])
def test_a_ticket_that_is_added_is_read_by_richpanels_own_route(encoded):
    ticket = {"id": "1042", "comments": ["Where is my order?"]}
    base = f"/{TOKEN}/richpanel"
    status, _ = ask(f"{base}/_sim/tickets", ticket, method="POST", encoded=encoded)
    assert status == 200
    key = {"x-richpanel-key": API_KEY}
    status, read = ask(f"{base}/v1/tickets/1042", **key)
    assert status == 200, read
    assert "Where is my order?" in json.dumps(read)
    assert ask(f"{base}/v1/tickets/1042")[0] == 401


def test_a_vendor_that_gives_no_answer_is_a_gateway_error_and_answers_the_next():
    base = f"/{TOKEN}/richpanel"
    ask(f"{base}/_sim/faults", {"kind": "drop"}, method="POST")
    key = {"x-richpanel-key": API_KEY}
    assert ask(f"{base}/v1/tickets/7", **key)[0] == 502
    assert ask(f"{base}/v1/tickets/7", **key)[0] == 404


def test_each_vendor_keeps_what_it_has_seen_for_itself():
    ask(f"/{TOKEN}/twilio/2010-04-01/Accounts")
    seen = {
        name: len(ask(f"/{TOKEN}/{name}/_sim/requests")[1]["requests"])
        for name in vendors_function.VENDORS
    }
    assert seen == {"richpanel": 0, "twilio": 1, "powerbi": 0}
