"""While tickets wait for their turn, what they do not use of the budget is used by others.

A lane takes its messages in the order in which they came: jobs that come back from their wait are
behind those that no worker has looked at yet, which takes a worker the better part of a second each.
"""

from __future__ import annotations

import heapq
from collections import deque

import pytest

from chalicelib.errors import PacedError
from chalicelib.once.current_job import CurrentJob
from chalicelib.support.richpanel.calls import REQUESTS_PER_30_S
from chalicelib.vendors.level import WINDOW_SECONDS, OwnLevel
from chalicelib.vendors.rate_limit import RateLimit, Urgency, split
from tests.rigs.fakes import ManualClock

WORKERS = 4
OURS = 32
ASIDE_SECONDS = 0.8
"""Seconds that a worker takes to claim a ticket, set it aside and store that."""
CALL_SECONDS = 0.2
LATER_SECONDS = 1.0
"""Seconds by which the queue `later` delivers late."""


class OwnTime(ManualClock):
    """One worker's time: each sleeps for itself."""


class Lane:
    """A queue of tickets and its workers, each with a time of its own, on one budget."""

    def __init__(self, calls_of):
        self.began = ManualClock().now().timestamp()
        self.calls, self.ended, self.refused = [], [], 0
        self._calls_of = calls_of
        pace = split(OURS, limit=REQUESTS_PER_30_S, shares=WORKERS)
        level = OwnLevel()
        self.pace = pace.requests_per_window * WORKERS
        self._clocks = [OwnTime() for _ in range(WORKERS)]
        self._turns = [CurrentJob() for _ in range(WORKERS)]
        self._limits = [
            RateLimit(
                provider="richpanel",
                clock=clock,
                current=turn,
                levels=level,
                containers=WORKERS,
                pace=pace,
            )
            for clock, turn in zip(self._clocks, self._turns, strict=True)
        ]

    def run(self, tickets, seconds):
        """Let tickets come, as (seconds, number), until a time."""
        queue, later = deque(), []
        coming = deque(sorted(tickets))
        while True:
            worker = min(range(WORKERS), key=lambda worker: self._clocks[worker].elapsed)
            clock = self._clocks[worker]
            if clock.elapsed > seconds:
                return
            while coming and coming[0][0] <= clock.elapsed:
                queue.append((coming.popleft()[1], 0))
            while later and later[0][0] <= clock.elapsed:
                queue.append(heapq.heappop(later)[1:])
            if not queue:
                clock.forward(0.1)
                continue
            number, waits = queue.popleft()
            back = self._handle(worker, number, waits)
            if back is not None:
                heapq.heappush(later, (clock.elapsed + back + LATER_SECONDS, number, waits + 1))

    def _handle(self, worker, number, waits):
        clock = self._clocks[worker]
        with self._turns[worker].working_on(turns=waits, age_seconds=0):
            for urgency in self._calls_of(number, waits):
                try:
                    self._limits[worker].acquire("call", deadline_seconds=15, urgency=urgency)
                except PacedError as error:
                    self.refused += 1
                    clock.forward(ASIDE_SECONDS)
                    return error.retry_after
                self.calls.append(clock.elapsed)
                clock.forward(CALL_SECONDS)
        self.ended.append((clock.elapsed, number))
        return None

    def windows(self, until):
        """Calls of each window but the first, which has the burst."""
        edges = range(int(WINDOW_SECONDS), int(until), int(WINDOW_SECONDS))
        return [sum(edge <= at < edge + WINDOW_SECONDS for at in self.calls) for edge in edges]


def two(number, waits):
    del number, waits
    return [Urgency.NORMAL, Urgency.NORMAL]


def none_when_back(number, waits):
    """A returning ticket needs no call: another's did the work, as where notifications share a read."""
    return [] if waits else two(number, waits)


def one_when_back(number, waits):
    return two(number, waits)[: 1 if waits else 2]


@pytest.mark.parametrize("calls_of", [two, one_when_back, none_when_back])
def test_the_budget_is_used_while_three_hundred_tickets_wait(calls_of):
    lane = Lane(calls_of)
    crowd = [(0.0, number) for number in range(300)]
    steady = [(0.5 * number, 300 + number) for number in range(600)]
    lane.run([*crowd, *steady], 270)
    assert min(lane.windows(240)) >= 27, lane.windows(240)


def test_a_crowd_alone_uses_the_budget_while_it_is_set_aside():
    lane = Lane(two)
    lane.run([(0.0, number) for number in range(300)], 120)
    assert min(lane.windows(90)) >= 27, lane.windows(90)


@pytest.mark.parametrize("calls_of", [two, one_when_back, none_when_back])
def test_and_never_more_than_the_vendor_takes(calls_of):
    lane = Lane(calls_of)
    lane.run([(0.2 * number, number) for number in range(600)], 200)
    busiest = max(sum(start <= at < start + 30 for at in lane.calls) for start in lane.calls)
    assert busiest <= REQUESTS_PER_30_S
