"""A company's share of a lane: how many starts a minute may enter it, so that others find room.

The queue serves the oldest group first and knows no companies.  So the door lets a company's starts
in at the rate of its share.  Starts beyond that wait outside the queue until their time; another
company's start, and any reply, passes them.  A company that may have only a few open starts cannot
fill a lane and needs no share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.errors import TransientError
from chalicelib.once import keys
from chalicelib.once.current_job import TurnPlace
from chalicelib.once.lanes import Lane
from chalicelib.once.ports import Clock
from chalicelib.outreach.project.fields import RateLimits
from chalicelib.vendors.level import Level, Levels, LevelStep, Urgency, decision

SMALL_LIMIT = 30
"""A company that may have at most so many open starts (the default limit) is let in at once."""
STARTS_PER_WORKER_AND_SECOND = 0.5
"""Starts a second that a company may bring for each worker of the lane: half of what a worker does."""
BURST = 10
_NO_CONVERSATION = TurnPlace(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartShares:
    """Says how long a company's start must wait before it enters its lane (queue).

    Attributes:
        levels: returns the stored fill level of a company's share of a lane, by its name.
        workers: the number of workers of each lane.
    """

    levels: Callable[[str], Levels]
    clock: Clock
    workers: int

    def seconds_to_wait(self, company_id: str, lane: Lane, limits: RateLimits) -> float:
        """Seconds until a company's start may enter its lane (queue); 0 for at once.

        Where the stored level of the company's share cannot be written (other doors write it all
        the time, or the table is slow), the start waits as computed here and is not counted. It is
        not refused, since it was accepted already.
        """
        if limits.concurrent_conversations <= SMALL_LIMIT:
            return 0.0
        decided: LevelStep | None = None
        seen = Level()

        def decide(level: Level) -> LevelStep:
            nonlocal decided, seen
            seen, now = level, self.clock.now().timestamp()
            decided = decision(
                level,
                now,
                Urgency.NORMAL,
                _NO_CONVERSATION,
                per_second=self.workers * STARTS_PER_WORKER_AND_SECOND,
                burst=BURST,
                at_a_time=1,
                left_over_seconds=None,
            )
            return decided

        level = self.levels(keys.joined("starts", lane.name, company_id))
        try:
            return level.take(decide).wait_seconds
        except TransientError:
            uncounted = decided and seen.after(decided)
            return decided.answer(uncounted).wait_seconds if decided and uncounted else 0.0
