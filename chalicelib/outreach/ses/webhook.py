"""Amazon SES by SNS: e-mails that come in, and events of e-mails of ours.

One topic carries both.  Inbound (a receipt rule with an SNS action, Base64; 150 KB at most)::

    {"notificationType": "Received", "mail": {"messageId": "...", "headers": [...], ...},
     "receipt": {"recipients": ["replies+<token>@company.example"], "dmarcVerdict": {...}, ...},
     "content": "<base64 of the whole message>"}

Events (a configuration set's destination; https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html)::

    {"eventType": "Delivery", "mail": {"messageId": "...", "tags": {"send": ["<id>_<entry>"]}, ...}}

SNS invokes the function by its own permission, so there is nothing to verify here.
"""

from __future__ import annotations

import base64
import binascii
import email
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from email.message import EmailMessage
from email.policy import default as policy
from email.utils import parseaddr
from typing import Any, TypeVar

from chalicelib.errors import PayloadError
from chalicelib.once import keys
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage
from chalicelib.vendors.html_text import plain_text

MAX_TEXT_CHARACTERS = 32_768
TAG = "send"
_EVENTS: Mapping[str, tuple[str, int]] = {
    "Send": ("sent", 2),
    "Delivery": ("delivered", 3),
    "Open": ("read", 4),
    "Bounce": ("bounced", 5),
    "Reject": ("rejected", 5),
    "Rendering Failure": ("failed", 5),
    "Complaint": ("complained", 6),
}
_TOKEN = re.compile(r"[0-9a-f]{32}")
_TAG = re.compile(r"([0-9a-f]{32})_([0-9a-f]{32})")
_QUOTED = re.compile(r"^(>.*|On .{1,200}wrote:|-+ ?Original Message ?-+|_{20,})\s*$", re.MULTILINE)
_HALF = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
"""Halves of a character that stand for no byte either: JSON carries them, UTF-8 does not."""
_ANSWERS_BY_MACHINE = ("X-Autoreply", "X-Autorespond", "X-Auto-Response-Suppress")
_ROBOTS = ("mailer-daemon@", "postmaster@", "noreply@", "no-reply@")

_T = TypeVar("_T")


def parse(
    message: str, *, received_at: str, delivery_id: str, opaque: keys.OpaqueIds
) -> InboundMessage | DeliveryReceipt | None:
    """The job of one SNS message; None for an event that says nothing new.

    Raises:
        PayloadError: it is no SES notification, or an e-mail without a sender; names no address.
    """
    try:
        raw = json.loads(message)
    except (ValueError, RecursionError):
        raise PayloadError("invalid_json", "the SNS message is not JSON") from None
    mail = raw.get("mail") if isinstance(raw, dict) else None
    if not isinstance(mail, dict) or not isinstance(mail.get("messageId"), str):
        raise PayloadError("invalid_notification", "field mail.messageId is missing")
    whole = message.encode("utf-8", "surrogatepass")
    common = {
        "received_at": received_at,
        "payload_sha256": hashlib.sha256(whole).hexdigest(),
        "payload_bytes": len(whole),
        "trace_id": keys.digest(delivery_id)[:16],
        "channel": "email",
    }
    if raw.get("notificationType") == "Received":
        return _received(raw, common, opaque)
    return _event(raw, mail, common)


def plus_tag(address: str) -> tuple[str, str | None]:
    """``replies+<token>@company.example`` as the address itself and the token."""
    local, _, domain = address.strip().lower().rpartition("@")
    name, _, tag = local.rpartition("+")
    return (
        (f"{name}@{domain}", tag) if _TOKEN.fullmatch(tag) and name else (f"{local}@{domain}", None)
    )


def reply_address(address: str, token: str) -> str:
    """The other way round."""
    local, _, domain = address.rpartition("@")
    return f"{local}+{token}@{domain}"


def message_id_digest(message_id: str) -> str:
    """What stands for a Message-ID, which looks like an address."""
    return keys.digest("message-id", message_id.strip())[:32]


def _event(
    raw: Mapping[str, Any], mail: Mapping[str, Any], common: Mapping[str, Any]
) -> DeliveryReceipt | None:
    name = str(raw.get("eventType", raw.get("notificationType", "")))
    if name not in _EVENTS:
        return None
    status, rank = _EVENTS[name]
    about = raw.get("bounce") or {}
    if name == "Bounce" and about.get("bounceType") == "Transient":
        return None  # SES goes on trying; what comes of it is another event
    tags = (mail.get("tags") or {}).get(TAG) or [""]
    found = _TAG.fullmatch(str(tags[0]))
    if found is None:
        return None  # not sent by us
    reason = {
        "Bounce": about.get("bounceSubType"),
        "Reject": (raw.get("reject") or {}).get("reason"),
    }
    return DeliveryReceipt.model_validate(
        {
            **common,
            "event_key": outreach_keys.receipt(mail["messageId"], status),
            "conversation_id": found[1],
            "source": "ses_event",
            "sender": plus_tag(parseaddr(str(mail.get("source", "")))[1])[0],
            "recipient": str((mail.get("destination") or [""])[0]).lower(),
            "entry_id": found[2],
            "provider_id": mail["messageId"],
            "status": status,
            "rank": rank,
            "reason": _word(reason.get(name)),
            "opts_out": name == "Complaint",
        }
    )


def _received(
    raw: Mapping[str, Any], common: Mapping[str, Any], opaque: keys.OpaqueIds
) -> InboundMessage:
    receipt = raw.get("receipt") or {}
    message = _message(raw)
    recipient = parseaddr(_header(message, "From"))[1].lower()
    addresses = [str(one) for one in receipt.get("recipients") or ()]
    if not recipient or not addresses:
        raise PayloadError("missing_sender", "the e-mail has no sender or no recipient")
    tagged = [plus_tag(one) for one in addresses]
    sender, token = next((one for one in tagged if one[1]), tagged[0])
    own_id = _header(message, "Message-ID")
    message_id = message_id_digest(own_id or raw["mail"]["messageId"])
    text = text_of(message)
    return InboundMessage.model_validate(
        {
            **common,
            "event_key": outreach_keys.reply("email", message_id),
            "conversation_id": opaque.of("pair", "email", sender, recipient),
            "source": "ses_inbound",
            "sender": sender,
            "recipient": recipient,
            "message_id": message_id,
            "text": text[:MAX_TEXT_CHARACTERS],
            "sent_at": common["received_at"],
            "media_count": _readable(lambda: sum(1 for _ in message.iter_attachments()), 0),
            "token": token,
            "in_reply_to": [message_id_digest(one) for one in _referred(message)][-20:],
            "email_message_id": own_id or None,
            "is_automatic": is_automatic(message, recipient) or not _is_trusted(receipt),
        }
    )


def is_automatic(message: EmailMessage, sender: str) -> bool:
    """Whether no person wrote it (RFC 3834, and what mail programs add besides)."""
    submitted = _header(message, "Auto-Submitted", "no").strip().lower()
    precedence = _header(message, "Precedence").strip().lower()
    return (
        not submitted.startswith("no")
        or precedence in {"bulk", "junk", "list", "auto_reply"}
        or any(_header(message, name) for name in _ANSWERS_BY_MACHINE)
        or "List-Id" in message
        or _readable(message.get_content_type, "") == "multipart/report"
        or _header(message, "Return-Path").strip() == "<>"
        or sender.startswith(_ROBOTS)
    )


def text_of(message: EmailMessage) -> str:
    """What the sender wrote, without what is quoted below it; empty where it cannot be read."""
    content = _readable(lambda: _content(message), "")
    quoted = _QUOTED.search(content)
    return (content[: quoted.start()] if quoted else content).strip()


def _content(message: EmailMessage) -> str:
    body = message.get_body(preferencelist=("plain", "html"))
    content = str(body.get_content()) if body is not None else ""
    is_html = body is not None and body.get_content_subtype() == "html"
    return plain_text(content) if is_html else content


def _message(raw: Mapping[str, Any]) -> EmailMessage:
    encoding = ((raw.get("receipt") or {}).get("action") or {}).get("encoding", "")
    content = str(raw.get("content") or "")
    if encoding.upper() == "BASE64":
        try:
            data = base64.b64decode(content)
        except (binascii.Error, ValueError):
            raise PayloadError("invalid_content", "the e-mail's content is not Base64") from None
    else:
        data = _HALF.sub("\ufffd", content).encode("utf-8", "surrogateescape")
    message = email.message_from_bytes(data, policy=policy)
    if not isinstance(message, EmailMessage):
        raise PayloadError("invalid_content", "the content is no e-mail")
    return message


def _header(message: EmailMessage, name: str, otherwise: str = "") -> str:
    """A header's text; `otherwise` where there is none, or one that cannot be read."""
    return _readable(lambda: str(message.get(name, otherwise)), otherwise)


def _readable(read: Callable[[], _T], otherwise: _T) -> _T:
    """What a reader gives, and `otherwise` where it fails.

    Anybody writes us e-mails, and Python's parser of headers fails in as many ways as there are
    broken ones (IndexError for ``Message-ID: <``, AttributeError, TypeError, ...).
    """
    try:
        return read()
    except Exception:  # noqa: BLE001 - see above
        return otherwise


def _referred(message: EmailMessage) -> Sequence[str]:
    text = f"{_header(message, 'References')} {_header(message, 'In-Reply-To')}"
    return re.findall(r"<[^<>\s]{1,995}>", text)


def _is_trusted(receipt: Mapping[str, Any]) -> bool:
    """Spam, viruses and forged senders are recorded and never answered."""
    verdicts = ("spamVerdict", "virusVerdict", "dmarcVerdict")
    return not any((receipt.get(name) or {}).get("status") == "FAIL" for name in verdicts)


def _word(text: object) -> str | None:
    return re.sub(r"[^a-z0-9]+", "_", str(text).lower())[:40] if text else None
