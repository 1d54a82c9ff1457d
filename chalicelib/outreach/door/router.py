"""The body of `POST /initiate-conversation`; `access` authenticates its caller.

The body is the request itself, or a whole Context Object, of which only the request and the
``conversation_id`` are taken, so that one company can never send with another's account.  That id
begins with the company's and the project's ids, so that none can name another's conversation::

    {"company_data": {"company_id": "ci-aaa-001", "project_id": "pi-aaa-001"},
     "recipient_data": {"recipient_first_name": "Jo", "recipient_tel": "+15550100001",
                        "comms_consent": true,
                        "comms_consent_at": "2026-11-20T08:59:00.000Z",
                        "comms_consent_source": "form /apply, box 2",
                        "consent": {"given_at": "2026-11-20T08:59:00.000Z", "form": "/apply",
                                    "version": "2026-10", "expires_at": "2027-11-20T00:00:00.000Z"}},
     "project_data": {"job_ref": "JR123"},
     "request_data": {"request_id": "req123", "channel_method": "whatsapp",
                      "initial_request_timestamp": "2026-11-20T09:00:00.000Z",
                      "send_at": "2026-11-21T09:00:00+01:00", "purpose": "service"}}

    {"frontend_payload": {... as above ...}, "company_data_payload": {...},
     "conversation_data": {"conversation_id": "ci-aaa-001#pi-aaa-001#..."},
     "metadata": {"router_version": "1.0.1-dev"}}
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import PayloadError, RequestError
from chalicelib.once import body as bodies
from chalicelib.outreach.channels import ADDRESSES, RECIPIENT_FIELD_OF, Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations.recipients import CONSENT, PURPOSE
from chalicelib.outreach.conversations.records import SEND_AT, SEPARATOR

SOURCE = "channel_router"
MAX_BODY_BYTES = 256 * 1024
"""Maximum size of a start's body; it leaves room for the company's settings in a queue message of 1 MiB."""
MAX_ID_BYTES = 256
"""Limit for a company's or a project's id: both are parts of a conversation's key, which has 1,024 bytes."""
MAX_DEPTH = 28
MAX_PROOF_CHARACTERS = 1000
_IDS = ("company_id", "project_id")
_CONSENT_FIELDS = {"given_at": True, "form": False, "version": False, "expires_at": True}
"""The fields of ``consent``, and whether each is a time."""
_SMALLEST, _LARGEST, _TOO_LONG = 1e-130, 1e126, 10**38
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_CONVERSATION_ID = re.compile(r"[\x21-\x7e]{1,512}")


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A valid request to start a conversation; addresses are normalised, the repr has no personal data."""

    company_id: str
    project_id: str
    request_id: str
    channel: Channel
    recipient: str = field(repr=False)
    attributes: Mapping[str, Any] = field(repr=False)
    conversation_id: str | None = field(repr=False)
    payload_sha256: str
    payload_bytes: int
    send_at: datetime | None = None


def check_size(body: bytes) -> None:
    """Refuse a start request whose body is over `MAX_BODY_BYTES`.

    Raises:
        TooLargeError: ``PAYLOAD_TOO_LARGE``.
    """
    bodies.check_size(body, MAX_BODY_BYTES, code="PAYLOAD_TOO_LARGE")


def parse(body: bytes) -> StartRequest:
    """Parse the body of a start request; its fields are checked in the Router's own order.

    Raises:
        TooLargeError: ``PAYLOAD_TOO_LARGE``.
        PayloadError: with the Router's code, e.g. ``MISSING_REQUEST_ID``; names fields, never
            values.
    """
    check_size(body)
    whole = bodies.json_object(body, code="INVALID_REQUEST")
    request, conversation_id = _request_of(whole)
    about = whole.get("metadata")
    version = _text(about, "router_version") if isinstance(about, dict) else None
    for kept in (request, version):
        _check_storable(kept, MAX_DEPTH)
    company = request.get("company_data")
    ids = company if isinstance(company, dict) else {}
    if isinstance(company, dict) and not (_text(ids, "company_id") and _text(ids, "project_id")):
        raise PayloadError(
            "MISSING_IDENTIFIERS", "field company_id or project_id is missing, empty or no text"
        )
    if any(len(str(ids.get(name, "")).encode()) > MAX_ID_BYTES for name in _IDS):
        raise PayloadError("INVALID_REQUEST", "company_id or project_id is too long")
    for name in _IDS:
        if SEPARATOR in str(ids.get(name, "")):
            raise PayloadError("INVALID_REQUEST", f"field {name} holds a {SEPARATOR}")
    for name in ("company_data", "recipient_data", "request_data"):
        if request.get(name) is None:
            raise PayloadError(f"MISSING_{name.upper()}", f"section {name} is missing")
        if not isinstance(request[name], dict):
            raise PayloadError(f"INVALID_{name.upper()}_TYPE", f"section {name} is not an object")
    recipient_data, request_data = request["recipient_data"], request["request_data"]
    request_id, channel, asked_at = _request_fields(request_data)
    send_at = _send_at(request_data)
    _check_owned(conversation_id, ids)
    addresses = addresses_in(channel, recipient_data)
    consent = recipient_data.get("comms_consent")
    if consent is not None and not isinstance(consent, bool):
        raise PayloadError("INVALID_COMMS_CONSENT_TYPE", "field comms_consent is not a boolean")
    canonical = json.dumps([request, conversation_id], sort_keys=True).encode()
    attributes = {
        **addresses,
        "comms_consent": consent is True,
        **_proof_of_consent(recipient_data),
        "recipient_first_name": _text(recipient_data, "recipient_first_name"),
        "recipient_last_name": _text(recipient_data, "recipient_last_name"),
        "recipient_timezone": _text(recipient_data, "recipient_timezone"),
        "project_data": request.get("project_data") or None,
        "initial_request_timestamp": asked_at,
        SEND_AT: None if send_at is None else iso(send_at),
        PURPOSE: _purpose(request_data),
        CONSENT: _consent(recipient_data),
        "router_version": version,
    }
    return StartRequest(
        company_id=ids["company_id"],
        project_id=ids["project_id"],
        request_id=request_id,
        channel=channel,
        recipient=addresses[RECIPIENT_FIELD_OF[channel]],
        attributes={name: value for name, value in attributes.items() if value is not None},
        conversation_id=conversation_id,
        payload_sha256=hashlib.sha256(canonical).hexdigest(),
        payload_bytes=len(canonical),
        send_at=send_at,
    )


def _proof_of_consent(recipient_data: Mapping[str, Any]) -> dict[str, str]:
    """When and how the recipient gave consent, as the Router states it; stored with the conversation.

    Raises:
        PayloadError: ``INVALID_COMMS_CONSENT_PROOF``.
    """
    found = {}
    given_at = recipient_data.get("comms_consent_at")
    if given_at is not None:
        moment = parsed(given_at) if isinstance(given_at, str) else None
        if moment is None:
            raise PayloadError(
                "INVALID_COMMS_CONSENT_PROOF", "field comms_consent_at is not ISO-8601"
            )
        found["comms_consent_at"] = iso(moment)
    source = recipient_data.get("comms_consent_source")
    if source is not None:
        if not isinstance(source, str) or not 0 < len(source.strip()) <= MAX_PROOF_CHARACTERS:
            raise PayloadError(
                "INVALID_COMMS_CONSENT_PROOF",
                f"field comms_consent_source is not a text of 1-{MAX_PROOF_CHARACTERS} characters",
            )
        found["comms_consent_source"] = source.strip()
    return found


def _purpose(request_data: Mapping[str, Any]) -> str | None:
    """The contact purpose that a start request states; None where it leaves that to the project.

    Raises:
        PayloadError: ``INVALID_PURPOSE``.
    """
    given = request_data.get(PURPOSE)
    if given is None or given in list(ContactPurpose):
        return given
    raise PayloadError("INVALID_PURPOSE", f"field purpose is none of {', '.join(ContactPurpose)}")


def _consent(recipient_data: Mapping[str, Any]) -> dict[str, str] | None:
    """The recipient's consent that a start request states for its channel and purpose; None without one.

    Raises:
        PayloadError: ``INVALID_CONSENT``.
    """
    given = recipient_data.get(CONSENT)
    if given is None:
        return None
    if not isinstance(given, dict):
        raise _no_consent("consent", "an object")
    unknown = sorted(given.keys() - _CONSENT_FIELDS.keys())
    if unknown:
        raise PayloadError("INVALID_CONSENT", "field consent holds a field that is not known")
    found = {}
    for name, is_time in _CONSENT_FIELDS.items():
        value = given.get(name)
        if value is None:
            continue
        if not isinstance(value, str) or not 0 < len(value.strip()) <= MAX_PROOF_CHARACTERS:
            raise _no_consent(f"consent.{name}", f"a text of 1-{MAX_PROOF_CHARACTERS} characters")
        moment = parsed(value) if is_time else None
        if is_time and moment is None:
            raise _no_consent(f"consent.{name}", "ISO-8601")
        found[name] = value.strip() if moment is None else iso(moment)
    if "given_at" not in found:
        raise PayloadError("INVALID_CONSENT", "field consent.given_at is missing")
    if found.get("expires_at", "~") <= found["given_at"]:
        raise _no_consent("consent.expires_at", "after consent.given_at")
    return found


def _no_consent(name: str, needed: str) -> PayloadError:
    return PayloadError("INVALID_CONSENT", f"field {name} is not {needed}")


def _send_at(request_data: Mapping[str, Any]) -> datetime | None:
    """When the first message is to be sent, if the start request says so; not yet compared with the clock.

    Raises:
        PayloadError: ``INVALID_SEND_AT``.
    """
    given = request_data.get(SEND_AT)
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise PayloadError("INVALID_SEND_AT", "field send_at is not ISO-8601 with a time zone")


def request_id_in(body: bytes) -> str:
    """The request id in a start request's body, to quote it in an error; ``unknown`` if it cannot be read."""
    try:
        request, _ = _request_of(bodies.json_object(body, code="INVALID_REQUEST"))
        found = request["request_data"]["request_id"]
    except (RequestError, KeyError, TypeError):
        return "unknown"
    return quotable_id(found)


def quotable_id(request_id: object) -> str:
    """A request id unchanged if it is valid, else ``unknown``: any other value may be a secret."""
    is_one = isinstance(request_id, str) and _REQUEST_ID.fullmatch(request_id)
    return str(request_id) if is_one else "unknown"


def _request_of(whole: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The start request within a request's body, and the conversation id of a Context Object around it.

    The id is None where there is no Context Object, or it has no id.

    Raises:
        PayloadError: ``INVALID_REQUEST``.
    """
    if "frontend_payload" not in whole:
        return dict(whole), None
    request = whole["frontend_payload"]
    if not isinstance(request, dict):
        raise PayloadError("INVALID_REQUEST", "section frontend_payload is not an object")
    about = whole.get("conversation_data")
    given = about.get("conversation_id") if isinstance(about, dict) else None
    if given is not None and not (isinstance(given, str) and _CONVERSATION_ID.fullmatch(given)):
        raise PayloadError("INVALID_REQUEST", "field conversation_id is not an identifier")
    return request, given


def _check_owned(conversation_id: str | None, ids: Mapping[str, Any]) -> None:
    """Refuse a conversation id that does not begin with the ids of the start's company and project.

    So a request can name neither another company's conversation nor the key of an internal row.

    Raises:
        PayloadError: ``INVALID_REQUEST``.
    """
    own = SEPARATOR.join((*(str(ids[name]) for name in _IDS), ""))
    if conversation_id is not None and not (
        conversation_id.startswith(own) and conversation_id != own
    ):
        raise PayloadError(
            "INVALID_REQUEST",
            f"field conversation_id does not begin with company_id{SEPARATOR}project_id{SEPARATOR}",
        )


def _check_storable(value: Any, depth: int) -> None:  # noqa: ANN401 - any JSON value
    """Refuse values in a start request that DynamoDB cannot store, before they are queued.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html: numbers of
    38 digits between 1e-130 and 1e126, 32 levels, texts in UTF-8.
    """
    match value:
        case str() if _LONE_SURROGATE.search(value):
            raise PayloadError("INVALID_REQUEST", "the body holds half of a character")
        case float() if value and not _SMALLEST <= abs(value) < _LARGEST:
            raise PayloadError("INVALID_REQUEST", "the body holds a number that cannot be kept")
        case int() if abs(value) >= _TOO_LONG:
            raise PayloadError("INVALID_REQUEST", "the body holds a number that cannot be kept")
        case dict() | list():
            if not depth:
                raise PayloadError("INVALID_REQUEST", "the body is nested too deeply")
            inner = [*value, *value.values()] if isinstance(value, dict) else value
            for child in inner:
                _check_storable(child, depth - 1)
        case _:
            pass


def _request_fields(data: Mapping[str, Any]) -> tuple[str, Channel, str]:
    """The id, channel and time of a start request; all must be present, then be texts, then be valid.

    Raises:
        PayloadError: with the Router's code for the first field at fault.
    """
    names = ("request_id", "channel_method", "initial_request_timestamp")
    for name in names:
        if data.get(name) is None:
            raise PayloadError(f"MISSING_{name.upper()}", f"field {name} is missing")
        if not _text(data, name):
            raise PayloadError(
                f"INVALID_{name.upper()}_FORMAT", f"field {name} is empty or no text"
            )
    request_id, method, asked_at = (str(data[name]) for name in names)
    if not _REQUEST_ID.fullmatch(request_id):
        raise PayloadError("INVALID_REQUEST_ID", "field request_id is not 1-128 of A-Za-z0-9_-")
    try:
        channel = Channel(method.strip().lower())
    except ValueError:
        raise PayloadError(
            "UNSUPPORTED_CHANNEL", "field channel_method names no known channel"
        ) from None
    moment = parsed(asked_at)
    if moment is None:
        raise PayloadError("INVALID_TIMESTAMP", "field initial_request_timestamp is not ISO-8601")
    return request_id, channel, iso(moment)


def addresses_in(channel: Channel, data: Mapping[str, Any]) -> dict[str, str]:
    """The recipient's addresses in a request, normalised, by field; the request's channel needs its address.

    The other addresses may be missing or empty. An invalid address is refused, since it could not
    be linked with the recipient's other conversations.

    Raises:
        PayloadError: ``MISSING_...`` or ``INVALID_...`` with the field's name.
    """
    needed = RECIPIENT_FIELD_OF[channel]
    if data.get(needed) is None:
        raise PayloadError(f"MISSING_{needed.upper()}", f"field {needed} is missing")
    found = {}
    for kind in ADDRESSES:
        given = data.get(kind.field)
        if kind.field != needed and (given is None or given == ""):
            continue
        address = kind.normalise(given) if isinstance(given, str) else None
        if address is None:
            raise PayloadError(f"INVALID_{kind.field.upper()}", f"field {kind.field} is not valid")
        found[kind.field] = address
    return found


def _text(data: Mapping[str, Any], name: str) -> str | None:
    value = data.get(name)
    return value if isinstance(value, str) and value.strip() else None
