"""A simulated Amazon SES v2: accepts e-mails, reports their delivery events, creates inbound e-mails.

The request is the REST-JSON of the real API, so boto3 is the client; events and incoming e-mails
are the JSON that SES publishes to SNS.  Addresses and the names before them must be ASCII, and a
header's value ASCII of at most 995 characters.  From Python::

    with Ses(verified={"company.example"}) as ses:
        ...
        assert ses.sent_to("j.doe@example.com")[0]["subject"] == "..."
        for event in ses.events():                  # as SNS passes them to Lambda
            app.mail(event, context)
        app.mail(ses.inbound("j.doe@example.com", reply_to, "Yes please"), context)
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.utils import parseaddr
from typing import TYPE_CHECKING, Any

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

REGION = "us-east-1"
HELP = f"""{simulated.HELP}
GET    /_sim/emails                every accepted e-mail, newest last
POST   /_sim/events                deliver every event that is due
DELETE /_sim/events                forget them
POST   /_sim/inbound               {{"from": "...", "to": "...", "text": "...", "headers": {{}}}}; among
                                    the headers also "spf", "dkim", "dmarc" and "by"
"""
_TAG = re.compile(r"[A-Za-z0-9_-]{1,256}")
_ADDRESS = re.compile(r"[^\s@<>\x00-\x1f]+@[^\s@<>\x00-\x1f]+\.[^\s@<>.\x00-\x1f]+")
_FIELDS = frozenset(
    {
        "FromEmailAddress",
        "FromEmailAddressIdentityArn",
        "Destination",
        "ReplyToAddresses",
        "FeedbackForwardingEmailAddress",
        "FeedbackForwardingEmailAddressIdentityArn",
        "Content",
        "EmailTags",
        "ConfigurationSetName",
        "EndpointId",
        "TenantName",
        "ListManagementOptions",
    }
)
"""The members of `SendEmail` in the SDK's service model."""
_HEADER_NAME = re.compile(r"[!-9;-~]{1,126}")
_HEADER_VALUE = re.compile(r"[ -~]{1,995}")
_OWN_HEADERS = frozenset(
    [
        "bcc",
        "cc",
        "date",
        "from",
        "message-id",
        "mime-version",
        "reply-to",
        "return-path",
        "subject",
        "to",
    ]
)


@dataclass(slots=True)
class SesBehaviour(simulated.Behaviour):
    """How this account behaves.

    Attributes:
        fates: the events of an e-mail after it was accepted.
        sandbox: recipients must be verified too.
    """

    fates: list[str] = field(default_factory=lambda: ["Send", "Delivery"])
    sandbox: bool = False


class SimulatedSes(simulated.Vendor):
    """The server.

    Args:
        verified: addresses and domains that may send.
        configuration_sets: names of the account's; another one is refused.
    """

    name = "ses"
    modes_type = SesBehaviour
    modes: SesBehaviour
    help_text = HELP

    def __init__(
        self,
        port: int = 0,
        *,
        verified: Iterable[str] = ("company.example",),
        configuration_sets: Iterable[str] = ("rp-mw-dev", "rp-mw-staging", "rp-mw-prod"),
        now: Callable[[], float] = time.time,
    ) -> None:
        self.verified = set(verified)
        self.configuration_sets = set(configuration_sets)
        self.on_event: Callable[[dict[str, Any]], None] | None = None
        """Receives the events of `/_sim`, e.g. a function that calls ``app.mail``."""
        super().__init__(port, now=now)

    def _clear(self) -> None:
        self._emails: list[dict[str, Any]] = []
        self._due: list[tuple[dict[str, Any], str]] = []
        self._numbers = itertools.count(1)

    # --- for tests --------------------------------------------------------------------------------

    @property
    def emails(self) -> tuple[dict[str, Any], ...]:
        """Every accepted e-mail, oldest first."""
        with self.lock:
            return tuple(self._emails)

    def sent_to(self, address: str) -> list[dict[str, Any]]:
        """E-mails to an address."""
        return [email for email in self.emails if email["to"] == address]

    def events(self) -> list[dict[str, Any]]:
        """Remove and return every event that is due, as SNS passes it to Lambda."""
        with self.lock:
            due, self._due = self._due, []
        return [sns_event(event(email, name)) for email, name in due]

    def inbound(
        self,
        from_: str,
        to: str,
        text: str,
        *,
        subject: str = "Re: hello",
        spf: str = "PASS",
        dkim: str = "PASS",
        dmarc: str = "PASS",
        by: str = "",
        **headers: str,
    ) -> dict[str, Any]:
        """An inbound e-mail, as SNS passes it to Lambda; ``In_Reply_To`` sets that header.

        Args:
            from_: the author.
            to: one of the company's addresses.
            text: the body.
            subject: the subject.
            spf: the verdict on the domain `by`; ``GRAY`` where it has no record.
            dkim: the verdict on its signature; ``GRAY`` where there is none.
            dmarc: the verdict on the author's domain; ``GRAY`` where it has no policy.
            by: the domain that sent and signed it, the author's by default.
            headers: the sender's own, which stand below SES's; also an ``Authentication_Results``.
        """
        with self.lock:
            number = next(self._numbers)
        message = EmailMessage()
        domain = by or parseaddr(from_)[1].rpartition("@")[2]
        if dkim != "GRAY":
            message["DKIM-Signature"] = f"v=1; a=rsa-sha256; d={domain}; s=s1; h=from; bh=; b="
        message["From"], message["To"], message["Subject"] = from_, to, subject
        message["Message-ID"] = f"<m{number}@mail.example.com>"
        for name, value in headers.items():
            del message[name.replace("_", "-")]
            message[name.replace("_", "-")] = value
        message.set_content(text)
        at = _iso(self._now())
        verdicts = {"spam": "PASS", "virus": "PASS", "spf": spf, "dkim": dkim, "dmarc": dmarc}
        found = _found(verdicts, domain, parseaddr(from_)[1], number)
        whole = found.encode() + bytes(message)
        return sns_event(
            {
                "notificationType": "Received",
                "mail": {
                    "timestamp": at,
                    "source": f"m{number}@{domain}",
                    "messageId": f"inbound{number:025d}",
                    "destination": [to],
                    "headersTruncated": False,
                    "headers": [
                        {"name": name, "value": str(value)}
                        for name, value in message_from_bytes(whole).items()
                    ],
                    "commonHeaders": {"from": [from_], "to": [to], "subject": subject},
                },
                "receipt": {
                    "timestamp": at,
                    "recipients": [to],
                    **{f"{name}Verdict": {"status": verdict} for name, verdict in verdicts.items()},
                    "action": {"type": "SNS", "topicArn": "arn", "encoding": "BASE64"},
                },
                "content": base64.b64encode(whole).decode(),
            }
        )

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """Only ``send_email`` is supported."""
        is_send = (request.method, request.path) == ("POST", "/v2/email/outbound-emails")
        return "send_email" if is_send else "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """Requests must carry a signature; it is not verified."""
        del operation
        if not request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256"):
            return _error(403, "MissingAuthenticationTokenException")
        return None

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Accept an e-mail."""
        if operation != "send_email":
            return _error(404, "NotFoundException")
        body = request.body if isinstance(request.body, dict) else {}
        simple = (body.get("Content") or {}).get("Simple") or {}
        sender = str(body.get("FromEmailAddress", ""))
        address = sender.rpartition("<")[2].rstrip(">")
        if not self._is_verified(address):
            return _error(400, "MessageRejected")
        named = body.get("ConfigurationSetName")
        if named is not None and named not in self.configuration_sets:
            return _error(404, "NotFoundException")
        headers = {header["Name"]: header["Value"] for header in simple.get("Headers") or ()}
        tags = {tag["Name"]: tag["Value"] for tag in body.get("EmailTags") or ()}
        to = (body.get("Destination") or {}).get("ToAddresses") or []
        replies_to = body.get("ReplyToAddresses") or []
        if body.keys() - _FIELDS or any(not _ADDRESS.fullmatch(address) for address in to):
            return _error(400, "BadRequestException")
        if self.modes.sandbox and any(not self._is_verified(address) for address in to):
            return _error(400, "MessageRejected")
        wrong_header = any(not _is_header(name, value) for name, value in headers.items())
        wrong_tag = any(not _TAG.fullmatch(t) for pair in tags.items() for t in pair)
        is_plain = all(address.isascii() for address in (sender, *to, *replies_to))
        wrong_header = wrong_header or not _is_one_click(headers)
        if wrong_header or wrong_tag or not to or not is_plain or "Body" not in simple:
            return _error(400, "BadRequestException")
        message_id = f"{next(self._numbers):016x}-00000000-000000"
        email = {
            "message_id": message_id,
            "to": to[0],
            "from": sender,
            "reply_to": replies_to[0] if replies_to else "",
            "subject": simple["Subject"]["Data"],
            "text": simple["Body"].get("Text", {}).get("Data"),
            "html": simple["Body"].get("Html", {}).get("Data"),
            "headers": headers,
            "tags": tags,
            "configuration_set": body.get("ConfigurationSetName"),
            "at": _iso(self._now()),
        }
        self._emails.append(email)
        if email["configuration_set"]:
            self._due += [(email, fate) for fate in self.modes.fates]
        return WireAnswer(200, {"MessageId": message_id})

    def _is_verified(self, address: str) -> bool:
        return bool({address, address.rpartition("@")[2]} & self.verified)

    def error_body(self, status: int) -> dict[str, Any]:
        """An injected status carries an error code that boto3 understands."""
        code = "TooManyRequestsException" if status == 429 else "InternalFailure"  # noqa: PLR2004
        return {"message": code, "__type": code}

    def admin(self, request: Request) -> WireAnswer:
        """See `simulated.Vendor.admin`."""
        match (request.method, *request.segments[1:]):
            case ("GET", "emails"):
                return WireAnswer(200, {"emails": list(self.emails)})
            case ("POST", "events"):
                return self._handed_out(self.events())
            case ("DELETE", "events"):
                return WireAnswer(200, {"forgotten": len(self.events())})
            case ("POST", "inbound"):
                raw = request.body
                headers = {k.replace("-", "_"): v for k, v in (raw.get("headers") or {}).items()}
                return self._handed_out(
                    [self.inbound(raw["from"], raw["to"], raw["text"], **headers)]
                )
        return super().admin(request)

    def _handed_out(self, events: list[dict[str, Any]]) -> WireAnswer:
        if self.on_event is None:
            return WireAnswer(409, {"error": "no handler for events is set"})
        for event in events:
            self.on_event(event)
        return WireAnswer(200, {"events": len(events)})


def sns_event(message: Mapping[str, Any]) -> dict[str, Any]:
    """An event with one SNS record, as Lambda gets it."""
    sns: dict[str, Any] = {
        "Type": "Notification",
        "MessageId": "00000000-0000-0000-0000-000000000000",
        "TopicArn": f"arn:aws:sns:{REGION}:000000000000:rp-mw-mail-dev",
        "Subject": None,
        "Message": json.dumps(message),
        "Timestamp": "2026-11-20T09:00:00.000Z",
        "MessageAttributes": {},
    }
    return {"Records": [{"EventSource": "aws:sns", "EventVersion": "1.0", "Sns": sns}]}


def event(email: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What SES publishes of an accepted e-mail: ``Delivery``, ``Bounce``, ..."""
    about: dict[str, Any] = {
        "eventType": name,
        "mail": {
            "timestamp": email["at"],
            "source": email["from"],
            "messageId": email["message_id"],
            "destination": [email["to"]],
            "tags": {
                **{key: [value] for key, value in email["tags"].items()},
                "ses:configuration-set": [email["configuration_set"]],
            },
        },
        name.lower(): {},
    }
    if name == "Bounce":
        about["bounce"] = {"bounceType": "Permanent", "bounceSubType": "NoEmail"}
    return about


def _found(verdicts: Mapping[str, str], domain: str, author: str, number: int) -> str:
    """The headers that SES puts above the sender's."""
    said = {"PASS": "pass", "FAIL": "fail", "GRAY": "none"}
    spf, dkim, dmarc = (said[verdicts[name]] for name in ("spf", "dkim", "dmarc"))
    envelope, host = f"m{number}@{domain}", f"mail.{domain}"
    checked = {
        "pass": f"domain of {domain} designates 192.0.2.1 as permitted sender",
        "fail": f"domain of {domain} does not designate 192.0.2.1 as permitted sender",
        "none": f"192.0.2.1 is neither permitted nor denied by domain of {domain}",
    }[spf]
    by_server = f"(spfCheck: {checked}) client-ip=192.0.2.1; envelope-from={envelope}; helo={host};"
    signed = "" if dkim == "none" else f" header.i=@{domain}"
    lines = (
        f"Return-Path: <{envelope}>",
        f"Received: from {host} ({host} [192.0.2.1])",
        f" by inbound-smtp.{REGION}.amazonaws.com with SMTP id inbound{number:025d}",
        " for replies; Fri, 20 Nov 2026 09:00:00 +0000 (UTC)",
        f"X-SES-Spam-Verdict: {verdicts['spam']}",
        f"X-SES-Virus-Verdict: {verdicts['virus']}",
        f"Received-SPF: {spf} {by_server}",
        "Authentication-Results: amazonses.com;",
        f" spf={spf} {by_server}",
        f" dkim={dkim}{signed};",
        f" dmarc={dmarc} header.from={author.rpartition('@')[2]};",
        "X-SES-RECEIPT: AEFBQUFB",
    )
    return "".join(f"{line}\n" for line in lines)


def _is_header(name: str, value: str) -> bool:
    """Whether a header is valid and one that SES lets the sender set."""
    is_own = name.lower() in _OWN_HEADERS or name.lower().startswith("content-")
    return not is_own and bool(_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(value))


def _is_one_click(headers: Mapping[str, str]) -> bool:
    """As mail services judge it (RFC 8058): one click needs an https link beside the promise of it.

    An address on this machine may be plain http.
    """
    if "List-Unsubscribe-Post" not in headers:
        return True
    links = re.findall(r"<(https?://[^<>\s]+)>", headers.get("List-Unsubscribe", ""))
    is_promised = headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return is_promised and len(links) == 1


def _error(status: int, code: str) -> WireAnswer:
    return WireAnswer(status, {"message": code}, {"x-amzn-ErrorType": code})


def _iso(epoch: float) -> str:
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds")
