"""Whether a stack has anything left to do: every queue and every schedule was looked at, and is empty.

A look counts only if it began after the last piece of work ended, for work makes more work.  Of the
pollers of a queue one looks at a time; while it works on what it found, the next one looks.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

LOOKS_AGAIN_SECONDS = 5.0
"""How long a queue that was empty is left alone, unless somebody asks: a look takes milliseconds of
two processors, and a stack is mostly idle."""


class Turns:
    """Shared by the pumps and schedules of one stack; `place` is a queue or a schedule."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._round = self._working = 0
        self._looked: dict[str, int] = {}
        """The round at whose beginning, or after, a place was last found empty."""
        self._looking: set[str] = set()

    def join(self, place: str) -> None:
        """From now on this place is waited for."""
        with self._changed:
            self._looked.setdefault(place, -1)

    def leave(self, place: str) -> None:
        """It is not looked at any more; who waits for its turn there need not wait."""
        with self._changed:
            self._looked.pop(place, None)
            self._looking.discard(place)
            self._changed.notify_all()

    def look(self, place: str) -> int:
        """Wait until it is time to look; then look, and call `empty` with what this returns, or `work`."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_asked(place), LOOKS_AGAIN_SECONDS)
            self._changed.wait_for(lambda: place not in self._looking)
            self._looking.add(place)
            return self._round

    def empty(self, place: str, began: int) -> None:
        """The look that began so found nothing."""
        with self._changed:
            self._looking.discard(place)
            if place in self._looked:
                self._looked[place] = began
            self._changed.notify_all()

    @contextlib.contextmanager
    def work(self, place: str) -> Iterator[None]:
        """The look found something, and the block works on it."""
        with self._changed:
            self._looking.discard(place)
            self._working += 1
            if place in self._looked:
                self._looked[place] = -1  # there may be more of it
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._working -= 1
                self._begin_round()

    @contextlib.contextmanager
    def between(self, *, timeout_seconds: float) -> Iterator[None]:
        """The block runs while no piece of work is under way, or after the timeout; none begins."""
        with self._changed:
            self._changed.wait_for(self._is_idle, timeout_seconds)
            yield

    def settle(self, *, timeout_seconds: float) -> bool:
        """Wait until everything was looked at and is empty; False on timeout."""
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
        return self._is_idle() and all(one >= self._round for one in self._looked.values())
