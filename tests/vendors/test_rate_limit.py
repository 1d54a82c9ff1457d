"""No window of a vendor's limit ever sees more calls from us than it may."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.clock import SystemClock
from chalicelib.errors import TransientError
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import (
    HELD_SECONDS,
    SKEW_SECONDS,
    RateLimit,
    Urgency,
    split,
)
from tests.rigs.each_row import each_row
from tests.rigs.fakes import ManualClock


def limit_of(clock: ManualClock, share: float) -> RateLimit:
    return RateLimit(provider="acme", clock=clock, pace=LevelPace(share))


def test_a_burst_passes_at_once_and_then_calls_are_paced(clock: ManualClock):
    limit = limit_of(clock, 6)
    at = []
    for _ in range(6):
        limit.acquire("read", deadline_seconds=60)
        at.append(round(clock.elapsed, 3))

    assert at == [0, 0, 0, 5, 10, 15]


def test_an_idle_hour_accumulates_at_most_one_burst(clock: ManualClock):
    limit = limit_of(clock, 6)
    clock.forward(3600)
    at = []
    for _ in range(5):
        limit.acquire("read", deadline_seconds=60)
        at.append(round(clock.elapsed - 3600, 3))

    assert at == [0, 0, 0, 5, 10]


def test_a_wait_beyond_the_deadline_is_refused_at_once_with_a_retry_after(
    clock: ManualClock,
):
    limit = limit_of(clock, 2)
    limit.acquire("read", deadline_seconds=1)

    with pytest.raises(TransientError) as caught:
        limit.acquire("read", deadline_seconds=10)

    assert caught.value.reason == "local_rate_limit"
    assert caught.value.retry_after == pytest.approx(15)
    assert clock.elapsed == 0


def test_a_refused_call_takes_no_token(clock: ManualClock):
    limit = limit_of(clock, 2)
    limit.acquire("read", deadline_seconds=1)
    for _ in range(5):
        with pytest.raises(TransientError):
            limit.acquire("read", deadline_seconds=1)
    clock.forward(15)

    limit.acquire("read", deadline_seconds=1)


@pytest.mark.parametrize(("asked", "waited"), [(None, 30), (0.0, 0), (7.0, 7), (300.0, 300)])
def test_after_a_429_every_caller_waits(clock: ManualClock, asked: float | None, waited: float):
    limit = limit_of(clock, 30)
    limit.cool_down(asked)

    limit.acquire("read", deadline_seconds=1000)

    assert clock.elapsed == pytest.approx(waited)


def test_a_shorter_cool_down_does_not_end_a_longer_one(clock: ManualClock):
    limit = limit_of(clock, 30)
    limit.cool_down(60)
    limit.cool_down(1)

    limit.acquire("read", deadline_seconds=1000)

    assert clock.elapsed == pytest.approx(60)


def test_an_urgent_call_finds_a_token_where_less_urgent_ones_wait(clock: ManualClock):
    """A reply leaves at once behind any number of tags, and tags at once behind a sweep's reads."""
    limit = limit_of(clock, 20)  # a burst of 10, two calls in three seconds
    waits: dict[Urgency, list[float]] = {}
    for urgency in reversed(Urgency):
        for _ in range(8):
            before = clock.elapsed
            limit.acquire("call", deadline_seconds=60, urgency=urgency)
            waits.setdefault(urgency, []).append(round(clock.elapsed - before, 3))

    assert waits[Urgency.LOW] == [0] * 4 + [1.5] * 4
    assert waits[Urgency.NORMAL][:3] == [0] * 3
    assert waits[Urgency.NORMAL][4:] == [1.5] * 4
    assert waits[Urgency.HIGH][:3] == [0] * 3


@pytest.mark.parametrize("urgency", Urgency)
@pytest.mark.parametrize("share", [1.0, 2.0, 20.0])
def test_over_time_every_kind_of_call_gets_the_whole_share(
    clock: ManualClock, share: float, urgency: Urgency
):
    limit = limit_of(clock, share)
    calls = int(share * 20)
    for _ in range(calls):
        limit.acquire("call", deadline_seconds=1e9, urgency=urgency)

    assert clock.elapsed == pytest.approx((calls - share / 2) / share * 30, rel=0.1)


@given(
    urgencies=st.lists(st.sampled_from(Urgency), min_size=1, max_size=7),
    share=st.floats(min_value=1, max_value=30),
    idle=st.lists(st.floats(min_value=0, max_value=40), min_size=1, max_size=80),
)
def test_no_window_contains_more_than_one_and_a_half_shares(
    urgencies: list[Urgency], share: float, idle: list[float]
):
    """Shares of 30 in sum stay under Richpanel's 50 in any 30 seconds, whenever calls come."""
    clock = ManualClock()
    limit = limit_of(clock, share)
    at = []
    for number, seconds in enumerate(idle):
        clock.forward(seconds)
        urgency = urgencies[number % len(urgencies)]
        limit.acquire("read", deadline_seconds=1e9, urgency=urgency)
        at.append(clock.elapsed)

    busiest = max(sum(1 for other in at if start <= other < start + 30) for start in at)
    assert busiest <= max(1, share / 2) + share + 1e-6


@each_row("workers", [2, 4, 8])
@each_row("ours", [10, 30, 40, 45, 50])
def test_all_shares_together_exceed_the_vendors_limit_in_no_window(ours: int, workers: int):
    pace = split(ours, limit=50, shares=workers)
    seconds = 30 + HELD_SECONDS + SKEW_SECONDS
    together = workers * (pace.requests_per_window / 30 * seconds + pace.burst)

    assert together <= 50 + 1e-6
    assert workers * pace.requests_per_window <= ours + 1e-6


def test_a_smaller_share_keeps_its_pace_and_half_of_it_for_bursts():
    pace = split(30, limit=50, shares=3)
    assert (pace.requests_per_window, pace.burst) == (10, 5)


def test_threads_share_one_bucket():
    clock = SystemClock()
    limit = RateLimit(provider="acme", clock=clock, pace=LevelPace(10, window_seconds=0.5))
    at: list[float] = []

    def work() -> None:
        for _ in range(4):
            limit.acquire("read", deadline_seconds=60)
            at.append(time.monotonic())

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert max(at) - min(at) >= 0.7  # 20 calls: a burst of 5, the other 15 at 20 a second
