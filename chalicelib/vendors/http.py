"""The HTTP client under every vendor client: one call within a deadline, rate limit and breaker.

Every failure becomes an error of the error tree, by the table in `http_answers`.  Whether the
request was sent is recorded by the connection itself (`deadline`), not guessed from an exception's
type.  The deadline is total: rate limit, connecting, sending and reading.

Errors hold no body, no URL, no headers, and no exception that holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3

from chalicelib.errors import AuthError, ProviderError, TransientError, UnavailableError
from chalicelib.once.ports import Clock, Log
from chalicelib.vendors import deadline, reasons
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.clock_skew import REPORTED_FROM_SECONDS
from chalicelib.vendors.deadline import Watch
from chalicelib.vendors.http_answers import Expects, VendorAnswer
from chalicelib.vendors.rate_limit import RateLimit, Urgency

CONNECT_SECONDS = 3.0
MAX_ANSWER_BYTES = 8 * 1024 * 1024
_IDLE_SECONDS = 20.0
"""A connection that was idle for longer is closed: it may be dead, especially after a frozen
container resumes."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a vendor, as a value.

    Attributes:
        operation: its name in errors, logs and metrics, e.g. ``add_tags``.
        path: identifiers in it are percent-encoded by the caller.
        is_repeatable: repeating it changes nothing.  Any other call gets a fresh connection,
            because a stale one would make its outcome needlessly uncertain.
        headers: sent with this call only.
        expects: the kind of body that a success must have.
        form: a body in ``application/x-www-form-urlencoded``, in place of `body`.
        content: a body sent unchanged, in place of `body`.
        urgency: its precedence within our share of the vendor's rate limit.
        guard: called when the request is about to leave; an exception that it raises stops the
            request.
    """

    operation: str
    method: str
    path: str = field(repr=False)
    is_repeatable: bool
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    expects: Expects = Expects.JSON
    form: Mapping[str, str] | None = field(default=None, repr=False)
    content: bytes | None = field(default=None, repr=False)
    urgency: Urgency = Urgency.HIGH
    guard: Callable[[], None] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class VendorApi:
    """The address of a vendor's API, and how calls to it are authenticated.

    Attributes:
        provider: its name in errors, logs and metrics.
        authorize: returns the authentication headers; with True they are fetched again, which
            happens once after a 401.
        error_code_at: path of the vendor's own code in an error's JSON body, such as ``("error",
            "code")``; the code becomes the error's reason if it is a plain word.
    """

    provider: str
    base_url: str
    authorize: Callable[[bool], Mapping[str, str]] = field(repr=False)
    error_code_at: tuple[str, ...] = ()


@dataclass(kw_only=True, slots=True)
class VendorClient:
    """The HTTP client of one vendor: each call within a deadline, a rate limit and a circuit breaker."""

    api: VendorApi
    clock: Clock
    log: Log
    rate_limit: RateLimit
    breaker: Breaker
    max_answer_bytes: int = MAX_ANSWER_BYTES
    _session: requests.Session = field(init=False, repr=False)
    _used_at: datetime = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Create the HTTP session; nothing is connected yet."""
        self._session = deadline.session()
        self._used_at = self.clock.now()

    def send(self, call: Call, *, deadline_seconds: float) -> dict[str, Any]:
        """Send a call to the vendor and return the response's JSON object, empty where none is expected.

        Args:
            call: the request to send.
            deadline_seconds: total, for rate limit, connecting, sending and reading.

        Raises:
            ProviderError: the call failed; its class follows the table in `http_answers`.
        """
        return self.exchange(call, deadline_seconds=deadline_seconds).json

    def exchange(self, call: Call, *, deadline_seconds: float) -> VendorAnswer:
        """Send a call to the vendor and return the whole response: status, body, and the vendor's clock.

        Raises:
            ProviderError: the call failed; its class follows the table in `http_answers`.
        """
        ends = self.clock.monotonic() + deadline_seconds
        answer = self._once(call, ends, refresh=False)
        if answer.status == HTTPStatus.UNAUTHORIZED:
            answer = self._once(call, ends, refresh=True)
        if answer.is_refused:
            raise answer.error(AuthError, self.api.provider, call.operation)
        return answer

    def _once(self, call: Call, ends: float, *, refresh: bool) -> VendorAnswer:
        """Send one request, without another after a 401, and return the response.

        A 401 or 403 is returned; every other failure is raised.  A metric counts each call after which
        the circuit breaker is open.
        """
        try:
            return self._attempt(call, ends, refresh=refresh)
        finally:
            if self.breaker.is_open:  # also where the breaker refused the call: the outage goes on
                self.log.metric("mw.vendor.down", provider=self.api.provider)

    def _attempt(self, call: Call, ends: float, *, refresh: bool) -> VendorAnswer:
        with self.breaker.attempt(call.operation):
            headers = self._headers(call, refresh=refresh)
            left = ends - self.clock.monotonic()
            self.rate_limit.acquire(call.operation, deadline_seconds=left, urgency=call.urgency)
            if call.guard is not None:
                call.guard()
            started = self.clock.monotonic()
            answer = self._exchange(call, headers, ends - started)
            kind = answer.failure(is_repeatable=call.is_repeatable)
            self._report(call, answer, kind, self.clock.monotonic() - started)
            if kind is not None:
                raise answer.error(kind, self.api.provider, call.operation)
            return answer

    def _headers(self, call: Call, *, refresh: bool) -> dict[str, str]:
        headers: dict[str, str] = {"accept": "application/json", "user-agent": "rp-mw"}
        headers |= dict(call.headers)
        with suppress(UnavailableError):
            return headers | dict(self.api.authorize(refresh))
        raise TransientError(self.api.provider, call.operation, reason=reasons.SECRET_UNAVAILABLE)

    def _exchange(self, call: Call, headers: dict[str, str], seconds: float) -> VendorAnswer:
        if call.is_repeatable:
            return self._send_request(self._reusable_session(), call, headers, seconds)
        with deadline.session() as session:
            return self._send_request(session, call, headers | {"connection": "close"}, seconds)

    def _reusable_session(self) -> requests.Session:
        now = self.clock.now()
        if (now - self._used_at).total_seconds() > _IDLE_SECONDS:
            self._session.close()
        self._used_at = now
        return self._session

    def _send_request(
        self, session: requests.Session, call: Call, headers: dict[str, str], seconds: float
    ) -> VendorAnswer:
        """Send one request and read its response; an exception becomes the `reason` of the response."""
        watch = Watch(seconds)
        timeout = max(seconds, 0.001)
        answer = VendorAnswer(now=self.clock.now, sent_at=self.clock.now())
        try:
            with (
                watch.watching(),
                session.request(
                    call.method,
                    self.api.base_url.rstrip("/") + call.path,
                    params=dict(call.query) or None,
                    json=call.body,
                    data=call.form or call.content,
                    headers=headers,
                    timeout=(min(CONNECT_SECONDS, timeout), timeout),
                    allow_redirects=False,
                    stream=True,
                ) as response,
            ):
                answer.read(
                    response,
                    expects=call.expects,
                    max_bytes=self.max_answer_bytes,
                    code_at=self.api.error_code_at,
                )
        except deadline.BROKEN_ERRORS as error:
            answer.reason = _reason(error, watch)
        if answer.reason and watch.is_over:
            # A response cut off within its headers looks complete and empty.
            answer.reason = reasons.TIMEOUT if watch.was_sent else reasons.CONNECT_TIMEOUT
        answer.was_sent = watch.was_sent
        return answer

    def _report(
        self, call: Call, answer: VendorAnswer, kind: type[ProviderError] | None, seconds: float
    ) -> None:
        skew = answer.skew.seconds if answer.skew is not None else 0.0
        self.log.event(
            f"vendor.{self.api.provider}.{call.operation}",
            http_status=answer.status,
            latency_ms=round(seconds * 1000),
            result="success" if kind is None and not answer.is_refused else "failed",
            error_class=kind.__name__ if kind else "AuthError" if answer.is_refused else None,
            reason=answer.reason or None,
            request_id=answer.request_id,
            clock_skew_seconds=skew if skew >= REPORTED_FROM_SECONDS else None,
        )
        if skew >= REPORTED_FROM_SECONDS:
            self.log.metric("mw.vendor.clock_skew_seconds", skew, provider=self.api.provider)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self.rate_limit.cool_down(answer.retry_after)
            self.log.metric("mw.vendor.rate_limited", provider=self.api.provider)
        elif kind is not None or answer.is_refused:
            outcome = kind.__name__ if kind else "AuthError"
            self.log.metric("mw.vendor.failed", provider=self.api.provider, outcome=outcome)


def _reason(error: Exception, watch: Watch) -> str:
    is_timeout = isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError)
    if watch.was_sent:
        return reasons.TIMEOUT if is_timeout else reasons.CONNECTION_BROKEN
    return reasons.CONNECT_TIMEOUT if is_timeout else reasons.CONNECT_FAILED


def bearer_header(secret: Callable[[bool], str]) -> Callable[[bool], Mapping[str, str]]:
    """A function that gives the header ``authorization: Bearer ...`` with the secret.

    Called with True, that function fetches the secret again.
    """
    return lambda refresh: {"authorization": f"Bearer {secret(refresh).strip()}"}


def origin_and_path(url: str) -> tuple[str, str]:
    """The parts of a URL: its origin, ``https://host:port``, and its path with the query, ``/path?query``."""
    address = urlsplit(url)
    query = f"?{address.query}" if address.query else ""
    return f"{address.scheme}://{address.netloc}", address.path + query
