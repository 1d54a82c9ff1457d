"""Attempts at one step within an invocation: counted, paced, and given up.

`docs/retries.md` lists every use with its numbers.  How long a message waits between two receives
is in `backoff`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

from chalicelib.once.ports import Clock


class Attempts:
    """Counts and paces the attempts at one step.

    ::

        attempts = Attempts(clock, RECORD_PAUSES_SECONDS)
        while True:
            try:
                return write()
            except TransientError as error:
                attempts.wait_or_raise(error)

    Args:
        pauses_seconds: the wait before each further attempt, so there is one attempt more than
            there are pauses; 0 for no wait.
        until: no further attempt starts at or after this time of the clock's `monotonic`.
    """

    def __init__(
        self, clock: Clock, pauses_seconds: Iterable[float], *, until: float = math.inf
    ) -> None:
        self._clock = clock
        self._pauses = iter(pauses_seconds)
        self._until = until

    def wait_or_raise(self, error: Exception, *, at_least_seconds: float = 0.0) -> None:
        """Wait for the next attempt, or raise the error where none is left.

        Args:
            error: why this attempt failed.
            at_least_seconds: how long the other side asked us to wait.

        Raises:
            Exception: `error`, where no attempt or no time is left; nothing is waited for then.
        """
        pause = next(self._pauses, None)
        if pause is None:
            raise error from None
        pause = max(pause, at_least_seconds)
        if self._clock.monotonic() + pause >= self._until:
            raise error from None
        if pause:
            self._clock.sleep(pause)


def doubling_pauses(first_seconds: float) -> Iterator[float]:
    """Endless pauses between attempts, each twice as long as the one before."""
    return (first_seconds * 2**n for n in itertools.count())


def no_pauses(tries: int) -> tuple[float, ...]:
    """The pauses for so many attempts without a wait between them: zeros, one fewer than attempts."""
    return (0.0,) * (tries - 1)
