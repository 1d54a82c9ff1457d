"""The error tree: what went wrong, whose fault it is, and whether it may be repeated.

::

    MiddlewareError
    |-- RequestError(status, code)      the caller is wrong: 4xx, nothing queued
    |   |-- SignatureError        401
    |   |-- PayloadError          400   names the field, never its value
    |   |-- TooLargeError         413
    |   +-- ConflictError         409   same id, other content
    |-- UnavailableError(code)          we could not keep it: 503, the caller may repeat
    |-- ProviderError(provider, operation, status, request_id)
    |   |-- TransientError        surely not done; repeat later
    |   |   +-- BreakerOpenError  not even tried: the vendor is known to be down
    |   |-- AuthError             our key is refused: refresh once, then dead-letter with an alarm
    |   |-- PermanentError        surely not done and never will be
    |   +-- UncertainError        may have been done; never repeated blindly
    |-- HandBackError(reason)           this delivery cannot go on now; the queue keeps it
    |   |-- BusyError             another worker holds the lease
    |   |-- SwitchesUnreadableError  nothing starts, nothing is skipped
    |   +-- LeaseLostError        somebody else owns the event; change nothing more
    +-- SettingsError                   we are wrong: the cold start fails

Messages hold identifiers, never contents.  A duplicate is a value, not an error.
"""

from __future__ import annotations

from typing import Self


class MiddlewareError(Exception):
    """Root of everything this product raises on purpose."""


class RequestError(MiddlewareError):
    """The caller is wrong; nothing was queued.

    Args:
        code: stable machine-readable code of the answer, e.g. ``invalid_json``.
        message: a sentence that names the field and never holds its value.
    """

    status = 400

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code
        self.message = message or code


class SignatureError(RequestError):
    """The request does not prove who sent it."""

    status = 401


class PayloadError(RequestError):
    """The body does not hold what it must."""

    status = 400


class TooLargeError(RequestError):
    """The body is larger than the route takes."""

    status = 413


class ConflictError(RequestError):
    """The same id came before with other content."""

    status = 409


class UnavailableError(MiddlewareError):
    """The event could not be kept; the caller gets 503 and may send it again."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ProviderError(MiddlewareError):
    """A vendor call that did not give what was asked; never carries a body or a URL.

    Args:
        provider: e.g. ``richpanel``.
        operation: e.g. ``add_tags``.
        status: HTTP status, or None when no answer came.
        reason: a short fixed word, e.g. ``read_timeout``.
        request_id: the vendor's own id of the request, when it gives one.
        retry_after: seconds the vendor asked us to wait, when it did.
    """

    def __init__(
        self,
        provider: str,
        operation: str,
        *,
        status: int | None = None,
        reason: str = "",
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{provider}.{operation} {reason or status}")
        self.provider = provider
        self.operation = operation
        self.status = status
        self.reason = reason or (f"http_{status}" if status else "failed")
        self.request_id = request_id
        self.retry_after = retry_after

    @classmethod
    def of(cls, error: ProviderError) -> Self:
        """The same trouble, of which more is known by who asked: what it means for the action."""
        return cls(
            error.provider,
            error.operation,
            status=error.status,
            reason=error.reason,
            request_id=error.request_id,
            retry_after=error.retry_after,
        )


class TransientError(ProviderError):
    """Surely not done: 429, connection refused, 5xx on a call that may be repeated."""


class BreakerOpenError(TransientError):
    """Not tried: the vendor's circuit breaker is open."""


class AuthError(ProviderError):
    """The vendor refuses our credentials (401, 403)."""


class PermanentError(ProviderError):
    """Surely not done and never will be (400, 404, 409, 413, 422)."""


class UncertainError(ProviderError):
    """May have been done: the request left and no usable answer came."""


class HandBackError(MiddlewareError):
    """This delivery cannot go on now; the queue keeps the message.

    Args:
        reason: a short fixed word for logs and metrics.
        delay_seconds: when to try again, or None for the usual backoff.
    """

    def __init__(self, reason: str, *, delay_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.delay_seconds = delay_seconds


class BusyError(HandBackError):
    """Another worker holds the lease; it may yet fail, so this copy is kept."""


class SwitchesUnreadableError(HandBackError):
    """The switches cannot be read: nothing starts and nothing is skipped."""


class LeaseLostError(HandBackError):
    """Another worker owns the event now; this one changes nothing more."""


class SettingsError(MiddlewareError):
    """The deployment is wrong; the cold start fails loudly."""


def reason_of(error: Exception) -> str:
    """An error as one fixed word, for rows, logs and metrics; never the error's own text."""
    match error:
        case HandBackError():
            return error.reason
        case ProviderError():
            return f"{error.provider}_{error.reason}"
        case UnavailableError():
            return error.code
        case MiddlewareError():
            return type(error).__name__
        case _:
            return f"bug_{type(error).__name__}"
