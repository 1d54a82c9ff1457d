"""Client-side token bucket: calls stay under a vendor's limit instead of running into its 429s.

A bucket refills at its share of the vendor's window and holds half a share for bursts, so no window
ever sees more than one and a half shares; where those could exceed the vendor's limit, `split` makes
the bursts smaller.  Richpanel's 50 requests in 30 s are one quota for the whole account, other
integrations included; our shares sum to 30 and leave them room.

A less urgent call leaves tokens in the bucket, so that an urgent one finds some and does not wait
behind it.  That delays a call only after a burst: over time each kind gets the whole share.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from chalicelib.errors import TransientError
from chalicelib.once.ports import Clock


class Urgency(Enum):
    """How much of a full bucket a call leaves behind: its part of what is there beyond one token."""

    HIGH = 0.0
    """A customer waits for it; also every call of a vendor with one kind of call."""
    NORMAL = 1 / 3
    """Reads and tags, which operators see."""
    LOW = 2 / 3
    """Reconciliation, which may take what is left over."""


@dataclass(frozen=True, slots=True)
class Pace:
    """One container's part of a limit: requests a window, and how many of them at once."""

    requests_per_window: float
    burst: float


def split(ours: float, *, limit: float, shares: float) -> Pace:
    """The pace of one share, so that all shares together exceed the vendor's limit in no window.

    A call that exceeds it costs far more than one that waits: its 429 blocks a whole window.

    Args:
        ours: how many requests a window all shares may make.
        limit: how many the vendor takes.
        shares: how many there are; each needs a token to begin with.
    """
    at_once = max(shares, min(ours / 2, limit - ours))
    return Pace(max(1.0, min(ours, limit - at_once)) / shares, at_once / shares)


class RateLimit:
    """Paces the calls of one container to one vendor; safe between threads.

    Args:
        requests_per_window: this container's share of the vendor's window.
        sleep: waits for this many seconds.
        burst: how many calls may be made at once; by default half a share.
    """

    def __init__(
        self,
        provider: str,
        clock: Clock,
        sleep: Callable[[float], None],
        *,
        requests_per_window: float,
        window_seconds: float = 30.0,
        burst: float | None = None,
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._sleep = sleep
        self._window = window_seconds
        self._per_second = requests_per_window / window_seconds
        self._burst = max(1.0, requests_per_window / 2 if burst is None else burst)
        self._tokens = self._burst
        self._filled_at = clock.monotonic()
        self._blocked_until = self._filled_at
        self._lock = threading.Lock()

    def acquire(
        self, operation: str, *, deadline_seconds: float, urgency: Urgency = Urgency.HIGH
    ) -> None:
        """Wait for a token.

        Raises:
            TransientError: the token would come after the deadline; raised without waiting, with
                the seconds until then in `retry_after`.
        """
        ends = self._clock.monotonic() + deadline_seconds
        while wait := self.take(urgency):
            if self._clock.monotonic() + wait >= ends:
                raise TransientError(
                    self._provider, operation, reason="local_rate_limit", retry_after=wait
                )
            self._sleep(wait)

    def cool_down(self, seconds: float | None) -> None:
        """Block all calls after a 429, by default for one window."""
        pause = self._window if seconds is None else seconds
        with self._lock:
            self._blocked_until = max(self._blocked_until, self._clock.monotonic() + pause)

    def take(self, urgency: Urgency) -> float:
        """Take a token and return 0, or return the seconds until there may be one."""
        with self._lock:
            now = self._clock.monotonic()
            gained = (now - self._filled_at) * self._per_second
            self._tokens = min(self._burst, self._tokens + gained)
            self._filled_at = now
            leaves = urgency.value * (self._burst - 1.0)
            missing = max(0.0, 1.0 + leaves - self._tokens) / self._per_second
            wait = max(missing, self._blocked_until - now)
            if wait <= _EPSILON:
                self._tokens -= 1.0
                return 0.0
            return wait


_EPSILON = 1e-6
"""A wait below a microsecond is a rounding error; sleeping for it would loop forever."""
