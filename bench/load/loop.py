"""The event loop: it runs actions in the order of their times, and is the clock of the product's parts."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_START = datetime(2026, 11, 20, tzinfo=UTC)


class Loop:
    """Runs actions at their times; a `once.ports.Clock`.

    Attributes:
        seconds: simulated seconds since the start.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._number = itertools.count()
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Schedule an action; actions of the same moment run in the order of their scheduling."""
        heapq.heappush(self._due, (self.seconds + seconds, next(self._number), action))

    def run(self) -> None:
        """Run until no action is left."""
        while self._due:
            self.seconds, _, action = heapq.heappop(self._due)
            action()

    def now(self) -> datetime:
        """The simulated time, in UTC."""
        return _START + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        """Simulated seconds since the start."""
        return self.seconds

    def sleep(self, seconds: float) -> None:
        """Never called: a simulated worker waits by yielding."""
        raise NotImplementedError
