"""Accepted bodies of the Channel Router, and the order of checks for a wrong one."""

import base64
import copy
import hashlib
import hmac
import json

import pytest

from chalicelib.errors import RequestError, SignatureError
from chalicelib.outreach.door import access, router
from local import company
from tests.rigs.each_row import each_row

WHOLE = company.request("req123", "whatsapp", "+15550100001")
GONE = object()
GIVEN = "2026-11-20T09:00:00Z"


def broken(path, value):
    body = copy.deepcopy(WHOLE)
    *sections, last = path.split(".")
    place = body
    for name in sections:
        place = place[name]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return json.dumps(body).encode()


@each_row(
    ("path", "value", "code"),
    [
        ("company_data.company_id", GONE, "MISSING_IDENTIFIERS"),
        ("company_data.project_id", "  ", "MISSING_IDENTIFIERS"),
        ("company_data", GONE, "MISSING_COMPANY_DATA"),
        ("company_data", "text", "INVALID_COMPANY_DATA_TYPE"),
        ("recipient_data", GONE, "MISSING_RECIPIENT_DATA"),
        ("recipient_data", [], "INVALID_RECIPIENT_DATA_TYPE"),
        ("request_data", GONE, "MISSING_REQUEST_DATA"),
        ("request_data", 7, "INVALID_REQUEST_DATA_TYPE"),
        ("request_data.request_id", GONE, "MISSING_REQUEST_ID"),
        ("request_data.channel_method", GONE, "MISSING_CHANNEL_METHOD"),
        ("request_data.initial_request_timestamp", GONE, "MISSING_INITIAL_REQUEST_TIMESTAMP"),
        ("request_data.request_id", 7, "INVALID_REQUEST_ID_FORMAT"),
        ("request_data.channel_method", "", "INVALID_CHANNEL_METHOD_FORMAT"),
        ("request_data.initial_request_timestamp", 7, "INVALID_INITIAL_REQUEST_TIMESTAMP_FORMAT"),
        ("request_data.request_id", "a b", "INVALID_REQUEST_ID"),
        ("request_data.request_id", "x" * 129, "INVALID_REQUEST_ID"),
        ("request_data.channel_method", "fax", "UNSUPPORTED_CHANNEL"),
        ("request_data.initial_request_timestamp", "yesterday", "INVALID_TIMESTAMP"),
        ("recipient_data.recipient_tel", GONE, "MISSING_RECIPIENT_TEL"),
        ("recipient_data.recipient_tel", "12", "INVALID_RECIPIENT_TEL"),
        ("recipient_data.comms_consent", "yes", "INVALID_COMMS_CONSENT_TYPE"),
        ("request_data.purpose", "fun", "INVALID_PURPOSE"),
        ("request_data.purpose", {"a": 1}, "INVALID_PURPOSE"),
        ("recipient_data.consent", "yes", "INVALID_CONSENT"),
        ("recipient_data.consent", {}, "INVALID_CONSENT"),
        ("recipient_data.consent", {"given_at": "yesterday"}, "INVALID_CONSENT"),
        ("recipient_data.consent", {"given_at": GIVEN, "form": 7}, "INVALID_CONSENT"),
        ("recipient_data.consent", {"given_at": GIVEN, "canary": "x"}, "INVALID_CONSENT"),
        ("recipient_data.consent", {"given_at": GIVEN, "expires_at": GIVEN}, "INVALID_CONSENT"),
    ],
)
def test_an_invalid_field_is_answered_with_the_routers_code_and_no_value(path, value, code):
    with pytest.raises(RequestError) as refused:
        router.parse(broken(path, value))
    assert (refused.value.status, refused.value.code) == (400, code)
    if isinstance(value, str) and value.strip():
        assert value not in refused.value.message


@pytest.mark.parametrize(
    ("email", "code"), [(GONE, "MISSING_RECIPIENT_EMAIL"), ("nobody", "INVALID_RECIPIENT_EMAIL")]
)
def test_an_email_start_needs_an_address(email, code):
    body = company.request("req1", "email", "j@example.com")
    if email is GONE:
        del body["recipient_data"]["recipient_email"]
    else:
        body["recipient_data"]["recipient_email"] = email
    with pytest.raises(RequestError) as refused:
        router.parse(json.dumps(body).encode())
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("request_data.channel_method", "field channel_method is empty or no text"),
        ("company_data.company_id", "field company_id or project_id is missing, empty or no text"),
    ],
)
@pytest.mark.parametrize("value", ["", 7])
def test_the_error_message_fits_an_empty_text_and_a_number(path, said, value):
    with pytest.raises(RequestError) as refused:
        router.parse(broken(path, value))
    assert refused.value.message == said


BOM = b"\xef\xbb\xbf" + json.dumps(WHOLE).encode()
"""A byte order mark, which JSON that is sent must not have (RFC 8259)."""


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'"text"', BOM])
def test_a_body_that_is_not_a_json_object_is_an_invalid_request(body):
    with pytest.raises(RequestError) as refused:
        router.parse(body)
    assert refused.value.code == "INVALID_REQUEST"


@pytest.mark.parametrize("where", ["project_data", "router_version"])
def test_values_the_table_cannot_store_are_refused_at_any_depth(where):
    """Queued, it would be tried again and again."""
    half = "1.0\ud800"
    request = WHOLE | {"project_data": {"job_ref": half if where == "project_data" else "JR123"}}
    version = half if where == "router_version" else "1.0.1-dev"
    body = {"frontend_payload": request, "metadata": {"router_version": version}}
    with pytest.raises(RequestError) as refused:
        router.parse(json.dumps(body).encode())
    assert refused.value.code == "INVALID_REQUEST"


def test_a_body_that_is_too_large_is_refused_before_it_is_read():
    with pytest.raises(RequestError) as refused:
        router.parse(b"x" * (router.MAX_BODY_BYTES + 1))
    assert (refused.value.status, refused.value.code) == (413, "PAYLOAD_TOO_LARGE")


def test_checks_run_in_the_documented_order():
    body = copy.deepcopy(WHOLE)
    body["request_data"] = {"channel_method": "fax"}
    body["recipient_data"] = {}
    with pytest.raises(RequestError) as refused:
        router.parse(json.dumps(body).encode())
    assert refused.value.code == "MISSING_REQUEST_ID"


def test_phones_are_stored_in_e164_and_addresses_in_lower_case():
    body = copy.deepcopy(WHOLE)
    body["recipient_data"] |= {
        "recipient_tel": "+1 (555) 010-0001",
        "recipient_email": "J.Doe@Example.com",
    }
    parsed = router.parse(json.dumps(body).encode())
    assert parsed.recipient == "+15550100001"
    assert parsed.attributes["recipient_email"] == "j.doe@example.com"


def test_the_channel_is_compared_without_case():
    assert router.parse(broken("request_data.channel_method", "WhatsApp")).channel == "whatsapp"


SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SIGNING = access.Access(signing_secrets=(SECRET,))
SIGNED = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
BODY = b'{"test": 2432232314}'


def test_the_published_vector_of_standard_webhooks_holds_with_any_active_secret():
    other = "whsec_" + "A" * 32
    access.check_signature(
        SIGNED, BODY, access.Access(signing_secrets=(other, SECRET)), now_epoch=1614265330 + 299
    )


def signed(message_id, at):
    """Headers with a valid signature."""
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    text = f"{message_id}.{at}.".encode() + BODY
    made = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return {"webhook-id": message_id, "webhook-timestamp": at, "webhook-signature": f"v1,{made}"}


def test_our_own_signature_is_valid():
    access.check_signature(signed("msg_1", "1614265330"), BODY, SIGNING, now_epoch=1614265330)


@pytest.mark.parametrize(
    ("headers", "body", "now"),
    [
        ({}, BODY, 1614265330),
        (SIGNED, BODY + b" ", 1614265330),
        (SIGNED, BODY, 1614265330 + 301),
        (signed("msg_1", "9" * 400), BODY, 1614265330.5),
        (signed("msg_1", "9" * 5000), BODY, 1614265330),
        (SIGNED, BODY, 1614265330 - 301),
        (SIGNED | {"webhook-id": "other"}, BODY, 1614265330),
        (signed("", "1614265330"), BODY, 1614265330),
        (signed("msg_1", ""), BODY, 1614265330),
        (signed("msg_1", "now"), BODY, 1614265330),
        (SIGNED | {"webhook-signature": "v1,AAAA v2,BBBB"}, BODY, 1614265330),
    ],
)
def test_an_invalid_signature_is_refused(headers, body, now):
    with pytest.raises(SignatureError):
        access.check_signature(headers, body, SIGNING, now_epoch=now)


def test_a_malformed_secret_matches_nothing():
    with pytest.raises(SignatureError):
        access.check_signature({}, BODY, access.Access(signing_secrets=("whsec_%%%",)), now_epoch=0)
    with pytest.raises(SignatureError):
        access.company_of({"x-api-key": ""}, access.parse_access('{"ci": ""}'))
    with pytest.raises(SignatureError):
        access.company_of({"x-api-key": " "}, access.parse_access('{"ci": [" "]}'))
    assert access.parse_access("not json") == {}


def nested(levels):
    made = {}
    for _ in range(levels):
        made = {"a": made}
    return made


UNSTORABLE = [
    ("project_data", {"a": ["\ud800"]}),
    ("project_data", {"\udfff": 1}),
    ("project_data", {"a": 1e300}),
    ("project_data", {"a": -1e-200}),
    ("project_data", {"a": float("nan")}),
    ("project_data", {"a": float("inf")}),
    ("project_data", {"a": 10**38}),
    ("project_data", nested(27)),
    ("project_data", nested(40)),
    ("recipient_data.recipient_first_name", "\ud800"),
    ("company_data.project_id", "\ud800"),
    ("company_data.project_id", "p" * 257),
    ("company_data.company_id", "\u00e9" * 129),
]


@each_row(("path", "value"), UNSTORABLE)
def test_values_no_table_can_store_are_refused_at_the_door(path, value):
    with pytest.raises(RequestError) as refused:
        router.parse(broken(path, value))
    assert (refused.value.status, refused.value.code) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1e125, "b": -1e-129, "c": 0.0, "d": 10**37, "e": True, "f": None},
        nested(20),
        nested(26),
        {},
        None,
    ],
    ids=lambda value: repr(value)[:30],
)
def test_values_a_table_can_store_are_accepted(value):
    assert router.parse(broken("project_data", value)).request_id == "req123"


def test_a_start_may_say_its_purpose_and_bring_a_consent():
    consent = {"given_at": "2026-11-20T09:00:00+01:00", "form": " /apply ", "version": "7"}
    body = json.loads(broken("recipient_data.consent", consent))
    body["request_data"]["purpose"] = "service"
    asked = router.parse(json.dumps(body).encode())
    assert asked.attributes["purpose"] == "service"
    kept = {"given_at": "2026-11-20T08:00:00.000Z", "form": "/apply", "version": "7"}
    assert asked.attributes["consent"] == kept
    assert "purpose" not in router.parse(broken("recipient_data.comms_consent", True)).attributes
