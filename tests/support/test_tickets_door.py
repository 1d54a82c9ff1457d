"""The door of the pipeline: authentication, refusals with their codes, repeated posts."""

import json

import pytest

from chalicelib.once.job import Recovery
from tests.rigs.tickets import ROUTED, job_of, unreachable


@pytest.mark.parametrize(("token", "code"), [("", "missing_token"), ("wrong", "invalid_token")])
def test_an_unauthenticated_request_gets_401_and_leaves_no_row(system, token, code):
    """F14: wrong or rotated secret."""
    answer = system.post(system.ticket(), token=token)
    assert (answer.status_code, answer.json_body["code"]) == (401, code)
    assert not system.run()


def test_a_rotated_token_is_accepted_beside_the_old_one(system):
    """F14: wrong or rotated secret."""
    system.stage.aws.client("secretsmanager").put_secret_value(
        SecretId="rp-mw/dev/richpanel/webhook_token",
        SecretString=json.dumps({"active_tokens": ["brand-new", system.token]}),
    )
    body = system.ticket()
    assert system.post(body, token="brand-new").status_code == 200
    assert system.post(body).status_code == 200
    assert system.post(body, token="other").status_code == 401


@pytest.mark.parametrize("secret", ["", "   ", '{"active_tokens": []}', '{"other": 1}'])
def test_without_a_configured_token_the_door_is_closed(system, secret):
    client = system.stage.aws.client("secretsmanager")
    client.put_secret_value(
        SecretId="rp-mw/dev/richpanel/webhook_token", SecretString=secret or " "
    )
    assert system.post(system.ticket()).status_code in (401, 500)
    assert not system.run()


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"nonsense", 400, "invalid_json"),
        (b"[1]", 400, "invalid_json"),
        (b"{}", 400, "missing_conversation_id"),
        (b'{"ticket_id": "{{ticket.id}}"}', 400, "missing_conversation_id"),
        (b'{"ticket_id": "1", "x": "' + b"y" * 33_000 + b'"}', 413, "payload_too_large"),
        (b"[" * 30_000, 400, "invalid_json"),
        (b"\xff\xfe", 400, "invalid_json"),
        (b"", 400, "invalid_json"),
    ],
)
def test_an_unusable_body_is_refused_with_its_code(system, log_stream, raw, status, code):
    """F09: bodies too large, too deep, no JSON; F10: no message id."""
    answer = system.post(None, raw=raw)
    assert (answer.status_code, answer.json_body["code"]) == (status, code)
    assert f'"code":"{code}"' in log_stream.getvalue()
    assert not system.run()


def test_a_body_that_a_template_broke_still_reaches_the_ticket(system):
    """F09: bodies too large, too deep, no JSON."""
    system.ticket()
    raw = b'{"ticket_id": "1042", "message": "He said "refund" twice"}'
    assert system.post(None, raw=raw).status_code == 200
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_when_the_queue_fails_the_caller_gets_503_and_may_retry(system, monkeypatch):
    """F03, F07: no row says "seen", so the repetition is processed."""
    body = system.ticket()
    monkeypatch.setattr(
        system.services().outbox, "_urls", {"tickets": "http://127.0.0.1:9/nowhere"}
    )
    system.services().outbox._client = unreachable("sqs")
    answer = system.post(body)
    assert (answer.status_code, answer.json_body["code"]) == (503, "enqueue_failed")
    system.services().outbox._client = system.stage.aws.client("sqs")
    system.services().outbox._urls = {}
    assert system.post(body).status_code == 200
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_a_send_with_a_lost_response_and_its_retry_are_one_event(system):
    """F05, F06: SQS drops the copy within five minutes; later the ledger does."""
    body = system.ticket()
    system.services().intake.accept(job_of(body))
    system.post(body)
    assert len(system.run()) == 1
    system.services().intake.accept(job_of(body), recovery=Recovery.SWEEP)
    system.run()
    assert len(system.writes()) == 1
