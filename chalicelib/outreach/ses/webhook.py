"""Amazon SES by SNS: received e-mails, and events of our e-mails.

One topic carries both.  Inbound (a receipt rule with an SNS action, Base64; 150 KB at most)::

    {"notificationType": "Received", "mail": {"messageId": "...", "headers": [...], ...},
     "receipt": {"recipients": ["replies+<token>@company.example"], "dmarcVerdict": {...}, ...},
     "content": "<base64 of the whole message>"}

Events (a configuration set's destination; https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html)::

    {"eventType": "Delivery", "mail": {"messageId": "...", "tags": {"send": ["<id>_<entry>"]}, ...}}

SNS invokes the function under its own IAM permission, so there is no signature to verify.
"""

from __future__ import annotations

import base64
import binascii
import email
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from email.message import EmailMessage
from email.policy import default as policy
from email.utils import parseaddr
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from chalicelib.clock import iso, parsed
from chalicelib.errors import PayloadError
from chalicelib.once import keys
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.contact_words import Word, recognise
from chalicelib.outreach.consent.quoted_footer import without_footer
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage
from chalicelib.outreach.ses import authentication
from chalicelib.outreach.ses.mail_words import heard_in
from chalicelib.vendors.reply_text import Reply
from chalicelib.vendors.reply_text import parse as parts_of

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
_LONE_SURROGATE = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
"""Lone surrogates that also encode no byte: JSON can carry them, UTF-8 cannot."""
_AUTO_REPLY_HEADERS = ("X-Autoreply", "X-Autorespond", "X-Auto-Response-Suppress")
_AUTOMATIC_SENDERS = ("mailer-daemon@", "postmaster@", "noreply@", "no-reply@")

_T = TypeVar("_T")


def parse(
    message: str, *, received_at: str, delivery_id: str, opaque: keys.OpaqueIds
) -> InboundMessage | DeliveryReceipt | None:
    """The job of one SNS message of SES: an e-mail received, or an event of one sent.

    None for an event that is not stored.

    Raises:
        PayloadError: the message is no SES notification, or an e-mail without a sender; the error
            names no address.
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
        "channel": Channel.EMAIL,
        "account": None,
    }
    if raw.get("notificationType") == "Received":
        return _received(raw, common, opaque)
    return _event(raw, mail, common)


def plus_tag(address: str) -> tuple[str, str | None]:
    """Split ``replies+<token>@company.example`` into the plain address and the token; None for no token."""
    local, _, domain = address.strip().lower().rpartition("@")
    name, _, tag = local.rpartition("+")
    return (
        (f"{name}@{domain}", tag) if _TOKEN.fullmatch(tag) and name else (f"{local}@{domain}", None)
    )


def reply_address(address: str, token: str) -> str:
    """A reply address: an address with a token as its plus tag; the inverse of `plus_tag`."""
    local, _, domain = address.rpartition("@")
    return f"{local}+{token}@{domain}"


def message_id_digest(message_id: str) -> str:
    """The digest that is stored in place of an e-mail's Message-ID, which looks like an address."""
    return keys.digest("message-id", message_id.strip())[:32]


def _event(
    raw: Mapping[str, Any], mail: Mapping[str, Any], common: Mapping[str, Any]
) -> DeliveryReceipt | None:
    name = str(raw.get("eventType", raw.get("notificationType", "")))
    if name not in _EVENTS:
        return None
    status, rank = _EVENTS[name]
    about = _part(raw, "bounce")
    if name == "Bounce" and about.get("bounceType") == "Transient":
        return None  # SES retries by itself and reports the result as another event
    found = _TAG.fullmatch(_first(_part(mail, "tags").get(TAG)))
    if found is None:
        return None  # not sent by us
    reason = {
        "Bounce": about.get("bounceSubType"),
        "Reject": _part(raw, "reject").get("reason"),
    }
    return _receipt(
        {
            **common,
            "event_key": outreach_keys.receipt(mail["messageId"], status),
            "conversation_id": found[1],
            "source": "ses_event",
            "sender": plus_tag(parseaddr(str(mail.get("source", "")))[1])[0],
            "recipient": _first(mail.get("destination")).lower(),
            "entry_id": found[2],
            "provider_id": mail["messageId"],
            "status": status,
            "rank": rank,
            "reason": _code(reason.get(name)),
            "opts_out": name == "Complaint",
            "is_dead": name == "Bounce" and about.get("bounceType") == "Permanent",
        },
    )


def _received(
    raw: Mapping[str, Any], common: Mapping[str, Any], opaque: keys.OpaqueIds
) -> InboundMessage:
    receipt = _part(raw, "receipt")
    message = _message(raw)
    name, address = parseaddr(_header(message, "From"))
    recipient = address.lower()
    listed = receipt.get("recipients")
    addresses = [str(value) for value in listed] if isinstance(listed, list) else []
    if not recipient or not addresses:
        raise PayloadError("missing_sender", "the e-mail has no sender or no recipient")
    tagged = [plus_tag(address) for address in addresses]
    sender, token = next((pair for pair in tagged if pair[1]), tagged[0])
    own_id = _header(message, "Message-ID")
    message_id = message_id_digest(own_id or raw["mail"]["messageId"])
    none: list[dict[str, Any]] = []
    reply = reply_of(message, name)
    is_trusted = _is_trusted(receipt)
    is_proven = is_trusted and _read_or(
        lambda: authentication.is_proven(message, receipt, recipient), otherwise=False
    )
    opt_out, by_link = _opt_out(reply, _header(message, "Subject"), has_token=token is not None)
    is_machines = not by_link and is_automatic(message, recipient)
    if is_bulk(message) and not by_link and not is_machines:
        is_machines, opt_out = opt_out != Word.STOP, None
    return InboundMessage.model_validate(
        {
            **common,
            "event_key": outreach_keys.reply(Channel.EMAIL, message_id),
            "conversation_id": opaque.of("pair", Channel.EMAIL, sender, recipient),
            "source": "ses_inbound",
            "sender": sender,
            "recipient": recipient,
            "message_id": message_id,
            "text": reply.visible[:MAX_TEXT_CHARACTERS],
            "sent_at": _sent_at(raw["mail"], common["received_at"]),
            "media_count": _read_or(lambda: sum(1 for _ in message.iter_attachments()), 0),
            "media": _read_or(lambda: _media(message), none)[:20],
            "opt_out": opt_out,
            "carrier_answers": False,
            "token": token,
            "in_reply_to": [message_id_digest(referred) for referred in _referred(message)][-20:],
            "email_message_id": own_id or None,
            "is_automatic": is_machines or not is_trusted,
            "is_proven": is_proven,
            "is_apart": not is_proven,
        }
    )


def is_automatic(message: EmailMessage, sender: str) -> bool:
    """Whether an e-mail was sent automatically, by RFC 3834 and the headers of mail programs."""
    submitted = _header(message, "Auto-Submitted", "no").strip().lower()
    return (
        not submitted.startswith("no")
        or _precedence(message) in {"junk", "auto_reply"}
        or any(_header(message, name) for name in _AUTO_REPLY_HEADERS)
        or _read_or(message.get_content_type, "") == "multipart/report"
        or _header(message, "Return-Path").strip() == "<>"
        or sender.startswith(_AUTOMATIC_SENDERS)
    )


def is_bulk(message: EmailMessage) -> bool:
    """Whether a mailing list or mass mailing sent an e-mail."""
    return _precedence(message) in {"bulk", "list"} or "List-Id" in message


def _precedence(message: EmailMessage) -> str:
    return _header(message, "Precedence").strip().lower()


def reply_of(message: EmailMessage, name: str = "") -> Reply:
    """The own text of an e-mail's sender, without quotations and our footer; empty if it cannot be read.

    The plain text is used, unless only the HTML shows where the quotation begins.  `name` is the
    sender's display name.
    """
    found = _reply(message, name)
    return replace(found, visible=without_footer(found.visible), said=without_footer(found.said))


def _reply(message: EmailMessage, name: str) -> Reply:
    plain, html = _body(message, "plain"), _body(message, "html")
    found = parts_of(plain, name=name)
    if html and not found.has_quotation:
        marked = parts_of(html, name=name, is_html=True)
        if not found.visible or (marked.visible and marked.has_quotation):
            return marked
    return found


def _opt_out(reply: Reply, subject: str, *, has_token: bool) -> tuple[str | None, bool]:
    """STOP, START or None by an e-mail's words, and whether our unsubscribe link wrote the e-mail.

    The ``mailto:`` of our unsubscribe header writes an e-mail with STOP as the subject to the reply
    address, and a mail program may mark that e-mail as automatic.  A "yes" is only an answer, no
    START; HELP is not answered by e-mail.
    """
    if has_token and recognise(subject).word == Word.STOP:
        return Word.STOP.value, True
    said = heard_in(reply)
    is_plain = said.word == Word.STOP or (said.word == Word.START and not said.is_yes)
    return (said.word.value if said.word and is_plain else None), False


def _media(message: EmailMessage) -> list[dict[str, Any]]:
    return [
        _about(attachment)
        for attachment in message.iter_attachments()
        if isinstance(attachment, EmailMessage)
    ]


def _about(attachment: EmailMessage) -> dict[str, Any]:
    """What is stored of an e-mail's attachment: type, size, digest.  SES gives no link to its content."""
    content = attachment.get_payload(decode=True)
    data = content if isinstance(content, bytes) else b""
    kind = attachment.get_content_type()[:100]
    return {"type": kind, "size": len(data), "digest": hashlib.sha256(data).hexdigest()[:32]}


def _body(message: EmailMessage, kind: Literal["plain", "html"]) -> str:
    """The text of an e-mail's plain or HTML part; empty where there is none or it cannot be read."""

    def read() -> str:
        body = message.get_body(preferencelist=(kind,))
        if body is None:
            return ""
        try:
            return str(body.get_content())
        except LookupError:  # an unknown charset
            data = body.get_payload(decode=True)
            return data.decode("utf-8", "replace") if isinstance(data, bytes) else ""

    return _read_or(read, "").replace("\r\n", "\n")


def _message(raw: Mapping[str, Any]) -> EmailMessage:
    encoding = _part(_part(raw, "receipt"), "action").get("encoding")
    content = str(raw.get("content") or "")
    if str(encoding).upper() == "BASE64":
        try:
            data = base64.b64decode(content)
        except (binascii.Error, ValueError):
            raise PayloadError("invalid_content", "the e-mail's content is not Base64") from None
    else:
        data = _LONE_SURROGATE.sub("\ufffd", content).encode("utf-8", "surrogateescape")
    message = email.message_from_bytes(data, policy=policy)
    if not isinstance(message, EmailMessage):
        raise PayloadError("invalid_content", "the content is not an e-mail")
    return message


def _header(message: EmailMessage, name: str, otherwise: str = "") -> str:
    """The text of an e-mail's header; `otherwise` if the header is missing or cannot be read."""
    return _read_or(lambda: str(message.get(name, otherwise)), otherwise)


def _read_or(read: Callable[[], _T], otherwise: _T) -> _T:
    """The result of reading a part of an e-mail by `read`, or `otherwise` where reading fails.

    E-mails come from anyone, and Python's header parser raises many kinds of error for malformed
    headers (IndexError for ``Message-ID: <``, AttributeError, TypeError, ...).
    """
    try:
        return read()
    except Exception:  # noqa: BLE001 - any malformed header
        return otherwise


def _referred(message: EmailMessage) -> Sequence[str]:
    text = f"{_header(message, 'References')} {_header(message, 'In-Reply-To')}"
    return re.findall(r"<[^<>\s]{1,995}>", text)


def _sent_at(mail: Mapping[str, Any], received_at: str) -> str:
    """When SES received an e-mail, as ISO time; `received_at` where SES states no time, or a later one."""
    at = parsed(str(mail.get("timestamp")))
    return received_at if at is None else min(iso(at), received_at)


def _is_trusted(receipt: Mapping[str, Any]) -> bool:
    """Whether SES's verdicts on an e-mail pass; those that fail (spam, virus, DMARC) are never answered."""
    verdicts = ("spamVerdict", "virusVerdict", "dmarcVerdict")
    return not any(_part(receipt, name).get("status") == "FAIL" for name in verdicts)


def _part(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object inside a notification of SES; empty where it is missing."""
    found = raw.get(name)
    return found if isinstance(found, dict) else {}


def _first(value: object) -> str:
    """The first element of a list in a notification, as text; empty where there is none."""
    return str(value[0]) if isinstance(value, list) and value else ""


def _receipt(fields: Mapping[str, Any]) -> DeliveryReceipt:
    try:
        return DeliveryReceipt.model_validate(fields)
    except ValidationError as error:
        name = ".".join(map(str, error.errors()[0]["loc"]))
        raise PayloadError(
            "invalid_notification", f"field {name} of the event is malformed"
        ) from None


def _code(text: object) -> str | None:
    return re.sub(r"[^a-z0-9]+", "_", str(text).lower())[:40] if text else None
