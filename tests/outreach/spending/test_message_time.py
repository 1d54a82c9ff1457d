"""One message has one time, which its requests share; another thread's has its own."""

import threading

import pytest

from chalicelib.outreach.spending import message_time
from chalicelib.outreach.spending.message_time import MESSAGE_SECONDS, MessageTime
from chalicelib.outreach.spending.unwritten import UnwrittenError


@pytest.fixture
def clock(monkeypatch, clock):
    monkeypatch.setattr(message_time.time, "monotonic", clock.monotonic)
    return clock


def test_two_drafts_and_two_checks_get_no_more_than_the_time_of_a_message(clock):
    time, taken = MessageTime(), 0.0
    with time.of_one_message():
        for most in (45.0, 10.0, 45.0, 10.0):
            seconds = time.seconds_left(most)
            taken += seconds
            clock.forward(seconds)
            if taken >= MESSAGE_SECONDS:
                break
        assert taken == MESSAGE_SECONDS
        with pytest.raises(UnwrittenError) as caught:
            time.seconds_left(10.0)
    assert caught.value.reason == "out_of_time"


def test_the_next_message_has_its_own_time_and_a_request_outside_of_one_is_not_bounded(clock):
    time = MessageTime()
    with time.of_one_message(5.0):
        clock.forward(4.0)
    assert time.seconds_left(45.0) == 45.0
    with time.of_one_message(5.0):
        assert time.seconds_left(45.0) == 5.0


def test_each_thread_writes_its_own_message(clock):
    time, found = MessageTime(), []
    with time.of_one_message(5.0):
        other = threading.Thread(target=lambda: found.append(time.seconds_left(45.0)))
        other.start()
        other.join()
    assert found == [45.0]
