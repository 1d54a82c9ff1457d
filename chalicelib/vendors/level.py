"""How full a token bucket is, and who waits at it: decisions without a clock and without I/O.

A job asks by its first call.  It gets tokens, or a time to come back, in the order of asking.  At that
time it waits behind no line; if other jobs have used the tokens up, it gets another time, at which it
goes before all others.

Two lines are served side by side, each by half where both are busy: new jobs, and those of a backlog.
So new customers are served while a backlog drains.  Calls that finish what a job has begun go first,
and have a short line of their own.  The sweep, which waits in place, has one too.  Tokens that jobs
whose time has come have not taken for `LEFT_OVER_SECONDS` go to any job that asks, so none lies idle.

Only times are stored.  A decision moves a time by an amount that does not depend on the stored value,
and is right for every level within its bounds.  So two containers that decide at once can both write.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from chalicelib.once.current_job import TurnPlace

AT_A_TIME = 2
"""Tokens that a job takes in one write, as few tickets need a single call."""
PATIENCE_SECONDS = 5.0
"""How long the sweep waits for tokens that jobs leave over; then it takes the next token, within
the 15 s of its call."""
LEFT_OVER_SECONDS = 3.0
"""How long tokens promised to a job are left in the bucket: a job comes back a second or two late."""
EMPTY = "empty_at"
"""The name of the stored time at which the bucket was empty; in the future if tokens were taken ahead."""
_NEW, _LATE, _AGAIN, _BEGUN, _BESIDE = "new", "late", "again", "begun", "beside"


class Urgency(Enum):
    """How urgent a call is: the higher, the fewer tokens of a vendor's bucket it must leave behind.

    The value is the part of a full bucket, beyond one token, that must be left.
    """

    HIGH = 0.0
    """A call for which a customer waits, or which ends a begun job; also every call to a vendor
    with one urgency."""
    NORMAL = 1 / 3
    """Reads by which a job begins."""
    LOW = 2 / 3
    """Calls of the sweep, which may take what is left over."""


WINDOW_SECONDS = 30.0
"""The window of Richpanel's rate limit, and of a `LevelPace` that names none."""


@dataclass(frozen=True, slots=True)
class LevelPace:
    """Our share of a vendor's rate limit: requests per window, and at once, by default half as many."""

    requests_per_window: float
    burst: float | None = None
    window_seconds: float = WINDOW_SECONDS

    @property
    def at_once(self) -> float:
        """How many calls this share of a vendor's rate limit may make at once, without waiting."""
        return self.requests_per_window / 2 if self.burst is None else self.burst


@dataclass(frozen=True, slots=True)
class Level:
    """A token bucket and the lines of jobs that wait at it, as times in epoch seconds of one clock.

    Attributes:
        times: by name: `EMPTY`, and for each line the time of its next turn; a missing one is long
            past.
    """

    times: Mapping[str, float] = field(default_factory=dict)

    def time(self, name: str) -> float:
        """The value of one of the level's stored times, by its name; 0 where it is missing."""
        return self.times.get(name, 0.0)

    def tokens(self, now: float, per_second: float, burst: float) -> float:
        """How many tokens the bucket holds at a time, at most `burst`.

        Negative if tokens were taken ahead, or this clock is behind.
        """
        return min(burst, (now - self.time(EMPTY)) * per_second)

    def turn_in(self, now: float) -> float:
        """Seconds until the next free turn, in the line where it is farthest; 0 where no job waits."""
        return max(
            (at - now for name, at in self.times.items() if name != EMPTY and at > now), default=0.0
        )

    def has_waiting(self, now: float) -> bool:
        """Whether a job waits for a turn that has not come yet."""
        return self.turn_in(now) > 0.0

    def after(self, step: LevelStep) -> Level | None:
        """The token bucket's level after a decision; None where its changes do not fit this level."""
        if not all(move.holds(self.time(name)) for name, move in step.moves.items()):
            return None
        moved = {name: move.of(self.time(name)) for name, move in step.moves.items()}
        return Level({**self.times, **moved})


@dataclass(frozen=True, slots=True)
class Move:
    """How one stored time of a token bucket's level changes, and to which values that may be applied.

    Attributes:
        by: seconds that it moves by, where `to` is None.
        to: the new time.
        low, high: bounds of the stored value to which the change may be applied, both inclusive.
    """

    by: float = 0.0
    to: float | None = None
    low: float | None = None
    high: float | None = None

    def of(self, time: float) -> float:
        """The value of a token bucket's stored time after this change, from its value before."""
        return time + self.by if self.to is None else self.to

    def holds(self, time: float) -> bool:
        """Whether the change may be applied to this value of the stored time, which its bounds must hold."""
        return (self.low is None or time >= self.low) and (self.high is None or time <= self.high)


@dataclass(frozen=True, slots=True)
class LevelStep:
    """One decision about the level of a token bucket, ready to be written.

    Attributes:
        moves: by the name of the time.
        answer: makes the caller's answer from the level after the write; other callers may have changed it
            meanwhile.
    """

    moves: Mapping[str, Move]
    answer: Callable[[Level], LevelAnswer]


class Levels(Protocol):
    """The port that stores a token bucket's level: its fill, and the lines of jobs that wait for tokens."""

    def take(self, decide: Callable[[Level], LevelStep]) -> LevelAnswer:
        """Make one decision about a token bucket's level, store it once, and return the caller's answer.

        Args:
            decide: gives the decision for a level, empty where none is stored yet.  It may be
                called again, so it has no side effects.

        Raises:
            TransientError: the level could not be read or written.
        """
        ...


class OwnLevel:
    """The level of one container's token bucket, kept in its memory."""

    def __init__(self) -> None:
        self._level = Level()
        self._lock = threading.Lock()

    def take(self, decide: Callable[[Level], LevelStep]) -> LevelAnswer:
        """Make one decision about the token bucket's level and store it, under a lock; never fails."""
        with self._lock:
            step = decide(self._level)
            self._level = self._level.after(step) or self._level
            return step.answer(self._level)


@dataclass(frozen=True, slots=True)
class LevelAnswer:
    """The answer to a caller that asked for tokens: tokens, or a time to wait.

    Attributes:
        tokens: taken for this call and the next ones; 0 where it has to wait.
        wait_seconds: until its turn.
        is_calm: no other job waited, so a later job may use the tokens that this one leaves.
    """

    tokens: int
    wait_seconds: float = 0.0
    is_calm: bool = True


def decision(
    level: Level,
    now: float,
    urgency: Urgency,
    place: TurnPlace,
    *,
    per_second: float,
    burst: float,
    at_a_time: int = AT_A_TIME,
    left_over_seconds: float | None = LEFT_OVER_SECONDS,
) -> LevelStep:
    """Decide what one caller gets from a token bucket: tokens now, or a turn in a line of waiting jobs.

    It only computes; the caller writes the returned decision.

    Args:
        level: as it was read; the decision's bounds say for which other levels it is right.
        now: epoch seconds.
        urgency: of the call.
        place: of its job.
        per_second: tokens gained.
        burst: the most that are kept.
        at_a_time: tokens that a job takes at once.
        left_over_seconds: see `LEFT_OVER_SECONDS`; None where a waiting caller does not ask again.
    """
    is_begun = urgency == Urgency.HIGH
    begins = not is_begun and not place.turns
    if place.turns > (0 if place.is_patient else 1):
        urgency = Urgency.HIGH
    line = _line_of(place, is_begun=is_begun)
    calls = 1 if line in (_BESIDE, _BEGUN) else at_a_time
    if place.is_patient or place.turns:
        at_a_time = 1  # a job that comes back may need one call only, or none
    needed = 1.0 + urgency.value * (burst - 1.0)
    tokens = level.tokens(now, per_second, burst)
    is_behind = begins and level.time(line) > now
    enough = needed
    if is_behind:
        enough = float("inf")
        if left_over_seconds is not None:
            enough = min(burst, needed + left_over_seconds * per_second)
    if tokens >= enough - _EPSILON:
        taken = at_a_time if tokens >= at_a_time else 1
        moves = {EMPTY: _token_move(level, now, taken, max(enough, taken), per_second, burst)}
        if begins and not is_behind:
            moves[line] = Move(high=now)
        return LevelStep(
            moves, lambda after: LevelAnswer(taken, is_calm=not after.has_waiting(now))
        )

    def missing(of: Level) -> float:
        seconds = max(0.0, needed - of.tokens(now, per_second, burst)) / per_second
        return min(seconds, PATIENCE_SECONDS) if place.is_patient else seconds

    earliest, apart = now + missing(level), calls / per_second
    if begins and level.time(_NEW if line == _LATE else _LATE) > now:
        apart *= 2
    joins = Move(to=earliest + apart, high=earliest)
    if level.time(line) > earliest:
        joins = Move(by=apart, low=earliest)

    def waits(after: Level) -> LevelAnswer:
        comes = max(after.time(line) - apart, now + missing(after))
        return LevelAnswer(0, comes - now, is_calm=False)

    return LevelStep({line: joins}, waits)


def _line_of(place: TurnPlace, *, is_begun: bool) -> str:
    if place.is_patient:
        return _BESIDE
    if is_begun:
        return _BEGUN
    if place.turns:
        return _AGAIN
    return _LATE if place.is_late else _NEW


def _token_move(
    level: Level, now: float, taken: int, enough: float, per_second: float, burst: float
) -> Move:
    """The change of the time `EMPTY` by which tokens are taken from a token bucket.

    Its bounds make it right only for a bucket that holds `enough` tokens.
    """
    full = now - burst / per_second
    if level.time(EMPTY) < full:
        return Move(to=full + taken / per_second, high=full)
    latest = now - (enough - 2 * _EPSILON) / per_second
    return Move(by=taken / per_second, low=full, high=max(full, latest))


_EPSILON = 1e-6
"""A wait below a microsecond is a rounding error; waiting for it would loop forever."""
