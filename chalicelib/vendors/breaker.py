"""Circuit breaker: while a vendor is down, jobs are handed back instead of spending their receives.

::

    closed --(N failures in a row)--> open --(pause over)--> half open --(two successes)--> closed
                                       ^                        |
                                       +----(any failure, pause doubled, 15 min at most)

Kept in memory, one per vendor and container: containers learn of an outage on their own, which
costs a few calls and needs no shared store.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from http import HTTPStatus
from typing import assert_never

from chalicelib.errors import BreakerOpenError, ProviderError
from chalicelib.once.ports import Clock

MAX_PAUSE_SECONDS = 900.0
_OPEN = "breaker_open"
_LOCAL_REASONS = frozenset({"local_rate_limit", "secret_unavailable", _OPEN})
"""Errors without a status that are our own doing and say nothing of the vendor: another breaker's,
too, that keeps a call from the token it needs."""

_TRICKLE_SECONDS = 5.0
_SUCCESSES_TO_CLOSE = 2


class Breaker:
    """Counts the failures of one vendor and stops calling it for a while.

    Args:
        failures_to_open: so many in a row open it.
        first_pause_seconds: how long it stays open at first; doubles with every failed probe.
    """

    def __init__(
        self,
        provider: str,
        clock: Clock,
        *,
        failures_to_open: int = 5,
        first_pause_seconds: float = 30.0,
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._failures_to_open = failures_to_open
        self._first_pause = first_pause_seconds
        self._pause = first_pause_seconds
        self._failures = 0
        self._successes = 0
        self._open_until: float | None = None
        self._is_probing = False
        self._lock = threading.Lock()

    @contextmanager
    def attempt(self, operation: str) -> Iterator[None]:
        """Let one call through and learn from how it ends.

        Raises:
            BreakerOpenError: the vendor is known to be down; says after how many seconds to ask.
        """
        self._admit(operation)
        verdict = _Verdict.NONE
        try:
            yield
            verdict = _Verdict.UP
        except ProviderError as error:
            verdict = _verdict(error)
            raise
        finally:
            self._learn(verdict)

    def _admit(self, operation: str) -> None:
        with self._lock:
            if self._open_until is None:
                return
            pause_left = self._open_until - self._clock.monotonic()
            if pause_left <= 0 and not self._is_probing:
                self._is_probing = True
                return
        wait = max(pause_left, _TRICKLE_SECONDS)
        raise BreakerOpenError(self._provider, operation, reason=_OPEN, retry_after=wait)

    def _learn(self, verdict: _Verdict) -> None:
        with self._lock:
            self._is_probing = False
            match verdict:
                case _Verdict.UP:
                    self._count_success()
                case _Verdict.DOWN:
                    self._count_failure()
                case _Verdict.NONE:
                    pass
                case _:
                    assert_never(verdict)

    def _count_success(self) -> None:
        self._failures = 0
        self._successes += 1
        if self._open_until is not None and self._successes >= _SUCCESSES_TO_CLOSE:
            self._open_until = None
            self._pause = self._first_pause

    def _count_failure(self) -> None:
        self._failures += 1
        self._successes = 0
        if self._open_until is None and self._failures < self._failures_to_open:
            return
        if self._open_until is not None:
            self._pause = min(self._pause * 2, MAX_PAUSE_SECONDS)
        self._open_until = self._clock.monotonic() + self._pause


class _Verdict(Enum):
    """What a call's end says of the vendor."""

    UP = auto()
    DOWN = auto()
    NONE = auto()
    """Nothing: it was not asked, or only asked us to slow down."""


def _verdict(error: ProviderError) -> _Verdict:
    """Any answer but an unusable one says that the vendor is up; a refusal is an answer."""
    if error.reason in _LOCAL_REASONS or error.status == HTTPStatus.TOO_MANY_REQUESTS:
        return _Verdict.NONE
    if error.status is None or error.status < HTTPStatus.MULTIPLE_CHOICES:
        return _Verdict.DOWN
    return _Verdict.DOWN if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR else _Verdict.UP
