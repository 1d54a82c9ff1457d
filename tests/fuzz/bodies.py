"""Bodies of requests: JSON of companies and vendors, forms, notifications of SES."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

from chalicelib.facts import aloware_webhook, hubspot_webhook
from chalicelib.once import body as json_bodies
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.outreach.consent import preference_form
from chalicelib.outreach.desk import asked
from chalicelib.outreach.desk.door import _filters
from chalicelib.outreach.door import may_send, results, router
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.register import register_door, register_parsing
from chalicelib.outreach.register.register_parsing import RegisterSpeaker
from chalicelib.outreach.ses import webhook as ses_webhook
from chalicelib.outreach.tools.schema import Tool
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.support import webhook as richpanel_webhook
from local import company
from local.vendors import hubspot, twilio
from tests.fuzz.table import NAME, SECRET, Parser, as_bytes, as_form, as_json, as_json_text

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
AT = "2026-11-20T09:00:00.000Z"
OPAQUE = keys.OpaqueIds(b"0" * 32)
SAMPLES = Path(__file__).parents[1] / "samples"
TOKEN, ENTRY = "a" * 32, "b" * 32
SCHEMA = {
    "type": "object",
    "required": ["job_ref"],
    "properties": {
        "job_ref": {"type": "string", "maxLength": 20, "pattern": "^[A-Z0-9-]+$"},
        "count": {"type": ["integer", "null"], "minimum": 1, "maximum": 9},
        "days": {"type": "array", "maxItems": 7, "items": {"enum": ["mon", "tue"]}},
    },
}
RESULTS = (
    "amazonses.com;\n spf=pass (spfCheck: ok) client-ip=192.0.2.1; envelope-from=jo@example.com;"
    " helo=mx.example.com;\n dkim=pass header.i=@example.com;\n dmarc=pass header.from=example.com;"
)
TOOL = Tool.model_validate({"name": "note", "parameters": SCHEMA, "result": SCHEMA})
DATA = {"job_ref": "A-1", "count": 2, "days": ["mon"]}


def inbound(body: bytes) -> InboundRequest:
    return InboundRequest(headers={}, body=body, received_at=AT, delivery_id="d-1")


def tool_result(body: bytes) -> object:
    """Read a tool's result as the door does, for a declared tool."""
    door: Any = SimpleNamespace(
        current=lambda _: SimpleNamespace(ai_config=SimpleNamespace(tools=[TOOL]))
    )
    json_bodies.check_size(body, results.MAX_BYTES)
    return results.ResultDoor._parsed(door, None, "note", body)


def act(raw: Any) -> object:
    return asked.parsed_act(
        json_bodies.json_object(raw), conversation_id=TOKEN, key="k-1", actor="ci",
        company_id=company.COMPANY_ID, role=DeskRole.AGENT,
    )  # fmt: skip


def register_lines(body: bytes) -> object:
    raw = json_bodies.json_object(body)
    return register_parsing.lines_of(raw, company.COMPANY_ID)


def register_lift(body: bytes) -> object:
    raw = json_bodies.json_object(body)
    register_parsing.author_of(raw, ("address",), is_named=True, speaker=RegisterSpeaker())
    return register_parsing.address_of(raw)


def subscription(body: bytes) -> object:
    return register_parsing.choice_of(json_bodies.json_object(body))


def notification(text: str) -> object:
    return ses_webhook.parse(text, received_at=AT, delivery_id="d-1", opaque=OPAQUE)


def twilio_message(body: bytes) -> object:
    return twilio_webhook.parse_message(inbound(body), OPAQUE)


def twilio_status(body: bytes) -> object:
    query = {"cid": f"{TOKEN}.{ENTRY}"}
    return twilio_webhook.parse_receipt(inbound(body), query)


def desk_list(query: str) -> object:
    return _filters(parse_qs(query, keep_blank_values=True, errors="surrogateescape"))


def _files(folder: str) -> Callable[[], Sequence[Any]]:
    return lambda: [
        json.loads(path.read_text()) for path in sorted((SAMPLES / folder).glob("*.json"))
    ]


def _starts() -> Sequence[Any]:
    recipient = {
        "recipient_first_name": NAME,
        "comms_consent_at": AT,
        "comms_consent_source": NAME,
        "consent": {"given_at": AT, "expires_at": "2027-01-01T00:00:00Z"},
    }
    about = {"send_at": "2026-11-21T09:00:00+01:00", "purpose": "service"}
    body = company.request("r-1", "sms", "+13055550142", recipient_data=recipient)
    mail = company.request("r-2", "email", "jo@example.com", request_data=about)
    given = {"conversation_id": "ci-aaa-001#pi-aaa-001#r-1#13055550142"}
    return [body, mail, {"frontend_payload": body, "conversation_data": given}]


def mime(text: str = f"Yes, {NAME} here.\n", **headers: str) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = "Jo Doe <jo@example.com>", company.EMAIL
    made["Subject"], made["Message-ID"] = "Re: hello", "<m1@mail.example.com>"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    return made


def received(content: bytes | str) -> dict[str, Any]:
    """SES's notification of an e-mail."""
    raw = content if isinstance(content, bytes) else as_bytes(content)
    passed = {"status": "PASS"}
    return {
        "notificationType": "Received",
        "mail": {"messageId": "ses-1", "source": "jo@example.com", "timestamp": AT},
        "receipt": {
            **dict.fromkeys(("spamVerdict", "virusVerdict", "dmarcVerdict", "spfVerdict"), passed),
            "recipients": [f"replies+{TOKEN}@company.example"],
            "action": {"type": "SNS", "encoding": "BASE64"},
        },
        "content": base64.b64encode(raw).decode(),
    }


def _notifications() -> Sequence[Any]:
    mail = {
        "messageId": "ses-9",
        "source": f'"Company" <replies+{TOKEN}@company.example>',
        "destination": [f"{NAME}@example.com"],
        "tags": {"send": [f"{TOKEN}_{ENTRY}"]},
    }
    bounce = {"bounceType": "Permanent", "bounceSubType": "General"}
    return [
        received(bytes(mime())),
        {"eventType": "Bounce", "mail": mail, "bounce": bounce},
        {"eventType": "Reject", "mail": mail, "reject": {"reason": "Bad content"}},
        {"eventType": "Complaint", "mail": mail},
    ]


def _mails() -> Sequence[str]:
    html = mime()
    html.add_alternative(
        f'<p>Yes<br>{NAME}</p><blockquote type="cite">Old</blockquote>', subtype="html"
    )
    html.add_attachment(b"\x00\xff", maintype="application", subtype="pdf", filename="cv.pdf")
    html.set_boundary("outer")
    for number, part in enumerate(html.iter_parts()):
        if part.is_multipart():
            part.set_boundary(f"inner{number}")
    proven = mime(References="<a@b.example> <c@d.example>", In_Reply_To="<a@b.example>")
    top = f"Authentication-Results: {RESULTS}\nX-SES-RECEIPT: x\n"
    return [bytes(mail).decode("latin-1") for mail in (mime(), html)] + [
        top + bytes(proven).decode()
    ]


PARSERS = (
    Parser(
        name="richpanel ticket",
        whose="Richpanel",
        parse=lambda body: richpanel_webhook.parse(inbound(body)),
        samples=lambda: [
            {"ticket_id": "1042", "message_id": "c-1", "message": NAME, "created_at": AT},
            {"ticket_id": 1042, "ticket_url": f"https://example.com/{NAME}", "trigger": "t"},
        ],
        write=as_json,
        limit=richpanel_webhook.MAX_BODY_BYTES,
    ),
    Parser(
        name="start",
        whose="a company",
        parse=lambda body: (router.request_id_in(body), router.parse(body)),
        samples=_starts,
        write=as_json,
        limit=router.MAX_BODY_BYTES,
    ),
    Parser(
        name="may send",
        whose="a company",
        parse=lambda body: may_send.parse(body, NOW),
        samples=lambda: [
            {
                "company_id": company.COMPANY_ID,
                "project_id": company.PROJECT_ID,
                "channel_method": "sms",
                "recipient_tel": "+13055550142",
                "purpose": "service",
                "at": "2026-11-20T21:00:00-05:00",
            }
        ],
        write=as_json,
        limit=may_send.MAX_BYTES,
    ),
    Parser(
        name="act",
        whose="a desk",
        parse=act,
        samples=lambda: [
            {"act": "reply", "by": "sam", "version": "0" * 16, "text": NAME},
            {"act": "snooze", "by": "sam", "version": "0" * 16, "until": AT},
            {"act": "transfer", "by": NAME, "version": "0" * 16, "to": NAME},
        ],
        write=as_json,
        limit=128 * 1024,
    ),
    Parser(
        name="desk list",
        whose="a desk",
        parse=desk_list,
        samples=lambda: [f"state=waiting,taken&limit=50&taken_by={NAME}&channel=sms&after=x"],
    ),
    Parser(
        name="register lines",
        whose="a company",
        parse=register_lines,
        samples=lambda: [
            {
                "entries": [
                    {"address": "+13055550142", "reason": "imported", "since": AT, "by": NAME},
                    {"address": f"{NAME}@example.com", "channels": ["sms"], "until": AT},
                ]
            }
        ],
        write=as_json,
        limit=register_door.MAX_BODY,
    ),
    Parser(
        name="register lift",
        whose="a company",
        parse=register_lift,
        samples=lambda: [{"address": "+13055550142", "by": NAME, "reason": NAME}],
        write=as_json,
        limit=register_door.MAX_BODY,
    ),
    Parser(
        name="subscription",
        whose="a company",
        parse=subscription,
        samples=lambda: [{"project_id": company.PROJECT_ID, "events": ["opted_out"]}],
        write=as_json,
        limit=register_door.MAX_BODY,
    ),
    Parser(
        name="tool result",
        whose="a company",
        parse=tool_result,
        samples=lambda: [{"status": "done", "text": NAME, "data": DATA}, {"status": "failed"}],
        write=as_json,
        limit=results.MAX_BYTES,
    ),
    Parser(
        name="tool arguments",
        whose="a model",
        parse=TOOL.parsed_arguments,
        samples=lambda: [DATA, {**DATA, "count": None}],
        write=as_json_text,
        refuses=(ValueError,),
    ),
    Parser(
        name="aloware",
        whose="Aloware",
        parse=lambda body: aloware_webhook.parse(inbound(body)),
        samples=_files("aloware"),
        write=as_json,
        limit=aloware_webhook.MAX_BODY_BYTES,
    ),
    Parser(
        name="hubspot",
        whose="HubSpot",
        parse=lambda body: hubspot_webhook.parse(inbound(body)),
        samples=lambda: [*_files("hubspot")(), [hubspot.event()]],
        write=as_json,
        limit=hubspot_webhook.MAX_BODY_BYTES,
    ),
    Parser(
        name="twilio message",
        whose="Twilio",
        parse=twilio_message,
        samples=lambda: [
            {
                "AccountSid": twilio.ACCOUNT_SID,
                "MessageSid": f"SM{7:032x}",
                "From": "whatsapp:+13055550142",
                "To": f"whatsapp:{company.WHATSAPP_NUMBER}",
                "Body": f"STOP {NAME}",
                "NumMedia": "1",
                "MediaUrl0": f"https://api.example.com/{SECRET}",
                "OptOutType": "",
            }
        ],
        write=as_form,
        limit=twilio_webhook.MAX_BODY_BYTES,
    ),
    Parser(
        name="twilio status",
        whose="Twilio",
        parse=twilio_status,
        samples=lambda: [
            {
                "AccountSid": twilio.ACCOUNT_SID,
                "MessageSid": f"SM{7:032x}",
                "MessageStatus": "undelivered",
                "ErrorCode": "21610",
                "To": "+13055550142",
            }
        ],
        write=as_form,
        limit=twilio_webhook.MAX_BODY_BYTES,
    ),
    Parser(
        name="preferences",
        whose="a recipient",
        parse=preference_form.chosen_wish,
        samples=lambda: [b"hours=morning&channel=email", b"hours=any&channel="],
        limit=1_000,
    ),
    Parser(
        name="ses notification",
        whose="SES, by SNS",
        parse=notification,
        samples=_notifications,
        write=as_json_text,
        limit=150_000,
    ),
    Parser(
        name="mail in a notification",
        whose="anybody",
        parse=lambda text: notification(json.dumps(received(text))),
        samples=_mails,
        limit=150_000,
        units=("Content-Type: multipart/mixed; boundary=x\n\n--x\n", "a: b\n", " (", "<p>", "> "),
    ),
)
