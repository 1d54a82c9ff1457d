"""The description of all routes: it names what the code has, and the code answers as it says."""

import base64
import hashlib
import hmac
import re
import time
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
import requests
import schemathesis
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from chalicelib.facts.hubspot_webhook import signature_v3
from chalicelib.outreach.twilio.webhook import signed_url
from local import company
from local.stack.server import Http
from local.vendors import hubspot, twilio

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "openapi.yaml"
PAGE_TEXT = PAGE.read_text()
DESCRIBED = yaml.safe_load(PAGE_TEXT)
ROUTER_ROOMS = ("initiate.py", "sources/router.py", "sources/router_access.py")
WEBHOOK_ROOMS = tuple(
    f"sources/{name}.py" for name in ("richpanel", "twilio", "aloware", "hubspot")
)
EXAMPLES = 40
"""Requests of each route; each is one of many that the description allows, or forbids."""


def codes(name):
    return set(DESCRIBED["components"]["schemas"][name]["properties"][CODE_OF[name]]["enum"])


CODE_OF = {"Error": "code", "RouterError": "error_code"}


def raised(rooms, pattern):
    """The codes that the rooms raise, those made of a field's name filled in."""
    found = set()
    for room in rooms:
        for code in re.findall(
            r'Error\(\s*f?"([A-Za-z_{}.()]+)"', (ROOT / "chalicelib" / room).read_text()
        ):
            if re.fullmatch(pattern, code):
                found.add(code)
    return found


def test_every_route_is_described_and_nothing_else(app):
    routes = {
        (path, method.lower()) for path, methods in app.app.routes.items() for method in methods
    }
    described = {(path, verb) for path, verbs in DESCRIBED["paths"].items() for verb in verbs}
    assert described == routes


def test_every_code_of_the_routers_door_is_described():
    assert raised(ROUTER_ROOMS, r"[A-Z_]+") <= codes("RouterError")


def test_every_code_of_the_webhooks_is_described():
    assert raised(WEBHOOK_ROOMS, r"[a-z_]+") <= codes("Error")


def test_every_described_code_can_be_raised():
    text = "".join(
        (ROOT / "chalicelib" / room).read_text()
        for room in (*ROUTER_ROOMS, *WEBHOOK_ROOMS, "intake.py", "outbox.py", "fact_intake.py")
    )
    for code in codes("Error") | codes("RouterError"):
        made_of_a_field = re.fullmatch(r"(missing|MISSING|INVALID)_(\w+?)(_TYPE|_FORMAT)?", code)
        assert code in text or (made_of_a_field and made_of_a_field[2].lower() in text.lower()), (
            code
        )


@pytest.fixture
def served(app, stage, monkeypatch):
    """The application on loopback, with an invented company."""
    company.create(stage)
    monkeypatch.setenv("PUBLIC_BASE_URL", company.PUBLIC_URL)
    with Http(app.app) as running, requests.Session() as session:
        session.auth = Sender(stage)
        yield running, session


class Sender(requests.auth.AuthBase):
    """Shows the credential that a request's real sender would, over what is really sent."""

    def __init__(self, stage):
        self.secrets = stage.secrets

    def __call__(self, request):
        path, _, query = request.path_url.partition("?")
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        request.headers.update(self.proof(path, query, body))
        return request

    def proof(self, path, query, body):
        match path:
            case "/webhook/richpanel":
                return {"x-richpanel-webhook-token": self.secrets.webhook_token}
            case "/webhook/aloware":
                return {"authorization": f"Bearer {self.secrets.aloware_token}"}
            case "/webhook/hubspot":
                stamp = str(int(time.time() * 1000))
                secret = self.secrets.hubspot_secret
                signed = signature_v3(secret, uri=hubspot.TARGET_URL, body=body, stamp=stamp)
                return {"x-hubspot-signature-v3": signed, "x-hubspot-request-timestamp": stamp}
            case "/webhook/twilio" | "/webhook/twilio/status":
                return {"x-twilio-signature": twilio_signature(path, query, body)}
            case _:
                return {"x-api-key": company.API_KEY}


def twilio_signature(path, query, body):
    asked = dict(parse_qsl(query, keep_blank_values=True))
    form = sorted(set(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)))
    signed = signed_url(company.PUBLIC_URL, path, asked) + "".join(n + v for n, v in form)
    digest = hmac.new(twilio.AUTH_TOKEN.encode(), signed.encode(), hashlib.sha1).digest()
    return base64.b64encode(digest).decode()


ROUTES = [(path, verb) for path, verbs in DESCRIBED["paths"].items() for verb in verbs]


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("path", "verb"), ROUTES)
def test_no_request_is_answered_otherwise_than_described(served, path, verb, mode):
    """What fits the description and what does not: no 500, no status or body beside it."""
    running, session = served
    operation = schemathesis.openapi.from_dict(DESCRIBED)[path][verb.upper()]
    if mode is GenerationMode.NEGATIVE and path == "/health":
        pytest.skip("nothing can be wrong with it")
    seen = set()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case):
        if "twilio" in path and isinstance(case.body, dict) and "AccountSid" in case.body:
            case.body["AccountSid"] = twilio.ACCOUNT_SID
        answer = case.call(base_url=running.url, session=session)
        case.validate_response(answer, checks=CHECKS)
        seen.add(answer.status_code)

    ask()
    assert seen
    if mode is GenerationMode.POSITIVE and path not in NEEDS_MORE_THAN_A_SHAPE:
        assert 200 in seen, seen


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
NEEDS_MORE_THAN_A_SHAPE = {"/initiate-conversation", "/conversations/{request_id}"}
"""What they ask for must be in the tables too."""


def test_the_examples_of_the_router_are_answered_as_described(served):
    """A start, its repetition, its fate, and each refusal on purpose."""
    running, session = served

    def start(**changes):
        body = company.request("req123", "whatsapp", "+15550100001", **changes)
        return session.post(f"{running.url}/initiate-conversation", json=body, timeout=10)

    schema = schemathesis.openapi.from_dict(DESCRIBED)
    first, again = start(), start()
    other = start(recipient_data={"recipient_first_name": "Else"})
    fate = session.get(f"{running.url}/conversations/req123", timeout=10)
    nothing = session.get(f"{running.url}/conversations/nobody", timeout=10)
    assert [one.status_code for one in (first, again, other, fate, nothing)] == [
        *(200, 200, 409, 200, 404)
    ]
    assert (first.json()["duplicate"], again.json()["duplicate"]) == (False, True)
    for answer, path, verb in (
        *((one, "/initiate-conversation", "POST") for one in (first, again, other)),
        *((one, "/conversations/{request_id}", "GET") for one in (fate, nothing)),
    ):
        schema[path][verb].validate_response(answer)
