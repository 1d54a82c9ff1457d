"""Twilio's webhooks: inbound messages, and status callbacks of our messages.

They are signed form posts: ``X-Twilio-Signature`` is the base64 HMAC-SHA1 of the configured URL and the
sorted parameters, by the account's token (https://www.twilio.com/docs/usage/webhooks/webhooks-security).
An account with shared keys signs by HMAC-SHA256 instead and names the key in
``X-Twilio-Webhooks-Signature-Settings: key=<id>,algorithm=HMAC_SHA256`` (the SDK's
``request_validator``, 9.13).  Neither signature contains a timestamp, so a replayed request is recognised
only by its message id and status.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlencode

from chalicelib.errors import PayloadError, SignatureError
from chalicelib.once import body as bodies
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Carrier, Channel, channel_of, number_of
from chalicelib.outreach.consent.contact_words import Word, recognise
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage

MAX_BODY_BYTES = 64 * 1024
MAX_TEXT_CHARACTERS = 4096
MAX_MEDIA = 10
"""Maximum number of media files of a message, as Twilio limits them."""
MAX_URL = 2000
RANKS: Mapping[str, int] = {
    "sent": 2,
    "delivered": 3,
    "read": 4,
    "canceled": 5,
    "undelivered": 5,
    "failed": 5,
}
"""The delivery statuses of Twilio that are stored; a lower rank never replaces a higher one."""
OPTED_OUT = "21610"
_SID = re.compile(r"[A-Z]{2}[0-9a-f]{32}")
_SMALL_NUMBER = re.compile(r"[0-9]{1,4}")
_ERROR_CODE = re.compile(r"[1-9][0-9]{0,6}")
_ADDRESS = re.compile(r"[ -~]{1,256}")
_AS_SENT = "surrogateescape"
"""Error handler that keeps bytes which are not UTF-8, so that an id with such bytes is refused."""
_SETTINGS = "x-twilio-webhooks-signature-settings"
_OLDER = "HMAC_SHA1"
_ALGORITHMS = {_OLDER: hashlib.sha1, "HMAC_SHA256": hashlib.sha256}
_CID = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{32})")


def auth_tokens(text: str) -> dict[str, tuple[str, ...]]:
    """For each account in the webhook secret, its active auth tokens, newest first.

    The secret is ``{"AC...": ["new", "old"]}``, or for an account with shared keys
    ``{"AC...": {"auth_tokens": [...], "shared_keys": {"<key id>": "<secret>"}}}``; without
    ``auth_tokens`` the older signature (HMAC-SHA1) is refused.
    """
    found = {}
    for sid, value in _entries(text).items():
        tokens = value.get("auth_tokens", []) if isinstance(value, dict) else value
        if isinstance(tokens, str | list):
            listed = [tokens] if isinstance(tokens, str) else tokens
            found[sid] = tuple(token for token in listed if isinstance(token, str) and token)
    return found


def shared_keys(text: str) -> dict[str, Mapping[str, str]]:
    """For each account in the webhook secret, its shared keys by key id.

    The docstring of `accounts` shows the secret's JSON.
    """
    found: dict[str, Mapping[str, str]] = {}
    for sid, value in _entries(text).items():
        keys_ = value.get("shared_keys") if isinstance(value, dict) else None
        if isinstance(keys_, dict):
            found[sid] = {k: v for k, v in keys_.items() if k and isinstance(v, str) and v}
    return found


def _entries(text: str) -> dict[str, Any]:
    try:
        raw = json.loads(text)
    except ValueError:
        return {}
    return raw if isinstance(raw, dict) else {}


def signature(headers: Mapping[str, str]) -> bytes:
    """The value of a request's header ``x-twilio-signature``.

    Raises:
        SignatureError: ``missing_signature``.
    """
    given = headers.get("x-twilio-signature", "").encode("utf-8", "replace")
    if not given:
        raise SignatureError("missing_signature", "header x-twilio-signature is missing")
    return given


def verify(
    headers: Mapping[str, str],
    body: bytes,
    url: str,
    tokens: Mapping[str, Sequence[str]],
    shared: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> None:
    """Check a request's signature with the tokens or shared keys of the account that its form names.

    Args:
        headers: with names in lower case.
        body: the raw form, which must name one account, once.
        url: the URL configured at Twilio: scheme, host, stage path, query; a fragment is not signed.
        tokens: each account's active tokens.
        shared: each account's shared keys, by their ids.

    Raises:
        SignatureError: ``missing_signature`` or ``invalid_signature``.
    """
    given = signature(headers)
    form = _form(body)
    named = form.get("AccountSid", [])
    account = named[0] if len(named) == 1 else None
    signed = url.split("#", 1)[0] + "".join(
        name + value for name in sorted(form) for value in sorted(set(form[name]))
    )
    key_id, algorithm = _scheme(headers.get(_SETTINGS, ""))
    secrets: Sequence[str] = ()
    if account is not None and key_id:
        secrets = [value for name, value in shared.get(account, {}).items() if name == key_id]
    elif account is not None and algorithm == _OLDER:
        secrets = tokens.get(account, ())
    wanted = [
        base64.b64encode(
            hmac.new(
                secret.encode(), signed.encode("utf-8", _AS_SENT), _ALGORITHMS[algorithm]
            ).digest()
        )
        for secret in secrets
        if algorithm in _ALGORITHMS
    ]
    matches = [hmac.compare_digest(given, wanted_signature) for wanted_signature in wanted]
    if not any(matches):
        raise SignatureError("invalid_signature", "header x-twilio-signature is not valid")


def _scheme(settings: str) -> tuple[str, str]:
    """How a request is signed: the shared key's id, empty for an account's token, and the algorithm."""
    parts = (part.partition("=") for part in settings.split(","))
    found = {name.strip(): value.strip() for name, _, value in parts}
    return found.get("key", ""), found.get("algorithm", "").upper() or _OLDER


def parse_message(request: InboundRequest, opaque: keys.OpaqueIds) -> InboundMessage:
    """The job of a message that a recipient sent, from Twilio's form.

    Raises:
        TooLargeError, PayloadError: the error names the field that is missing or malformed.
    """
    form = _flat_form(request.body)
    sid = _required(form, "MessageSid")
    sender, recipient = _required(form, "To"), _required(form, "From")
    channel = channel_of(recipient)
    sender, recipient = number_of(sender), number_of(recipient)
    text = _readable(form.get("Body", ""))[:MAX_TEXT_CHARACTERS]
    media, quoted = form.get("NumMedia", ""), form.get("OriginalRepliedMessageSid", "")
    count = int(media) if _SMALL_NUMBER.fullmatch(media) else 0
    return InboundMessage.model_validate(
        {
            "event_key": outreach_keys.reply(channel, sid),
            "conversation_id": opaque.of("pair", channel, sender, recipient),
            "received_at": request.received_at,
            "payload_sha256": hashlib.sha256(request.body).hexdigest(),
            "payload_bytes": len(request.body),
            "source": "twilio",
            "trace_id": keys.digest(request.delivery_id)[:16],
            "channel": channel,
            "account": form.get("AccountSid"),
            "sender": sender,
            "recipient": recipient,
            "message_id": sid,
            "text": text,
            "sent_at": request.received_at,
            "media_count": count,
            "media": _media(form, count),
            "in_reply_to": [quoted] if _SID.fullmatch(quoted) else [],
            **_consent(form.get("OptOutType", ""), channel, text),
        }
    )


def _media(form: Mapping[str, str], count: int) -> list[dict[str, str]]:
    """What is stored of a message's media files: type, Twilio's link to the content, and the link's digest.

    Twilio states no size.
    """
    found = []
    for number in range(min(count, MAX_MEDIA)):
        url = _readable(form.get(f"MediaUrl{number}", ""))
        about = {"type": _readable(form.get(f"MediaContentType{number}", ""))[:100], "link": url}
        if url and len(url) <= MAX_URL:
            about["digest"] = keys.digest("media", url)[:32]
        else:
            del about["link"]
        found.append({name: value for name, value in about.items() if value})
    return found


def parse_receipt(request: InboundRequest, query: Mapping[str, str]) -> DeliveryReceipt | None:
    """The job of a status callback, from Twilio's form; None for a status that is not stored.

    Raises:
        TooLargeError, PayloadError: the error names the field, or the query parameter that is not ours.
    """
    form = _flat_form(request.body)
    sid, status = _required(form, "MessageSid"), _required(form, "MessageStatus").lower()
    if form.get("EventType", "").upper() == "READ":
        status = "read"
    if status not in RANKS:
        return None
    found = _CID.fullmatch(query.get("cid", ""))
    if found is None:
        raise PayloadError("invalid_cid", "query parameter cid is not ours")
    code = form.get("ErrorCode", "")
    return DeliveryReceipt.model_validate(
        {
            "event_key": outreach_keys.receipt(sid, status),
            "conversation_id": found[1],
            "received_at": request.received_at,
            "payload_sha256": hashlib.sha256(request.body).hexdigest(),
            "payload_bytes": len(request.body),
            "source": "twilio_status",
            "trace_id": keys.digest(request.delivery_id)[:16],
            "channel": Carrier.TEXT,
            "account": form.get("AccountSid"),
            "sender": number_of(_address(form, "From")),
            "recipient": number_of(_address(form, "To")),
            "entry_id": found[2],
            "provider_id": sid,
            "status": status,
            "rank": RANKS[status],
            "reason": code if _ERROR_CODE.fullmatch(code) else None,
            "opts_out": code == OPTED_OUT,
        }
    )


def callback_url(base_url: str, opaque_id: str, entry_id: str) -> str:
    """The URL for a sent message's status callbacks; its ``cid`` holds conversation id and entry id."""
    query = urlencode({"cid": f"{opaque_id}.{entry_id}"})
    return f"{base_url.rstrip('/')}/webhook/twilio/status?{query}"


def signed_url(base_url: str, path: str, query: Mapping[str, str]) -> str:
    """The URL over which Twilio computes its signature: our base URL with the given path and query.

    The host that a request names does not count.
    """
    url = f"{base_url.rstrip('/')}{path}"
    return f"{url}?{urlencode(query, errors='replace')}" if query else url


def _form(body: bytes) -> dict[str, list[str]]:
    """The fields of a request's form.

    Blank values and bytes that are not UTF-8 are kept, because Twilio signs them.
    """
    return parse_qs(body.decode("utf-8", _AS_SENT), keep_blank_values=True, errors=_AS_SENT)


def _flat_form(body: bytes) -> dict[str, str]:
    bodies.check_size(body, MAX_BODY_BYTES)
    return {name: values[-1] for name, values in _form(body).items()}


def _required(form: Mapping[str, str], name: str) -> str:
    value = form.get(name, "")
    form_of_value = _SID if name == "MessageSid" else _ADDRESS
    if not form_of_value.fullmatch(value):
        raise PayloadError(f"missing_{name.lower()}", f"field {name} is missing or malformed")
    return value


def _address(form: Mapping[str, str], name: str) -> str:
    """The value of a form's field that holds an address; empty where the field is missing.

    Raises:
        PayloadError: the field is malformed.
    """
    return _required(form, name) if form.get(name) else ""


def _readable(text: str) -> str:
    """A text of the form for readers: bytes that are not UTF-8 are replaced."""
    return text.encode("utf-8", _AS_SENT).decode("utf-8", "replace")


def _consent(declared: str, channel: Channel, text: str) -> dict[str, Any]:
    """The job's fields `opt_out` (STOP, START, HELP) and `carrier_answers` (Twilio answers the message).

    A value of Twilio's field ``OptOutType`` means that Twilio recognised and answered the message.
    Without it Twilio may still answer its default keywords on SMS.
    """
    if declared:
        known = declared.upper() in ("STOP", "START", "HELP")
        return {"opt_out": declared.lower() if known else None, "carrier_answers": True}
    said = recognise(text)
    word = said.word if said.word != Word.DOUBT else None
    is_answered = channel == Channel.SMS and said.is_carriers
    return {"opt_out": word.value if word else None, "carrier_answers": is_answered}
