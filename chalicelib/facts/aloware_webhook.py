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

from chalicelib.errors import SignatureError
from chalicelib.facts import keys as fact_keys
from chalicelib.facts.jobs import AlowareDelivery
from chalicelib.once import body as bodies
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest

SOURCE = "ALOWARE"
MAX_BODY_BYTES = 1024 * 1024

_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_NAME = re.compile(r"[A-Za-z0-9._ -]{1,80}")
_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,30}(/[A-Za-z0-9_+-]{1,30}){0,2}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ][0-9:.+Z-]{5,26}")
_NUMBER = re.compile(r"-?\d{1,9}")
_NO_AGENT = frozenset({"-1", "0"})

_DISPOSITIONS: Mapping[str, int] = {
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
"""The words of ``disposition_status``, for bodies without ``disposition_status2``."""


def credential(headers: Mapping[str, str]) -> tuple[str, str]:
    """Scheme and value of the credential that a request shows.

    Raises:
        SignatureError: ``missing_credential``.
    """
    scheme, _, given = headers.get("authorization", "").strip().partition(" ")
    if not given:
        raise SignatureError("missing_credential", "header authorization is missing")
    return scheme, given


def verify(headers: Mapping[str, str], credentials: Sequence[str]) -> None:
    """Compare the credential in constant time with every active one.

    Args:
        headers: names in lower case.
        credentials: tokens for Bearer, ``user:password`` for Basic; more than one while rotating.

    Raises:
        SignatureError: ``missing_credential`` or ``invalid_credential``.
    """
    scheme, given = credential(headers)
    secret = _basic(given) if scheme.lower() == "basic" else given.strip()
    known = [_equal(secret, one) for one in credentials]
    if scheme.lower() not in ("basic", "bearer") or not any(known):
        raise SignatureError("invalid_credential", "header authorization is wrong")


def parse(request: InboundRequest) -> AlowareDelivery | None:
    """The job of a delivery; None for the integration's test payload.

    Raises:
        TooLargeError: the body has more than 1 MiB.
        PayloadError: ``invalid_json``: the body is not a JSON object.
    """
    bodies.check_size(request.body, MAX_BODY_BYTES)
    envelope = bodies.json_object(request.body)
    if envelope.get("test_payload") is True:
        return None
    name, body = _unwrapped(envelope)
    normal = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    payload_hash = hashlib.sha256(normal).hexdigest()
    communication_id = _communication_id(body) or f"h{payload_hash[:32]}"
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
        type=_integer(body.get("type")),
        direction=_integer(body.get("direction")),
        status=_integer(body.get("current_status2")),
        disposition=_disposition(body),
        agent=_agent(body.get("owner_id")) or _agent(body.get("user_id")),
        created_at=_matching(_TIME, body.get("created_at")),
        timezone=_matching(_ZONE, _inner(body, "contact").get("timezone")),
    )


def _unwrapped(envelope: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and body, from the envelope, from one more envelope around it, or from a bare body."""
    if isinstance(envelope.get("parsedBody"), dict):
        envelope = envelope["parsedBody"]
    name = _matching(_NAME, envelope.get("event")) or ""
    body = envelope.get("body")
    return (name, body) if isinstance(body, dict) else (name, envelope)


def _communication_id(body: Mapping[str, Any]) -> str | None:
    """`id`; for transcriptions, which have none, the id of their communication."""
    candidates = (
        _inner(body, "communication").get("id"),
        _inner(body, "transcription").get("communication_id"),
        body.get("id"),
        body.get("uuid_v4"),
    )
    return next((found for one in candidates if (found := _matching(_ID, one))), None)


def _disposition(body: Mapping[str, Any]) -> int | None:
    number = _integer(body.get("disposition_status2"))
    word = body.get("disposition_status")
    if number is None and isinstance(word, str):
        return _DISPOSITIONS.get(re.sub(r"[\s_-]+", " ", word).strip().lower())
    return number


def _agent(value: object) -> str | None:
    agent = _matching(_ID, value)
    return None if agent in _NO_AGENT else agent


def _integer(value: object) -> int | None:
    text = _matching(_NUMBER, value)
    return int(text) if text is not None else None


def _matching(pattern: re.Pattern[str], value: object) -> str | None:
    """A text or number of the expected form; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip()
    return text if pattern.fullmatch(text) else None


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
