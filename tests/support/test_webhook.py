"""Richpanel's webhook: authentication, accepted bodies, and refusals."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import PayloadError, SignatureError, TooLargeError
from chalicelib.once.door import InboundRequest
from chalicelib.support import webhook as richpanel_webhook
from chalicelib.support.jobs import TicketMessage, TicketNotification
from tests.rigs.each_row import each_row

TOKEN = "t0ken-new"


def request(body, **changes):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    values = {
        "headers": {},
        "body": raw,
        "received_at": "2026-11-20T09:00:00.000Z",
        "delivery_id": "d1",
    }
    return InboundRequest(**(values | changes))


@pytest.mark.parametrize("token", ["t0ken-new", "t0ken-old"])
def test_either_of_two_active_tokens_is_accepted(token):
    """F14: a rotation has two."""
    richpanel_webhook.verify({richpanel_webhook.TOKEN_HEADER: token}, ["t0ken-new", "t0ken-old"])


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "missing_token"),
        ({richpanel_webhook.TOKEN_HEADER: ""}, "missing_token"),
        ({richpanel_webhook.TOKEN_HEADER: "wrong"}, "invalid_token"),
        ({richpanel_webhook.TOKEN_HEADER: "t0ken-neW"}, "invalid_token"),
        ({richpanel_webhook.TOKEN_HEADER: "t0ken-new "}, "invalid_token"),
        ({richpanel_webhook.TOKEN_HEADER: "tökén\ud800"}, "invalid_token"),
    ],
)
def test_anything_else_is_refused(headers, code):
    """F14: wrong or rotated secret."""
    with pytest.raises(SignatureError) as caught:
        richpanel_webhook.verify(headers, [TOKEN])
    assert (caught.value.status, caught.value.code) == (401, code)


def test_without_an_active_token_every_request_is_refused():
    with pytest.raises(SignatureError):
        richpanel_webhook.verify({richpanel_webhook.TOKEN_HEADER: "anything"}, [])


def test_a_notification_that_names_its_comment_is_that_comments_event():
    job = richpanel_webhook.parse(
        request({"ticket_id": "1042", "message_id": "c-77", "message": "Where is my order?"})
    )
    assert isinstance(job, TicketMessage)
    assert (job.event_key, job.message_id, job.text) == (
        "evt:rp:1042:c-77",
        "c-77",
        "Where is my order?",
    )
    assert (len(job.payload_sha256), job.payload_bytes > 0) == (64, True)


def test_any_other_notification_is_thin_and_has_its_own_key():
    body = {
        "ticket_id": "1042",
        "ticket_url": "https://x.example.com",
        "trigger": "customer_message",
    }
    first = richpanel_webhook.parse(request(body, delivery_id="d1"))
    other = richpanel_webhook.parse(request(body, delivery_id="d2"))
    assert isinstance(first, TicketNotification)
    assert first.event_key != other.event_key
    assert first.payload_sha256 == other.payload_sha256


def test_an_id_may_be_a_number_and_conversation_id_replaces_ticket_id():
    assert richpanel_webhook.parse(request({"ticket_id": 1042})).conversation_id == "1042"
    assert richpanel_webhook.parse(request({"conversation_id": "u-1"})).conversation_id == "u-1"


def test_an_unrendered_placeholder_is_not_a_value():
    body = {
        "ticket_id": "{{ticket.id}}",
        "conversation_id": "1042",
        "message_id": "{{message.id}}",
        "message": "{{ticket.lastMessage.text}}",
    }
    job = richpanel_webhook.parse(request(body))
    assert isinstance(job, TicketNotification)
    assert (job.conversation_id, job.text) == ("1042", None)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"ticket_id": ""},
        {"ticket_id": "  "},
        {"ticket_id": None},
        {"ticket_id": True},
        {"ticket_id": ["1042"]},
        {"ticket_id": "{{ticket.id}}"},
        {"ticket_id": "x" * 257},
        {"ticket_id": "a\nb"},
        {"ticket_id": "a\ud800"},
    ],
)
def test_a_body_without_a_usable_id_is_refused_by_name(body):
    """F10: never one shared key, never silently unprotected."""
    with pytest.raises(PayloadError) as caught:
        richpanel_webhook.parse(request(body))
    assert caught.value.code == "missing_conversation_id"
    assert "ticket_id" in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        b'{"ticket_id": "1042", "message": "He said "hello" to me"}',
        b'{"ticket_id": "1042", "message": "line\nbreak"}',
        b'{"ticket_id":"1042","message":"cut of',
        b'{"ticket_id": "1042", "n": NaN}',
        b'{"ticket_id": "1042", "message": "\xff\xfe"}',
        b'{"ticket_id": 1042, "message": "a "quote""}',
    ],
)
def test_the_id_is_recovered_from_a_body_that_a_template_broke(body):
    """F09: the sender does not retry, and the worker reads the ticket anyway."""
    job = richpanel_webhook.parse(request(body))
    assert isinstance(job, TicketNotification)
    assert (job.conversation_id, job.text) == ("1042", None)


@each_row(
    "body",
    [
        b"",
        b"nonsense",
        b"{",
        b'{"message": "no id "here""}',
        b'{"ticket_id": "{{ticket.id}}", "message": "a "quote""}',
        b'{"ticket_id": "1", "ticket_id": "2"}',
        b'{"ticket_id": "1", "ticket_id": "2", "conversation_id": "3"}',
        b'{"ticket_id": 10',
        b'{"ticket_id": 123456789012345678901, "message": "a "quote""}',
        b'{"ticket_id": 10.5, "message": "a "quote""}',
        b'{"ticket_id": 10.5, "message": "a "quote" and "ticket_id": "2""}',
        b'{"ticket_id": 10.5, "conversation_id": "3", "message": "a "quote""}',
        b"[" * 20_000,
        b"\x00",
    ],
)
def test_a_broken_body_without_one_clear_id_is_refused(body):
    """F09: bodies too large, too deep, no JSON."""
    with pytest.raises(PayloadError) as caught:
        richpanel_webhook.parse(request(body))
    assert caught.value.code == "invalid_json"


def test_an_id_that_may_be_cut_off_is_not_used():
    """It would be another message's; without it the worker reads which one it was."""
    job = richpanel_webhook.parse(request(b'{"ticket_id": 1042, "message_id": 7'))
    assert isinstance(job, TicketNotification)
    assert job.conversation_id == "1042"


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"7", b"null"])
def test_json_that_is_not_an_object_is_refused(body):
    with pytest.raises(PayloadError) as caught:
        richpanel_webhook.parse(request(body))
    assert caught.value.code == "invalid_json"


def test_a_body_of_32_kb_is_accepted_and_one_byte_more_is_not():
    """F09: bodies too large, too deep, no JSON."""
    frame = b'{"ticket_id":"1042","message":"%s"}'
    fits = frame % (b"x" * (richpanel_webhook.MAX_BODY_BYTES - len(frame) + 2))
    assert len(fits) == richpanel_webhook.MAX_BODY_BYTES
    assert richpanel_webhook.parse(request(fits)).conversation_id == "1042"
    with pytest.raises(TooLargeError) as caught:
        richpanel_webhook.parse(request(fits + b" "))
    assert (caught.value.status, caught.value.code) == (413, "payload_too_large")


@given(st.binary(max_size=300))
def test_bytes_without_an_id_are_refused_without_a_crash(body):
    with pytest.raises(PayloadError) as caught:
        richpanel_webhook.parse(request(body))
    assert caught.value.status == 400


@given(st.text(min_size=1, max_size=60))
def test_no_value_of_the_body_appears_in_an_error(value):
    with pytest.raises(PayloadError) as caught:
        richpanel_webhook.parse(request({"ticket": value + "-canary"}))
    assert "canary" not in str(caught.value)


def test_a_message_of_only_braces_is_parsed_quickly():
    """The sender waits some seconds and never repeats."""
    body = {"ticket_id": "1042", "message": "{" * 30_000}
    started = time.process_time()
    assert richpanel_webhook.parse(request(body)).text == body["message"]
    assert time.process_time() - started < 1
