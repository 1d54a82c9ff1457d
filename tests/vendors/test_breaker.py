"""A vendor that is down is asked rarely, and asked again in time."""

from __future__ import annotations

from contextlib import suppress

import pytest

from chalicelib.errors import BreakerOpenError, TransientError, UncertainError
from chalicelib.vendors.breaker import MAX_PAUSE_SECONDS, Breaker
from tests.rigs.fakes import ManualClock

DOWN = TransientError("acme", "read", status=503)


@pytest.fixture
def breaker(clock: ManualClock) -> Breaker:
    return Breaker("acme", clock, failures_to_open=3, first_pause_seconds=30)


def call(breaker: Breaker, error: Exception | None = None) -> None:
    with suppress(type(error) if error else ()), breaker.attempt("read"):
        if error is not None:
            raise error


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        call(breaker, DOWN)


def pause(breaker: Breaker) -> float:
    with pytest.raises(BreakerOpenError) as caught:
        call(breaker)
    assert caught.value.reason == "breaker_open"
    assert caught.value.retry_after is not None
    return caught.value.retry_after


def test_failures_in_a_row_open_it_and_a_success_between_them_does_not(breaker: Breaker):
    fail(breaker, 2)
    call(breaker)
    fail(breaker, 2)
    call(breaker)
    fail(breaker, 3)

    assert pause(breaker) == 30.0


def test_after_the_pause_two_successes_close_it(breaker: Breaker, clock: ManualClock):
    fail(breaker, 3)
    clock.forward(31)

    call(breaker)
    call(breaker)
    fail(breaker, 2)

    call(breaker)


def test_a_failed_probe_doubles_the_pause_up_to_fifteen_minutes(
    breaker: Breaker, clock: ManualClock
):
    fail(breaker, 3)
    pauses = []
    for _ in range(8):
        pauses.append(pause(breaker))
        clock.forward(pauses[-1])
        fail(breaker)

    assert pauses == [30, 60, 120, 240, 480, 900, 900, 900]
    assert MAX_PAUSE_SECONDS == 900


def test_a_failure_between_the_two_successes_opens_it_again(breaker: Breaker, clock: ManualClock):
    fail(breaker, 3)
    clock.forward(30)
    call(breaker)
    fail(breaker)

    assert pause(breaker) == 60.0


def test_once_closed_it_starts_with_the_short_pause_again(breaker: Breaker, clock: ManualClock):
    fail(breaker, 3)
    clock.forward(30)
    fail(breaker)
    clock.forward(60)
    call(breaker)
    call(breaker)
    fail(breaker, 3)

    assert pause(breaker) == 30.0


def test_while_half_open_one_call_at_a_time_goes_through(breaker: Breaker, clock: ManualClock):
    fail(breaker, 3)
    clock.forward(30)

    with breaker.attempt("read"):
        assert pause(breaker) == 5.0
    call(breaker)


@pytest.mark.parametrize(
    "error",
    [
        TransientError("acme", "read", reason="local_rate_limit"),
        TransientError("acme", "read", reason="secret_unavailable"),
        TransientError("acme", "read", status=429),
        KeyError("a bug of ours"),
    ],
    ids=str,
)
def test_errors_unrelated_to_the_vendor_neither_open_nor_close_it(
    breaker: Breaker, clock: ManualClock, error: Exception
):
    for _ in range(5):
        call(breaker, error)
    fail(breaker, 3)
    clock.forward(30)
    for _ in range(5):
        call(breaker, error)
    fail(breaker)

    assert pause(breaker) == 60.0


def test_a_call_blocked_by_another_breaker_does_not_count(breaker: Breaker, clock: ManualClock):
    """The vendor was not asked.  Counted as its failures, such calls would outlast the other's pause."""
    tokens = Breaker("acme", clock, failures_to_open=1, first_pause_seconds=300)
    fail(tokens)
    for _ in range(5):
        with pytest.raises(BreakerOpenError), breaker.attempt("read"), tokens.attempt("get_token"):
            pass

    fail(breaker, 2)
    call(breaker)
    fail(breaker, 3)
    assert pause(breaker) == 30.0


@pytest.mark.parametrize(
    "error",
    [
        TransientError("acme", "read", reason="connect_failed"),
        UncertainError("acme", "send", reason="timeout"),
        UncertainError("acme", "send", status=500),
        UncertainError("acme", "send", status=200, reason="answer_not_json"),
    ],
    ids=str,
)
def test_an_unusable_response_counts_as_an_outage(breaker: Breaker, error: Exception):
    for _ in range(3):
        call(breaker, error)

    assert pause(breaker) == 30.0
