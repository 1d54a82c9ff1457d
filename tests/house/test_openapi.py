"""The OpenAPI description lists exactly the code's routes, and the code answers as described."""

import re
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from local import company
from local.vendors import twilio
from tests.rigs.openapi import DESCRIBED

ROOT = Path(__file__).resolve().parents[2]
DESK_MODULES = (
    *(
        f"outreach/desk/{name}.py"
        for name in ("asked", "case", "changes", "holding", "inbox", "door", "lifting")
    ),
    *("outreach/register/register_door.py", "outreach/register/register_parsing.py"),
)
ROUTER_MODULES = tuple(
    f"outreach/door/{name}.py" for name in ("initiate", "router", "access", "reading", "may_send")
)
WEBHOOK_MODULES = (
    "outreach/door/results.py",
    "support/webhook.py",
    "outreach/twilio/webhook.py",
    "outreach/twilio/door.py",
    "once/body.py",
    "facts/aloware_webhook.py",
    "facts/hubspot_webhook.py",
)
OTHER_MODULES = (
    *("once/intake.py", "aws/queue.py", "support/doors.py", "facts/doors.py"),
    *("outreach/channels.py", "outreach/people/assertions.py", "outreach/people/acting.py"),
    *("outreach/people/company_providers.py", "once/caller_shares.py"),
)
SCHEMA = schemathesis.openapi.from_dict(DESCRIBED)
EXAMPLES = [6, pytest.param(25, marks=pytest.mark.long)]
"""Generated requests per route, valid or invalid by the description."""


def codes(name):
    return set(DESCRIBED["components"]["schemas"][name]["properties"][CODE_OF[name]]["enum"])


CODE_OF = {"Error": "code", "RouterError": "error_code", "DeskError": "code"}


def raised(modules, pattern):
    """The error codes that the modules raise and that match the pattern."""
    found = set()
    for module in modules:
        for code in re.findall(
            r'Error\(\s*f?"([A-Za-z_{}.()]+)"', (ROOT / "chalicelib" / module).read_text()
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
    assert raised(ROUTER_MODULES, r"[A-Z_]+") <= codes("RouterError")


def test_every_code_of_the_webhooks_is_described():
    assert raised(WEBHOOK_MODULES, r"[a-z_]+") <= codes("Error")


def test_every_code_of_the_desk_is_described():
    assert raised((*DESK_MODULES, "outreach/door/access.py"), r"[A-Z_]+") <= codes("DeskError")


def test_every_described_code_can_be_raised():
    text = "".join(
        (ROOT / "chalicelib" / module).read_text()
        for module in (*ROUTER_MODULES, *DESK_MODULES, *WEBHOOK_MODULES, *OTHER_MODULES)
    )
    for code in codes("Error") | codes("RouterError") | codes("DeskError"):
        made_of_a_field = re.fullmatch(r"(missing|MISSING|INVALID)_(\w+?)(_TYPE|_FORMAT)?", code)
        assert code in text or (made_of_a_field and made_of_a_field[2].lower() in text.lower()), (
            code
        )


ANY_CONVERSATION = ("{conversation_id}", "0" * 32)
OPEN = {"/health", "/unsubscribe/{token}"}
"""Routes without a credential of their own; a token in the path is one."""
ROUTES = [(path, verb) for path, verbs in DESCRIBED["paths"].items() for verb in verbs]


def generated(examples):
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("path", "verb"), ROUTES)
def test_every_request_is_answered_as_described(served, path, verb, mode, examples):
    """Valid and invalid requests: no 500, no undescribed status or body."""
    running, session = served
    operation = SCHEMA[path][verb.upper()]
    if mode is GenerationMode.NEGATIVE and path == "/health":
        pytest.skip("nothing can be wrong with it")
    seen = set()

    @generated(examples)
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


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("path", "verb"), [route for route in ROUTES if route[0] not in OPEN])
def test_without_a_credential_every_request_is_refused_as_described(
    served, pump, path, verb, mode, examples
):
    """Whatever its body is, valid or not: a 4xx of the description, and nothing is queued."""
    running, _ = served
    operation = SCHEMA[path][verb.upper()]

    @generated(examples)
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case):
        with requests.Session() as session:
            answer = case.call(base_url=running.url, session=session)
        case.validate_response(answer, checks=CHECKS)
        assert answer.status_code in (401, 413, 415)

    ask()
    assert pump.pump_one() is None


@pytest.mark.parametrize("path", DESCRIBED["paths"])
def test_a_method_that_is_not_described_is_refused(served, path):
    running, session = served
    # OPTIONS is answered by Chalice's local server itself; a deployed API answers 403
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - {
        verb.upper() for verb in DESCRIBED["paths"][path]
    }:
        url = running.url + path.replace("{request_id}", "req1").replace(*ANY_CONVERSATION)
        answer = session.request(method, url, timeout=60)
        assert answer.status_code in (403, 405), method


@pytest.mark.parametrize(("path", "verb"), ROUTES)
def test_no_route_answers_a_browser_of_another_origin(app, served, path, verb):
    running, session = served
    assert not any(entry.cors for entry in app.app.routes[path].values())
    origin = {"origin": "https://elsewhere.example"}
    url = running.url + path.replace("{request_id}", "req1").replace(*ANY_CONVERSATION)
    answer = session.request(verb.upper(), url, headers=origin, timeout=60)
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
NEEDS_MORE_THAN_A_SHAPE = {
    "/initiate-conversation",
    "/may-send",
    "/register/lookup",
    "/register/lift",
    "/register/subscription",
    "/conversations/{request_id}",
    "/conversations/{request_id}/messages",
    "/unsubscribe/{token}",
    "/desk/conversations",
    "/desk/conversations/{conversation_id}",
    "/desk/conversations/{conversation_id}/acts",
    "/conversations/{request_id}/tools/{call_id}/result",
}
"""Routes whose requests also need rows in the tables, or a signed path."""


def test_the_examples_of_the_router_are_answered_as_described(served):
    """A start, its repetition, its status, and each refusal on purpose."""
    running, session = served

    def start(**changes):
        body = company.request("req123", "whatsapp", "+15550100001", **changes)
        return session.post(f"{running.url}/initiate-conversation", json=body, timeout=60)

    first, again = start(), start()
    other = start(recipient_data={"recipient_first_name": "Else"})
    fate = session.get(f"{running.url}/conversations/req123", timeout=60)
    nothing = session.get(f"{running.url}/conversations/nobody", timeout=60)
    assert [reply.status_code for reply in (first, again, other, fate, nothing)] == [
        *(200, 200, 409, 200, 404)
    ]
    assert (first.json()["duplicate"], again.json()["duplicate"]) == (False, True)
    for answer, path, verb in (
        *((reply, "/initiate-conversation", "POST") for reply in (first, again, other)),
        *((reply, "/conversations/{request_id}", "GET") for reply in (fate, nothing)),
    ):
        SCHEMA[path][verb].validate_response(answer)
