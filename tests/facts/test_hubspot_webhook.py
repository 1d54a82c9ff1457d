"""HubSpot's requests: signatures by the published vectors, and batches reduced to events."""

import json

import pytest

from chalicelib.errors import PayloadError, SignatureError, TooLargeError
from chalicelib.facts import hubspot_webhook
from chalicelib.once.door import InboundRequest
from chalicelib.once.job import encode
from chalicelib.wiring.jobs import decode
from local.vendors import hubspot as sender
from tests.rigs.each_row import each_row
from tests.rigs.facts import sample

SECRET = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy"
URI = "https://www.example.com/webhook_uri"
BODY = b"{'example_field':'example_value'}"
STAMP = 1693657560000
V3 = "K36dawei4A+QBNolUOqo7s91KQDWQ5MXZ/QufNYuk/Y="
V2 = "4fe4e3a7d3cf09db53be39d0a58130e2aaba074ec123a9e355b876a689a1c383"


def v3(signature=V3, stamp=STAMP):
    return {
        "x-hubspot-signature-v3": signature,
        "x-hubspot-request-timestamp": str(stamp),
    }


def v2(signature=V2, version="v2"):
    return {"x-hubspot-signature": signature, "x-hubspot-signature-version": version}


def verify(headers, *, uri=URI, body=BODY, now_ms=STAMP, secrets=(SECRET,)):
    hubspot_webhook.verify(headers, uri=uri, body=body, now_ms=now_ms, secrets=secrets)


def request(body):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return InboundRequest(
        headers={}, body=raw, received_at="2026-11-20T09:00:00.000Z", delivery_id="d-1"
    )


def test_the_published_vectors_are_accepted():
    verify(v3())
    verify(v2())


def test_a_second_secret_is_valid_during_rotation():
    verify(v3(), secrets=("new-secret", SECRET))


@pytest.mark.parametrize("skew", [-300_000, 0, 300_000])
def test_a_signature_is_valid_for_five_minutes(skew):
    verify(v3(), now_ms=STAMP + skew)


@each_row(
    ("headers", "changes", "code"),
    [
        (v3(), {"now_ms": STAMP + 300_001}, "stale_timestamp"),
        (v3(), {"now_ms": STAMP - 300_001}, "stale_timestamp"),
        (v3(stamp="yesterday"), {}, "stale_timestamp"),
        ({"x-hubspot-signature-v3": V3}, {}, "stale_timestamp"),
        (v3(), {"uri": URI.replace("https", "http")}, "invalid_signature"),
        (v3(), {"uri": URI.replace("webhook", "api/webhook")}, "invalid_signature"),
        (v3(), {"uri": URI + "?a=1"}, "invalid_signature"),
        (v3(), {"body": BODY + b" "}, "invalid_signature"),
        (v3(), {"secrets": ("another",)}, "invalid_signature"),
        (v3(signature="é"), {}, "invalid_signature"),
        ({}, {}, "missing_signature"),
        (v2(version="v1"), {}, "missing_signature"),
        (v2(), {"body": b"[]"}, "missing_signature"),
        (v2(signature="0" * 64), {}, "invalid_signature"),
    ],
)
def test_anything_else_is_refused(headers, changes, code):
    with pytest.raises(SignatureError) as refused:
        verify(headers, **changes)
    assert refused.value.code == code


def test_certain_characters_of_the_uri_are_decoded_before_it_is_signed():
    decoded = "https://www.example.com/a/b?to=x@y.z&n=%20"
    encoded = "https://www.example.com/a%2Fb%3Fto=x%40y.z&n=%20"
    signatures = {
        hubspot_webhook.signature_v3(SECRET, uri=uri, body=b"", stamp="1")
        for uri in (decoded, encoded)
    }
    assert len(signatures) == 1


@each_row(
    ("encoded", "decoded"),
    [
        *(("%3A", ":"), ("%2F", "/"), ("%3F", "?"), ("%40", "@"), ("%21", "!"), ("%24", "$")),
        *(("%27", "'"), ("%28", "("), ("%29", ")"), ("%2A", "*"), ("%2C", ","), ("%3B", ";")),
        *(("%2f", "/"), ("%20", "%20"), ("%26", "%26"), ("%3D", "%3D"), ("%252F", "%252F")),
    ],
)
def test_only_the_listed_escapes_are_decoded(encoded, decoded):
    made = [
        hubspot_webhook.signature_v3(SECRET, uri=f"{URI}?a={query}", body=b"", stamp="1")
        for query in (encoded, decoded)
    ]
    plain = hubspot_webhook.signature_v3(SECRET, uri=f"{URI}?a=x", body=b"", stamp="1")
    assert made[0] == made[1] != plain
    if encoded == "%20":
        space = hubspot_webhook.signature_v3(SECRET, uri=f"{URI}?a= ", body=b"", stamp="1")
        assert space != made[0]


def test_a_batch_is_one_message_without_property_values():
    (job,) = hubspot_webhook.parse(request(sample("hubspot", "batch__property_changes")))

    assert decode(encode(job)) == job
    assert [event.object_type for event in job.events] == ["0-1"] * 3
    assert "pat@example.com" not in encode(job)
    assert "customer" not in encode(job)


def test_a_retried_batch_has_the_same_key_whatever_its_attempt_number():
    events = [sender.event(objectId=n) for n in (1, 2)]
    first, again = (
        hubspot_webhook.parse(request([{**event, "attemptNumber": n} for event in events]))[0]
        for n in (0, 1)
    )
    assert first.event_key == again.event_key
    assert first.group == again.group


def test_the_key_of_an_event_without_an_id_ignores_the_attempt_number():
    nameless = {"subscriptionType": "contact.creation", "occurredAt": 1763600000000}
    first, again = (
        hubspot_webhook.parse(request([{**nameless, "attemptNumber": n}]))[0] for n in (0, 1)
    )
    assert first.event_key == again.event_key


def test_an_invalid_entry_does_not_fail_the_others():
    (job,) = hubspot_webhook.parse(request(sample("hubspot", "batch__with_an_unreadable_entry")))

    assert [event.subscription_type for event in job.events] == [
        "object.creation",
        "unreadable",
        "unreadable",
    ]
    assert len({event.object_id for event in job.events}) == 3


def test_a_hundred_events_fit_one_message_with_room_to_spare():
    events = [
        sender.event(
            objectId="9" * 64,
            subscriptionType="x" * 76 + ".abc",
            propertyName="p" * 100,
            propertyValue="V" * 40,
        )
        for _ in range(100)
    ]
    (job,) = hubspot_webhook.parse(request(events))

    assert len(encode(job)) < 256 * 1024


def test_more_than_a_hundred_events_are_several_messages():
    jobs = hubspot_webhook.parse(request([sender.event() for _ in range(250)]))

    assert [len(job.events) for job in jobs] == [100, 100, 50]
    assert len({job.event_key for job in jobs}) == 3


def test_batches_share_a_few_fifo_groups():
    jobs = [hubspot_webhook.parse(request([sender.event()]))[0] for _ in range(50)]
    assert len({job.group for job in jobs}) == hubspot_webhook.LANES


def test_a_workflow_names_its_event_and_its_properties_may_be_wrapped():
    (job,) = hubspot_webhook.parse(request(sample("hubspot", "workflow__case_created")))
    (event,) = job.events

    assert event.subscription_type == "workflow.case_created"
    assert (event.object_id, event.occurred_at_ms) == ("77", 1763600000000)
    assert event.agent == "hubspot-owner:9"


@pytest.mark.parametrize("body", [b"", b"1", b'"x"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_neither_array_nor_object_is_refused(body):
    with pytest.raises(PayloadError):
        hubspot_webhook.parse(request(body))


def test_a_huge_body_is_refused():
    with pytest.raises(TooLargeError):
        hubspot_webhook.parse(request(b" " * (hubspot_webhook.MAX_BODY_BYTES + 1)))
