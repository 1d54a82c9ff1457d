"""The one HTTP client under every adapter: how a call ended, in the words of the error tree.

=============================================  ==================  ===========================
how it ended                                   repeatable call     any other call
=============================================  ==================  ===========================
nothing was sent (DNS, refused, TLS, connect)  Transient           Transient
sent, then time-out, reset, broken answer      Transient           Uncertain
429                                            Transient           Transient
408, 5xx                                       Transient           Uncertain
401, 403                                       Auth                Auth
any other 4xx                                  Permanent           Permanent
3xx (never followed)                           Permanent           Uncertain
2xx whose body is not the JSON expected        Transient           Uncertain
=============================================  ==================  ===========================

Whether anything was sent is not guessed from an exception's type: the connection itself notes it
(`deadline`).  The deadline is total: waiting for a turn, connecting, sending and reading.

Errors hold no body, no URL and no headers, and no exception that does.
"""

from __future__ import annotations

import http.client
import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import requests
import urllib3

from chalicelib.adapters import deadline
from chalicelib.adapters.breaker import Breaker
from chalicelib.adapters.deadline import Watch
from chalicelib.adapters.rate_limit import RateLimit
from chalicelib.errors import (
    AuthError,
    PermanentError,
    ProviderError,
    TransientError,
    UnavailableError,
    UncertainError,
)
from chalicelib.ports import Clock, Log

MAX_RETRY_AFTER_SECONDS = 900.0
"""A longer wait than this is not the queue's business."""

MAX_ANSWER_BYTES = 8 * 1024 * 1024
_IDLE_SECONDS = 20.0
"""An idle connection older than this may be dead, most of all after a frozen container thaws."""
_CHUNK_BYTES = 65_536
_MAX_ERROR_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a vendor.

    Attributes:
        operation: its name in errors, logs and metrics, e.g. ``add_tags``.
        path: with identifiers percent-encoded by the caller.
        is_repeatable: doing it twice is doing it once.  Any other call gets a fresh connection,
            because a stale one would make its outcome uncertain for nothing.
        headers: of this call alone.
        expects_json: the answer is of use only as a JSON object.
        form: a body in ``application/x-www-form-urlencoded``, in place of `body`.
    """

    operation: str
    method: str
    path: str = field(repr=False)
    is_repeatable: bool
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    expects_json: bool = True
    form: Mapping[str, str] | None = field(default=None, repr=False)


@dataclass(kw_only=True, slots=True)
class VendorClient:
    """Calls one vendor within a deadline, under its rate limit and its breaker.

    Attributes:
        authorize: gives the headers that prove who we are; with True they are fetched anew,
            which happens once after a 401.
        error_code_at: where in an error's JSON body the vendor's own code stands, such as
            ``("error", "code")``; the code becomes the error's reason if it is a plain word.
    """

    provider: str
    base_url: str
    authorize: Callable[[bool], Mapping[str, str]] = field(repr=False)
    clock: Clock
    log: Log
    rate_limit: RateLimit
    breaker: Breaker
    connect_timeout_seconds: float = 3.0
    max_answer_bytes: int = MAX_ANSWER_BYTES
    error_code_at: tuple[str, ...] = ()
    _session: requests.Session = field(init=False, repr=False)
    _used_at: datetime = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Nothing is connected yet."""
        self._session = deadline.session()
        self._used_at = self.clock.now()

    def send(self, call: Call, *, deadline_seconds: float) -> dict[str, Any]:
        """Send and return the answer's JSON object, empty where none is expected.

        Args:
            call: what to send.
            deadline_seconds: for everything: waiting for a turn, connecting, sending, reading.

        Raises:
            ProviderError: as the table above says.
        """
        ends = self.clock.monotonic() + deadline_seconds
        answer = self._once(call, ends, refresh=False)
        if answer.status == HTTPStatus.UNAUTHORIZED:
            answer = self._once(call, ends, refresh=True)
        if answer.status in _REFUSED:
            raise answer.error(AuthError, self.provider, call.operation)
        return answer.json

    def _once(self, call: Call, ends: float, *, refresh: bool) -> _Answer:
        """One request; a refused key is an answer, everything else that is not 2xx is raised."""
        with self.breaker.attempt(call.operation):
            headers = self._headers(call, refresh=refresh)
            left = ends - self.clock.monotonic()
            self.rate_limit.acquire(call.operation, deadline_seconds=left)
            started = self.clock.monotonic()
            answer = self._exchange(call, headers, ends - started)
            kind = answer.failure(call)
            self._report(call, answer, kind, self.clock.monotonic() - started)
            if kind is not None:
                raise answer.error(kind, self.provider, call.operation)
            return answer

    def _headers(self, call: Call, *, refresh: bool) -> dict[str, str]:
        headers: dict[str, str] = {"accept": "application/json", "user-agent": "rp-mw"}
        headers |= dict(call.headers)
        with suppress(UnavailableError):
            return headers | dict(self.authorize(refresh))
        raise TransientError(self.provider, call.operation, reason="secret_unavailable")

    def _exchange(self, call: Call, headers: dict[str, str], seconds: float) -> _Answer:
        if call.is_repeatable:
            return self._talk(self._reusable_session(), call, headers, seconds)
        with deadline.session() as session:
            return self._talk(session, call, headers | {"connection": "close"}, seconds)

    def _reusable_session(self) -> requests.Session:
        now = self.clock.now()
        if (now - self._used_at).total_seconds() > _IDLE_SECONDS:
            self._session.close()
        self._used_at = now
        return self._session

    def _talk(
        self, session: requests.Session, call: Call, headers: dict[str, str], seconds: float
    ) -> _Answer:
        """Send and read; whatever goes wrong becomes a reason, and its exception is dropped."""
        watch = Watch(seconds)
        patience = max(seconds, 0.001)
        answer = _Answer(now=self.clock.now)
        try:
            with (
                watch.watching(),
                session.request(
                    call.method,
                    self.base_url.rstrip("/") + call.path,
                    params=dict(call.query) or None,
                    json=call.body,
                    data=call.form,
                    headers=headers,
                    timeout=(min(self.connect_timeout_seconds, patience), patience),
                    allow_redirects=False,
                    stream=True,
                ) as response,
            ):
                answer.read(response, call, self.max_answer_bytes)
                if self.error_code_at and answer.status_is_error:
                    answer.reason = _error_code(response, self.error_code_at)
        except _BROKEN as error:
            answer.reason = _reason(error, watch)
        if answer.reason and watch.is_over:
            # Cut off among its headers, an answer looks whole and empty.
            answer.reason = "timeout" if watch.was_sent else "connect_timeout"
        answer.was_sent = watch.was_sent
        return answer

    def _report(
        self, call: Call, answer: _Answer, kind: type[ProviderError] | None, seconds: float
    ) -> None:
        is_refused = answer.status in _REFUSED
        self.log.event(
            f"vendor.{self.provider}.{call.operation}",
            http_status=answer.status,
            latency_ms=round(seconds * 1000),
            result="success" if kind is None and not is_refused else "failed",
            error_class=kind.__name__ if kind else "AuthError" if is_refused else None,
            reason=answer.reason or None,
            request_id=answer.request_id,
        )
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self.rate_limit.cool_down(answer.retry_after)
            self.log.metric("mw.vendor.rate_limited", provider=self.provider)
        elif kind is not None or is_refused:
            outcome = kind.__name__ if kind else "AuthError"
            self.log.metric("mw.vendor.failed", provider=self.provider, outcome=outcome)


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """Seconds in a ``Retry-After`` header, seconds or HTTP date; None when it says nothing.

    Negative and past values are 0; none is longer than 15 minutes.
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


@dataclass(slots=True)
class _Answer:
    """What came back, as far as it came."""

    now: Callable[[], datetime]
    status: int | None = None
    reason: str = ""
    was_sent: bool = False
    retry_after: float | None = None
    request_id: str | None = None
    json: dict[str, Any] = field(default_factory=dict, repr=False)

    def read(self, response: requests.Response, call: Call, max_bytes: int) -> None:
        """Status first; the body only of a success, and only so much of it."""
        self.status = response.status_code
        self.request_id = _request_id(response.headers)
        if self.status in _SAYS_WHEN:
            self.retry_after = retry_after_seconds(response.headers.get("retry-after"), self.now())
        if call.expects_json and response.ok and self.status < HTTPStatus.MULTIPLE_CHOICES:
            self.reason, self.json = _object(response, max_bytes)

    @property
    def status_is_error(self) -> bool:
        """The vendor says itself that it failed, and may say why."""
        return self.status is not None and self.status >= HTTPStatus.BAD_REQUEST

    def failure(self, call: Call) -> type[ProviderError] | None:
        """Which error this is, None for a success or a refused key."""
        unclear = TransientError if call.is_repeatable else UncertainError
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
                return PermanentError if call.is_repeatable else UncertainError
            case _:
                return unclear if self.reason else None

    def error(self, kind: type[ProviderError], provider: str, operation: str) -> ProviderError:
        """The error, with identifiers only."""
        return kind(
            provider,
            operation,
            status=self.status,
            reason=self.reason,
            request_id=self.request_id,
            retry_after=self.retry_after,
        )


def _object(response: requests.Response, max_bytes: int) -> tuple[str, dict[str, Any]]:
    """The JSON object in an answer's body, or the reason why there is none."""
    body = bytearray()
    for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=True):
        body += chunk
        if len(body) > max_bytes:
            return "answer_too_large", {}
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return "answer_not_json", {}
    return ("", parsed) if isinstance(parsed, dict) else ("answer_not_an_object", {})


def _error_code(response: requests.Response, at: tuple[str, ...]) -> str:
    """The vendor's own code in an error's body: a plain word or number, never a sentence."""
    _, found = _object(response, _MAX_ERROR_BYTES)
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


def _reason(error: Exception, watch: Watch) -> str:
    is_timeout = isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError)
    if watch.was_sent:
        return "timeout" if is_timeout else "connection_broken"
    return "connect_timeout" if is_timeout else "connect_failed"


_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_SAYS_WHEN = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_ERROR_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}|[0-9]{1,6}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:=/+-]{1,128}")
_BROKEN = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
    ValueError,
)
