"""Every code that the Router's page documents is met on purpose, as its author would meet it."""

import json
import re
from pathlib import Path

import pytest
import requests
import schemathesis
import yaml
from botocore.exceptions import ClientError

from chalicelib.errors import UnavailableError
from local import company
from local.stack.server import Http
from tests.rigs.outreach import MAIL, TEL

DOCS = Path(__file__).resolve().parents[4] / "docs"
DESCRIBED = yaml.safe_load((DOCS / "openapi.yaml").read_text())
SCHEMA = schemathesis.openapi.from_dict(DESCRIBED)
START, FATE = "/initiate-conversation", "/conversations/{request_id}"
MAY_SEND = "/may-send"
GONE = object()

DOCUMENTED = {
    code: int(status)
    for line in (DOCS / "outreach-starts.md").read_text().splitlines()
    if (found := re.match(r"\| (`[A-Z_`, ]+`) \| (\d{3}) \|", line))
    for codes, status in [found.groups()]
    for code in re.findall(r"[A-Z_]+", codes)
}
"""The page's table: `error_code` to status."""

WRONG_FIELDS = {
    "MISSING_IDENTIFIERS": ("company_data.company_id", GONE),
    "MISSING_COMPANY_DATA": ("company_data", GONE),
    "MISSING_RECIPIENT_DATA": ("recipient_data", GONE),
    "MISSING_REQUEST_DATA": ("request_data", GONE),
    "INVALID_COMPANY_DATA_TYPE": ("company_data", "text"),
    "INVALID_RECIPIENT_DATA_TYPE": ("recipient_data", []),
    "INVALID_REQUEST_DATA_TYPE": ("request_data", 7),
    "MISSING_REQUEST_ID": ("request_data.request_id", GONE),
    "MISSING_CHANNEL_METHOD": ("request_data.channel_method", GONE),
    "MISSING_INITIAL_REQUEST_TIMESTAMP": ("request_data.initial_request_timestamp", GONE),
    "INVALID_REQUEST_ID_FORMAT": ("request_data.request_id", 7),
    "INVALID_CHANNEL_METHOD_FORMAT": ("request_data.channel_method", ""),
    "INVALID_INITIAL_REQUEST_TIMESTAMP_FORMAT": ("request_data.initial_request_timestamp", 7),
    "INVALID_REQUEST_ID": ("request_data.request_id", "a b"),
    "UNSUPPORTED_CHANNEL": ("request_data.channel_method", "fax"),
    "INVALID_SEND_AT": ("request_data.send_at", "2026-12-01T09:00:00"),
    "INVALID_TIMESTAMP": ("request_data.initial_request_timestamp", "yesterday"),
    "MISSING_RECIPIENT_TEL": ("recipient_data.recipient_tel", GONE),
    "INVALID_RECIPIENT_TEL": ("recipient_data.recipient_tel", "12"),
    "INVALID_COMMS_CONSENT_TYPE": ("recipient_data.comms_consent", "yes"),
    "INVALID_PURPOSE": ("request_data.purpose", "fun"),
    "INVALID_CONSENT": ("recipient_data.consent", {"given_at": "yesterday"}),
    "INVALID_COMMS_CONSENT_PROOF": ("recipient_data.comms_consent_at", "yesterday"),
    "AUTHORIZATION_ERROR": ("company_data.company_id", "ci-other"),
    "COMPANY_NOT_FOUND": ("company_data.project_id", "pi-none"),
}
SETTINGS = {
    "PROJECT_INACTIVE": {"project_status": "paused"},
    "CHANNEL_NOT_ALLOWED": {"allowed_channels": ["email"]},
    "CONSENT_REQUIRED": {},
    "CONFIGURATION_ERROR": {"channel_config": {"sms": {}}},
    "RATE_LIMIT_EXCEEDED": {"rate_limits": {"requests_per_minute": 1}},
}


class Router:
    """The Router's author, who has a base URL, a key, `requests`, and the two pages."""

    def __init__(self, url):
        self.url = url

    def starts(self, body=None, *, key=company.API_KEY, **sent):
        sent = sent or {"json": body or request()}
        headers = {"x-api-key": key} if key else {}
        return requests.post(self.url + START, headers=headers, timeout=60, **sent)

    def asks(self, request_id, *, key=company.API_KEY):
        url = f"{self.url}/conversations/{request_id}"
        return requests.get(url, headers={"x-api-key": key}, timeout=60)


@pytest.fixture
def router(outreach):
    with Http(outreach.app.app) as running:
        yield Router(running.url)


def request(path=None, value=None, *, channel="sms", recipient=TEL, **changes):
    """A body that is right but for the field at a path."""
    body = company.request("req123", channel, recipient, **changes)
    if path:
        *sections, name = path.split(".")
        place = body[sections[0]] if sections else body
        if value is GONE:
            del place[name]
        else:
            place[name] = value
    return body


def is_met(answer, code, path=START):
    """Whether status, body and headers match both documentation pages."""
    assert (answer.json()["error_code"], answer.status_code) == (code, DOCUMENTED[code])
    assert answer.headers["content-type"] == "application/json"
    verb = "POST" if path in (START, MAY_SEND) else "GET"
    SCHEMA[path][verb].validate_response(answer)
    return True


def throttled(event_name, **_about):
    """Raise before each call what DynamoDB raises while it throttles everything."""
    raise ClientError({"Error": {"Code": "ThrottlingException", "Message": ""}}, event_name)


def met_elsewhere():
    """Codes that have a test of their own below."""
    text = Path(__file__).read_text()
    return set(re.findall(r'is_met\(.*"([A-Z_]+)"', text))


def test_every_error_code_is_documented_and_triggered():
    described = DESCRIBED["components"]["schemas"]["RouterError"]["properties"]["error_code"]
    assert set(DOCUMENTED) == set(described["enum"])
    assert set(DOCUMENTED) == {*WRONG_FIELDS, *SETTINGS, *met_elsewhere()}


@pytest.mark.parametrize("code", WRONG_FIELDS)
def test_an_invalid_field_gets_its_code(router, outreach, code):
    path, value = WRONG_FIELDS[code]
    answer = router.starts(request(path, value))
    assert is_met(answer, code)
    assert path.rpartition(".")[2] in answer.json()["message"] or answer.status_code != 400
    assert outreach.run() == []
    assert router.starts().json()["duplicate"] is False  # mended


@pytest.mark.parametrize("code", SETTINGS)
def test_a_project_setting_gets_its_code(router, outreach, code):
    if code == "RATE_LIMIT_EXCEEDED":
        router.starts(request("request_data.request_id", "the-one-allowed"))
    outreach.set_project(**SETTINGS[code])
    consent = GONE if code == "CONSENT_REQUIRED" else True
    answer = router.starts(request("recipient_data.comms_consent", consent))
    assert is_met(answer, code)
    assert answer.headers.get("retry-after", "0").isdecimal()
    assert ("retry-after" in answer.headers) is (code == "RATE_LIMIT_EXCEEDED")
    outreach.set_project()
    assert router.starts().json()["duplicate"] is False


@pytest.mark.parametrize("email", [GONE, "nobody"])
def test_an_invalid_address_gets_its_code(router, email):
    body = request("recipient_data.recipient_email", email, channel="email", recipient=MAIL)
    answer = router.starts(body)
    if email is GONE:
        assert is_met(answer, "MISSING_RECIPIENT_EMAIL")
    else:
        assert is_met(answer, "INVALID_RECIPIENT_EMAIL")


@pytest.mark.parametrize("key", [None, "nobodys"])
def test_an_unknown_key_gets_its_code(router, key):
    assert is_met(router.starts(key=key), "UNAUTHORIZED")
    assert is_met(router.asks("req123", key=key), "UNAUTHORIZED", FATE)


def test_an_unsigned_request_gets_its_code(router, outreach):
    access = {"api_keys": [company.API_KEY], "signing_secrets": ["whsec_c2VjcmV0"]}
    name = "rp-mw/dev/router/api_keys"
    outreach.stage.aws.client("secretsmanager").put_secret_value(
        SecretId=name, SecretString=f'{{"{company.COMPANY_ID}": {access}}}'.replace("'", '"')
    )
    outreach.new_container()
    assert is_met(router.starts(), "INVALID_SIGNATURE")


def test_unusable_bodies_get_their_codes(router):
    assert is_met(raw(router, b"{"), "INVALID_REQUEST")
    assert is_met(raw(router, b" " * (256 * 1024 + 1)), "PAYLOAD_TOO_LARGE")
    assert raw(router, b"{}", content_type="text/plain").status_code == 415


def raw(router, body, content_type="application/json"):
    headers = {"x-api-key": company.API_KEY, "content-type": content_type}
    return requests.post(router.url + START, data=body, headers=headers, timeout=60)


def test_another_payload_under_the_same_id_gets_its_code(router):
    assert router.starts().json()["duplicate"] is False
    other = router.starts(request("recipient_data.recipient_tel", "+15550100002"))
    assert is_met(other, "REQUEST_ID_REUSED")
    assert router.starts().json()["duplicate"] is True


def test_an_unknown_request_id_gets_its_code(router):
    answer = router.asks("req-none")
    assert is_met(answer, "REQUEST_NOT_FOUND", FATE)
    assert answer.json()["request_id"] == "req-none"
    assert router.asks("+15550100001").json()["request_id"] == "unknown"


def test_messages_after_what_is_no_number_get_their_code(router, outreach):
    router.starts()
    outreach.run()
    answer = router.asks("req123/messages?after=first")
    assert is_met(answer, "INVALID_AFTER", f"{FATE}/messages")
    assert router.asks("req123/messages").json()["messages"][0]["from"] == "company"


def test_after_our_own_faults_the_repeated_request_is_sent_once(
    router, outreach, monkeypatch, capsys
):
    with monkeypatch.context() as broken:
        broken.setattr(type(outreach.services.outbox), "put", unqueued)
        assert is_met(router.starts(), "QUEUE_ERROR")
    events = outreach.services._dynamodb.meta.events
    events.register("before-call", throttled)
    assert is_met(router.starts(), "DATABASE_ERROR")
    assert is_met(router.asks("req123"), "DATABASE_ERROR", FATE)
    events.unregister("before-call", throttled)
    name = "rp-mw/dev/router/api_keys"
    secrets = outreach.stage.aws.client("secretsmanager")
    kept = secrets.get_secret_value(SecretId=name)["SecretString"]
    secrets.put_secret_value(SecretId=name, SecretBinary=b"no text")
    outreach.new_container()
    assert is_met(router.starts(), "INTERNAL_ERROR")
    assert rung(capsys) == ["DATABASE_ERROR", "DATABASE_ERROR", "INTERNAL_ERROR", "QUEUE_ERROR"]
    company.put_secrets(outreach.stage, {name: kept})
    outreach.new_container()
    assert router.starts().status_code == 200
    outreach.run()
    assert router.asks("req123").json()["state"] == "sent"
    assert len(outreach.twilio.sent_to(TEL)) == 1


def rung(capsys):
    """The error codes counted in the metric of the alarm ingress-failures."""
    lines = capsys.readouterr().out.splitlines()
    return sorted(json.loads(line)["code"] for line in lines if '"mw.ingress.failed":' in line)


def unqueued(*_, **__):
    """A queue that accepts nothing."""
    raise UnavailableError("enqueue_failed")


def asked(router, **changes):
    body = {
        "company_id": company.COMPANY_ID,
        "project_id": company.PROJECT_ID,
        "channel_method": "sms",
        "recipient_tel": TEL,
        **changes,
    }
    headers = {"x-api-key": company.API_KEY}
    return requests.post(router.url + MAY_SEND, headers=headers, json=body, timeout=60)


def test_a_wrong_question_whether_one_may_send(router):
    assert asked(router).status_code == 200
    assert is_met(asked(router, colour="red"), "UNKNOWN_FIELD", MAY_SEND)
    assert is_met(asked(router, at="tomorrow"), "INVALID_AT", MAY_SEND)
    assert is_met(asked(router, purpose="fun"), "INVALID_PURPOSE", MAY_SEND)
