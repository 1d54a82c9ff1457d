"""A simulated Twilio: messages, their list, signed callbacks and signed inbound messages.

It behaves as documented (https://www.twilio.com/docs/messaging/api/message-resource), including the
inconvenient parts: no idempotency, callbacks in any order and repeated, free text outside WhatsApp's
24 hours accepted with 201 and failed later (63016), sends after STOP refused with 21610.

From Python::

    with Twilio() as twilio:
        ...
        assert [message["body"] for message in twilio.sent_to("+15550100001")] == ["Hello"]
        callbacks = twilio.callbacks()              # signed, not posted yet: shuffle, repeat, post
        inbound = twilio.inbound("+15550100001", "+15550109002", "Yes please", url=...)

The magic numbers of Twilio's test credentials give the same errors here (`MAGIC`).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ACCOUNT_SID = "AC" + "0" * 31 + "1"
AUTH_TOKEN = "simulated-twilio-token"  # noqa: S105 - simulated
TEMPLATE_SID = "HX" + "0" * 31 + "1"
TEMPLATE = "Hello {{1}}, this is {{2}}. Reply to this message to talk to us."
MAGIC: Mapping[str, int] = {
    "+15005550001": 21211,
    "+15005550002": 21612,
    "+15005550003": 21408,
    "+15005550004": 21610,
    "+15005550009": 21614,
}
MAGIC_FROM: Mapping[str, int] = {
    "+15005550001": 21212,
    "+15005550007": 21606,
    "+15005550008": 21611,
}
WINDOW_SECONDS = 24 * 3600
HELP = f"""{simulated.HELP}
GET    /_sim/messages              every message, newest last
POST   /_sim/inbound               {{"from": "+1555...", "to": "+1555...", "body": "...", "whatsapp": false}}:
                                   post it, signed, to the inbound URL; also "media": 1, "sid": "SM...",
                                   "account": "AC...", "form": {{"OptOutType": "STOP"}}, and "lost": true
                                   for a message that is listed and not posted
POST   /_sim/callbacks             post every callback that is due, signed
DELETE /_sim/callbacks             forget them
"""
_STOP = frozenset({"stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"})
_START = frozenset({"start", "yes", "unstop"})
_UNDELIVERED = {"undelivered": 30003, "failed": 30008}
_LONGEST_URL = 4000
_URL = re.compile(r"(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})+")
_NUMBER = re.compile(r"(whatsapp:)?\+[1-9]\d{5,14}")


@dataclass(slots=True)
class TwilioBehaviour(simulated.Behaviour):
    """How this account behaves.

    Attributes:
        fates: the states of a message after it was accepted; ``failed:63014`` names a code.
        list_lag_seconds: how long a new message is missing from the list.
        page_size: the most entries on a page of a list.
    """

    fates: list[str] = field(default_factory=lambda: ["sent", "delivered"])
    list_lag_seconds: float = 0.0
    page_size: int = 50


@dataclass(frozen=True, slots=True)
class WebhookPost:
    """A signed form post to the application."""

    url: str
    headers: Mapping[str, str]
    body: bytes

    def send(self) -> int:
        """Post it; returns the status."""
        return requests.post(self.url, data=self.body, headers=self.headers, timeout=15).status_code


class SimulatedTwilio(simulated.Vendor):
    """The server.

    Args:
        now: epoch seconds.
    """

    name = "twilio"
    modes_type = TwilioBehaviour
    modes: TwilioBehaviour
    help_text = HELP

    def __init__(
        self,
        port: int = 0,
        *,
        accounts: Mapping[str, str] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.accounts = dict(accounts or {ACCOUNT_SID: AUTH_TOKEN})
        self.templates = {TEMPLATE_SID: TEMPLATE}
        self.inbound_url = ""
        self.numbers: dict[str, str] = {}
        """The accounts' numbers, and where each one's messages are posted."""
        self.post_to: tuple[str, str] | None = None
        """``(public, local)``: a URL that starts with `public` is posted to `local` instead."""
        super().__init__(port, now=now)

    def _clear(self) -> None:
        self._messages: list[dict[str, Any]] = []
        self._received: list[dict[str, Any]] = []
        self._callbacks: list[tuple[dict[str, Any], str, int | None]] = []
        self._inbound_at: dict[tuple[str, str], float] = {}
        self._opted_out: set[tuple[str, str]] = set()
        self._numbers = itertools.count(1)

    # --- for tests --------------------------------------------------------------------------------

    @property
    def messages(self) -> tuple[dict[str, Any], ...]:
        """Every accepted message, oldest first."""
        with self.lock:
            return tuple(dict(message) for message in self._messages)

    def sent_to(self, number: str) -> list[dict[str, Any]]:
        """Messages to a number, on both channels."""
        return [
            message
            for message in self.messages
            if message["to"].removeprefix("whatsapp:") == number
        ]

    def age_received(self, seconds: float, *, last: int | None = None) -> None:
        """Let every received message, or the `last` ones, have come in so much earlier."""
        with self.lock:
            for message in self._received[-last if last else 0 :]:
                message["_at"] -= seconds
                for name in ("date_created", "date_updated", "date_sent"):
                    message[name] = _rfc2822(message["_at"])

    def callbacks(self) -> list[WebhookPost]:
        """Remove and return every callback that is due, signed and not yet posted."""
        with self.lock:
            due, self._callbacks = self._callbacks, []
            return [self._callback(*callback) for callback in due]

    def deliver_callbacks(self) -> list[int]:
        """Post every callback that is due, in order; returns the statuses."""
        return [callback.send() for callback in self.callbacks()]

    def inbound(
        self,
        from_: str,
        to: str,
        body: str,
        *,
        whatsapp: bool = False,
        media: int = 0,
        sid: str | None = None,
        url: str = "",
        account: str = "",
        **more: str,
    ) -> WebhookPost:
        """An inbound message, as Twilio's signed post; `account` is the first one by default."""
        prefix = "whatsapp:" if whatsapp else ""
        with self.lock:
            self._inbound_at[to, from_] = self._now()
            word = body.strip().lower()
            if word in _STOP:
                self._opted_out.add((to, from_))
            if word in _START:
                self._opted_out.discard((to, from_))
            sid = sid or self._sid("SM")
        form = {
            "MessageSid": sid,
            "SmsSid": sid,
            "SmsMessageSid": sid,
            "AccountSid": account or next(iter(self.accounts)),
            "From": prefix + from_,
            "To": prefix + to,
            "Body": body,
            "NumMedia": str(media),
            "NumSegments": "1",
            "SmsStatus": "received",
            "ApiVersion": "2010-04-01",
            "FromCity": "",
        }
        with self.lock:
            self._received.append(self._inbound_resource(form))
        for number in range(media):
            form[f"MediaUrl{number}"] = f"https://api.twilio.com/media/{sid}/{number}"
            form[f"MediaContentType{number}"] = "image/jpeg"
        if whatsapp:
            form |= {"ProfileName": "J", "WaId": from_.lstrip("+")}
        return self._signed(url or self.inbound_url, form | more)

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """create_message, list_messages, fetch_message or read_number."""
        match (request.method, *request.segments):
            case ("POST", "2010-04-01", "Accounts", _, "Messages.json"):
                return "create_message"
            case ("GET", "2010-04-01", "Accounts", _, "Messages.json"):
                return "list_messages"
            case ("GET", "2010-04-01", "Accounts", _, "Messages", _):
                return "fetch_message"
            case ("GET", "2010-04-01", "Accounts", _, "IncomingPhoneNumbers.json"):
                return "read_number"
        return "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """401 with code 20003 without the account's own token."""
        del operation
        account = request.segments[2] if len(request.segments) > 2 else ""  # noqa: PLR2004
        token = self.accounts.get(account)
        pair = base64.b64encode(f"{account}:{token}".encode()).decode()
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if token is None or scheme.lower() != "basic" or given != pair:
            return self._error(401, 20003, "Authenticate")
        return None

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation."""
        account = request.segments[2]
        match operation:
            case "create_message":
                return self._create(account, request)
            case "list_messages":
                return self._list(account, request)
            case "read_number":
                number = request.query.get("PhoneNumber", "")
                url = self.numbers.get(number)
                listed = [] if url is None else [{"phone_number": number, "sms_url": url}]
                return WireAnswer(200, {"incoming_phone_numbers": listed})
            case "fetch_message":
                sid = request.segments[4].removesuffix(".json")
                known = [*self._messages, *self._received]
                wanted = (account, sid)
                found = next((x for x in known if (x["account_sid"], x["sid"]) == wanted), None)
                return (
                    WireAnswer(200, _shown(found))
                    if found
                    else self._error(404, 20404, "Not found")
                )
        return self._error(404, 20404, "The requested resource was not found")

    def ignored(self, request: Request) -> WireAnswer:
        """201 without a message."""
        del request
        return WireAnswer(201, {})

    def error_body(self, status: int) -> dict[str, Any]:
        """SimulatedTwilio's error body."""
        code = {401: 20003, 429: 20429, 500: 20500, 503: 20503}.get(status, 20001)
        return dict(self._error(status, code, f"status {status}").body)

    def admin(self, request: Request) -> WireAnswer:
        """See `simulated.Vendor.admin`."""
        match (request.method, *request.segments[1:]):
            case ("GET", "messages"):
                return WireAnswer(200, {"messages": [_shown(message) for message in self.messages]})
            case ("POST", "inbound"):
                return self._received_from(request.body)
            case ("POST", "callbacks"):
                return WireAnswer(200, {"statuses": self.deliver_callbacks()})
            case ("DELETE", "callbacks"):
                return WireAnswer(200, {"forgotten": len(self.callbacks())})
        return super().admin(request)

    def _received_from(self, raw: Mapping[str, Any]) -> WireAnswer:
        """An inbound message of another process."""
        post = self.inbound(
            raw["from"],
            raw["to"],
            raw["body"],
            whatsapp=bool(raw.get("whatsapp")),
            media=raw.get("media", 0),
            sid=raw.get("sid"),
            account=raw.get("account", ""),
            **raw.get("form", {}),
        )
        return WireAnswer(200, {"status": None if raw.get("lost") else post.send()})

    def _create(self, account: str, request: Request) -> WireAnswer:
        form = parse_qs(str(request.body or ""), keep_blank_values=True)
        get = {name: values[-1] for name, values in form.items()}.get
        to, sender = get("To", ""), get("From", "")
        text, problem = self._content(get)
        problem = problem or self._address_problem(to, sender)
        problem = problem or _callback_problem(get("StatusCallback"))
        if problem:
            return self._error(400, problem, f"error {problem}")
        now = self._now()
        message = {
            "sid": self._sid("SM"),
            "account_sid": account,
            "api_version": "2010-04-01",
            "body": text,
            "status": "queued",
            "direction": "outbound-api",
            "from": sender,
            "to": to,
            "messaging_service_sid": None,
            "date_created": _rfc2822(now),
            "date_updated": _rfc2822(now),
            "date_sent": None,
            "num_media": "0",
            "num_segments": "1",
            "price": None,
            "price_unit": None,
            "error_code": None,
            "error_message": None,
            "_at": now,
            "_callback": get("StatusCallback"),
        }
        self._messages.append(message)
        taken = _shown(message)
        self._advance(message, is_template=bool(get("ContentSid")))
        return WireAnswer(201, taken)

    def _inbound_resource(self, form: Mapping[str, str]) -> dict[str, Any]:
        now = self._now()
        return {
            "sid": form["MessageSid"],
            "account_sid": form["AccountSid"],
            "api_version": "2010-04-01",
            "body": form["Body"],
            "status": "received",
            "direction": "inbound",
            "from": form["From"],
            "to": form["To"],
            "messaging_service_sid": None,
            "date_created": _rfc2822(now),
            "date_updated": _rfc2822(now),
            "date_sent": _rfc2822(now),
            "num_media": form["NumMedia"],
            "num_segments": "1",
            "price": None,
            "price_unit": None,
            "error_code": None,
            "error_message": None,
            "_at": now,
        }

    def _content(self, get: Callable[..., Any]) -> tuple[str, int | None]:
        """The text as the recipient reads it, or an error code."""
        sid, body = get("ContentSid"), get("Body", "")
        if not sid:
            limit = 1600
            return body, 21617 if len(body) > limit else (None if body else 21602)
        template = self.templates.get(sid)
        if template is None:
            return "", 21655
        try:
            variables = json.loads(get("ContentVariables") or "{}")
        except ValueError:
            return "", 21656
        asked = set(re.findall(r"\{\{(\w+)\}\}", template))
        is_whole = isinstance(variables, dict) and asked <= set(variables)
        if not is_whole or any(not isinstance(v, str) or not v for v in variables.values()):
            return "", 21656
        if any(re.search(r"[\r\n\t]| {5,}", value) for value in variables.values()):
            return "", 21656
        return re.sub(r"\{\{(\w+)\}\}", lambda m: variables[m[1]], template), None

    def _address_problem(self, to: str, sender: str) -> int | None:
        if not _NUMBER.fullmatch(to) or to.startswith("whatsapp:") != sender.startswith(
            "whatsapp:"
        ):
            return 21211
        if not _NUMBER.fullmatch(sender):
            return 21212
        bare_to, bare_sender = (address.removeprefix("whatsapp:") for address in (to, sender))
        if (bare_sender, bare_to) in self._opted_out:
            return 21610
        return MAGIC.get(bare_to) or MAGIC_FROM.get(bare_sender)

    def _advance(self, message: dict[str, Any], *, is_template: bool) -> None:
        """Move an accepted message through its states, with their callbacks."""
        bare_to = message["to"].removeprefix("whatsapp:")
        bare_from = message["from"].removeprefix("whatsapp:")
        opened = self._inbound_at.get((bare_from, bare_to), float("-inf"))
        is_closed = self._now() - opened > WINDOW_SECONDS
        if message["to"].startswith("whatsapp:") and not is_template and is_closed:
            self._set_status(message, "failed", 63016)
            return
        for fate in self.modes.fates:
            status, _, code = fate.partition(":")
            self._set_status(message, status, int(code) if code else _UNDELIVERED.get(status))
            message["date_sent"] = message["date_sent"] or message["date_created"]

    def _set_status(self, message: dict[str, Any], status: str, code: int | None) -> None:
        """Set a message's state and queue its callback, if one was requested."""
        message |= {"status": status, "error_code": code}
        if message["_callback"]:
            self._callbacks.append((message, status, code))

    def _list(self, account: str, request: Request) -> WireAnswer:
        query = request.query
        size = min(int(query.get("PageSize", "50")), self.modes.page_size)
        page = int(query.get("Page", "0"))
        visible = self._now() - self.modes.list_lag_seconds
        known = sorted([*self._received, *self._messages], key=itemgetter("_at"))
        found = [
            message
            for message in reversed(known)
            if message["account_sid"] == account
            and message["_at"] <= visible
            and query.get("To", message["to"]) == message["to"]
            and query.get("From", message["from"]) == message["from"]
        ]
        shown = found[page * size : (page + 1) * size]
        path = f"/2010-04-01/Accounts/{account}/Messages.json"
        rest = {k: v for k, v in query.items() if k not in ("Page", "PageToken")}
        has_more = len(found) > (page + 1) * size
        following = (
            urlencode({**rest, "Page": str(page + 1), "PageToken": "PA" + shown[-1]["sid"]})
            if has_more
            else ""
        )
        return WireAnswer(
            200,
            {
                "messages": [_shown(message) for message in shown],
                "page": page,
                "page_size": size,
                "start": page * size,
                "end": page * size + max(0, len(shown) - 1),
                "uri": f"{path}?{urlencode(query)}",
                "first_page_uri": f"{path}?{urlencode({**rest, 'Page': '0'})}",
                "next_page_uri": f"{path}?{following}" if has_more else None,
                "previous_page_uri": None,
            },
        )

    def _callback(self, message: Mapping[str, Any], status: str, code: int | None) -> WebhookPost:
        form = {
            "MessageSid": message["sid"],
            "SmsSid": message["sid"],
            "MessageStatus": status,
            "SmsStatus": status,
            "AccountSid": message["account_sid"],
            "From": message["from"],
            "To": message["to"],
            "ApiVersion": "2010-04-01",
        }
        if code is not None:
            form["ErrorCode"] = str(code)
        return self._signed(str(message["_callback"]), form)

    def _signed(self, url: str, form: Mapping[str, str]) -> WebhookPost:
        """A form post with Twilio's signature over the configured URL."""
        token = self.accounts[form["AccountSid"]]
        text = url + "".join(name + form[name] for name in sorted(form))
        digest = hmac.new(token.encode(), text.encode(), hashlib.sha1).digest()
        headers = {
            "X-Twilio-Signature": base64.b64encode(digest).decode(),
            "Content-Type": "application/x-www-form-urlencoded",
            "User-Agent": "TwilioProxy/1.1",
        }
        if self.post_to is not None:
            url = url.replace(self.post_to[0], self.post_to[1], 1)
        return WebhookPost(url, headers, urlencode(form).encode())

    def _sid(self, prefix: str) -> str:
        return f"{prefix}{hashlib.md5(f'{prefix}{next(self._numbers)}'.encode()).hexdigest()}"  # noqa: S324 - an id

    def _error(self, status: int, code: int, message: str) -> WireAnswer:
        body = {
            "code": code,
            "message": message,
            "more_info": f"https://www.twilio.com/docs/errors/{code}",
            "status": status,
        }
        return WireAnswer(status, body)


def _callback_problem(url: str | None) -> int | None:
    """21609 for a URL that is incomplete, too long, or has a host that no name server knows."""
    if url is None:
        return None
    parts = urlsplit(url)
    is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.path
    is_fit = is_whole and "_" not in str(parts.hostname) and len(url) <= _LONGEST_URL
    return None if is_fit and _URL.fullmatch(url) else 21609


def _shown(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message as the API shows it."""
    base = f"/2010-04-01/Accounts/{message['account_sid']}/Messages/{message['sid']}"
    return {
        **{name: value for name, value in message.items() if not name.startswith("_")},
        "uri": f"{base}.json",
        "subresource_uris": {"media": f"{base}/Media.json"},
    }


def _rfc2822(epoch: float) -> str:
    return format_datetime(datetime.fromtimestamp(int(epoch), UTC))
