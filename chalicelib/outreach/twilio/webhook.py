"""Twilio's webhooks: inbound messages, and status callbacks of our messages.

Form posts, signed: ``X-Twilio-Signature`` is the base64 HMAC-SHA1 of the configured URL and the
sorted parameters, by the account's token (https://www.twilio.com/docs/usage/webhooks/webhooks-security).
It contains no timestamp, so a replay is recognised only by its message id and status.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlencode

from chalicelib.errors import PayloadError, SignatureError
from chalicelib.once import body as bodies
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Carrier, channel_of, number_of
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage

MAX_BODY_BYTES = 64 * 1024
MAX_TEXT_CHARACTERS = 4096
RANKS: Mapping[str, int] = {
    "sent": 2,
    "delivered": 3,
    "read": 4,
    "canceled": 5,
    "undelivered": 5,
    "failed": 5,
}
"""The statuses of Twilio that are stored; a lower rank never replaces a higher one."""
OPTED_OUT = "21610"
_STOP = frozenset({"stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"})
"""Twilio's default keywords (https://help.twilio.com/articles/223134027)."""
_START = frozenset({"start", "yes", "unstop"})
_SID = re.compile(r"[A-Z]{2}[0-9a-f]{32}")
_SMALL_NUMBER = re.compile(r"[0-9]{1,4}")
_ERROR_CODE = re.compile(r"[1-9][0-9]{0,6}")
_ADDRESS = re.compile(r"[ -~]{1,256}")
_AS_SENT = "surrogateescape"
"""Keeps bytes that are not UTF-8, so that an id with them is refused and not changed."""
_CID = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{32})")


def accounts(text: str) -> dict[str, tuple[str, ...]]:
    """The webhook secret: AccountSid to its active tokens, ``{"AC...": ["new", "old"]}``."""
    try:
        raw = json.loads(text)
    except ValueError:
        return {}
    found = raw.items() if isinstance(raw, dict) else ()
    return {
        str(sid): tuple(t for t in ([v] if isinstance(v, str) else v) if isinstance(t, str) and t)
        for sid, v in found
        if isinstance(v, str | list)
    }


def signature(headers: Mapping[str, str]) -> bytes:
    """The signature that a request shows.

    Raises:
        SignatureError: ``missing_signature``.
    """
    given = headers.get("x-twilio-signature", "").encode("utf-8", "replace")
    if not given:
        raise SignatureError("missing_signature", "header x-twilio-signature is missing")
    return given


def verify(
    headers: Mapping[str, str], body: bytes, url: str, tokens: Mapping[str, Sequence[str]]
) -> None:
    """Check the signature with the tokens of the account named in the form.

    Args:
        headers: names in lower case.
        body: the raw form.
        url: the URL configured at Twilio: scheme, host, stage path, query; the fragment is not
            signed.
        tokens: account to its active tokens.

    Raises:
        SignatureError: ``missing_signature`` or ``invalid_signature``.
    """
    given = signature(headers)
    form = _form(body)
    account = form.get("AccountSid", [""])[0]
    signed = url.split("#", 1)[0] + "".join(
        name + value for name in sorted(form) for value in sorted(set(form[name]))
    )
    wanted = [
        base64.b64encode(
            hmac.new(t.encode(), signed.encode("utf-8", _AS_SENT), hashlib.sha1).digest()
        )
        for t in tokens.get(account, ())
    ]
    matches = [hmac.compare_digest(given, one) for one in wanted]
    if not any(matches):
        raise SignatureError("invalid_signature", "header x-twilio-signature is not valid")


def parse_message(request: InboundRequest, opaque: keys.OpaqueIds) -> InboundMessage:
    """The job of an inbound message.

    Raises:
        TooLargeError, PayloadError: names the field that is missing.
    """
    form = _flat_form(request.body)
    sid = _required(form, "MessageSid")
    sender, recipient = _required(form, "To"), _required(form, "From")
    channel = channel_of(recipient)
    sender, recipient = number_of(sender), number_of(recipient)
    text = _readable(form.get("Body", ""))[:MAX_TEXT_CHARACTERS]
    media = form.get("NumMedia", "")
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
            "sender": sender,
            "recipient": recipient,
            "message_id": sid,
            "text": text,
            "sent_at": request.received_at,
            "media_count": int(media) if _SMALL_NUMBER.fullmatch(media) else 0,
            "opt_out": _opt_out(form.get("OptOutType", ""), text),
        }
    )


def parse_receipt(request: InboundRequest, query: Mapping[str, str]) -> DeliveryReceipt | None:
    """The job of a status callback; None for a status that is not stored.

    Raises:
        TooLargeError, PayloadError: names the field that is missing or the query that is not ours.
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
    """The URL of a message's status callbacks; its ``cid`` identifies the message without a look-up."""
    query = urlencode({"cid": f"{opaque_id}.{entry_id}"})
    return f"{base_url.rstrip('/')}/webhook/twilio/status?{query}"


def signed_url(base_url: str, path: str, query: Mapping[str, str]) -> str:
    """The URL as configured at Twilio: our base URL, whatever host the request names."""
    url = f"{base_url.rstrip('/')}{path}"
    return f"{url}?{urlencode(query, errors='replace')}" if query else url


def _form(body: bytes) -> dict[str, list[str]]:
    """The form's fields; blank values are signed too, and so are bytes that are not UTF-8."""
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
    """An address that may be missing, but not be malformed."""
    return _required(form, name) if form.get(name) else ""


def _readable(text: str) -> str:
    """A text in which bytes that are not UTF-8 are replaced: it is read and identifies nothing."""
    return text.encode("utf-8", _AS_SENT).decode("utf-8", "replace")


def _opt_out(declared: str, text: str) -> str | None:
    """STOP or START by Twilio's field or by a keyword; HELP only where Twilio answers it."""
    if declared:
        return declared.lower() if declared.upper() in ("STOP", "START", "HELP") else None
    return keyword(text)


def keyword(text: str) -> str | None:
    """``stop`` or ``start`` when the whole message is such a keyword."""
    word = keys.normalised(text).strip(" .!\"'")
    if word in _STOP:
        return "stop"
    return "start" if word in _START else None
