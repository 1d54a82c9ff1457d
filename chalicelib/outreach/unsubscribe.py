"""One-click unsubscribe (RFC 8058): the link in an outreach e-mail, and the page behind it.

The link's token names a company and a keyed hash of its recipient's address, both signed::

    <32 hex: hash of company and address>.<company's id, base64url>.<32 hex: signature>

It holds no address and leads to no row, so it is valid for as long as e-mails are kept, also after
the conversation has ended.  Hash and signature are made with the stage's key.  A `GET` shows a page
with a button and changes nothing, as scanners and previews follow links; a `POST` enters the hash into
the register, whatever its body says.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from chalicelib.errors import reason_of
from chalicelib.once import door
from chalicelib.once.door import Answer
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Log
from chalicelib.outreach.conversations.do_not_contact import DoNotContact, Reason, address_hash
from chalicelib.outreach.conversations.records import Record

PATH = "/unsubscribe/"
SOURCE = "unsubscribe"
TRANSACTIONAL = "transactional"
_TOKEN = re.compile(r"([0-9a-f]{32})\.([A-Za-z0-9_-]{1,400})\.([0-9a-f]{32})")
_HTML = "text/html; charset=utf-8"
_PAGE_HEADERS: Mapping[str, str] = {
    "Content-Type": _HTML,
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}
_ASK = """<p>Do you want to get no more messages from this sender?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<button type="submit">Unsubscribe</button></form>"""
_DONE = "<p>You are unsubscribed. You will get no more messages from this sender.</p>"
_UNKNOWN = "<p>This link is not valid. Reply STOP to the message instead.</p>"
_LATER = "<p>This did not work. Please try again in a few minutes.</p>"


def is_marketing(record: Record) -> bool:
    """Whether a project's messages are advertising, which they are unless the project says otherwise."""
    return record.item.get("message_kind") != TRANSACTIONAL


def headers(base_url: str, opaque: OpaqueIds, record: Record, reply_to: str) -> dict[str, str]:
    """The headers by which a mail program unsubscribes with one click; none for other projects."""
    if not is_marketing(record):
        return {}
    link = f"{base_url.rstrip('/')}{PATH}{token(opaque, record.company_id, record.primary_channel)}"
    return {
        "List-Unsubscribe": f"<{link}>, <mailto:{reply_to}?subject=unsubscribe>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def token(opaque: OpaqueIds, company_id: str, address: str) -> str:
    """The token of a recipient's link."""
    hashed = address_hash(opaque, company_id, address)
    company = base64.urlsafe_b64encode(company_id.encode()).decode().rstrip("=")
    return f"{hashed}.{company}.{_signature(opaque, company_id, hashed)}"


def opened(opaque: OpaqueIds, text: str) -> tuple[str, str] | None:
    """The company's id and the hash in a token; None where its signature is not ours."""
    found = _TOKEN.fullmatch(text)
    if found is None:
        return None
    try:
        padded = found[2] + "=" * (-len(found[2]) % 4)
        company_id = base64.urlsafe_b64decode(padded).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    wanted = _signature(opaque, company_id, found[1])
    return (company_id, found[1]) if hmac.compare_digest(wanted, found[3]) else None


def _signature(opaque: OpaqueIds, company_id: str, hashed: str) -> str:
    return opaque.of("unsubscribe", company_id, hashed)


@dataclass(frozen=True, slots=True)
class UnsubscribeDoor:
    """`/unsubscribe/{token}`; every answer is a page."""

    register: DoNotContact = field(repr=False)
    opaque: Callable[[], OpaqueIds]
    log: Log

    def page(self, text: str) -> Answer:
        """The page with the button; it reads and changes nothing."""
        if opened(self.opaque(), text) is None:
            return self._unknown()
        return _page(HTTPStatus.OK, _ASK)

    def unsubscribe(self, text: str) -> Answer:
        """Enter the recipient into the register, before the 200."""
        found = opened(self.opaque(), text)
        if found is None:
            return self._unknown()
        company_id, hashed = found
        try:
            self.register.forbid_hashed(hashed, company_id, Reason.UNSUBSCRIBED)
        except Exception as error:  # noqa: BLE001 - a page for whatever keeps it from being written
            door.log_failed(self.log, SOURCE, reason_of(error))
            return _page(HTTPStatus.SERVICE_UNAVAILABLE, _LATER)
        door.log_accepted(self.log, SOURCE)
        return _page(HTTPStatus.OK, _DONE)

    def _unknown(self) -> Answer:
        door.log_rejected(self.log, SOURCE, "invalid_token")
        return _page(HTTPStatus.NOT_FOUND, _UNKNOWN)


def failed() -> Answer:
    """The page where the door itself failed."""
    return _page(HTTPStatus.SERVICE_UNAVAILABLE, _LATER)


def _page(status: HTTPStatus, content: str) -> Answer:
    whole = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Unsubscribe</title>'
        '<meta name="viewport" content="width=device-width"></head>'
        f"<body>{content}</body></html>"
    )
    return Answer(status.value, {"html": whole}, _PAGE_HEADERS)
