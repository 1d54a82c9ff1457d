"""The error tree: what failed, which side is at fault, and whether a retry is safe.

::

    MiddlewareError
    |-- RequestError(status, code)      the caller is wrong: 4xx, nothing queued
    |   |-- SignatureError        401
    |   |-- PayloadError          400   names the field, never its value
    |   |-- TooLargeError         413
    |   +-- ConflictError         409   same id, other content
    |-- OverShareError(retry_after)   the caller's share of a door is used up: 429
    |-- UnavailableError(code)          we could not store it: 503, the caller may retry
    |-- ProviderError(provider, operation, status, request_id)
    |   |-- TransientError        not done, or harmless to repeat; retry later
    |   |   |-- BreakerOpenError  not attempted: the vendor is known to be down
    |   |   +-- PacedError      not attempted: it is not this call's turn
    |   |-- AuthError             our key is refused: refresh once, then dead-letter with an alarm
    |   |-- PermanentError        certainly not done and never will be
    |   |   +-- WithdrawnError      not wanted any more; no failure
    |   +-- UncertainError        may have been done; never retried blindly
    |-- HandBackError(reason)           this delivery cannot continue now; the queue keeps it
    |   |-- BusyError             another worker holds the lease
    |   |-- SwitchesUnreadableError  nothing starts, nothing is skipped
    |   +-- LeaseLostError        another worker owns the event; change nothing more
    +-- SettingsError                   the deployment is wrong: the cold start fails

Messages hold identifiers, never content.  A duplicate is a return value, not an error.
"""

from __future__ import annotations

from typing import Self

PACED = "local_rate_limit"
"""The reason of every `PacedError`."""


class MiddlewareError(Exception):
    """The base class of every error that this product raises."""


class RequestError(MiddlewareError):
    """The caller's request is wrong; nothing was queued.

    Args:
        code: stable machine-readable code of the response, e.g. ``invalid_json``.
        message: a sentence that names the field and never holds its value.
    """

    status = 400

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code
        self.message = message or code


class SignatureError(RequestError):
    """The request lacks a valid proof of its sender: 401."""

    status = 401


class PayloadError(RequestError):
    """The request's body is malformed or lacks a required field: 400."""

    status = 400


class TooLargeError(RequestError):
    """The request's body exceeds the route's limit: 413."""

    status = 413


class ConflictError(RequestError):
    """The request's id was used before with other content: 409."""

    status = 409


class OverShareError(MiddlewareError):
    """The caller has used up its share of requests: 429, with the seconds to wait.

    No entry point handles it: the code around all HTTP entry points turns it into the response.
    """

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__("over its share of the door")
        self.retry_after_seconds = retry_after_seconds


class UnavailableError(MiddlewareError):
    """The event could not be stored or a secret not read; a caller gets 503 or 500 and may send it again."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ProviderError(MiddlewareError):
    """A call to a vendor failed; never holds a body or a URL.

    Args:
        provider: e.g. ``richpanel``.
        operation: e.g. ``add_tags``.
        status: HTTP status, or None when no response came.
        reason: a fixed code, e.g. ``timeout``.
        request_id: the vendor's id of the request, when it returns one.
        retry_after: seconds to wait before a retry, when the vendor sets them.
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
        """Make an error of this class with the facts of another provider error.

        For a caller that knows better what the error means for its action.
        """
        return cls(
            error.provider,
            error.operation,
            status=error.status,
            reason=error.reason,
            request_id=error.request_id,
            retry_after=error.retry_after,
        )


class TransientError(ProviderError):
    """The call was not done, or is harmless to repeat: 429, connection refused, 5xx on a repeatable call."""


class BreakerOpenError(TransientError):
    """The call was not made: the vendor's circuit breaker is open."""


class PacedError(TransientError):
    """The call was not made: our share of a rate limit is used up, and other calls come first."""

    def __init__(self, provider: str, operation: str, wait_seconds: float) -> None:
        super().__init__(provider, operation, reason=PACED, retry_after=wait_seconds)


class AuthError(ProviderError):
    """The vendor refuses our credentials: 401 or 403."""


class PermanentError(ProviderError):
    """The call was certainly not done, and repeating it would not help: 400, 404, 409, 413, 422."""


class WithdrawnError(PermanentError):
    """The action is not wanted any more, which is no failure: it is skipped with the reason."""


class UncertainError(ProviderError):
    """The call may have been done: the request was sent and no usable response came."""


class HandBackError(MiddlewareError):
    """A job cannot continue now; the queue keeps its message.

    Args:
        reason: a fixed code for logs and metrics.
        delay_seconds: when to try again, or None for the usual backoff.
    """

    def __init__(self, reason: str, *, delay_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.delay_seconds = delay_seconds


class BusyError(HandBackError):
    """Another worker holds the event's lease; it may still fail, so this message stays on the queue."""


class SwitchesUnreadableError(HandBackError):
    """The stage's switches cannot be read: no effect starts and none is skipped."""


class LeaseLostError(HandBackError):
    """Another worker owns the event or the action now; this worker must change nothing more."""


class SettingsError(MiddlewareError):
    """The deployment's settings are wrong; the cold start fails."""


def reason_of(error: Exception) -> str:
    """The fixed code of an error, for rows, logs and metrics; never the error's own text."""
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
