"""How long a message stays invisible after an error."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from chalicelib.errors import (
    BreakerOpenError,
    HandBackError,
    PacedError,
    ProviderError,
    TransientError,
    UnavailableError,
)

SHORTEST_WAIT_SECONDS = 1.0
"""The shortest wait, also for a message that may be received again at once."""
BACKOFF_BASE_SECONDS = 4.0
BACKOFF_CAP_SECONDS = 900.0
"""The longest backoff after an error of our own code: a message that always fails ends within the hour."""
OUTAGE_WAITS_SECONDS = (10.0, 30.0, 120.0, 600.0, 900.0, 1200.0, 1500.0, 1500.0, 1500.0)
"""Waits after a failure of a vendor, the queue or a secret, by the number of receives. Nine waits
of 7,360 s in all, so that ten receives outlast an outage of two hours; jitter adds up to a quarter,
and no wait is shorter than the vendor asked for."""

ASIDE_FOR_SECONDS = 4 * 3600.0
"""Up to this age an event waits outside the queue for a vendor that is down or limits its calls,
and spends no receives. An older event spends them, and after the last one a person gets it."""

SLOW_DOWN_SECONDS = 30.0
"""The wait after a 429 without ``Retry-After``: one window of a vendor's rate limit.  Where a vendor
names a shorter wait, the wait is a tenth of the event's age at least, up to this."""

Jitter = Callable[[], float]
"""Evenly spread numbers from 0 up to 1."""


def wait(error: Exception, receive_count: int, jitter: Jitter) -> float:
    """Seconds until a failed message is received again.

    A `HandBackError` may name this delay.  If it names none, and after a failure of a vendor, the queue
    or a secret, the delay is the next of `OUTAGE_WAITS_SECONDS`, or the vendor's own longer one.  Any
    other error has exponential backoff.
    """
    if isinstance(error, HandBackError) and error.delay_seconds is not None:
        return error.delay_seconds
    if isinstance(error, ProviderError | HandBackError | UnavailableError):
        number = min(receive_count, len(OUTAGE_WAITS_SECONDS)) - 1
        outage = OUTAGE_WAITS_SECONDS[number] * (1.0 + jitter() / 4)
        asked = error.retry_after if isinstance(error, ProviderError) else None
        return max(outage, asked or 0.0)
    return backoff(receive_count, jitter)


def asked_pause(error: Exception, *, age_seconds: float, jitter: Jitter) -> float | None:
    """Seconds until the vendor may be called again; None where the error asks for no pause.

    Only four errors ask for one: our own rate limit, an open breaker, a 429, and an error with
    ``Retry-After`` that left nothing done.  Such a wait spends no receive of the message.  A vendor
    that keeps naming short waits is called less often as the event ages.  An event older than
    `ASIDE_FOR_SECONDS` gets a pause for our own rate limit only.

    Args:
        error: why the attempt failed.
        age_seconds: of the event, since its receipt.
        jitter: spreads the return of events that wait for the same moment.
    """
    if isinstance(error, PacedError):
        return max(SHORTEST_WAIT_SECONDS, error.retry_after or 0.0)
    if not isinstance(error, TransientError) or age_seconds >= ASIDE_FOR_SECONDS:
        return None
    asked = error.retry_after or 0.0
    if not isinstance(error, BreakerOpenError):
        if is_rate_limited(error):
            asked = asked or SLOW_DOWN_SECONDS
        elif not asked:
            return None
        asked = max(asked, min(SLOW_DOWN_SECONDS, age_seconds / 10))
    return max(SHORTEST_WAIT_SECONDS, asked) * (1.0 + jitter() / 4)


def is_rate_limited(error: Exception) -> bool:
    """Whether an error is a vendor's answer 429: too many requests."""
    return isinstance(error, ProviderError) and error.status == HTTPStatus.TOO_MANY_REQUESTS


def backoff(receive_count: int, jitter: Jitter) -> float:
    """Seconds before the next receive: a random part of a limit that doubles with each receive.

    The limit is `BACKOFF_CAP_SECONDS` at most.
    """
    ceiling = min(BACKOFF_CAP_SECONDS, BACKOFF_BASE_SECONDS * 2.0**receive_count)
    return ceiling * jitter()
