"""Times of arrival of events: a day's curve, with a burst; and windows of time."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Day:
    """A rate of events that follows the hours of the day, highest at noon.

    Attributes:
        mean: events a minute.
        swing: part of the mean by which noon is above the mean, and midnight below it.
    """

    mean: float
    swing: float

    def per_second(self, at: float) -> float:
        """Events a second at a time of the day, in seconds."""
        return self.mean / 60 * (1 - self.swing * math.cos(2 * math.pi * at / DAY_SECONDS))


@dataclass(frozen=True, slots=True)
class Window:
    """A window of time, in seconds from the start."""

    begins: float
    ends: float

    def __contains__(self, at: float) -> bool:
        """Whether a time is within the window."""
        return self.begins <= at < self.ends


NEVER = Window(0.0, 0.0)


def arrivals(
    day: Day, span: Window, rng: random.Random, *, burst: Window = NEVER, factor: float = 1.0
) -> Iterator[float]:
    """Random times of arrival within a span, by thinning a Poisson process of the highest rate."""
    most = day.mean / 60 * (1 + day.swing) * max(1.0, factor)
    at = span.begins
    while (at := at + rng.expovariate(most)) < span.ends:
        rate = day.per_second(at) * (factor if at in burst else 1.0)
        if rng.random() * most < rate:
            yield at
