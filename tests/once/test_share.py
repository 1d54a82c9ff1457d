"""Slow calls of one key hold a part of a lane's workers, and ordinary calls cost nothing."""

from contextlib import ExitStack
from itertools import count

import pytest

from chalicelib.errors import PacedError, TransientError
from chalicelib.once.share import (
    DECAY_SECONDS,
    FREE_SECONDS,
    GRACE_SECONDS,
    KEPT_SECONDS,
    Expected,
    LaneShare,
)
from chalicelib.once.store import ConditionFailed
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

DEADLINE = 45.0


class Lane:
    """Containers of one lane, each with what it remembers."""

    def __init__(self, clock, workers):
        self.clock, self.table = clock, FaultyTable(tables.ledger())
        self._owners, self._jobs = count(), count(1_000)
        self.shares = [
            LaneShare(
                table=self.table,
                lane="outreach",
                workers=workers,
                clock=clock,
                new_owner=lambda: f"o-{next(self._owners)}",
            )
            for _ in range(workers)
        ]

    def makes_slow(self, *keys):
        """Let each container see that calls of these keys take long."""
        for share in self.shares:
            for key in keys:
                share._note_call((key, False), 2 * FREE_SECONDS)

    def calling(self, number, key, **how):
        """A container's call of a key, for a new job unless `job` is given."""
        how.setdefault("job", next(self._jobs))
        return self.shares[number].calling(key, DEADLINE, **how)

    def hold(self, stack, *keys):
        """Let the containers in turn begin a call of a key each; returns how many of them may."""
        begun = 0
        for number, key in enumerate(keys):
            try:
                stack.enter_context(self.calling(number % len(self.shares), key))
            except PacedError:
                continue
            begun += 1
        return begun

    @property
    def slots(self):
        (row,) = self.table.rows.values()
        return row["slots"]


@pytest.fixture
def two(clock):
    return Lane(clock, 2)


@pytest.fixture
def four(clock):
    return Lane(clock, 4)


def test_ordinary_calls_of_a_key_that_is_known_cost_neither_a_read_nor_a_write(two):
    keys = [f"company-{number}" for number in range(10)]
    for key in keys:
        with two.calling(0, key):
            two.clock.sleep(1.5)
    assert two.table.calls == ["put"] * 2 * len(keys)
    two.table.calls.clear()
    for key in keys * 10:
        with two.calling(0, key):
            two.clock.sleep(1.5)
    assert two.table.calls == []


def test_keys_that_are_not_known_leave_a_worker_free_from_their_first_call_on(two):
    """Models that hang from the first message on."""
    with ExitStack() as stack:
        assert two.hold(stack, "a", "a") == 1
    with ExitStack() as stack:
        assert two.hold(stack, "b", "c") == 1


def test_calls_that_are_seldom_slow_cost_nothing_the_first_time_either(two):
    with two.calling(0, "a", expected=Expected.QUICK):
        pass
    assert two.table.calls == []
    with two.calling(0, "a"):
        assert len(two.slots) == 1, "they do not make the key known for calls that may be slow"


def test_a_busy_key_costs_two_writes_a_call(two):
    two.makes_slow("a")
    two.table.calls.clear()
    with two.calling(0, "a"):
        assert len(two.slots) == 1
    assert two.slots == {}
    assert two.table.calls.count("put") == len(two.table.calls) == 2


def test_what_was_slow_is_free_again_after_calls_that_were_not(two):
    """Time alone proves nothing: a breaker may stop calls for longer than a container remembers."""
    with two.calling(0, "a"):
        two.clock.sleep(2 * FREE_SECONDS)
    two.clock.forward(3 * DECAY_SECONDS)
    booked = []
    for _ in range(4):
        two.table.calls.clear()
        with two.calling(0, "a"):
            booked.append(bool(two.table.calls))
    assert booked == [True, True, False, False]


@pytest.mark.parametrize(("workers", "most"), [(1, 1), (2, 1), (3, 2), (4, 3), (8, 6)])
def test_a_key_holds_all_but_a_quarter_and_one_is_free(clock, workers, most):
    lane = Lane(clock, workers)
    lane.makes_slow("a")
    with ExitStack() as stack:
        assert lane.hold(stack, *"a" * workers) == most


def test_two_keys_together_leave_a_worker_free(two, four):
    for lane, most in ((two, 1), (four, 3)):
        lane.makes_slow("a", "b")
        with ExitStack() as stack:
            assert lane.hold(stack, *"abab") == most


def test_another_key_that_is_not_slow_is_never_refused(two):
    for share in two.shares:
        for key in "bc":
            share._note_call((key, False), 0.3)
    two.makes_slow("a")
    with ExitStack() as stack:
        assert two.hold(stack, "a", "b", "c") == 3


def test_who_is_refused_comes_one_after_another_at_the_pace_of_the_key(four):
    four.makes_slow("a")
    with ExitStack() as stack:
        four.hold(stack, *"aaa")
        waits = []
        for _ in range(5):
            with pytest.raises(PacedError) as caught, four.calling(3, "a"):
                pass
            waits.append(caught.value.retry_after)
    usual = 2 * FREE_SECONDS
    assert waits == pytest.approx([usual / 3 * n for n in range(1, 6)])


def test_a_call_that_fails_gives_its_slot_back(two):
    two.makes_slow("a")
    with pytest.raises(TransientError), two.calling(0, "a"):
        raise TransientError("acme", "call", reason="timeout")
    assert two.slots == {}


def test_the_slot_of_a_worker_that_died_ends_by_itself(two):
    two.makes_slow("a")
    stack = ExitStack()
    assert two.hold(stack, "a", "a") == 1
    stack.pop_all()  # nothing is given back
    two.clock.forward(DEADLINE)
    two.makes_slow("a")
    two.clock.forward(GRACE_SECONDS)
    with two.calling(1, "a"):
        assert len(two.slots) == 1


def test_two_containers_that_book_at_once_do_not_share_a_slot(two):
    """The second decides on a row that the first has replaced."""
    two.makes_slow("a")
    stale = dict(two.shares[1]._seen)
    with two.calling(0, "a"):
        two.shares[1]._seen = stale
        with pytest.raises(PacedError), two.calling(1, "a"):
            pass


def test_a_job_that_has_made_a_slow_call_is_not_refused_the_next_one(two):
    """A refusal would have its model write, and the company pay, once more."""
    with two.calling(1, "a", job=7):
        two.clock.sleep(2 * FREE_SECONDS)
    with ExitStack() as stack:
        two.clock.sleep(KEPT_SECONDS)
        assert two.hold(stack, "b") == 1
        with two.calling(1, "a", job=7):
            assert len(two.slots) == 1
        assert len(two.slots) == 1


def test_after_a_slow_call_its_job_makes_the_next_one_in_the_same_slot(two):
    """Another key's job could take the slot otherwise, and both would hold every worker."""
    with two.calling(0, "a", job=7):
        two.clock.sleep(2 * FREE_SECONDS)
    with pytest.raises(PacedError), two.calling(1, "b"):
        pass
    with two.calling(0, "a", job=7):
        assert len(two.slots) == 1
        with pytest.raises(PacedError), two.calling(1, "b"):
            pass
    two.clock.sleep(KEPT_SECONDS)
    with two.calling(1, "b"):
        assert len(two.slots) == 1


def test_a_key_that_is_known_to_fail_takes_a_slot(two):
    for number in (0, 1):
        two.shares[number]._note_call(("a", False), 0.1)
    two.table.calls.clear()
    with (
        two.calling(0, "a", expected=Expected.FAILING),
        pytest.raises(PacedError),
        two.calling(1, "a", expected=Expected.FAILING),
    ):
        pass


@pytest.mark.parametrize("is_contended", [True, False])
def test_where_the_row_cannot_be_written_the_call_is_made(two, is_contended):
    two.makes_slow("a")
    slow = TransientError("dynamodb", "put_item", reason="throttled")
    two.table.fails["put"] = [ConditionFailed({"version": 99}) if is_contended else slow] * 20
    with two.calling(0, "a"):
        pass
