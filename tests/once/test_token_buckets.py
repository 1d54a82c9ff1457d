"""Token buckets of many callers."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.once.token_buckets import Buckets, CallerShare

SHARE = CallerShare(per_second=2, at_once=3)


def test_a_caller_gets_its_burst_then_its_rate_and_is_told_how_long_to_wait():
    buckets = Buckets()
    assert [buckets.take("a", SHARE, 100.0) for _ in range(5)] == [0, 0, 0, 0.5, 0.5]
    assert buckets.take("a", SHARE, 100.5) == 0
    assert buckets.take("a", SHARE, 100.5) == 0.5


def test_one_callers_flood_takes_nothing_from_another():
    buckets = Buckets()
    for _ in range(1000):
        buckets.take("flood", SHARE, 100.0)
    assert [buckets.take("other", SHARE, 100.0) for _ in range(3)] == [0, 0, 0]


def test_a_look_takes_nothing():
    buckets = Buckets()
    assert not any(buckets.is_empty("a", SHARE, 100.0) for _ in range(10))
    for _ in range(3):
        buckets.take("a", SHARE, 100.0)
    assert buckets.is_empty("a", SHARE, 100.0)
    assert not buckets.is_empty("a", SHARE, 101.0)


def test_the_memory_is_bounded_and_who_asked_last_is_kept():
    buckets = Buckets(most=100)
    for _ in range(4):
        buckets.take("kept", SHARE, 100.0)
    for number in range(10_000):
        buckets.take(f"stranger {number}", SHARE, 100.0)
        if number % 50 == 0:
            assert buckets.take("kept", SHARE, 100.0) > 0
    assert len(buckets) == 100


@given(st.lists(st.floats(min_value=0, max_value=2), max_size=60))
def test_no_window_holds_more_than_the_burst_and_the_rate(pauses):
    buckets, now, taken = Buckets(), 0.0, []
    for pause in pauses:
        now += pause
        if buckets.take("a", SHARE, now) == 0:
            taken.append(now)
    for first, begin in enumerate(taken):
        for last in range(first, len(taken)):
            most = SHARE.at_once + (taken[last] - begin) * SHARE.per_second
            assert last - first + 1 <= most + 1e-6
