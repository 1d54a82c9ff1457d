"""Jobs: encoding and decoding round-trip, and unknown content is never dropped."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import HandBackError, PayloadError
from chalicelib.once import job as jobs
from chalicelib.support.jobs import TicketMessage, TicketNotification
from chalicelib.wiring.jobs import decode

COMMON = {
    "conversation_id": "1042",
    "received_at": "2026-11-20T09:00:00.000Z",
    "source": "richpanel_http_target",
    "trace_id": "1f",
}


def message(**changes):
    return TicketMessage(event_key="evt:rp:1042:c-77", message_id="c-77", **(COMMON | changes))


@given(st.text(), st.text(min_size=1))
def test_a_job_reads_back_as_it_was(text, conversation_id):
    """Including lone surrogates and control characters: the body is ASCII JSON."""
    job = message(text=text, conversation_id=conversation_id)
    body = jobs.encode(job)
    assert body.isascii()
    assert decode(body) == job


def test_a_notification_decodes_as_a_notification():
    job = TicketNotification(event_key="evt:rp:1042:n:d1", **COMMON)
    assert isinstance(decode(jobs.encode(job)), TicketNotification)


@pytest.mark.parametrize("change", [{"v": 2}, {"kind": "of_a_newer_release"}])
def test_a_job_from_a_newer_release_is_handed_back_and_not_lost(change):
    """F43: a deploy may leave an older worker with a newer job."""
    body = json.loads(jobs.encode(message())) | change
    with pytest.raises(HandBackError, match="unknown_job_version"):
        decode(json.dumps(body))


@pytest.mark.parametrize("body", ["", "nonsense", "[]", "{}", '{"v": 1}', '{"v": "x", "kind": 7}'])
def test_a_body_that_is_not_a_job_is_refused_with_a_reason(body):
    with pytest.raises(PayloadError):
        decode(body)


def test_the_error_for_a_broken_job_names_the_field_and_not_its_value():
    body = json.loads(jobs.encode(message())) | {"message_id": {"secret": "jane@example.com"}}
    with pytest.raises(PayloadError) as caught:
        decode(json.dumps(body))
    assert "message_id" in str(caught.value)
    assert "jane" not in str(caught.value)
