"""Signing fails closed: whatever may mean that requests must be signed closes an unsigned door."""

import base64
import hashlib
import hmac
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import SignatureError
from chalicelib.outreach.door import access
from local import company
from tests.rigs.each_row import each_row
from tests.rigs.outreach import TEL

KEY = b"0" * 24
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
SHORT = f"whsec_{base64.b64encode(b'0' * 23).decode()}"


def entry(**attributes):
    """A company's credentials as the secret has them."""
    whole = {"ci": {"api_keys": ["k"], **attributes}}
    return access.parse_access(json.dumps(whole))["ci"]


def is_open(known):
    """Whether an unsigned request passes."""
    try:
        access.check_signature({}, b"", known, now_epoch=0)
    except SignatureError:
        return False
    return True


@each_row(
    "value",
    [
        SECRET,
        {"new": SECRET},
        None,
        7,
        True,
        "",
        [""],
        [None],
        ["x"],
        [SHORT],
        ["whsec_"],
        ["whsec_%%%"],
        [SECRET, SHORT],
        [SECRET, None],
        [[SECRET]],
    ],
)
def test_a_value_that_is_no_list_of_good_secrets_closes_the_door(value):
    known = entry(signing_secrets=value)
    assert not is_open(known)
    assert known.faults
    assert SECRET not in repr(known)


@each_row(
    "name",
    [
        "signing_secret",
        "signingSecrets",
        "SIGNING_SECRETS",
        "signing-secrets",
        "signing_secrets ",
        "siging_secrets",
        "singing_secrets",
        "signing_keys",
        "webhook_secrets",
        "secrets",
        "secret",
        "signature",
        "sign",
        "standard_webhooks_secret",
        "signing_sercets",
        "singing_sercets",
    ],
)
def test_a_name_that_is_nearly_the_right_one_closes_the_door(name):
    known = entry(**{name: [SECRET]})
    assert not is_open(known)
    assert known.faults


def test_a_secret_under_any_other_name_closes_the_door():
    assert not is_open(entry(hooks={"one": [SECRET]}))


def test_a_company_without_signing_is_open_and_one_with_it_is_not():
    assert is_open(entry())
    assert is_open(entry(signing_secrets=[], note="Ana", owner="ops", contact=["x@example.com"]))
    assert not is_open(entry(signing_secrets=[SECRET]))
    assert not entry(signing_secrets=[SECRET]).faults


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


@given(value=JSON.filter(lambda value: value != []))
def test_no_other_value_leaves_the_door_open(value):
    assert not is_open(entry(signing_secrets=value))


def test_a_key_of_two_companies_is_neithers():
    companies = access.parse_access('{"ci-a": ["k", "a"], "ci-b": ["k"]}')
    assert access.company_of({"x-api-key": "a"}, companies) == "ci-a"
    with pytest.raises(SignatureError):
        access.company_of({"x-api-key": "k"}, companies)


def signed(body):
    """Headers of a valid signature, now."""
    at = str(int(time.time()))
    made = hmac.new(KEY, f"msg_1.{at}.".encode() + body, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(made).decode()}"
    return {"webhook-id": "msg_1", "webhook-timestamp": at, "webhook-signature": signature}


@pytest.fixture
def store(outreach):
    """Stores the company's entry beside its key: `store(signing_secrets=...)`."""

    def stored(**attributes):
        whole = {company.COMPANY_ID: {"api_keys": [company.API_KEY], **attributes}}
        company.put_secrets(outreach.stage, {"rp-mw/dev/router/api_keys": json.dumps(whole)})
        outreach.new_container()

    return stored


def test_a_company_that_signs_its_starts_signs_its_questions_too(outreach, store):
    outreach.start("req1", "sms")
    store(signing_secrets=[SECRET])
    refused = outreach.fate("req1")
    assert (refused.status_code, refused.json_body["error_code"]) == (401, "INVALID_SIGNATURE")
    assert outreach.fate("req1", **signed(b"")).json_body["state"] == "queued"
    assert outreach.fate("req1", **signed(b"{}")).status_code == 401


@pytest.mark.parametrize("attributes", [{"signing_secrets": SECRET}, {"signing_secret": [SECRET]}])
def test_signing_that_is_not_usable_closes_both_routes(outreach, store, attributes):
    store(**attributes)
    body = json.dumps(company.request("req1", "sms", TEL)).encode()
    answers = [outreach.post(body), outreach.post(body, **signed(body)), outreach.fate("req1")]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.json_body["error_code"] for answer in answers} == {"INVALID_SIGNATURE"}
    assert outreach.run() == []
