"""Links and tools' results: a token that is not quite ours opens nothing, whatever is wrong with it."""

import base64
import ipaddress

import pytest

from chalicelib.once.keyring import KeyPurpose
from chalicelib.outreach.consent import unsubscribe
from chalicelib.outreach.tools import call_tokens
from chalicelib.wiring import services
from local import company
from local.stack.lambda_events import LambdaContext
from tests.attack.doors import CALL
from tests.rigs.api_gateway import event

HASHED, CONVERSATION = "a" * 32, "b" * 32
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_"
PURPOSES = [KeyPurpose.UNSUBSCRIBE, KeyPurpose.TOOL_RESULTS, KeyPurpose.SHARE]


@pytest.fixture
def ask(app, stage):
    company.create(stage)
    addresses = map(str, ipaddress.ip_network("198.18.0.0/15"))

    def asked(method, path, headers=None, **parameters):
        body = b"" if method == "GET" else b'{"status": "done"}'
        made = event(
            method, path, body, {"content-type": "application/json", **(headers or {})},
            address=next(addresses), **parameters,
        )  # fmt: skip
        return app.app(made, LambdaContext())["statusCode"]

    return asked


def link(purpose=KeyPurpose.UNSUBSCRIBE, company_id=company.COMPANY_ID):
    named = base64.urlsafe_b64encode(company_id.encode()).decode().rstrip("=")
    keys = services().keyring.of(purpose)
    signed = keys.sign(unsubscribe._LINK, company_id, HASHED, CONVERSATION)
    return f"{HASHED}.{named}.{CONVERSATION}.{signed}"


def result(purpose=KeyPurpose.TOOL_RESULTS, call_id=CALL):
    return call_tokens.call_token(services().keyring.of(purpose), CONVERSATION, call_id)


def almost(token):
    """Each character changed, left out or repeated, and the parts in another order."""
    for at, letter in enumerate(token):
        changed = LETTERS[(LETTERS.index(letter) + 1 + at % 60) % len(LETTERS)]
        yield token[:at] + changed + token[at + 1 :]
        yield token[:at] + token[at + 1 :]
        yield token[:at] + letter + token[at:]
    yield ".".join(reversed(token.split(".")))
    yield token.upper()
    yield token + "." + token


def opens_link(ask, token):
    return ask("GET", "/unsubscribe/{token}", token=token)


def takes_result(ask, token):
    headers = {"authorization": f"Bearer {token}"}
    path = "/conversations/{request_id}/tools/{call_id}/result"
    return ask("POST", path, headers, request_id="req1", call_id=CALL)


def test_no_link_that_is_almost_ours_opens(ask):
    assert opens_link(ask, link()) == 200
    assert {opens_link(ask, token) for token in almost(link())} == {404}


def test_no_tools_token_that_is_almost_ours_is_taken(ask):
    assert takes_result(ask, result()) == 404  # it is ours, and no such call is known
    assert {takes_result(ask, token) for token in almost(result())} == {401}


def test_another_companys_signature_opens_no_link(ask):
    parts, other = link().split("."), link(company_id="ci-bbb-002").split(".")
    for number in (1, 3):
        mixed = [*parts[:number], other[number], *parts[number + 1 :]]
        assert opens_link(ask, ".".join(mixed)) == 404


def test_a_token_of_another_call_is_not_taken(ask):
    assert takes_result(ask, result(call_id="4" * 32)) == 401


@pytest.mark.parametrize("purpose", PURPOSES)
def test_what_another_purposes_key_has_signed_opens_nothing(ask, purpose):
    assert opens_link(ask, link(purpose)) == (200 if purpose is KeyPurpose.UNSUBSCRIBE else 404)
    assert takes_result(ask, result(purpose)) == (
        404 if purpose is KeyPurpose.TOOL_RESULTS else 401
    )
