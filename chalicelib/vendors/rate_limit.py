"""Client-side token bucket: calls stay under a vendor's limit instead of running into its 429s.

A bucket refills at its share of the vendor's window and holds half a share for bursts, so no window
ever sees more than one and a half shares; where those could exceed the vendor's limit, `split` makes
the bursts smaller, and the pace too.  Richpanel's 50 requests in 30 s are one quota for the whole
account, other integrations included; our shares sum to 30 and leave them room.

A less urgent call leaves tokens in the bucket, so that an urgent one finds some and does not wait
behind it.  That delays a call only after a burst: over time each kind gets the whole share.

A call of a worker's job waits for a second at most.  If its turn (`level`) comes later, it is refused
with the time of that turn.  For a scarce vendor all workers and the sweep share one level
(`shared_level`).  Operators' commands wait in place, under a limit of their own.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from chalicelib.errors import PacedError
from chalicelib.once.current_job import CurrentJob, TurnPlace
from chalicelib.once.ports import Clock
from chalicelib.vendors.level import (
    AT_A_TIME,
    WINDOW_SECONDS,
    Level,
    LevelPace,
    Levels,
    LevelStep,
    OwnLevel,
    Urgency,
    decision,
)

__all__ = ["LONGEST_SLEEP_SECONDS", "LevelPace", "RateLimit", "Urgency", "split"]

LONGEST_SLEEP_SECONDS = 1.0
"""The longest time that one call of a worker's job waits for a token."""
HELD_SECONDS = 2.0
"""How long a job's tokens may be used after they were taken: its next call follows within a second."""
SKEW_SECONDS = 2.0
"""How far the clocks of containers that share a level may be apart: one that is ahead already counts
tokens that the others gain later."""
LEAST_AT_ONCE = 3.0
"""The smallest number of calls at once: a job's two tokens, and one that its first call leaves behind."""


def split(ours: float, *, limit: float, shares: float) -> LevelPace:
    """The pace of one share of a vendor's rate limit, so that all shares together never exceed the limit.

    Exceeding the limit costs far more than waiting: a 429 blocks a whole window.  A window sees at
    most a full bucket, and the tokens gained from `HELD_SECONDS` before it (a token used in it may
    have been taken then) to `SKEW_SECONDS` after it.

    Args:
        ours: requests per window that all shares together may make.
        limit: requests per window that the vendor accepts.
        shares: how many shares there are; they use one level together.
    """
    longest = 1.0 + (HELD_SECONDS + SKEW_SECONDS) / WINDOW_SECONDS
    at_once = max(LEAST_AT_ONCE, min(ours / 2, limit - ours * longest))
    return LevelPace(max(1.0, min(ours, (limit - at_once) / longest)) / shares, at_once / shares)


class RateLimit:
    """Paces calls to one vendor by a token bucket; safe between threads.

    Args:
        pace: one container's share of the vendor's limit.
        current: the job that this thread works on; without it every caller waits in place.
        levels: the bucket's level, shared by the workers' containers; by default this container's
            own.
        containers: how many containers share the level.
    """

    def __init__(
        self,
        *,
        provider: str,
        clock: Clock,
        pace: LevelPace,
        current: CurrentJob | None = None,
        levels: Levels | None = None,
        containers: int = 1,
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._window = pace.window_seconds
        self._per_second = pace.requests_per_window / pace.window_seconds
        self._burst = max(1.0, pace.at_once)
        self._most = max(1.0, pace.at_once * containers)
        self._tokens = self._burst
        self._filled_at = clock.monotonic()
        self._blocked_until = self._next_after_block = self._filled_at
        self._lock = threading.Lock()
        self._current = current or CurrentJob()
        self._levels = levels or OwnLevel()
        self._containers = containers
        self._held = _Held()
        self._serving: int | None = None

    def acquire(
        self, operation: str, *, deadline_seconds: float, urgency: Urgency = Urgency.HIGH
    ) -> None:
        """Take a token for one call, waiting until the deadline if there is none yet.

        A call of a worker's job waits for `LONGEST_SLEEP_SECONDS` at most, unless the job is patient.

        Raises:
            PacedError: the token would come later; raised without waiting, with the seconds until
                then in `retry_after`.
        """
        place = self._current.place
        if place is not None:
            longest = deadline_seconds if place.is_patient else LONGEST_SLEEP_SECONDS
            self._take_turn(operation, urgency, place, longest)
            return
        ends = self._clock.monotonic() + deadline_seconds
        while wait := self.take(urgency):
            if self._clock.monotonic() + wait >= ends:
                raise PacedError(self._provider, operation, wait)
            self._clock.sleep(wait)

    def cool_down(self, seconds: float | None) -> None:
        """Block all calls of this container to the vendor after a 429, by default for one window."""
        pause = self._window if seconds is None else seconds
        with self._lock:
            self._blocked_until = max(self._blocked_until, self._clock.monotonic() + pause)

    def take(self, urgency: Urgency) -> float:
        """Take a token of this container's bucket and return 0, or return the seconds until it has one."""
        with self._lock:
            now = self._clock.monotonic()
            gained = (now - self._filled_at) * self._per_second
            self._tokens = min(self._burst, self._tokens + gained)
            self._filled_at = now
            leaves = urgency.value * (self._burst - 1.0)
            missing = max(0.0, 1.0 + leaves - self._tokens) / self._per_second
            wait = max(missing, self._blocked_until - now)
            if wait <= _EPSILON:
                self._tokens -= 1.0
                return 0.0
            return wait

    def ask(self, urgency: Urgency, place: TurnPlace) -> float:
        """Take a token for a job's call and return 0, or take none and return the seconds to wait.

        The wait ends with the job's turn, or with a block after a 429.
        """
        if place.number == self._serving and not place.is_patient:
            urgency = Urgency.HIGH  # it has begun: its next calls go before another job's first
        blocked = self._blocked_seconds(urgency)
        if blocked > _EPSILON:
            return blocked
        if self._held.take(place, self._clock.monotonic()):
            self._serving = place.number
            return 0.0
        return self._ask(urgency, place)

    # --- calls of a worker's job --------------------------------------------------------------

    def _take_turn(
        self, operation: str, urgency: Urgency, place: TurnPlace, longest: float
    ) -> None:
        slept = 0.0
        while wait := self.ask(urgency, place):
            slept += wait
            if slept > longest:
                raise PacedError(self._provider, operation, wait)
            self._clock.sleep(wait)
            place = replace(place, turns=place.turns + 1)

    def _ask(self, urgency: Urgency, place: TurnPlace) -> float:
        """Take tokens for a job from the shared level and return 0, or return the seconds until its turn.

        Tokens beyond the first are held for the job's next calls.
        """

        def decide(level: Level) -> LevelStep:
            return decision(
                level,
                self._clock.now().timestamp(),
                urgency,
                place,
                per_second=self._per_second * self._containers,
                burst=self._most,
            )

        answer = self._levels.take(decide)
        if answer.tokens:
            self._serving = place.number
            until = self._clock.monotonic() + HELD_SECONDS
            self._held = _Held(answer.tokens - 1, until, None if answer.is_calm else place.number)
        return answer.wait_seconds

    def _blocked_seconds(self, urgency: Urgency) -> float:
        """Seconds until this container may call the vendor again after a 429; 0 where nothing blocks it.

        Calls below high urgency get different times, so that their jobs come back one by one.
        """
        now = self._clock.monotonic()
        with self._lock:
            if self._blocked_until <= now + _EPSILON:
                return 0.0
            if urgency == Urgency.HIGH:
                return self._blocked_until - now
            comes = max(self._blocked_until, self._next_after_block)
            self._next_after_block = comes + AT_A_TIME / self._per_second
            return comes - now


class _Held:
    """Tokens that a job has taken and not used yet.

    Other jobs may use them only if none waited when they were taken.
    """

    def __init__(self, tokens: int = 0, until: float = 0.0, number: int | None = None) -> None:
        self.tokens = tokens
        self._until = until
        self._number = number

    def take(self, place: TurnPlace, now: float) -> bool:
        """Use one held token for a job's call.

        False where none is left, the tokens are too old, or they are held for another job.
        """
        is_for_it = self._number is None or self._number == place.number
        if self.tokens < 1 or now >= self._until or not is_for_it:
            return False
        self.tokens -= 1
        return True


_EPSILON = 1e-6
"""A wait below a microsecond is a rounding error; sleeping for it would loop forever."""
