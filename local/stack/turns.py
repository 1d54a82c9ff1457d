"""Whether a stack has anything left to do: every poller and every schedule has looked and found nothing.

A look counts only if it began after the last piece of work ended, for work makes more work.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

LOOKS_AGAIN_SECONDS = 0.5
"""How long a looker that found nothing rests, unless somebody asks."""


class Turns:
    """Shared by the pumps and schedules of one stack."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._round = self._looking = 0
        self._looked: dict[str, int] = {}
        """The round at whose beginning, or after, a looker last found nothing."""

    def join(self, looker: str) -> None:
        """From now on this looker is waited for."""
        with self._changed:
            self._looked[looker] = -1

    def leave(self, looker: str) -> None:
        """It has stopped."""
        with self._changed:
            self._looked.pop(looker, None)
            self._changed.notify_all()

    @contextlib.contextmanager
    def look(self, looker: str) -> Iterator[Callable[[], None]]:
        """One look of a looker; it calls what it is given where it found something to do."""
        with self._changed:
            began = self._round
            self._looking += 1
        found: list[bool] = []
        try:
            yield lambda: found.append(True)
        finally:
            with self._changed:
                self._looking -= 1
                if found:
                    self._round += 1
                elif looker in self._looked:
                    self._looked[looker] = began
                self._changed.notify_all()

    def rest(self, looker: str) -> None:
        """Wait until somebody asks, or for a while."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._looked.get(looker, self._round) < self._round,
                LOOKS_AGAIN_SECONDS,
            )

    def settle(self, *, timeout_seconds: float) -> bool:
        """Wait until everybody has looked and found nothing; False on timeout."""
        with self._changed:
            self._round += 1
            self._changed.notify_all()
            return self._changed.wait_for(self._is_quiet, timeout_seconds)

    def _is_quiet(self) -> bool:
        return not self._looking and all(one >= self._round for one in self._looked.values())
