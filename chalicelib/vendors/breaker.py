"""Circuit breaker: while a vendor is down, jobs are handed back with a delay, which saves receives.

::

    closed --(N failures in a row)--> open --(pause over)--> half open --(two successes)--> closed
                                       ^                        |
                                       +----(any failure, pause doubled, 15 min at most)

In memory, one per vendor and container: each container detects an outage on its own, which costs a
few calls and needs no shared store.  A language model has one of its own for each key and model, which
two time-outs in a row open: one model that hangs would hold a worker 45 s for every message.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from http import HTTPStatus
from typing import assert_never

from chalicelib.errors import BreakerOpenError, ProviderError
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import PACED
from chalicelib.vendors import reasons

FIRST_PAUSE_SECONDS = 30.0
MAX_PAUSE_SECONDS = 900.0
MODEL_TIMEOUTS_TO_OPEN = 2
MODEL_OPEN = reasons.MODEL_BREAKER_OPEN
_TIMEOUTS = frozenset({reasons.TIMEOUT, reasons.CONNECT_TIMEOUT})
_OPEN = reasons.BREAKER_OPEN
_LOCAL_REASONS = frozenset({PACED, reasons.SECRET_UNAVAILABLE, _OPEN})
"""Reasons of errors without a status that we cause ourselves and that say nothing about the vendor.
One of them comes from another breaker, which blocks the token request that a call needs."""

_MIN_RETRY_SECONDS = 5.0
_SUCCESSES_TO_CLOSE = 2


class Breaker:
    """A circuit breaker: counts one vendor's failures in a row and then refuses calls for a while.

    Args:
        failures_to_open: consecutive failures that open it.
        first_pause_seconds: first open period; doubles with every failed trial call.
        counted: reasons of the failures that count; by default all that show an outage.
        reason: of the error while it is open.
    """

    def __init__(
        self,
        provider: str,
        clock: Clock,
        *,
        failures_to_open: int = 5,
        first_pause_seconds: float = FIRST_PAUSE_SECONDS,
        counted: Collection[str] | None = None,
        reason: str = _OPEN,
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._failures_to_open = failures_to_open
        self._first_pause = first_pause_seconds
        self._counted = counted
        self._reason = reason
        self._pause = first_pause_seconds
        self._failures = 0
        self._successes = 0
        self._open_until: float | None = None
        self._is_probing = False
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the circuit breaker is open, as the vendor is down; also while a trial call runs."""
        with self._lock:
            return self._open_until is not None

    @contextmanager
    def attempt(self, operation: str) -> Iterator[None]:
        """Within this block one call is made to the vendor; its result is counted.

        Raises:
            BreakerOpenError: the vendor is known to be down; `retry_after` says when to try again.
        """
        self._admit(operation)
        verdict = _Verdict.NONE
        try:
            yield
            verdict = _Verdict.UP
        except ProviderError as error:
            is_own = error.provider == self._provider
            verdict = _verdict(error) if is_own else _Verdict.NONE
            is_counted = self._counted is None or error.reason in self._counted
            if verdict == _Verdict.DOWN and not is_counted:
                verdict = _Verdict.NONE
            raise
        finally:
            self._count(verdict)

    def _admit(self, operation: str) -> None:
        with self._lock:
            if self._open_until is None:
                return
            pause_left = self._open_until - self._clock.monotonic()
            if pause_left <= 0 and not self._is_probing:
                self._is_probing = True
                return
        wait = max(pause_left, _MIN_RETRY_SECONDS)
        raise BreakerOpenError(self._provider, operation, reason=self._reason, retry_after=wait)

    def _count(self, verdict: _Verdict) -> None:
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


class ModelBreakers:
    """The circuit breakers of the language models of one API key; two time-outs in a row open one."""

    def __init__(self, provider: str, clock: Clock) -> None:
        self._provider = provider
        self._clock = clock
        self._of: dict[str, Breaker] = {}

    def of(self, model: str) -> Breaker:
        """The circuit breaker of a model, made at its first use."""
        made = Breaker(
            self._provider,
            self._clock,
            failures_to_open=MODEL_TIMEOUTS_TO_OPEN,
            counted=_TIMEOUTS,
            reason=MODEL_OPEN,
        )
        return self._of.setdefault(model, made)


class _Verdict(Enum):
    """What the result of a call shows about its vendor: up, down, or nothing."""

    UP = auto()
    DOWN = auto()
    NONE = auto()
    """The call shows nothing about the vendor: it was not made, or the vendor only asked us to slow down."""


def _verdict(error: ProviderError) -> _Verdict:
    """Whether an error shows that its vendor is up, down, or neither; a refusal shows that it is up."""
    if error.reason in _LOCAL_REASONS or error.status == HTTPStatus.TOO_MANY_REQUESTS:
        return _Verdict.NONE
    if error.status is None or error.status < HTTPStatus.MULTIPLE_CHOICES:
        return _Verdict.DOWN
    return _Verdict.DOWN if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR else _Verdict.UP
