"""Twilio's signature by shared keys, made by the vendor's own SDK."""

import json
from urllib.parse import urlencode

import pytest
from twilio.request_validator import RequestValidator

from chalicelib.errors import SignatureError
from chalicelib.outreach.twilio import webhook as twilio_webhook

URL = "https://router.company.example/api/webhook/twilio"
ACCOUNT = "AC" + "1" * 32
FORM = {"AccountSid": ACCOUNT, "Body": "Hello", "MessageSid": "SM" + "a" * 32}
KEY_ID = "webhooks_sharedkey_1"
BOTH = {ACCOUNT: {"auth_tokens": ["token"], "shared_keys": {KEY_ID: "shared"}}}
SHARED_ONLY = {ACCOUNT: {"shared_keys": {KEY_ID: "shared"}}}
SETTINGS = f"key={KEY_ID},algorithm=HMAC_SHA256"


def is_valid(secret, token, algorithm, settings=None, form=FORM):
    """Whether a post that the SDK signs is accepted."""
    made = RequestValidator(token).compute_signature(URL, form, algorithm)
    headers = {"x-twilio-signature": made}
    if settings is not None:
        headers["x-twilio-webhooks-signature-settings"] = settings
    text = json.dumps(secret)
    tokens, shared = twilio_webhook.auth_tokens(text), twilio_webhook.shared_keys(text)
    try:
        twilio_webhook.verify(headers, urlencode(form).encode(), URL, tokens, shared)
    except SignatureError:
        return False
    return True


@pytest.mark.parametrize("secret", [BOTH, SHARED_ONLY])
def test_a_shared_keys_signature_is_accepted(secret):
    assert is_valid(secret, "shared", "HMAC_SHA256", SETTINGS)
    assert is_valid(secret, "shared", "HMAC_SHA256", f"algorithm=HMAC_SHA256, key={KEY_ID}")


def test_the_older_signature_is_accepted_while_the_account_has_a_token():
    assert is_valid(BOTH, "token", "HMAC_SHA1")
    assert is_valid({ACCOUNT: ["token"]}, "token", "HMAC_SHA1", "")
    assert not is_valid(SHARED_ONLY, "token", "HMAC_SHA1")
    assert not is_valid(SHARED_ONLY, "shared", "HMAC_SHA1")


@pytest.mark.parametrize(
    ("token", "algorithm", "settings"),
    [
        ("other", "HMAC_SHA256", SETTINGS),
        ("token", "HMAC_SHA256", SETTINGS),
        ("shared", "HMAC_SHA256", None),
        ("shared", "HMAC_SHA256", "algorithm=HMAC_SHA256"),
        ("token", "HMAC_SHA256", "algorithm=HMAC_SHA256"),
        ("shared", "HMAC_SHA256", "key=another,algorithm=HMAC_SHA256"),
        ("shared", "HMAC_SHA256", f"key={KEY_ID},algorithm=HMAC_SHA512"),
        ("shared", "HMAC_SHA256", f"key={KEY_ID}"),
        ("shared", "HMAC_SHA1", SETTINGS),
        ("shared", "HMAC_SHA256", "=,key,,algorithm"),
    ],
)
def test_anything_else_is_refused(token, algorithm, settings):
    assert not is_valid(BOTH, token, algorithm, settings)


def test_another_accounts_shared_key_signs_nothing_for_this_one():
    other = "AC" + "2" * 32
    secret = {**BOTH, other: {"shared_keys": {"theirs": "theirs"}}}
    settings = "key=theirs,algorithm=HMAC_SHA256"
    assert is_valid(secret, "theirs", "HMAC_SHA256", settings, FORM | {"AccountSid": other})
    assert not is_valid(secret, "theirs", "HMAC_SHA256", settings)


def test_a_form_names_one_account_once():
    body = urlencode([("AccountSid", "AC1"), ("AccountSid", "AC2")]).encode()
    text = f"{URL}AccountSidAC1AccountSidAC2"
    made = RequestValidator("one").compute_signature(text, {}, "HMAC_SHA1")
    with pytest.raises(SignatureError):
        twilio_webhook.verify({"x-twilio-signature": made}, body, URL, {"AC1": ["one"]})


@pytest.mark.parametrize(
    "value",
    [None, 7, {}, {"auth_tokens": 7}, {"shared_keys": ["shared"]}, {"shared_keys": {"": "x"}}],
)
def test_an_entry_of_another_form_accepts_nothing(value):
    secret = {ACCOUNT: value}
    assert not is_valid(secret, "token", "HMAC_SHA1")
    assert not is_valid(secret, "shared", "HMAC_SHA256", SETTINGS)
    assert not is_valid(secret, "", "HMAC_SHA256", "key=,algorithm=HMAC_SHA256")
