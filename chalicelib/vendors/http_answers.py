"""A vendor's HTTP response, and which error of the tree it becomes.

=============================================  ==================  ===========================
result                                         repeatable call     any other call
=============================================  ==================  ===========================
nothing was sent (DNS, refused, TLS, connect)  Transient           Transient
sent, then timeout, reset, broken response     Transient           Uncertain
429                                            Transient           Transient
408, 5xx                                       Transient           Uncertain
401, 403                                       Auth                Auth
any other 4xx                                  Permanent           Permanent
3xx (never followed)                           Permanent           Uncertain
2xx whose body is not the JSON expected        Transient           Uncertain
2xx with a page where no JSON is expected      Transient           Uncertain
=============================================  ==================  ===========================

"Sent" is recorded by the connection (`deadline`); an error holds identifiers only.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any

import requests

from chalicelib.errors import PermanentError, ProviderError, TransientError, UncertainError
from chalicelib.vendors import reasons
from chalicelib.vendors.clock_skew import ClockSkew, clock_skew

MAX_RETRY_AFTER_SECONDS = 900.0
"""The longest ``Retry-After`` that is returned."""

_CHUNK_BYTES = 65_536
_MAX_ERROR_BYTES = 65_536
_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_SAYS_WHEN = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_ERROR_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}|[0-9]{1,6}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:=/+-]{1,128}")


class Expects(StrEnum):
    """The kind of body that the response to a successful call must have."""

    JSON = "json"
    """A JSON object."""
    NOTHING = "nothing"
    """Any body but an HTML page; it is not read."""
    CONTENT = "content"
    """Bytes, which are returned unchanged."""


@dataclass(slots=True)
class VendorAnswer:
    """A vendor's HTTP response, as far as it was received.

    Attributes:
        now: our clock.
        sent_at: when the exchange began, by our clock.
        skew: how far the vendor's clock is from ours; None where its response does not show it.
        continuation: where the rest of a partial list of Azure Storage begins; else empty.
    """

    now: Callable[[], datetime]
    sent_at: datetime
    status: int | None = None
    reason: str = ""
    was_sent: bool = False
    retry_after: float | None = None
    request_id: str | None = None
    skew: ClockSkew | None = None
    json: dict[str, Any] = field(default_factory=dict, repr=False)
    content: bytes = field(default=b"", repr=False)
    continuation: str = field(default="", repr=False)

    def read(
        self,
        response: requests.Response,
        *,
        expects: Expects,
        max_bytes: int,
        code_at: tuple[str, ...],
    ) -> None:
        """Read an HTTP response's status and, where it is needed, its body up to a limit.

        Args:
            response: with its body still to be read.
            expects: the kind of body that a success must have.  A page of HTML is never a success:
                a proxy's page says nothing about the vendor.
            max_bytes: limit for the body of a success.
            code_at: path of the vendor's own code in an error's JSON body.  A mere number under a
                5xx is ignored: it says no more than the status.
        """
        self.status = response.status_code
        self.request_id = _request_id(response.headers)
        self.continuation = response.headers.get("x-ms-continuation", "")
        self.skew = clock_skew(response.headers.get("date"), self.sent_at, self.now())
        if self.status in _SAYS_WHEN:
            self.retry_after = retry_after_seconds(response.headers.get("retry-after"), self.now())
        if response.ok and self.status < HTTPStatus.MULTIPLE_CHOICES:
            if expects is Expects.JSON:
                self.reason, self.json = _read_object(response, max_bytes)
            elif "text/html" in response.headers.get("content-type", "").lower():
                self.reason = reasons.ANSWER_IS_A_PAGE
            elif expects is Expects.CONTENT:
                self.reason, self.content = _read_content(response, max_bytes)
        if code_at and self.status >= HTTPStatus.BAD_REQUEST:
            code = _error_code(response, code_at)
            is_fault = self.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            self.reason = "" if is_fault and code.isdecimal() else code

    @property
    def is_refused(self) -> bool:
        """Whether the vendor rejects our credentials or denies permission: 401 or 403."""
        return self.status in _REFUSED

    def failure(self, *, is_repeatable: bool) -> type[ProviderError] | None:
        """The class of the error that a response means; None for a success, and for a 401 or 403."""
        unclear = TransientError if is_repeatable else UncertainError
        match self.status:
            case None:
                return unclear if self.was_sent else TransientError
            case 401 | 403:
                return None
            case 429:
                return TransientError
            case 408:
                return unclear
            case status if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return unclear
            case status if status >= HTTPStatus.BAD_REQUEST:
                return PermanentError
            case status if status >= HTTPStatus.MULTIPLE_CHOICES:
                return PermanentError if is_repeatable else UncertainError
            case _:
                return unclear if self.reason else None

    def error(self, kind: type[ProviderError], provider: str, operation: str) -> ProviderError:
        """A provider error of the given class, with this response's status, reason, request id and delay."""
        return kind(
            provider,
            operation,
            status=self.status,
            reason=self.reason,
            request_id=self.request_id,
            retry_after=self.retry_after,
        )


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """The seconds in a ``Retry-After`` header (seconds or HTTP date); None when it is unreadable.

    Negative and past values give 0; the maximum is 15 minutes.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value, now)
    if math.isnan(seconds):
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_SECONDS)


def _seconds_until(http_date: str, now: datetime) -> float:
    try:
        moment = parsedate_to_datetime(http_date)
    except (ValueError, OverflowError):
        return math.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - now).total_seconds()


def _read_content(response: requests.Response, max_bytes: int) -> tuple[str, bytes]:
    """An empty reason and the body of a response; a reason and no body where the body is too large."""
    body = bytearray()
    for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=True):
        body += chunk
        if len(body) > max_bytes:
            return reasons.ANSWER_TOO_LARGE, b""
    return "", bytes(body)


def _read_object(response: requests.Response, max_bytes: int) -> tuple[str, dict[str, Any]]:
    """An empty reason and the JSON object in a response's body.

    Where there is none, the reason for that and an empty object.
    """
    reason, body = _read_content(response, max_bytes)
    if reason:
        return reason, {}
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return reasons.ANSWER_NOT_JSON, {}
    return ("", parsed) if isinstance(parsed, dict) else (reasons.ANSWER_NOT_AN_OBJECT, {})


def _error_code(response: requests.Response, at: tuple[str, ...]) -> str:
    """The vendor's own code in an error's body: an identifier or a number, never a sentence; else empty."""
    _, found = _read_object(response, _MAX_ERROR_BYTES)
    value: Any = found
    for name in at:
        value = value.get(name) if isinstance(value, dict) else None
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if _ERROR_CODE.fullmatch(text) else ""


def _request_id(headers: Mapping[str, str]) -> str | None:
    for name in ("x-request-id", "x-amzn-requestid", "request-id"):
        if _REQUEST_ID.fullmatch(headers.get(name, "")):
            return headers[name]
    return None
