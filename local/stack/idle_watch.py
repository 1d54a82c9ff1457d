"""Tells whether a stack has anything left to do: every queue and schedule was looked at and found empty.

A look counts only if it began after the last piece of work ended, because work makes more work.
One poller of a queue looks at a time; while it works on what it found, the next one looks.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

LOOKS_AGAIN_SECONDS = 5.0
"""How long an empty queue is left alone unless `settle` asks: a look takes milliseconds of two
processors, and a stack is mostly idle.
"""


class IdleWatch:
    """Coordinates the pumps and schedules of one stack; a `place` is a queue or a schedule."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._round = self._working = 0
        self._looked: dict[str, int] = {}
        """By place, the round in which the last empty look began; -1 if it may have work."""
        self._looking: set[str] = set()

    def join(self, place: str) -> None:
        """Add a place; `settle` waits for it from now on."""
        with self._changed:
            self._looked.setdefault(place, -1)

    def leave(self, place: str) -> None:
        """Remove a place, and wake those that wait to look at it."""
        with self._changed:
            self._looked.pop(place, None)
            self._looking.discard(place)
            self._changed.notify_all()

    def look(self, place: str) -> int:
        """Wait for the turn to look at a place; return the round, which the caller passes to `empty`."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_asked(place), LOOKS_AGAIN_SECONDS)
            self._changed.wait_for(lambda: place not in self._looking)
            self._looking.add(place)
            return self._round

    def empty(self, place: str, began: int) -> None:
        """Record that the look that began in round `began` found nothing."""
        with self._changed:
            self._looking.discard(place)
            if place in self._looked:
                self._looked[place] = began
            self._changed.notify_all()

    @contextlib.contextmanager
    def work(self, place: str) -> Iterator[None]:
        """Record that the look found something; the block works on it."""
        with self._changed:
            self._looking.discard(place)
            self._working += 1
            if place in self._looked:
                self._looked[place] = -1  # there may be more work
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._working -= 1
                self._begin_round()

    @contextlib.contextmanager
    def between(self, *, timeout_seconds: float) -> Iterator[None]:
        """Run the block while no work is under way and none can begin; after the timeout run it anyway."""
        with self._changed:
            self._changed.wait_for(self._is_idle, timeout_seconds)
            yield

    def settle(self, *, timeout_seconds: float) -> bool:
        """Wait until every place was looked at and is empty; return False on timeout."""
        with self._changed:
            self._begin_round()
            return self._changed.wait_for(self._is_quiet, timeout_seconds)

    def _begin_round(self) -> None:
        self._round += 1
        self._changed.notify_all()

    def _is_asked(self, place: str) -> bool:
        is_late = self._looked.get(place, -1) < self._round
        return is_late and place not in self._looking

    def _is_idle(self) -> bool:
        return not self._working and not self._looking

    def _is_quiet(self) -> bool:
        return self._is_idle() and all(looked >= self._round for looked in self._looked.values())
