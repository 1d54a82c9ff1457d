"""Common parts of every HTTP entry point: read a request, answer it, log and count the result.

Alarms read these metrics, so every entry point counts through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import PayloadError, SettingsError, reason_of
from chalicelib.once.ports import Clock, Log

Query = Mapping[str, Sequence[str]]
"""A request's query: for each parameter, the list of its values, as often as it was given."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """An HTTP request from a company, with every part that its signature may cover.

    Attributes:
        method: upper case.
        path: as the caller addressed it; behind the gateway it begins with the stage.
        query: every value of each parameter, decoded by the gateway.
        headers: names in lower case.
        body: raw bytes, with the gateway's base64 already decoded.
    """

    method: str
    path: str
    query: Query = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class InboundRequest:
    """An HTTP request to a webhook, as the webhook's parser reads it.

    Attributes:
        headers: names in lower case.
        body: raw bytes, with the gateway's base64 already decoded.
        received_at: ISO time of receipt.
        delivery_id: unique per request, made here; part of a thin notification's key.
    """

    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    received_at: str
    delivery_id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response as a value: status, headers, and a body of JSON members (a page under ``html``)."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


def read_request(
    headers: Mapping[str, str], body: bytes, clock: Clock, new_id: Callable[[], str]
) -> InboundRequest:
    """Build the `InboundRequest` that webhook parsers read: header names in lower case, with time and id."""
    return InboundRequest(
        headers={name.lower(): value for name, value in headers.items()},
        body=body,
        received_at=iso(clock.now()),
        delivery_id=new_id(),
    )


def query_parameter(query: Query, name: str, *, longest: int) -> str | None:
    """The value of one query parameter; None where it is not given.

    Raises:
        PayloadError: the value is empty, longer than so many characters, or given twice; the error
            names the parameter, never its value.
    """
    match query.get(name):
        case None:
            return None
        case [value] if 1 <= len(value) <= longest:
            return value
    raise PayloadError(
        f"INVALID_{name.upper()}", f"parameter {name} is not one of 1-{longest} characters"
    )


def log_accepted(log: Log, source: str, **fields: object) -> None:
    """Log and count a request whose data is stored or queued."""
    log.event("ingress.accepted", source=source, **fields)
    log.metric("mw.ingress.accepted", source=source)


def log_rejected(log: Log, source: str, code: str) -> None:
    """Log and count a request that is refused because the caller made a mistake."""
    log.event("ingress.request.rejected", source=source, code=code)
    log.metric("mw.ingress.rejected", source=source, code=code)


def log_failed(log: Log, source: str, code: str) -> None:
    """Log and count a request that we failed to store; the caller is asked to repeat it."""
    log.event("ingress.failed", source=source, code=code)
    log.metric("mw.ingress.failed", source=source, code=code)


def log_unexpected(log: Log, source: str, error: Exception) -> None:
    """Log and count an exception that an HTTP entry point should not raise: a failure of our own.

    The line names the error's type and the place in our code, and never its text, which may hold
    what the caller sent.  Only the text of a `SettingsError`, which names variables, is shown.
    """
    code = reason_of(error)
    shown = str(error) if isinstance(error, SettingsError) else None
    log.event("ingress.failed", source=source, code=code, at=_code_location(error), problem=shown)
    log.metric("mw.ingress.failed", source=source, code=code)


def internal_error() -> Answer:
    """The HTTP response 500 of a webhook that failed for no fault of the caller."""
    return error_answer(500, "internal_error", "try again later")


def _code_location(error: Exception) -> str | None:
    """The module and line of our code in which an error was raised, e.g. ``once/intake.py line 96``."""
    at, place = error.__traceback__, None
    while at is not None:
        _, ours, rest = at.tb_frame.f_code.co_filename.rpartition("chalicelib/")
        place = f"{rest} line {at.tb_lineno}" if ours else place
        at = at.tb_next
    return place


def error_answer(status: int, code: str, message: str) -> Answer:
    """The HTTP response of a webhook that stored nothing: a status, a code and a message."""
    return Answer(status, {"status": "error", "code": code, "message": message})
