"""Answers the Channel Router whether a message may be sent: `POST /may-send`.

It authenticates as `POST /initiate-conversation` does::

    {"company_id": "ci-aaa-001", "project_id": "pi-aaa-001", "channel_method": "sms",
     "recipient_tel": "+15550100001", "purpose": "marketing", "at": "2026-11-27T22:00:00-05:00"}
    200 {"allowed": false, "why": ["calling_hours"], "rules": ["us-federal:calling-hours"],
         "next_at": "2026-11-28T13:00:00.000Z"}

``purpose`` defaults to the project's, ``at`` to now.  Nothing is sent, counted or stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from chalicelib.errors import PayloadError, RequestError, TransientError, UnavailableError
from chalicelib.once import body as bodies
from chalicelib.once import door
from chalicelib.once.door import Answer, HttpRequest
from chalicelib.once.ports import Clock, Log
from chalicelib.outreach.channels import ADDRESSES, Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations.records import SEPARATOR
from chalicelib.outreach.door.initiate import TRY_AGAIN, Callers, ForbiddenError, NotFoundError
from chalicelib.outreach.door.router import MAX_ID_BYTES, addresses_in
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.jurisdictions.start_check import StartChecks, StartToCheck

SOURCE = "may_send"
MAX_BYTES = 8192
MAX_AHEAD = timedelta(days=3660)
"""How far from now ``at`` may be: the rules' calendars cover no other centuries."""
_FIELDS = (
    *("company_id", "project_id", "channel_method"),
    *(address.field for address in ADDRESSES),
    *("purpose", "at"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaySendDoor:
    """Answers the Channel Router whether a message may be sent at a time; sends nothing.

    Attributes:
        checks: builds the checks, at the first question.
    """

    callers: Callers
    checks: Callable[[], StartChecks]
    clock: Clock
    log: Log

    def ask(self, request: HttpRequest) -> Answer:
        """Answer a request that asks whether a message may be sent; refusals have the Router's fields."""
        try:
            bodies.check_size(request.body, MAX_BYTES, code="PAYLOAD_TOO_LARGE")
            now = self.clock.now()
            company_id = self.callers.company_of(SOURCE, request, now)
            asked = parse(request.body, now)
            if asked.company_id != company_id:
                raise ForbiddenError("AUTHORIZATION_ERROR", "this key belongs to another company")
            project = self.callers.companies.project(asked.company_id, asked.project_id)
            if project is None:
                raise NotFoundError("COMPANY_NOT_FOUND", "no such company and project")
            return Answer(200, self.checks().verdict(asked, project).shown)
        except RequestError as error:
            door.log_rejected(self.log, SOURCE, error.code)
            return _refused(error.status, error.code, error.message)
        except (UnavailableError, TransientError) as error:
            code = "DATABASE_ERROR" if isinstance(error, TransientError) else "INTERNAL_ERROR"
            door.log_failed(self.log, SOURCE, code)
            return _refused(500, code, TRY_AGAIN)


def parse(body: bytes, now: datetime) -> StartToCheck:
    """Check the body of a question whether a message may be sent, by the rules of a start's body.

    Raises:
        PayloadError: with the Router's code; names fields, never values.
    """
    given = bodies.json_object(body, code="INVALID_REQUEST")
    for name in given:
        if name not in _FIELDS:
            raise PayloadError("UNKNOWN_FIELD", f"field {shown_name(name)} is not known")
    for name in ("company_id", "project_id"):
        _check_id(name, given.get(name))
    channel = _channel(given.get("channel_method"))
    return StartToCheck(
        company_id=given["company_id"],
        project_id=given["project_id"],
        channel=channel,
        addresses=addresses_in(channel, given),
        purpose=_purpose(given.get("purpose")),
        at=_moment(given.get("at"), now),
    )


def _check_id(name: str, given: Any) -> None:  # noqa: ANN401 - any JSON value
    if not _text(given):
        raise PayloadError("MISSING_IDENTIFIERS", f"field {name} is missing, empty or no text")
    size = len(given.encode("utf-8", "replace"))
    if size > MAX_ID_BYTES or SEPARATOR in given or not given.isprintable():
        raise PayloadError("INVALID_REQUEST", f"field {name} is no id")


def _channel(given: Any) -> Channel:  # noqa: ANN401 - any JSON value
    if given is None:
        raise PayloadError("MISSING_CHANNEL_METHOD", "field channel_method is missing")
    if not _text(given):
        raise PayloadError(
            "INVALID_CHANNEL_METHOD_FORMAT", "field channel_method is empty or no text"
        )
    try:
        return Channel(given.strip().lower())
    except ValueError:
        raise PayloadError(
            "UNSUPPORTED_CHANNEL", "field channel_method names no known channel"
        ) from None


def _purpose(given: Any) -> ContactPurpose | None:  # noqa: ANN401 - any JSON value
    if given is None:
        return None
    if not isinstance(given, str) or given not in set(ContactPurpose):
        names = ", ".join(ContactPurpose)
        raise PayloadError("INVALID_PURPOSE", f"field purpose is none of {names}")
    return ContactPurpose(given)


def _moment(given: Any, now: datetime) -> datetime:  # noqa: ANN401 - any JSON value
    if given is None:
        return now
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise PayloadError("INVALID_AT", "field at is not ISO-8601 with a time zone")
    if abs(moment - now) > MAX_AHEAD:
        raise PayloadError("INVALID_AT", "field at is more than ten years away")
    return moment.astimezone(UTC)


def _text(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, str) and bool(value.strip())


def _refused(status: int, code: str, message: str) -> Answer:
    body = {"status": "error", "error_code": code, "message": message, "request_id": "unknown"}
    return Answer(status, body)
