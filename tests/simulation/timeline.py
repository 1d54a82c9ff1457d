"""The timeline of one schedule: planned actions, and requests in flight."""

from __future__ import annotations

import heapq
from collections.abc import Callable

Entry = tuple[float, int, Callable[[], None]]


class Timeline:
    """Entries in the order of their times; equal times in the order of planning."""

    def __init__(self) -> None:
        self._planned: list[Entry] = []
        self._under_way: list[Entry] = []
        self._number = 0

    @property
    def next_at(self) -> float | None:
        """When the next action is due; None when nothing is planned."""
        return self._planned[0][0] if self._planned else None

    def plan(self, when: float, action: Callable[[], None]) -> None:
        """Plan an action for a time."""
        heapq.heappush(self._planned, self._entry(when, action))

    def take(self) -> tuple[float, Callable[[], None]]:
        """The next action, and when it is due."""
        when, _, action = heapq.heappop(self._planned)
        return when, action

    def send(self, when: float, land: Callable[[], None]) -> None:
        """A request is in flight and arrives then."""
        heapq.heappush(self._under_way, self._entry(when, land))

    def arrived(self, until: float) -> tuple[float, Callable[[], None]] | None:
        """The next request that arrives by then."""
        if not self._under_way or self._under_way[0][0] > until:
            return None
        when, _, land = heapq.heappop(self._under_way)
        return when, land

    def _entry(self, when: float, action: Callable[[], None]) -> Entry:
        self._number += 1
        return when, self._number, action
