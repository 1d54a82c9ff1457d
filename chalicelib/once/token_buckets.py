"""Token buckets of many callers, in the memory of one container: bounded, and without any call."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

MOST_CALLERS = 4096
"""The most callers that are remembered, about 1 MB. Beyond it, the caller that has been silent
longest is forgotten: its next bucket is full."""


@dataclass(frozen=True, slots=True)
class CallerShare:
    """How many requests one caller may make of one container: per second, and in one burst."""

    per_second: float
    at_once: int


class Buckets:
    """The token buckets of many callers, each full at its caller's first request."""

    def __init__(self, *, most: int = MOST_CALLERS) -> None:
        self._most = most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()  # the local server answers on several threads

    def take(self, key: str, share: CallerShare, now: float) -> float:
        """Take a token of a caller's bucket and return 0, or return the seconds until there is one.

        Args:
            key: the caller.
            share: how many tokens its bucket holds, and how fast it fills.
            now: seconds of a clock that never goes back.
        """
        with self._lock:
            level = self._level(key, share, now)
            is_there = level >= 1
            self._levels[key] = (level - 1 if is_there else level, now)
            self._levels.move_to_end(key)
            if len(self._levels) > self._most:
                self._levels.popitem(last=False)
        return 0.0 if is_there else (1 - level) / share.per_second

    def is_empty(self, key: str, share: CallerShare, now: float) -> bool:
        """Whether a caller's bucket has no token left."""
        with self._lock:
            return self._level(key, share, now) < 1

    def __len__(self) -> int:
        return len(self._levels)

    def _level(self, key: str, share: CallerShare, now: float) -> float:
        level, at = self._levels.get(key, (float(share.at_once), now))
        return min(share.at_once, level + (now - at) * share.per_second)
