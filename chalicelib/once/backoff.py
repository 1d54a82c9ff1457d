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
"""For whatever may be tried again at once."""
BACKOFF_BASE_SECONDS = 4.0
BACKOFF_CAP_SECONDS = 900.0
"""Exponential with full jitter, for our own faults: a poison message ends within the hour."""
OUTAGE_WAITS_SECONDS = (10.0, 30.0, 120.0, 600.0, 900.0, 1200.0, 1500.0, 1500.0, 1500.0)
"""For outages of others: nine waits of 7,360 s in all, so that ten receives outlast an outage of two
hours; jitter adds up to a quarter, and no wait is shorter than the vendor asked for."""

ASIDE_FOR_SECONDS = 4 * 3600.0
"""Since its receipt an event waits aside so long for a vendor that is down or refuses calls; then its
receives count, and after the last one a person has it."""

SLOW_DOWN_SECONDS = 30.0
"""After a 429 that does not say when: one window of a vendor's rate limit.  Also what the wait grows to
where a vendor says sooner, a tenth of the event's age at a time."""

Jitter = Callable[[], float]
"""Evenly spread numbers from 0 up to 1."""


def wait(error: Exception, receive_count: int, jitter: Jitter) -> float:
    """Seconds before the next receive: as asked for, as in an outage, or as after a fault of ours."""
    if isinstance(error, HandBackError) and error.delay_seconds is not None:
        return error.delay_seconds
    if isinstance(error, ProviderError | HandBackError | UnavailableError):
        number = min(receive_count, len(OUTAGE_WAITS_SECONDS)) - 1
        outage = OUTAGE_WAITS_SECONDS[number] * (1.0 + jitter() / 4)
        asked = error.retry_after if isinstance(error, ProviderError) else None
        return max(outage, asked or 0.0)
    return backoff(receive_count, jitter)


def asked_pause(error: Exception, *, age_seconds: float, jitter: Jitter) -> float | None:
    """Seconds until a vendor's time, where the error names one; None for any other error.

    Nothing was done, so no receive is spent on such a wait: our own pace, an open breaker, a 429, or
    a 503 with its ``Retry-After``.  A vendor that always says soon is asked more rarely with time.

    Args:
        error: of the attempt.
        age_seconds: of the event, since its receipt.
        jitter: spreads what waits for the same moment.
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
    """Whether a vendor refused a call for its rate limit alone."""
    return isinstance(error, ProviderError) and error.status == HTTPStatus.TOO_MANY_REQUESTS


def backoff(receive_count: int, jitter: Jitter) -> float:
    """Seconds, exponential with full jitter."""
    ceiling = min(BACKOFF_CAP_SECONDS, BACKOFF_BASE_SECONDS * 2.0**receive_count)
    return ceiling * jitter()
