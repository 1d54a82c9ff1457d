"""Every status in a webhook's description is triggered on purpose, with its error code."""

import json
from urllib.parse import urlencode

import pytest
import requests
import schemathesis

from chalicelib.aws.queue import SqsOutbox
from chalicelib.errors import UnavailableError
from chalicelib.once.caller_shares import STRANGERS
from local import company
from local.vendors import aloware, hubspot, twilio
from tests.rigs.alarms import alarms, series, series_in
from tests.rigs.engines import drain
from tests.rigs.openapi import DESCRIBED

SCHEMA = schemathesis.openapi.from_dict(DESCRIBED)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
SID = "SM" + "0" * 32
WEBHOOKS = [path for path in DESCRIBED["paths"] if path.startswith("/webhook/")]
STATUSES = [
    (path, int(status))
    for path in WEBHOOKS
    for status in DESCRIBED["paths"][path]["post"]["responses"]
]
BODIES = {
    "/webhook/richpanel": (JSON, json.dumps({"ticket_id": "1042", "message_id": "c-1"})),
    "/webhook/twilio": (
        FORM,
        urlencode(
            {
                "AccountSid": twilio.ACCOUNT_SID,
                "MessageSid": SID,
                "From": "+15550100001",
                "To": company.SMS_NUMBER,
                "Body": "Hello",
            }
        ),
    ),
    "/webhook/twilio/status": (
        FORM,
        urlencode(
            {
                "AccountSid": twilio.ACCOUNT_SID,
                "MessageSid": SID,
                "MessageStatus": "delivered",
            }
        ),
    ),
    "/webhook/aloware": (JSON, json.dumps(aloware.six_deliveries()[1])),
    "/webhook/hubspot": (JSON, json.dumps([hubspot.event()])),
}
"""The content type and body that each sender posts."""
WRONG = {
    "/webhook/richpanel": "{",
    "/webhook/twilio": urlencode({"AccountSid": twilio.ACCOUNT_SID}),
    "/webhook/twilio/status": urlencode({"AccountSid": twilio.ACCOUNT_SID}),
    "/webhook/aloware": "{",
    "/webhook/hubspot": "{",
}
CODES = {
    400: {"invalid_json", "missing_messagesid"},
    401: {"missing_token", "missing_signature", "invalid_signature", "missing_credential"},
    413: {"payload_too_large"},
    429: {"RATE_LIMIT_EXCEEDED"},
    500: {"internal_error"},
    503: {"enqueue_failed"},
}
QUERY = {"/webhook/twilio/status": f"?cid={'0' * 32}.{'0' * 32}"}
HUGE = "&Pad=" + "x" * (4 * 1024 * 1024 + 1)
SECRETS = {
    "/webhook/richpanel": "richpanel/webhook_token",
    "/webhook/twilio": "keys/ids",
    "/webhook/twilio/status": "keys/jobs",
    "/webhook/aloware": "aloware/webhook_token",
    "/webhook/hubspot": "hubspot/client_secret",
}
"""The secret that each door needs; a new container cannot read it."""


def unqueued(*_, **__):
    """A queue that accepts nothing."""
    raise UnavailableError("enqueue_failed")


@pytest.mark.parametrize(("path", "status"), STATUSES)
def test_every_described_status_can_be_triggered(
    served, stage, pump, monkeypatch, capsys, without_waits, path, status
):
    running, session = served
    content_type, body = BODIES[path]
    match status:
        case 400:
            body = WRONG[path]
        case 401:
            session = requests.Session()
        case 413:
            body += HUGE
        case 415:
            content_type = "application/xml"
        case 429:
            session = a_stranger_who_floods(running.url + path, content_type, body)
        case 500:
            made_unreadable(stage, SECRETS[path])
        case 503:
            monkeypatch.setattr(SqsOutbox, "put", unqueued)
    query = QUERY.get(path, "") if status != 400 else ""
    answer = session.post(
        running.url + path + query, data=body, headers={"content-type": content_type}, timeout=60
    )
    assert answer.status_code == status, answer.text
    SCHEMA[path]["POST"].validate_response(answer)
    if status in CODES:
        assert answer.json()["code"] in CODES[status]
    if status != requests.codes.ok:
        assert drain(pump) == []
    if status in (500, 503):
        assert series(alarms()["ingress-failures"]) in series_in(capsys.readouterr().out)


def a_stranger_who_floods(url, content_type, body):
    """Its address has used up what is for requests without a proof."""
    session = requests.Session()
    for _ in range(2 * STRANGERS.at_once):
        session.post(url, data=body, headers={"content-type": content_type}, timeout=60)
    return session


def made_unreadable(stage, name):
    """Store a secret that is no text, before the container has read it."""
    client = stage.aws.client("secretsmanager")
    client.put_secret_value(SecretId=f"rp-mw/dev/{name}", SecretBinary=b"no text")
