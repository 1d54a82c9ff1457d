"""HubSpot: signed batches of up to 100 events, and workflow webhooks with one record each.

A batch is a JSON array, signed by v3 over method, URI, body and a timestamp; a workflow webhook is
one JSON object, signed by v2 (developers.hubspot.com: validating requests).  Both use the
client secret of the app as the key.  A batch is redelivered up to ten times when it is not answered
2xx within seconds, with a higher ``attemptNumber``; ``eventId`` is not unique and order is not
guaranteed.

Property values may be a customer's text: only constants of an enumeration are kept.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from chalicelib.errors import PayloadError, SignatureError, TooLargeError
from chalicelib.facts import keys as fact_keys
from chalicelib.facts.drift import Mark, Reading, TimeForm, hashed, values_of_fields
from chalicelib.facts.jobs import HubSpotBatch, HubSpotEvent
from chalicelib.once import body as bodies
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest

SOURCE = "HUBSPOT"
SIGNATURE_V3 = "x-hubspot-signature-v3"
TIMESTAMP = "x-hubspot-request-timestamp"
SIGNATURE = "x-hubspot-signature"
SIGNATURE_VERSION = "x-hubspot-signature-version"
WINDOW_MS = 300_000
"""A signature's timestamp may be five minutes old (the vendor's rule) or early (ours)."""
MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_EVENTS = 1_000
"""Most events of one request: ten times as many as HubSpot sends, in little memory."""
EVENTS_PER_MESSAGE = 100
"""One batch is one queue message; a hundred reduced events have at most some 80 KB."""
LANES = 4
"""Number of FIFO groups of batches, which limits how many are processed at the same time."""

OBJECT_TYPES: Mapping[str, str] = {
    "contact": "0-1",
    "company": "0-2",
    "deal": "0-3",
    "ticket": "0-5",
    "product": "0-7",
    "line_item": "0-8",
}
"""Type ids of the classic subscriptions, whose events do not carry ``objectTypeId``."""

_DECODED: Mapping[str, str] = {
    "%3A": ":",
    "%2F": "/",
    "%3F": "?",
    "%40": "@",
    "%21": "!",
    "%24": "$",
    "%27": "'",
    "%28": "(",
    "%29": ")",
    "%2A": "*",
    "%2C": ",",
    "%3B": ";",
}
"""Escapes that HubSpot decodes in the URI before signing; all others stay encoded."""

_ENCODED = re.compile("|".join(_DECODED), re.IGNORECASE)
_TYPE = re.compile(r"[A-Za-z0-9_.]{1,80}")
_OBJECT_TYPE = re.compile(r"[0-9]{1,4}-[0-9]{1,12}|[a-z_]{1,40}")
_PROPERTY = re.compile(r"[A-Za-z0-9_]{1,100}")
_CONSTANT = re.compile(r"[A-Z][A-Z_]{0,39}")
_USER = re.compile(r"userId:([0-9]{1,20})")
_DIGITS = re.compile(r"[0-9]{1,16}")
_OTHER_TIMES = ("timestamp", "eventtime", "eventtimestamp", "createdat", "time")
"""Fields to read the time from where ``occurredAt`` has none, best first."""
_STATUSES = ("hs_call_status", "hs_email_status", "hs_communication_status")
"""Properties of a record that say how it ended."""


def check_headers(headers: Mapping[str, str], *, now_ms: int) -> None:
    """Check that a request of HubSpot has a signature, and that the timestamp of a v3 signature is recent.

    The signature itself is not compared here.

    Raises:
        SignatureError: ``missing_signature`` or ``stale_timestamp``.
    """
    if headers.get(SIGNATURE_V3, ""):
        stamp = headers.get(TIMESTAMP, "")
        if not _DIGITS.fullmatch(stamp) or abs(now_ms - int(stamp)) > WINDOW_MS:
            raise SignatureError("stale_timestamp", f"header {TIMESTAMP} is missing or too old")
        return
    if not headers.get(SIGNATURE, "") or headers.get(SIGNATURE_VERSION, "").lower() != "v2":
        raise SignatureError("missing_signature", f"header {SIGNATURE_V3} is missing")


def verify(
    headers: Mapping[str, str], *, uri: str, body: bytes, now_ms: int, secrets: Sequence[str]
) -> None:
    """Check HubSpot's signature of a POST, in constant time, under every active client secret.

    Args:
        headers: names in lower case.
        uri: the full URI as HubSpot calls it, with stage path and query.
        body: the raw bytes.
        now_ms: epoch milliseconds.
        secrets: client secrets; more than one while rotating.

    Raises:
        SignatureError: ``missing_signature``, ``stale_timestamp`` or ``invalid_signature``.
    """
    check_headers(headers, now_ms=now_ms)
    v3 = headers.get(SIGNATURE_V3, "")
    if v3:
        stamp = headers[TIMESTAMP]
        _compare(v3, [signature_v3(secret, uri=uri, body=body, stamp=stamp) for secret in secrets])
        return
    given = headers[SIGNATURE]
    if not _is_workflow(body):
        raise SignatureError("missing_signature", f"header {SIGNATURE_V3} is missing")
    _compare(given.lower(), [signature_v2(secret, uri=uri, body=body) for secret in secrets])


def signature_v3(secret: str, *, uri: str, body: bytes, stamp: str) -> str:
    """HubSpot's signature of version 3: Base64 of HMAC-SHA256 over method, URI, body and timestamp."""
    signed_uri = _ENCODED.sub(lambda found: _DECODED[found[0].upper()], uri)
    message = b"POST" + signed_uri.encode() + body + stamp.encode()
    return base64.b64encode(hmac.new(secret.encode(), message, hashlib.sha256).digest()).decode()


def signature_v2(secret: str, *, uri: str, body: bytes) -> str:
    """HubSpot's signature of version 2: SHA-256, in hex, over secret, method, URI and body."""
    return hashlib.sha256(secret.encode() + b"POST" + uri.encode() + body).hexdigest()


def parse(request: InboundRequest) -> list[HubSpotBatch]:
    """Parse a request from HubSpot into jobs for the queue, one for each hundred events.

    An invalid entry becomes an event that does not count: it must not fail the other 99.

    Raises:
        TooLargeError: the body has more than 4 MiB, or the batch more than a thousand events.
        PayloadError: ``invalid_json``: neither array nor object.
    """
    bodies.check_size(request.body, MAX_BODY_BYTES)
    try:
        payload = bodies.parsed_json(request.body)
    except ValueError:
        raise PayloadError("invalid_json", "the body is not JSON") from None
    if isinstance(payload, dict):
        is_entry = "subscriptionType" in payload  # a batch's one entry, without its list
        events = [_event(payload) if is_entry else _workflow_event(payload)]
    elif isinstance(payload, list):
        if len(payload) > MAX_EVENTS:
            raise TooLargeError("payload_too_large", f"the batch has more than {MAX_EVENTS} events")
        events = [_event(item) for item in payload]
    else:
        raise PayloadError("invalid_json", "the body must be a JSON array or object")
    return [_batch(request, part) for part in _parts(events)]


def _batch(request: InboundRequest, events: tuple[HubSpotEvent, ...]) -> HubSpotBatch:
    """The queue job that carries these events of HubSpot.

    The job's event key is made from the events without ``attemptNumber``, so every redelivery has
    it.
    """
    content = json.dumps([event.model_dump(mode="json") for event in events], sort_keys=True)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return HubSpotBatch(
        event_key=fact_keys.hubspot_batch(digest),
        conversation_id=fact_keys.fact(SOURCE, "lane", str(int(digest[:8], 16) % LANES)),
        received_at=request.received_at,
        payload_sha256=hashlib.sha256(request.body).hexdigest(),
        payload_bytes=len(request.body),
        source=SOURCE,
        trace_id=keys.digest(request.delivery_id)[:16],
        events=events,
    )


def _parts(events: Sequence[HubSpotEvent]) -> Iterator[tuple[HubSpotEvent, ...]]:
    for start in range(0, len(events), EVENTS_PER_MESSAGE):
        yield tuple(events[start : start + EVENTS_PER_MESSAGE])


def _event(raw: object) -> HubSpotEvent:
    """One entry of a batch of HubSpot as an event.

    An unreadable entry becomes an event that does not count.
    """
    reading = Reading()
    content = _without_attempt(raw)
    if not isinstance(raw, dict):
        raw = {}
    subscription = _matching(_TYPE, raw.get("subscriptionType"))
    prefix, _, change = (subscription or "unreadable").rpartition(".")
    if subscription is None:  # an entry without a type must not share another's key
        reading.note(Mark.NAME_UNSEEN)
    ids = ("objectId", "newObjectId", "primaryObjectId", "fromObjectId")
    object_id = reading.event_id((raw.get(name) for name in ids if subscription), content)
    at = reading.moment(
        [raw.get("occurredAt")],
        known={TimeForm.MILLISECONDS},
        elsewhere=values_of_fields(raw, _OTHER_TIMES),
    )
    object_type = raw.get("objectTypeId")
    if object_type is None and prefix == "object":
        reading.note(Mark.TYPE_MISSING)
    user = _USER.fullmatch(str(raw.get("sourceId", "")))
    return HubSpotEvent(
        subscription_type=subscription or "unreadable",
        object_type=_key_part(_OBJECT_TYPE, object_type, reading)
        or OBJECT_TYPES.get(prefix)
        or prefix,
        object_id=object_id,
        occurred_at_ms=_milliseconds(at),
        untimed=hashed(content) if at is None and change != "creation" else None,
        property_name=_key_part(_PROPERTY, raw.get("propertyName"), reading),
        property_value=_matching(_CONSTANT, raw.get("propertyValue")),
        agent=f"hubspot:{user[1]}" if user else None,
        marks=reading.marks,
    )


def _workflow_event(raw: Mapping[str, Any]) -> HubSpotEvent:
    """The record that a workflow of HubSpot posted, as an event.

    Its field ``event_key`` names the event's kind.
    """
    reading = Reading()
    content = _without_attempt(raw)
    found = raw.get("properties")
    properties = found if isinstance(found, dict) else raw
    event_key = _plain(raw.get("event_key") or properties.get("event_key"))
    owner = reading.agent(_plain(properties.get("hubspot_owner_id")))
    at = reading.moment(
        [
            _plain(moment)
            for moment in (
                raw.get("occurredAt"),
                properties.get("hs_timestamp"),
                properties.get("createdate"),
            )
        ],
        known={TimeForm.MILLISECONDS, TimeForm.DIGITS, TimeForm.TEXT},
    )
    ids = (raw.get("objectId"), raw.get("vid"), _plain(properties.get("hs_object_id")))
    statuses = (_plain(properties.get(name)) for name in _STATUSES)
    return HubSpotEvent(
        subscription_type=f"workflow.{_key_part(_PROPERTY, event_key, reading) or 'unnamed'}",
        object_type=_key_part(_OBJECT_TYPE, raw.get("objectTypeId"), reading),
        object_id=reading.event_id(ids, content),
        occurred_at_ms=_milliseconds(at),
        untimed=None if at else hashed(content),
        agent=f"hubspot-owner:{owner}" if owner else None,
        seconds=reading.seconds(_plain(properties.get("hs_call_duration")), units=1_000),
        outcome=next((status.lower() for status in statuses if _matching(_CONSTANT, status)), ""),
        marks=reading.marks,
    )


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A property's value; older records wrap it in an object ``{"value": "..."}``, which is taken off."""
    return value.get("value") if isinstance(value, dict) else value


def _milliseconds(moment: datetime | None) -> int | None:
    return round(moment.timestamp() * 1_000) if moment else None


def _matching(pattern: re.Pattern[str], value: object) -> str | None:
    """The value, stripped, if it is a text that matches the pattern; else None."""
    text = value.strip() if isinstance(value, str) else ""
    return text if pattern.fullmatch(text) else None


def _key_part(pattern: re.Pattern[str], value: object, reading: Reading) -> str | None:
    """The value as a part of a fact's key: itself if it matches the pattern, else its hash.

    The result is None where the value is None or empty.
    """
    return None if value is None or value == "" else reading.key_part(value, pattern)


def _without_attempt(raw: object) -> object:
    """A batch's entry without its field ``attemptNumber``, the only one that differs in a redelivery.

    An entry that is no object is returned unchanged.
    """
    if isinstance(raw, dict):
        return {name: value for name, value in raw.items() if name != "attemptNumber"}
    return raw


def _is_workflow(body: bytes) -> bool:
    return body.lstrip()[:1] == b"{"


def _compare(given: str, wanted: Sequence[str]) -> None:
    matches = [hmac.compare_digest(given.encode("utf-8", "replace"), w.encode()) for w in wanted]
    if not any(matches):
        raise SignatureError("invalid_signature", "the signature does not match the request")
