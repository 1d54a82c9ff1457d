"""How full a token bucket is, and who waits at it: decisions without a clock and without I/O.

A job asks once, by its first call: it gets tokens,
or a time to come again, in the order of asking; at that time it needs tokens only, and if there are
none because other jobs needed more calls, it comes before all others at its next.  Two lines are
served side by side, each by half where both are busy: jobs that have just arrived, and those of a
backlog.  So new customers are served while a backlog drains.  Calls that finish what a job has begun
go first, and have a short line of their own; so has the sweep, which waits in place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol

from chalicelib.once.current_job import Place

AT_A_TIME = 2
"""Tokens that a caller takes in one write, as few tickets need a single call."""
PATIENCE_SECONDS = 5.0
"""So long the sweep waits for what the jobs leave over; then it takes the next token, within the 15 s
of its call."""
_NEW, _LATE, _AGAIN, _BEGUN, _BESIDE = "new", "late", "again", "begun", "beside"


class Urgency(Enum):
    """How much of a full bucket a call leaves behind: its part of what is there beyond one token."""

    HIGH = 0.0
    """A customer waits for it, or it ends what was begun; also every call of a vendor with one kind."""
    NORMAL = 1 / 3
    """Reads, by which a job begins."""
    LOW = 2 / 3
    """Reconciliation, which may take what is left over."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Part of a limit: requests a window, and how many of them at once."""

    requests_per_window: float
    burst: float


@dataclass(frozen=True, slots=True)
class Level:
    """A bucket at a time; epoch seconds, of one clock for all that share it.

    Attributes:
        tokens: what was in it at `filled_at`.
        lines: by line, when the next one in it may come.
    """

    tokens: float
    filled_at: float
    lines: Mapping[str, float] = field(default_factory=dict)

    def filled(self, now: float, per_second: float, burst: float) -> Level:
        """As it is now; a clock that is behind gains nothing."""
        gained = max(0.0, now - self.filled_at) * per_second
        tokens = min(burst, self.tokens + gained)
        return replace(self, tokens=tokens, filled_at=max(now, self.filled_at))

    def turn_in(self, now: float) -> float:
        """Seconds until the turn of one who asks now, in the longest line."""
        return max((until - now for until in self.lines.values() if until > now), default=0.0)

    def has_waiting(self, now: float) -> bool:
        """Whether somebody has a time that has not come yet."""
        return any(until > now for until in self.lines.values())


class Levels(Protocol):
    """Keeps a level, for one container or for all."""

    def change(self, decide: Callable[[Level | None], Level | None]) -> None:
        """Replace the level by what is decided on it, once; None leaves it as it is.

        Args:
            decide: without side effects that matter, as it may be called again; it gets None where
                there is no level yet.

        Raises:
            TransientError: it could not be read or written.
        """
        ...


class OwnLevel:
    """A level of one container's own."""

    def __init__(self) -> None:
        self._level: Level | None = None
        self._lock = threading.Lock()

    def change(self, decide: Callable[[Level | None], Level | None]) -> None:
        """See `Levels.change`."""
        with self._lock:
            self._level = decide(self._level) or self._level


@dataclass(frozen=True, slots=True)
class Answer:
    """What a caller gets.

    Attributes:
        tokens: taken for this call and the next ones; 0 where it has to wait.
        wait_seconds: until its time.
        is_calm: no other waited, so that a later job may use what this one leaves.
    """

    tokens: int
    wait_seconds: float = 0.0
    is_calm: bool = True


def asked(
    level: Level,
    now: float,
    urgency: Urgency,
    place: Place,
    *,
    per_second: float,
    burst: float,
    at_a_time: int = AT_A_TIME,
) -> tuple[Level, Answer]:
    """Answer one caller; the level afterwards.

    Args:
        level: as it was kept.
        now: epoch seconds.
        urgency: of the call.
        place: of its job.
        per_second: tokens gained.
        burst: the most that are kept.
        at_a_time: tokens that a job takes.
    """
    level = level.filled(now, per_second, burst)
    is_begun = urgency == Urgency.HIGH
    begins = not is_begun and not place.waits
    if place.waits > (0 if place.is_patient else 1):
        urgency = Urgency.HIGH
    if place.is_patient:
        line, calls, at_a_time = _BESIDE, 1, 1
    elif is_begun:
        line, calls = _BEGUN, 1
    elif place.waits:
        line, calls = _AGAIN, at_a_time
    else:
        line, calls = _LATE if place.is_late else _NEW, at_a_time
    needed = 1.0 + urgency.value * (burst - 1.0)
    is_behind = begins and level.lines.get(line, 0.0) > now
    if level.tokens >= needed - _EPSILON and not is_behind:
        tokens = at_a_time if level.tokens >= at_a_time else 1
        answer = Answer(tokens, is_calm=not level.has_waiting(now))
        return replace(level, tokens=level.tokens - tokens), answer
    missing = max(0.0, needed - level.tokens) / per_second
    if place.is_patient:
        missing = min(missing, PATIENCE_SECONDS)
    comes = max(now + missing, level.lines.get(line, 0.0))
    apart = calls / per_second
    other = _NEW if line == _LATE else _LATE
    if begins and level.lines.get(other, 0.0) > now:
        apart *= 2
    lines = {name: until for name, until in level.lines.items() if until > now}
    waiting = replace(level, lines={**lines, line: comes + apart})
    return waiting, Answer(0, comes - now, is_calm=False)


_EPSILON = 1e-6
"""A wait below a microsecond is a rounding error; waiting for it would loop forever."""
