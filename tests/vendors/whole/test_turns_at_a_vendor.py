"""A scarce vendor's calls: nobody sleeps in a slot, first come first served, and within the limit."""

from __future__ import annotations

import heapq
import random
from collections import deque
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise

import pytest

from chalicelib.errors import PacedError, TransientError
from chalicelib.once.current_job import LATE_AFTER_SECONDS, CurrentJob, TurnPlace
from chalicelib.once.store import ConditionFailed
from chalicelib.support.richpanel.calls import REQUESTS_PER_30_S
from chalicelib.vendors.level import EMPTY, PATIENCE_SECONDS
from chalicelib.vendors.rate_limit import (
    HELD_SECONDS,
    LONGEST_SLEEP_SECONDS,
    SKEW_SECONDS,
    RateLimit,
    Urgency,
    split,
)
from chalicelib.vendors.shared_level import TRIES, SharedLevel
from tests.rigs.each_row import each_row
from tests.rigs.fakes import ManualClock
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

WORKERS = 4
READ, TAGS, REPLY = Urgency.NORMAL, Urgency.NORMAL, Urgency.HIGH


class Ahead:
    """A clock that shows another time."""

    def __init__(self, clock, seconds):
        self._clock, self._ahead = clock, timedelta(seconds=seconds)
        self.monotonic, self.sleep = clock.monotonic, clock.sleep

    def now(self):
        return self._clock.now() + self._ahead


class Containers:
    """Workers, and the sweep as the last one, that share one level."""

    def __init__(self, clock, *, ours=30, ahead=(0.0,) * (WORKERS + 1)):
        self.clock, self.table = clock, FaultyTable(tables.ledger())
        self.pace = split(ours, limit=REQUESTS_PER_30_S, shares=WORKERS)
        self.turns = [CurrentJob() for _ in ahead]
        self.limits = [
            RateLimit(
                provider="richpanel",
                clock=Ahead(clock, seconds),
                current=turn,
                levels=SharedLevel(table=self.table, provider="richpanel", clock=clock),
                containers=WORKERS,
                pace=self.pace,
            )
            for turn, seconds in zip(self.turns, ahead, strict=True)
        ]

    @contextmanager
    def job(self, worker=0, *, waits=0, age=0.0):
        with self.turns[worker].working_on(turns=waits, age_seconds=age):
            yield self.limits[worker]

    def run(self, calls, worker=0, *, waits=0, age=0.0):
        """Make calls; returns None when all have left, else the seconds until the job's turn."""
        with self.job(worker, waits=waits, age=age) as limit:
            for urgency in calls:
                try:
                    limit.acquire("call", deadline_seconds=15, urgency=urgency)
                except PacedError as error:
                    return error.retry_after
        return None


def exhausted(containers):
    """Use up all tokens; no job waits in line."""
    while containers.run([READ, TAGS]) is None:
        pass
    containers.clock.forward(containers.run([READ]) or 0)
    row = {"event_id": "pace:richpanel", EMPTY: containers.clock.now().timestamp()}
    containers.table.put(row)
    for limit in containers.limits:
        limit._levels._seen = dict(row)
        limit._held.tokens = 0


@pytest.fixture
def containers(clock):
    return Containers(clock)


def test_no_call_of_a_job_sleeps_for_more_than_a_second(containers):
    waits = [containers.run([READ, TAGS], n % WORKERS) for n in range(50)]

    assert None in waits
    assert [wait for wait in waits if wait is not None]
    assert sum(containers.clock.slept) <= LONGEST_SLEEP_SECONDS * 50
    assert all(slept <= LONGEST_SLEEP_SECONDS for slept in containers.clock.slept)


def test_who_asks_first_gets_the_earliest_time(containers):
    exhausted(containers)

    waits = [containers.run([READ, TAGS], n % WORKERS) for n in range(20)]

    assert waits == sorted(waits)
    assert all(later - sooner > 1 for sooner, later in pairwise(waits))


def test_a_new_job_does_not_overtake_one_that_waits(containers):
    exhausted(containers)
    wait = containers.run([READ, TAGS])
    containers.clock.forward(wait - 0.5)  # there are tokens enough by now, and they are promised

    assert containers.run([READ, TAGS], 1) > 0.5
    containers.clock.forward(0.5)
    assert containers.run([READ, TAGS], 2, waits=1) is None


def test_a_job_that_has_begun_goes_on_before_others_begin(containers):
    exhausted(containers)
    containers.clock.forward(5)
    with containers.job() as limit:
        limit.acquire("read", deadline_seconds=15, urgency=READ)
        assert [containers.run([READ, TAGS], 1) for _ in range(5)][-1] is not None
        containers.clock.forward(2)
        for _ in range(3):
            limit.acquire("tags", deadline_seconds=15, urgency=TAGS)


def test_a_backlog_and_what_is_new_are_served_side_by_side(containers):
    """After an outage a hundred old jobs ask first; new ones wait no longer than twice their pace."""
    exhausted(containers)
    late = LATE_AFTER_SECONDS + 1
    old = [containers.run([READ, TAGS], n % WORKERS, age=late) or 0 for n in range(100)]
    new = [containers.run([READ, TAGS], n % WORKERS) or 0 for n in range(3)]

    assert max(old) > 150
    assert max(new) < 30


def test_a_refusal_by_the_vendor_stops_its_container(containers):
    with containers.job(0) as limit:
        limit.cool_down(20)

    assert containers.run([READ]) == pytest.approx(20)
    assert containers.run([READ], 1) is None


def test_two_calls_cost_one_write(containers):
    containers.run([READ, TAGS])
    containers.run([READ, TAGS], 1)
    before = len(containers.table.calls)

    containers.run([READ, TAGS])  # its copy of the row is stale, and its decision still right
    containers.run([READ, TAGS])

    assert containers.table.calls[before:] == ["update", "update"]
    assert "get" not in containers.table.calls


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("is_full", [True, False])
def test_containers_that_take_turns_cost_little_more_than_a_write_each(containers, count, is_full):
    """This holds while there are tokens, while they run out, and while jobs join the line."""
    if not is_full:
        exhausted(containers)
    containers.table.calls.clear()
    for turn in range(20):
        containers.limits[turn % count].ask(READ, TurnPlace(100 + turn))
        containers.limits[turn % count]._held.tokens = 0

    assert containers.table.calls.count("update") <= 20 + 2 * count


@pytest.mark.parametrize("seconds", [0.0, 1.0, 40.0])
def test_two_that_decide_on_the_same_level_both_take_their_turns(containers, seconds):
    """Neither sees what the other writes, with a full bucket, an emptying one, or a line."""
    exhausted(containers)
    containers.clock.forward(seconds)
    waits = [[containers.run([READ], worker) for worker in (0, 1)] for _ in range(3)]
    said = [wait for pair in waits for wait in pair if wait is not None]
    assert said == sorted(said)
    assert all(later - sooner > 1 for sooner, later in pairwise(said))


def test_a_row_that_others_change_all_the_time_hands_the_job_back(containers):
    containers.table.fails["update"] = [ConditionFailed({}) for _ in range(TRIES)]

    with containers.job() as limit, pytest.raises(TransientError) as caught:
        limit.acquire("read", deadline_seconds=15, urgency=READ)

    assert not isinstance(caught.value, PacedError)


def test_a_container_whose_clock_is_behind_gains_nothing_and_loses_nothing(clock):
    containers = Containers(clock)
    exhausted(containers)
    clock.forward(-90)
    first = containers.run([READ, TAGS])
    clock.forward(90)

    assert first > 1
    clock.forward(10)
    assert containers.run([READ, TAGS], 1, waits=1) is None


def test_outside_a_job_a_call_waits_in_place(containers):
    for _ in range(20):
        containers.limits[0].acquire("list", deadline_seconds=1e6, urgency=Urgency.LOW)

    assert max(containers.clock.slept) > LONGEST_SLEEP_SECONDS
    assert containers.table.calls == []


def sweeping(containers, *, deadline_seconds=15.0):
    """Seconds that one call of the sweep waits in place."""
    before = containers.clock.elapsed
    with containers.turns[WORKERS].waiting_for_turns():
        containers.limits[WORKERS].acquire(
            "list", deadline_seconds=deadline_seconds, urgency=Urgency.LOW
        )
    return containers.clock.elapsed - before


def test_the_sweep_takes_what_the_workers_leave_and_waits_for_it_in_place(containers):
    waits = [sweeping(containers) for _ in range(10)]

    assert waits[0] == 0
    assert 0.9 < max(waits) <= PATIENCE_SECONDS
    assert containers.run([READ, TAGS]) is None, "it leaves tokens for a job"


def test_a_backlog_delays_the_sweep_and_does_not_stop_it(containers):
    exhausted(containers)
    backlog = [containers.run([READ, TAGS], n % WORKERS) for n in range(50)]

    assert max(wait for wait in backlog if wait) > 60
    assert sweeping(containers) == pytest.approx(PATIENCE_SECONDS)


def test_a_call_of_the_sweep_that_would_come_after_its_deadline_is_refused(containers):
    exhausted(containers)
    before = containers.clock.elapsed

    with pytest.raises(PacedError):
        sweeping(containers, deadline_seconds=0.5)

    assert containers.clock.elapsed == before


@pytest.mark.parametrize("ours", [20, 30, 40, 50])
@pytest.mark.parametrize("held", [0.5, HELD_SECONDS - 0.1])
@pytest.mark.parametrize("is_ahead", [False, True])
def test_the_vendors_limit_holds_in_the_worst_window(clock, ours, held, is_ahead):
    """The bucket is full, jobs hold tokens, all call as soon as they may, late comes a clock ahead."""
    ahead = [0.0, 0.0, SKEW_SECONDS, SKEW_SECONDS, 0.0] if is_ahead else [0.0] * (WORKERS + 1)
    containers = Containers(clock, ours=ours, ahead=ahead)
    began, calls = clock.monotonic(), []

    def ask(number):
        place = TurnPlace(number + 1, turns=1, is_patient=number == WORKERS)
        if not containers.limits[number].ask(Urgency.HIGH, place):
            calls.append(clock.monotonic() - began)
            return True
        return False

    for worker in range(WORKERS):
        ask(worker)  # and holds the second of its tokens, where there were two
    clock.forward(held)
    for tenth in range(700):
        for worker in (WORKERS, 0, 1) if tenth < 295 else range(WORKERS + 1):
            while ask(worker):
                pass
        clock.forward(0.1)

    busiest = max(sum(start <= at < start + 30 for at in calls) for start in calls)
    assert busiest <= REQUESTS_PER_30_S
    assert busiest >= min(ours, REQUESTS_PER_30_S * 0.85)


def test_after_a_refusal_jobs_come_back_one_after_another(containers):
    """They would find the budget of a few calls, and each round costs money and a worker's time."""
    containers.limits[0].cool_down(20)

    waits = [containers.run([READ, TAGS]) for _ in range(10)]

    apart = [later - sooner for sooner, later in pairwise(waits)]
    assert waits[0] == pytest.approx(20)
    assert apart == pytest.approx([2 * 30 / containers.pace.requests_per_window] * 9)


@each_row("ours", [20, 30, 40, 50])
@each_row("seed", range(3))
def test_a_backlog_drains_at_our_pace_in_order_and_within_the_limit(ours, seed):
    """Jobs of two to six calls, with delays as a standard queue has them, from four workers."""
    rng, clock = random.Random(seed), ManualClock()
    containers = Containers(clock, ours=ours)
    began, calls, ended = clock.now().timestamp(), [], []
    due = [(began, n, n, 0) for n in range(200)]
    kinds = {n: [READ, *[REPLY] * rng.choice([0, 0, 0, 3]), TAGS] for n in range(200)}
    rounds = dict.fromkeys(kinds, 0)
    serial = len(due)
    while due:
        at, _, number, waits = heapq.heappop(due)
        clock.forward(max(0.0, at - clock.now().timestamp()))
        rounds[number] += 1
        left = deque(kinds[number])
        with containers.job(rng.randrange(WORKERS), waits=waits) as limit:
            while left:
                try:
                    limit.acquire("call", deadline_seconds=15, urgency=left[0])
                except PacedError as error:
                    serial += 1
                    back = clock.now().timestamp() + error.retry_after + rng.uniform(0, 2)
                    heapq.heappush(due, (back, serial, number, waits + 1))
                    break
                calls.append(clock.now().timestamp() - began)
                left.popleft()
                clock.forward(0.02)
        kinds[number] = list(left)
        if not left:
            ended.append(number)

    assert len(ended) == 200
    busiest = max(sum(start <= at < start + 30 for at in calls) for start in calls)
    assert busiest <= REQUESTS_PER_30_S
    took = calls[-1] / 30
    assert len(calls) / took >= containers.pace.requests_per_window * WORKERS * 0.95
    assert max(rounds.values()) <= 16, "none waits again and again"
    places = {number: place for place, number in enumerate(ended)}
    apart = sorted(abs(places[number] - number) for number in places)
    assert apart[180] < 66, "nine of ten end within a third of the backlog of their place"
