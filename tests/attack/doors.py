"""The public doors, a valid request to each, and the proof that its real sender would show."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from chalicelib.facts import aloware_webhook, hubspot_webhook
from chalicelib.outreach.desk import door as desk_door
from chalicelib.outreach.door import may_send, results, router
from chalicelib.outreach.register import register_door
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.support import webhook as richpanel_webhook
from local import company
from local.vendors import aloware, hubspot, twilio

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
FORGED = f"{'0' * 32}.Y2ktYWFhLTAwMQ.{'1' * 32}.{'2' * 32}"
"""The token of an unsubscribe link, for the first company, with a signature that is not ours."""
CALL = "3" * 32
CID = f"{'0' * 32}.{'1' * 32}"


@dataclass(frozen=True)
class Door:
    """One route.

    Attributes:
        example: makes the fields of a valid body, from a number.
        limit: bytes that the door takes; 0 where it reads no body.
        credential: the header that proves the sender; empty where anybody may call.
        is_page: it answers with pages, and only a token in its path proves anything; the examples
            have a forged one.
        query: of a valid request.
        parameters: of the path of a valid request.
    """

    name: str
    method: str
    path: str
    example: Callable[[int], Any]
    limit: int = 0
    content_type: str = JSON
    credential: str = ""
    is_page: bool = False
    query: Mapping[str, str] | None = None
    parameters: Mapping[str, str] | None = None

    def body(self, fields: Any) -> bytes:
        """The fields as this door's senders encode them."""
        if self.content_type == FORM:
            return urlencode(fields, errors="replace").encode()
        return b"" if fields is None else json.dumps(fields).encode()


def _ticket(number: int) -> Any:
    return {"ticket_id": f"{number}", "message_id": f"c-{number}", "message": "Where is it?"}


def _start(number: int) -> Any:
    return company.request(f"req{number}", "sms", "+15550100001")


def _question(number: int) -> Any:
    return {
        "company_id": company.COMPANY_ID,
        "project_id": company.PROJECT_ID,
        "channel_method": "sms",
        "recipient_tel": f"+1305555{number % 10_000:04d}",
    }


def _message(number: int) -> Any:
    return {
        "AccountSid": twilio.ACCOUNT_SID,
        "MessageSid": f"SM{number:032x}",
        "From": "+15550100001",
        "To": company.SMS_NUMBER,
        "Body": "Hello",
    }


def _status(number: int) -> Any:
    return {
        "AccountSid": twilio.ACCOUNT_SID,
        "MessageSid": f"SM{number:032x}",
        "MessageStatus": "delivered",
    }


def _act(number: int) -> Any:
    text = f"It is me, number {number}."
    return {"act": "reply", "by": "sam", "version": "0" * 16, "text": text}


def _address(number: int) -> Any:
    return {"address": f"+1305555{number % 10_000:04d}"}


def _lines(number: int) -> Any:
    return {"entries": [_address(number), {**_address(number + 1), "reason": "imported"}]}


def _lift(number: int) -> Any:
    return {**_address(number), "by": "sam", "reason": f"asked for it {number}"}


def _subscription(_number: int) -> Any:
    return {"project_id": company.PROJECT_ID, "events": ["opted_out"]}


def _result(number: int) -> Any:
    return {"status": "done", "text": f"Reference {number}.", "data": {"reference": f"A-{number}"}}


def _wishes(number: int) -> Any:
    return {"hours": ("morning", "evening", "any")[number % 3], "channel": "email"}


def _register(name: str, example: Callable[[int], Any]) -> Door:
    return Door(
        f"register_{name}",
        "POST",
        f"/register/{name}",
        example,
        limit=register_door.MAX_BODY,
        credential="x-api-key",
    )


DOORS = (
    Door(
        "richpanel",
        "POST",
        "/webhook/richpanel",
        _ticket,
        limit=richpanel_webhook.MAX_BODY_BYTES,
        credential=richpanel_webhook.TOKEN_HEADER,
    ),
    Door(
        "initiate",
        "POST",
        "/initiate-conversation",
        _start,
        limit=router.MAX_BODY_BYTES,
        credential="x-api-key",
    ),
    Door(
        "may_send",
        "POST",
        "/may-send",
        _question,
        limit=may_send.MAX_BYTES,
        credential="x-api-key",
    ),
    Door(
        "outcome",
        "GET",
        "/conversations/{request_id}",
        lambda _number: None,
        credential="x-api-key",
        parameters={"request_id": "req1"},
    ),
    Door(
        "desk_list",
        "GET",
        "/desk/conversations",
        lambda _number: None,
        credential="x-api-key",
        query={"state": "waiting,taken", "limit": "50"},
    ),
    Door(
        "desk_conversation",
        "GET",
        "/desk/conversations/{conversation_id}",
        lambda _number: None,
        credential="x-api-key",
        parameters={"conversation_id": "0" * 32},
    ),
    Door(
        "desk_act",
        "POST",
        "/desk/conversations/{conversation_id}/acts",
        _act,
        limit=desk_door.MAX_BODY_BYTES,
        credential="x-api-key",
        parameters={"conversation_id": "0" * 32},
    ),
    Door(
        "messages",
        "GET",
        "/conversations/{request_id}/messages",
        lambda _number: None,
        credential="x-api-key",
        query={"limit": "50"},
        parameters={"request_id": "req1"},
    ),
    Door(
        "register_page",
        "GET",
        "/register",
        lambda _number: None,
        credential="x-api-key",
        query={"limit": "50"},
    ),
    _register("lookup", _address),
    _register("import", _lines),
    _register("lift", _lift),
    _register("subscription", _subscription),
    Door(
        "tool_result",
        "POST",
        "/conversations/{request_id}/tools/{call_id}/result",
        _result,
        limit=results.MAX_BYTES,
        credential="authorization",
        parameters={"request_id": "req1", "call_id": CALL},
    ),
    Door(
        "twilio",
        "POST",
        "/webhook/twilio",
        _message,
        limit=twilio_webhook.MAX_BODY_BYTES,
        content_type=FORM,
        credential="x-twilio-signature",
    ),
    Door(
        "twilio_status",
        "POST",
        "/webhook/twilio/status",
        _status,
        limit=twilio_webhook.MAX_BODY_BYTES,
        content_type=FORM,
        credential="x-twilio-signature",
        query={"cid": CID},
    ),
    Door(
        "aloware",
        "POST",
        "/webhook/aloware",
        lambda number: aloware.six_deliveries(id=number)[1],
        limit=aloware_webhook.MAX_BODY_BYTES,
        credential="authorization",
    ),
    Door(
        "hubspot",
        "POST",
        "/webhook/hubspot",
        lambda number: [hubspot.event(objectId=number)],
        limit=hubspot_webhook.MAX_BODY_BYTES,
        credential=hubspot_webhook.SIGNATURE_V3,
    ),
    Door(
        "unsubscribe_page",
        "GET",
        "/unsubscribe/{token}",
        lambda _number: None,
        is_page=True,
        parameters={"token": FORGED},
    ),
    Door(
        "unsubscribe",
        "POST",
        "/unsubscribe/{token}",
        lambda _number: {"List-Unsubscribe": "One-Click"},
        limit=1_000,
        content_type=FORM,
        is_page=True,
        parameters={"token": FORGED},
    ),
    Door(
        "preferences",
        "POST",
        "/unsubscribe/{token}",
        _wishes,
        limit=1_000,
        content_type=FORM,
        is_page=True,
        parameters={"token": FORGED},
    ),
    Door("health", "GET", "/health", lambda _number: None),
)
