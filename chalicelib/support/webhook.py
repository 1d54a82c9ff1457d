"""Richpanel's HTTP target: one shared-secret header and a JSON body made from a template.

The body is whatever the tenant's template renders, e.g. ``{"ticket_id": "1042", "message_id":
"c-77", "message": "Where is my order?", "created_at": "2026-11-20T09:00:00Z"}`` or, advised,
``{"ticket_id": "1042", "ticket_url": "...", "trigger": "customer_message"}``.  Richpanel does not
escape a customer's text, so a quote in it can break the JSON; the ticket's id is then taken out of
the broken body, and the worker reads the ticket.  Nothing is retried by the sender.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import PayloadError, SignatureError
from chalicelib.once import body as bodies
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.support import keys as ticket_keys
from chalicelib.support.jobs import TicketMessage, TicketNotification

TOKEN_HEADER = "x-richpanel-webhook-token"  # noqa: S105 - a header's name
MAX_BODY_BYTES = 32 * 1024
MAX_ID_BYTES = 256
"""Limit of a ticket's or a comment's id: both are part of a key of at most 2,048 bytes."""
SOURCE = "richpanel_http_target"

_PLACEHOLDER = re.compile(r"\{\{[^{}\n]*\}\}|^\s*$")
"""Braces inside are excluded: customers write them too, and backtracking from each would take seconds."""
_ID_IN_BROKEN_BODY = re.compile(
    r'"(ticket_id|conversation_id|message_id)"\s*:\s*'
    r'(?:"([^"\\{}\x00-\x1f]{1,256})"|(\d{1,20})(\s*[,}])?)'
)
_TEXT_FIELDS = ("customer_message", "message", "body", "text", "customer_note", "content")


def token(headers: Mapping[str, str]) -> str:
    """The shared secret in a request's header.

    Raises:
        SignatureError: ``missing_token``.
    """
    given = headers.get(TOKEN_HEADER, "")
    if not given:
        raise SignatureError("missing_token", f"header {TOKEN_HEADER} is missing")
    return given


def verify(headers: Mapping[str, str], active_tokens: Sequence[str]) -> None:
    """Check the shared secret in a webhook's header against every active token, in constant time.

    Raises:
        SignatureError: the header is missing (``missing_token``) or wrong (``invalid_token``).
    """
    given = token(headers)
    matches = [_equal(given, token) for token in active_tokens]
    if not any(matches):
        raise SignatureError("invalid_token", f"header {TOKEN_HEADER} is wrong")


def parse(request: InboundRequest) -> TicketMessage | TicketNotification:
    """Parse a webhook request of Richpanel into the job for the queue.

    Raises:
        TooLargeError: the body has more than 32 KB.
        PayloadError: ``missing_conversation_id``, or ``invalid_json`` for a body that is no JSON
            object and in which no ticket id is found.
    """
    bodies.check_size(request.body, MAX_BODY_BYTES)
    try:
        payload = _strict_json(request.body)
    except ValueError:
        return _from_broken(request)
    if not isinstance(payload, dict):
        raise PayloadError("invalid_json", "the body must be a JSON object")
    conversation_id = _first_id(payload, "ticket_id", "conversation_id")
    if conversation_id is None:
        raise PayloadError(
            "missing_conversation_id", "field ticket_id or conversation_id is missing or empty"
        )
    normal = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
    return _job(
        request,
        conversation_id,
        _first_id(payload, "message_id"),
        normal,
        text=_text_of(payload),
        created_at=_time_of(payload),
    )


def _job(
    request: InboundRequest,
    conversation_id: str,
    message_id: str | None,
    normal: bytes,
    *,
    text: str | None = None,
    created_at: str | None = None,
) -> TicketMessage | TicketNotification:
    common: dict[str, Any] = {
        "conversation_id": conversation_id,
        "received_at": request.received_at,
        "payload_sha256": hashlib.sha256(normal).hexdigest(),
        "payload_bytes": len(normal),
        "source": SOURCE,
        "trace_id": keys.digest(request.delivery_id)[:16],
        "text": text,
        "created_at": created_at,
    }
    if message_id is not None:
        event_key = ticket_keys.ticket_message(conversation_id, message_id)
        return TicketMessage(event_key=event_key, message_id=message_id, **common)
    event_key = ticket_keys.ticket_notification(conversation_id, request.delivery_id)
    return TicketNotification(event_key=event_key, **common)


def _from_broken(request: InboundRequest) -> TicketMessage | TicketNotification:
    """The job made from the ids that are found in a body that is not JSON.

    Raises `PayloadError` without a clear ticket id.  A number with no delimiter after it is not
    used: it may be truncated and name another ticket.  Neither is any other value of the same field
    used, as it may be in a customer's text.
    """
    text = request.body.decode("utf-8", errors="replace")
    found: dict[str, set[str | None]] = {}
    for name, quoted, number, end in _ID_IN_BROKEN_BODY.findall(text):
        is_unterminated = number and not end
        found.setdefault(name, set()).add(None if is_unterminated else (quoted or number).strip())
    clear = {name: next(iter(values)) for name, values in found.items() if len(values) == 1}
    ids = {name: _checked_id(value) for name, value in clear.items() if value is not None}
    conversation_id = ids.get("ticket_id") or ids.get("conversation_id")
    ambiguous = "ticket_id" in found and "ticket_id" not in ids
    if conversation_id is None or ambiguous:
        raise PayloadError("invalid_json", "the body is not JSON and holds no ticket_id")
    return _job(request, conversation_id, ids.get("message_id"), request.body)


def _strict_json(body: bytes) -> Any:  # noqa: ANN401 - any JSON value
    return bodies.parsed_json(body, parse_constant=_not_json, object_pairs_hook=_without_duplicates)


def _not_json(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found


def _first_id(payload: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = payload.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int):
            continue
        checked = _checked_id(str(value).strip())
        if checked is not None:
            return checked
    return None


def _checked_id(text: str) -> str | None:
    """The text if it is an id that can be stored and sent; else None.

    Not an id are a template's placeholder, an empty, unprintable or too long text, and a text in
    which a decoder replaced bytes, as it may name another ticket.
    """
    if _PLACEHOLDER.search(text) or bodies.REPLACED in text or not text.isprintable():
        return None
    return text if len(text.encode()) <= MAX_ID_BYTES else None


def _text_of(payload: Mapping[str, Any]) -> str | None:
    for name in _TEXT_FIELDS:
        value = payload.get(name)
        if isinstance(value, str) and not _PLACEHOLDER.search(value):
            return value.encode("utf-8", errors="replace").decode()
    return None


def _time_of(payload: Mapping[str, Any]) -> str | None:
    for name in ("message_created_at", "created_at"):
        moment = parsed(payload[name]) if isinstance(payload.get(name), str) else None
        if moment is not None:
            return iso(moment)
    return None


def _equal(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
