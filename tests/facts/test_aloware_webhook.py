"""Aloware's deliveries: authentication, and the fields that are queued."""

import base64
import json

import pytest

from chalicelib.errors import PayloadError, SignatureError, TooLargeError
from chalicelib.facts import aloware_webhook
from chalicelib.once.door import InboundRequest
from chalicelib.once.job import encode
from chalicelib.wiring.jobs import decode
from local.vendors import aloware
from tests.rigs.each_row import each_row
from tests.rigs.facts import SAMPLES, sample

PERSONAL = ("pat", "example", "5555550123", "rec.example", "booked", "friendly")


def request(body, delivery_id="d-1"):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return InboundRequest(
        headers={}, body=raw, received_at="2026-11-20T09:00:00.000Z", delivery_id=delivery_id
    )


def basic(text):
    return {"authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer new"},
        {"authorization": "bearer old"},
        basic("aloware:pass:word"),
    ],
)
def test_every_active_credential_is_accepted(headers):
    aloware_webhook.verify(headers, ["new", "old", "aloware:pass:word"])


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "missing_credential"),
        ({"authorization": "Bearer"}, "missing_credential"),
        ({"authorization": "Bearer wrong"}, "invalid_credential"),
        ({"authorization": "Digest new"}, "invalid_credential"),
        ({"authorization": "Bearer aloware:password "}, "invalid_credential"),
        ({"authorization": "Basic %%%"}, "invalid_credential"),
        (basic("aloware:wrong"), "invalid_credential"),
        (basic("new"), "invalid_credential"),  # a token is for Bearer
        (
            basic("\udcff".encode("utf-8", "surrogateescape").decode("latin-1")),
            "invalid_credential",
        ),
    ],
)
def test_a_wrong_credential_is_refused(headers, code):
    with pytest.raises(SignatureError) as refused:
        aloware_webhook.verify(headers, ["new"])
    assert refused.value.code == code


@each_row("path", sorted((SAMPLES / "aloware").glob("*.json")))
def test_no_personal_data_of_a_delivery_is_queued(path):
    job = aloware_webhook.parse(request(json.loads(path.read_text())))
    if job is not None:
        carried = encode(job).lower()
        assert decode(encode(job)) == job
        assert not [word for word in PERSONAL if word in carried]


def test_all_deliveries_of_a_call_share_a_conversation_and_the_terminal_one_has_its_key():
    names = sorted(path.stem for path in (SAMPLES / "aloware").glob("call__[1-6]_*.json"))
    jobs = [aloware_webhook.parse(request(sample("aloware", name))) for name in names]

    assert {job.conversation_id for job in jobs} == {"ALOWARE:719285063"}
    assert len({job.event_key for job in jobs}) == 5  # the two summaries are the same delivery


def test_integers_may_be_sent_as_strings():
    plain = aloware_webhook.parse(request(sample("aloware", "call__2_disposition_completed")))
    texts = aloware_webhook.parse(request(sample("aloware", "call__numbers_as_texts")))

    same = {"type", "direction", "status", "disposition", "agent", "communication_id"}
    assert plain.model_dump(include=same) == texts.model_dump(include=same)
    assert plain.type == 1


def test_without_an_id_the_key_is_derived_from_the_content():
    body = {"event": "OutboundPhoneCall", "body": {"type": 1}}
    first, second = (aloware_webhook.parse(request(body, delivery_id=d)) for d in ("a", "b"))

    assert first.communication_id == second.communication_id
    assert first.communication_id.startswith("sha256-")
    assert "id_missing" in first.marks


def test_a_disposition_text_replaces_its_number():
    body = {"body": {"id": 5, "disposition_status": "Dead-End"}}
    assert aloware_webhook.parse(request(body)).disposition == 6


@pytest.mark.parametrize("body", [b"", b"[1]", b'"x"', b"\xff", b"{", b"[" * 100_000])
def test_a_body_that_is_not_a_json_object_is_refused(body):
    with pytest.raises(PayloadError):
        aloware_webhook.parse(request(body))


@pytest.mark.parametrize("text", ["Quill", "", "{", "[1]"])
def test_an_envelope_whose_body_is_a_text_without_an_object_is_refused(text):
    with pytest.raises(PayloadError, match="field body") as refused:
        aloware_webhook.parse(request({"event": "Call-Disposed", "body": text}))
    assert "Quill" not in str(refused.value)


def test_a_flat_delivery_may_have_a_messages_text_as_body():
    job = aloware_webhook.parse(request({"event": "OutboundSMS", "body": "Hi", "id": 5, "type": 2}))
    assert (job.communication_id, job.type) == ("5", 2)


@pytest.mark.parametrize("inner", [{"communication_id": 7}, {"communication": {"id": 7}}])
def test_a_part_with_an_id_of_its_own_has_the_key_of_its_call(inner):
    envelope = {"event": "Recording-Saved", "body": aloware.body(id=99, **inner)}
    assert aloware_webhook.parse(request(envelope)).communication_id == "7"


def test_a_huge_body_is_refused():
    with pytest.raises(TooLargeError):
        aloware_webhook.parse(request(b" " * (aloware_webhook.MAX_BODY_BYTES + 1)))


@pytest.mark.parametrize("value", [True, None, [], {}, 1.5, "x" * 100, "a b", "1\n2"])
def test_fields_of_an_unexpected_type_are_dropped(value):
    names = ("type", "direction", "owner_id", "user_id", "created_at", "current_status2")
    job = aloware_webhook.parse(
        request({"event": value, "body": {"id": 5} | dict.fromkeys(names, value)})
    )

    assert job.communication_id == "5"
    assert (job.type, job.direction, job.agent, job.created_at) == (None, None, None, None)
