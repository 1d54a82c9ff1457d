"""Attempts at one step: how many there are, how long they wait, when they end."""

import pytest

from chalicelib.once.retry import Attempts, doubling_pauses, no_pauses
from tests.rigs.fakes import ManualClock


class FailedError(Exception):
    """What an attempt raises."""


def failures(attempts, **more):
    """How often an attempt may fail; the last error is raised as it is."""
    errors = []

    def fail():
        while True:
            errors.append(FailedError())
            attempts.wait_or_raise(errors[-1], **more)

    with pytest.raises(FailedError) as raised:
        fail()
    assert raised.value is errors[-1]
    return len(errors)


def test_there_is_one_attempt_more_than_there_are_pauses():
    clock = ManualClock()
    assert failures(Attempts(clock, (0.2, 0.4, 0.8))) == 4
    assert clock.slept == [0.2, 0.4, 0.8]


def test_attempts_without_a_pause_do_not_sleep():
    clock = ManualClock()
    assert failures(Attempts(clock, no_pauses(5))) == 5
    assert clock.slept == []


def test_a_longer_wait_that_is_asked_for_replaces_the_pause():
    clock = ManualClock()
    assert failures(Attempts(clock, (1.0, 3.0)), at_least_seconds=2.0) == 3
    assert clock.slept == [2.0, 3.0]


@pytest.mark.parametrize(
    ("seconds", "slept"), [(8.0, [0.25, 0.5, 1, 2, 4]), (0.75, [0.25]), (0, [])]
)
def test_no_attempt_starts_at_or_after_the_end(seconds, slept):
    clock = ManualClock()
    until = clock.monotonic() + seconds
    failures(Attempts(clock, doubling_pauses(0.25), until=until))
    assert clock.slept == slept


def test_the_error_hides_the_one_it_was_raised_in():
    """A refused transaction holds items; only the error's own text may reach a log."""
    error = FailedError()
    with pytest.raises(FailedError):
        Attempts(ManualClock(), ()).wait_or_raise(error)
    assert error.__suppress_context__
