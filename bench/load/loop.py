"""The event loop: actions in the order of their times, and the clock that the product's parts read."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_START = datetime(2026, 11, 20, tzinfo=UTC)


class Loop:
    """Runs actions at their times; a `once.ports.Clock`.

    Attributes:
        seconds: since the start.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._number = itertools.count()
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Run an action after a while; those of one moment run in the order of these calls."""
        heapq.heappush(self._due, (self.seconds + seconds, next(self._number), action))

    def run(self) -> None:
        """Run until nothing is due."""
        while self._due:
            self.seconds, _, action = heapq.heappop(self._due)
            action()

    def now(self) -> datetime:
        """See `once.ports.Clock`."""
        return _START + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        """See `once.ports.Clock`."""
        return self.seconds

    def sleep(self, seconds: float) -> None:
        """Never called: a worker of the model waits by its generator."""
        raise NotImplementedError
