"""The doors of outreach: keys, signatures, and the company's own settings."""

import base64
import hashlib
import hmac
import itertools
import json
import time
from datetime import timedelta

import pytest

from chalicelib.clock import SystemClock
from chalicelib.outreach.door.initiate import BEYOND_SHARE
from chalicelib.outreach.door.shares import BURST
from local import company
from local.vendors.twilio import WebhookPost
from tests.rigs.outreach import TEL


def test_the_same_id_with_another_payload_is_a_conflict(outreach):
    outreach.start()
    other = outreach.start(recipient="+15550100002")
    assert other.status_code == 409
    assert other.json_body["error_code"] == "REQUEST_ID_REUSED"
    outreach.run()
    assert outreach.twilio.sent_to("+15550100002") == []


def test_only_the_request_and_id_of_a_context_object_are_used(outreach):
    request = company.request("req9", "sms", TEL)
    given = f"{company.COMPANY_ID}#{company.PROJECT_ID}#from-the-router"
    body = {
        "frontend_payload": request,
        "company_data_payload": {"channel_config": {"sms": {"company_sms_number": "+15550666666"}}},
        "conversation_data": {
            "conversation_id": given,
            "conversation_status": "initiated",
        },
        "metadata": {"router_version": "1.0.1-dev"},
    }
    answer = outreach.post(body)
    outreach.run()
    assert answer.json_body["conversation_id"] == given
    (message,) = outreach.twilio.sent_to(TEL)
    assert message["from"] == company.SMS_NUMBER
    assert outreach.record("sms").item["router_version"] == "1.0.1-dev"


@pytest.mark.parametrize("key", ["", "wrong"])
def test_a_request_without_a_known_key_is_not_parsed(outreach, key):
    answer = outreach.post(b"not even json", key=key)
    assert (answer.status_code, answer.json_body["error_code"]) == (401, "UNAUTHORIZED")


def test_a_key_works_only_for_its_own_company(outreach):
    company.put_secrets(
        outreach.stage,
        {
            "rp-mw/dev/router/api_keys": json.dumps(
                {"ci-bbb-002": ["other"], "ci-aaa-001": ["a", "b"]}
            )
        },
    )
    body = company.request("req1", "sms", TEL)
    assert outreach.post(body, key="other").json_body["error_code"] == "AUTHORIZATION_ERROR"
    assert [outreach.post(body, key=key).status_code for key in ("a", "b")] == [200, 200]
    assert outreach.fate("req1", key="other").status_code == 404
    assert outreach.fate("req1", key="a").json_body["state"] == "queued"


def test_a_company_with_a_signing_secret_must_sign_every_start(outreach):
    key = base64.b64encode(b"0" * 24).decode()
    known = {"api_keys": [company.API_KEY], "signing_secrets": [f"whsec_{key}"]}
    secret = json.dumps({company.COMPANY_ID: known})
    company.put_secrets(outreach.stage, {"rp-mw/dev/router/api_keys": secret})
    body = json.dumps(company.request("req1", "sms", TEL)).encode()
    refused = outreach.post(body)
    assert (refused.status_code, refused.json_body["error_code"]) == (401, "INVALID_SIGNATURE")
    at = str(int(time.time()))
    made = hmac.new(b"0" * 24, f"msg_1.{at}.".encode() + body, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(made).decode()}"
    signed = {"webhook-id": "msg_1", "webhook-timestamp": at, "webhook-signature": signature}
    assert outreach.post(body, **signed).status_code == 200


def test_a_start_that_was_queued_is_dated(outreach):
    outreach.start()
    (row,) = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:start:")]
    assert "due_at" in row


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"project_status": "inactive"}, 403, "PROJECT_INACTIVE"),
        ({"allowed_channels": ["email"]}, 403, "CHANNEL_NOT_ALLOWED"),
        ({"channel_config": {}}, 500, "CONFIGURATION_ERROR"),
    ],
)
def test_the_companys_settings_are_enforced(outreach, changes, status, code):
    outreach.set_project(**changes)
    answer = outreach.start()
    assert (answer.status_code, answer.json_body["error_code"]) == (status, code)
    assert "try again" not in answer.json_body["message"], "it is the operator's to mend"
    assert answer.json_body["request_id"] == "req123"


def test_consent_is_required_unless_the_project_does_without(outreach):
    silent = {"recipient_data": {"comms_consent": None}}
    assert outreach.start("a", **silent).json_body["error_code"] == "CONSENT_REQUIRED"
    outreach.set_project(require_consent=False)
    assert outreach.start("b", **silent).status_code == 200
    outreach.run()
    assert outreach.record().item["comms_consent"] is False


def test_the_proof_of_consent_is_kept_with_the_conversation(outreach):
    proof = {
        "comms_consent_at": "2026-11-20T09:59:00+01:00",
        "comms_consent_source": " form /apply, box 2 ",
    }
    assert outreach.start(recipient_data=proof).status_code == 200
    outreach.run()
    kept = outreach.record().item
    assert kept["comms_consent_at"] == "2026-11-20T08:59:00.000Z"
    assert kept["comms_consent_source"] == "form /apply, box 2"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("comms_consent_at", "yesterday"),
        ("comms_consent_at", 7),
        ("comms_consent_source", ""),
        ("comms_consent_source", ["form"]),
        ("comms_consent_source", "x" * 1001),
    ],
)
def test_a_proof_that_cannot_be_kept_is_refused_by_its_field(outreach, field, value):
    answer = outreach.start(recipient_data={field: value})
    assert answer.status_code == 400
    assert answer.json_body["error_code"] == "INVALID_COMMS_CONSENT_PROOF"
    assert field in answer.json_body["message"]
    assert outreach.run() == []


def test_an_unknown_project_is_not_found(outreach):
    answer = outreach.start(company_data={"project_id": "pi-none"})
    assert (answer.status_code, answer.json_body["error_code"]) == (404, "COMPANY_NOT_FOUND")


@pytest.mark.parametrize(
    "limit", ["requests_per_minute", "requests_per_day", "concurrent_conversations"]
)
def test_a_company_over_its_limit_gets_a_retry_after(outreach, limit):
    outreach.set_project(rate_limits={limit: 2})
    codes = [outreach.start(f"r{n}", recipient=f"+1555010000{n}").status_code for n in range(3)]
    assert codes == [200, 200, 429]
    again = outreach.start("r0", recipient="+15550100000")
    assert (again.status_code, again.json_body["duplicate"]) == (200, True)
    refused = outreach.start("r2", recipient="+15550100002")
    assert int(refused.headers["Retry-After"]) > 0
    outreach.run()
    if limit == "concurrent_conversations":
        assert outreach.start("r2", recipient="+15550100002").status_code == 200


@pytest.mark.parametrize("path", ["/webhook/twilio", "/webhook/twilio/status"])
def test_a_post_that_is_not_signed_by_the_accounts_token_is_refused(outreach, path):
    outreach.start(channel="sms")
    outreach.run()
    post = outreach.says("hello", whatsapp=False)
    post = outreach.twilio.callbacks()[0] if path.endswith("status") else post
    forged = WebhookPost(post.url, {**post.headers, "X-Twilio-Signature": "AAAA"}, post.body)
    assert outreach.deliver(forged).status_code == 401
    tampered = WebhookPost(post.url, post.headers, post.body + b"&Extra=1")
    assert outreach.deliver(tampered).status_code == 401
    assert outreach.run() == []
    assert outreach.deliver(post).status_code == 200


def test_a_start_has_the_same_receipt_time_in_every_record(outreach, monkeypatch):
    """It counts as open, and stops counting, under the day of that time."""
    real, ticks = SystemClock.now, itertools.count()
    monkeypatch.setattr(
        SystemClock, "now", lambda self: real(self) + timedelta(milliseconds=5 * next(ticks))
    )
    outreach.start(channel="sms")
    outreach.run()
    (row,) = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:start:")]
    assert outreach.record("sms").item["received_at"] == row["received_at"]["S"]


def test_starts_beyond_their_companys_share_are_sent_though_their_copies_are_lost(
    outreach, monkeypatch
):
    """The queue `later` takes them and loses them; their dated rows and parcels carry them."""
    monkeypatch.setattr("chalicelib.aws.queue.SqsDelayQueue.put", lambda *_, **__: None)
    outreach.set_project(rate_limits={"concurrent_conversations": 1_000})
    ids = [f"req{number}" for number in range(BURST + 4)]
    tels = {id_: f"+155501031{number:02d}" for number, id_ in enumerate(ids)}
    for id_ in ids:
        assert outreach.start(id_, "sms", tels[id_]).status_code == 200
    outreach.run()
    waiting = [id_ for id_ in ids if outreach.fate(id_).json_body["state"] == "queued"]
    assert len(waiting) >= 3
    rows = [row for row in outreach.rows() if row.get("last_reason") == {"S": BEYOND_SHARE}]
    assert len(rows) == len(waiting)
    assert all(float(row["due_at"]["N"]) > float(row["until"]["N"]) for row in rows)
    assert outreach.start(waiting[0], "sms", tels[waiting[0]]).json_body["duplicate"] is True
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    assert [outreach.fate(id_).json_body["state"] for id_ in ids] == ["sent"] * len(ids)
    assert [len(outreach.twilio.sent_to(tel)) for tel in tels.values()] == [1] * len(ids)
