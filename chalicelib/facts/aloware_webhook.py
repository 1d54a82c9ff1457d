"""Aloware: a JSON envelope with a static credential, sent once without retries.

``{"event": "OutboundPhoneCall-DispositionCompleted", "body": {"id": 719285063, "type": 1, ...}}``;
the integration's test button posts ``{"test_payload": true}``.  The sender authenticates by Bearer
or Basic, signs nothing, gives no delivery id and retries nothing (live capture of August 2026;
options of its own n8n node).  Integers may come as texts, ``owner_id`` -1 means no owner.  The body
holds customers' names, numbers and an unprotected link to the recording: all of it is dropped.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import PayloadError, SignatureError
from chalicelib.facts import keys as fact_keys
from chalicelib.facts.drift import Mark, Reading, TimeForm, values_of_fields
from chalicelib.facts.jobs import AlowareDelivery
from chalicelib.once import body as bodies
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest

SOURCE = "ALOWARE"
MAX_BODY_BYTES = 1024 * 1024

_NAME = re.compile(r"[A-Za-z0-9._ -]{1,80}")
_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,30}(/[A-Za-z0-9_+-]{1,30}){0,2}")
_OTHER_TIMES = (
    "createdat",
    "created",
    "createdon",
    "creationtime",
    "timestamp",
    "occurredat",
    "eventtime",
    "startedat",
    "starttime",
    "time",
    "date",
    "updatedat",
)
"""Fields to read the time from where ``created_at`` has none, best first."""

DISPOSITIONS: Mapping[str, int] = {
    "in progress": 1,
    "abandoned": 2,
    "missed": 3,
    "completed": 4,
    "failed": 5,
    "dead end": 6,
    "invalid": 7,
    "placed": 8,
    "voicemail": 12,
}
"""Disposition numbers by the words of ``disposition_status``, for bodies without ``disposition_status2``."""


def credential(headers: Mapping[str, str]) -> tuple[str, str]:
    """The scheme and the value of a request's Authorization header.

    Raises:
        SignatureError: ``missing_credential``.
    """
    scheme, _, given = headers.get("authorization", "").strip().partition(" ")
    if not given:
        raise SignatureError("missing_credential", "header authorization is missing")
    return scheme, given


def verify(headers: Mapping[str, str], credentials: Sequence[str]) -> None:
    """Check the credential of a webhook from Aloware against every active one, in constant time.

    Args:
        headers: names in lower case.
        credentials: tokens for Bearer, ``user:password`` for Basic; more than one while rotating.

    Raises:
        SignatureError: ``missing_credential`` or ``invalid_credential``.
    """
    scheme, given = credential(headers)
    is_basic = scheme.lower() == "basic"
    secret = _basic(given) if is_basic else given.strip()
    known = [
        _equal(secret, allowed) and (":" in allowed or not is_basic) for allowed in credentials
    ]
    if scheme.lower() not in ("basic", "bearer") or not any(known):
        raise SignatureError("invalid_credential", "header authorization is wrong")


def parse(request: InboundRequest) -> AlowareDelivery | None:
    """Parse a request from Aloware into the job for the queue; None for the integration's test payload.

    Raises:
        TooLargeError: the body has more than 1 MiB.
        PayloadError: ``invalid_json``: the body is not a JSON object, or it wraps a list of
            deliveries or a plain text.
    """
    bodies.check_size(request.body, MAX_BODY_BYTES)
    envelope = bodies.json_object(request.body)
    if envelope == {"test_payload": True}:
        return None
    reading = Reading()
    name, body = _unwrapped(envelope, reading)
    normal = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    payload_hash = hashlib.sha256(normal).hexdigest()
    communication_id = reading.event_id(_ids(body), {"event": name, "body": body})
    created_at = reading.moment(
        [body.get("created_at")],
        known={TimeForm.TEXT},
        elsewhere=values_of_fields(body, _OTHER_TIMES),
    )
    return AlowareDelivery(
        event_key=fact_keys.aloware_delivery(communication_id, name, payload_hash),
        conversation_id=fact_keys.fact(SOURCE, communication_id),
        received_at=request.received_at,
        payload_sha256=payload_hash,
        payload_bytes=len(request.body),
        source=SOURCE,
        trace_id=keys.digest(request.delivery_id)[:16],
        event=name,
        communication_id=communication_id,
        type=reading.number(body.get("type")),
        direction=reading.number(body.get("direction")),
        status=reading.number(body.get("current_status2")),
        disposition=_disposition(body, reading),
        agent=reading.agent(body.get("owner_id")) or reading.agent(body.get("user_id")),
        created_at=iso(created_at) if created_at else None,
        timezone=_zone(_inner(body, "contact").get("timezone"), reading),
        seconds=reading.seconds(body.get("duration")),
        marks=reading.marks,
    )


def _unwrapped(envelope: dict[str, Any], reading: Reading) -> tuple[str, dict[str, Any]]:
    """The delivery's name and body, found in the envelope, in a second envelope inside it, or in a bare body.

    Raises:
        PayloadError: ``invalid_json``: the body of an envelope is a list, or a text without an object.
    """
    envelope = _object(envelope, "parsedBody", reading) or envelope
    given = envelope.get("event")
    if given is None:
        inner = envelope.get("body")  # in a bare body, this field is the message's text
        return "", inner if isinstance(inner, dict) else envelope
    name = given.strip() if isinstance(given, str) and _NAME.fullmatch(given.strip()) else ""
    if not name:
        reading.note(Mark.NAME_UNSEEN)
    body = _object(envelope, "body", reading)
    if body is None and isinstance(envelope.get("body"), str) and not any(_ids(envelope)):
        raise PayloadError("invalid_json", "field body is a text that holds no object")
    return name, body or envelope


def _object(envelope: Mapping[str, Any], field: str, reading: Reading) -> dict[str, Any] | None:
    """The JSON object in a field of the envelope, or in a text in that field; None where there is none.

    A list raises `PayloadError`.
    """
    value = envelope.get(field)
    if isinstance(value, list):
        raise PayloadError("invalid_json", f"field {field} is a list; one delivery has one object")
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = bodies.parsed_json(value.encode())
        except ValueError:
            return None
        reading.note(Mark.BODY_AS_TEXT)
    return value if isinstance(value, dict) else None


def _ids(body: Mapping[str, Any]) -> Sequence[object]:
    """The values of a delivery's body that may be the id of its call or text message, best first.

    The body's own id comes late, because in a transcription it names the transcription.
    """
    return (
        _inner(body, "communication").get("id"),
        body.get("communication_id"),
        _inner(body, "transcription").get("communication_id"),
        body.get("id"),
        body.get("uuid_v4"),
    )


def _disposition(body: Mapping[str, Any], reading: Reading) -> int | None:
    number = reading.number(body.get("disposition_status2"))
    word = body.get("disposition_status")
    if number is not None or not isinstance(word, str) or not word.strip():
        return number
    found = DISPOSITIONS.get(re.sub(r"[\s_-]+", " ", word).strip().lower())
    if found is None:
        reading.note(Mark.OUTCOME_UNSEEN)
    return found


def _zone(value: object, reading: Reading) -> str | None:
    """The value if it has the form of a time zone's name; else None.

    A `Mark` is noted for a value of another form, but not for an absent one.  Whether the zone
    exists is not checked.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str) and _ZONE.fullmatch(value.strip()):
        return value.strip()
    reading.note(Mark.ZONE_UNKNOWN)
    return None


def _inner(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def _basic(given: str) -> str:
    try:
        return base64.b64decode(given.strip(), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())
