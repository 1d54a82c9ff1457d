"""Twilio's webhooks: messages that come in, and what became of messages of ours.

Form posts, signed: ``X-Twilio-Signature`` is the base64 HMAC-SHA1 of the configured URL and the
sorted parameters, by the account's token (https://www.twilio.com/docs/usage/webhooks/webhooks-security).
Nothing in it tells the time, so a replay is known by its message id and status alone.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlencode

from chalicelib.errors import PayloadError, SignatureError, TooLargeError
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage

MAX_BODY_BYTES = 64 * 1024
MAX_TEXT_CHARACTERS = 4096
WHATSAPP = "whatsapp:"
RANKS: Mapping[str, int] = {
    "sent": 2,
    "delivered": 3,
    "read": 4,
    "canceled": 5,
    "undelivered": 5,
    "failed": 5,
}
"""What of Twilio's states is kept; a higher rank is never taken back by a lower one."""
OPTED_OUT = "21610"
_STOP = frozenset({"stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"})
"""Twilio's default keywords (https://help.twilio.com/articles/223134027)."""
_START = frozenset({"start", "yes", "unstop"})
_SID = re.compile(r"[A-Z]{2}[0-9a-f]{32}")
_SMALL_NUMBER = re.compile(r"[0-9]{1,4}")
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


def verify(
    headers: Mapping[str, str], body: bytes, url: str, tokens: Mapping[str, Sequence[str]]
) -> None:
    """Check the signature by the tokens of the account the post names; nothing else is read.

    Args:
        headers: names in lower case.
        body: the form as it came.
        url: what is configured at Twilio: scheme, host, stage path, query; the fragment is not
            signed.
        tokens: account to its active tokens.

    Raises:
        SignatureError: ``invalid_signature``.
    """
    form = _form(body)
    account = form.get("AccountSid", [""])[0]
    given = headers.get("x-twilio-signature", "").encode("utf-8", "replace")
    signed = url.split("#", 1)[0] + "".join(
        name + value for name in sorted(form) for value in sorted(set(form[name]))
    )
    wanted = [
        base64.b64encode(hmac.new(t.encode(), signed.encode(), hashlib.sha1).digest())
        for t in tokens.get(account, ())
    ]
    matches = [hmac.compare_digest(given, one) for one in wanted]
    if not any(matches):
        raise SignatureError("invalid_signature", "header x-twilio-signature does not hold")


def parse_message(request: InboundRequest, opaque: keys.OpaqueIds) -> InboundMessage:
    """The job of a message that came in.

    Raises:
        TooLargeError, PayloadError: names the field that is missing.
    """
    form = _checked(request.body)
    sid = _needed(form, "MessageSid")
    sender, recipient = _needed(form, "To"), _needed(form, "From")
    channel = "whatsapp" if recipient.startswith(WHATSAPP) else "sms"
    sender, recipient = (one.removeprefix(WHATSAPP) for one in (sender, recipient))
    text = form.get("Body", "")[:MAX_TEXT_CHARACTERS]
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
    """The job of a status callback; None for a state that says nothing new.

    Raises:
        TooLargeError, PayloadError: names the field that is missing or the query that is not ours.
    """
    form = _checked(request.body)
    sid, status = _needed(form, "MessageSid"), _needed(form, "MessageStatus").lower()
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
            "channel": "text",
            "sender": form.get("From", "").removeprefix(WHATSAPP),
            "recipient": form.get("To", "").removeprefix(WHATSAPP),
            "entry_id": found[2],
            "provider_id": sid,
            "status": status,
            "rank": RANKS[status],
            "reason": code if code.isdecimal() and code != "0" else None,
            "opts_out": code == OPTED_OUT,
        }
    )


def callback_url(base_url: str, opaque_id: str, entry_id: str) -> str:
    """Where Twilio reports on a message; its ``cid`` names the message without a look-up."""
    query = urlencode({"cid": f"{opaque_id}.{entry_id}"})
    return f"{base_url.rstrip('/')}/webhook/twilio/status?{query}"


def signed_url(base_url: str, path: str, query: Mapping[str, str]) -> str:
    """The URL as it is configured at Twilio: ours, whatever host the gateway was asked by."""
    url = f"{base_url.rstrip('/')}{path}"
    return f"{url}?{urlencode(query)}" if query else url


def _form(body: bytes) -> dict[str, list[str]]:
    """Blank values are signed too."""
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


def _checked(body: bytes) -> dict[str, str]:
    if len(body) > MAX_BODY_BYTES:
        raise TooLargeError("payload_too_large", f"the body has more than {MAX_BODY_BYTES} bytes")
    return {name: values[-1] for name, values in _form(body).items()}


def _needed(form: Mapping[str, str], name: str) -> str:
    value = form.get(name, "")
    is_sid = name != "MessageSid" or _SID.fullmatch(value)
    if not value or not is_sid:
        raise PayloadError(f"missing_{name.lower()}", f"field {name} is missing or malformed")
    return value


def _opt_out(declared: str, text: str) -> str | None:
    """STOP or START by Twilio's word or a keyword alone; HELP only where Twilio answers it."""
    if declared:
        return declared.lower() if declared.upper() in ("STOP", "START", "HELP") else None
    return keyword(text)


def keyword(text: str) -> str | None:
    """``stop`` or ``start`` when the whole message is such a keyword."""
    word = keys.normalised(text).strip(" .!\"'")
    if word in _STOP:
        return "stop"
    return "start" if word in _START else None
