"""A company's starts enter a lane by its share, so that another company's start finds room."""

from itertools import pairwise

import pytest

from chalicelib.errors import TransientError
from chalicelib.once.lanes import EMAIL, OUTREACH
from chalicelib.once.store import ConditionFailed
from chalicelib.outreach.door.shares import BURST, SMALL_LIMIT, StartShares
from chalicelib.outreach.project.fields import RateLimits
from chalicelib.vendors.level import OwnLevel
from chalicelib.vendors.shared_level import TRIES, SharedLevel
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

LARGE = RateLimits(
    requests_per_minute=100_000, requests_per_day=100_000, concurrent_conversations=100_000
)
WORKERS = 2


@pytest.fixture
def levels():
    return {}


@pytest.fixture
def shares(clock, levels):
    return StartShares(
        levels=lambda name: levels.setdefault(name, OwnLevel()), clock=clock, workers=WORKERS
    )


def test_a_flood_is_let_in_at_its_share_in_the_order_in_which_it_came(shares):
    waits = [shares.seconds_to_wait("ci-1", OUTREACH, LARGE) for _ in range(1_000)]

    assert sum(wait == 0 for wait in waits) >= BURST / 2
    assert waits == sorted(waits)
    assert max(waits) == pytest.approx(1_000 / (WORKERS * 0.5), rel=0.02)
    later = [wait for wait in waits if wait]
    assert all(after - before == pytest.approx(1) for before, after in pairwise(later))


def test_another_company_and_another_lane_do_not_wait(shares):
    for _ in range(100):
        shares.seconds_to_wait("ci-1", OUTREACH, LARGE)

    assert shares.seconds_to_wait("ci-2", OUTREACH, LARGE) == 0
    assert shares.seconds_to_wait("ci-1", EMAIL, LARGE) == 0


def test_a_company_that_cannot_fill_a_lane_is_not_counted(shares, levels):
    small = RateLimits(concurrent_conversations=SMALL_LIMIT)

    assert [shares.seconds_to_wait("ci-1", OUTREACH, small) for _ in range(100)] == [0] * 100
    assert levels == {}


def test_what_comes_at_the_pace_of_the_share_never_waits(shares, clock):
    waits = []
    for _ in range(100):
        waits.append(shares.seconds_to_wait("ci-1", OUTREACH, LARGE))
        clock.forward(1 / (WORKERS * 0.5))

    assert waits == [0] * 100


def test_a_share_is_one_for_all_doors(clock):
    table = FaultyTable(tables.ledger())
    doors = [
        StartShares(
            levels=lambda name: SharedLevel(table=table, provider=name, clock=clock),
            clock=clock,
            workers=WORKERS,
        )
        for _ in range(3)
    ]

    waits = [doors[n % 3].seconds_to_wait("ci-1", OUTREACH, LARGE) for n in range(60)]

    assert waits == sorted(waits)
    assert max(waits) == pytest.approx(60 - BURST, abs=5)
    assert [key for (key,) in table.rows] == ["pace:starts%3Aoutreach%3Aci-1"]


@pytest.mark.parametrize("is_contended", [True, False])
def test_a_start_is_not_refused_because_its_share_could_not_be_counted(clock, is_contended):
    """Other doors change its row, or the table is slow: the start waits as if it had been counted."""
    table = FaultyTable(tables.ledger())
    level = SharedLevel(table=table, provider="starts", clock=clock)
    shares = StartShares(levels=lambda _: level, clock=clock, workers=WORKERS)
    counted = [shares.seconds_to_wait("ci-1", OUTREACH, LARGE) for _ in range(60)][-1]
    rows = dict(table.rows)
    (row,) = rows.values()
    slow = TransientError("dynamodb", "update_item", reason="throttled")
    table.fails["update"] = [ConditionFailed(dict(row)) if is_contended else slow] * TRIES

    assert shares.seconds_to_wait("ci-1", OUTREACH, LARGE) == pytest.approx(counted + 1, abs=0.1)
    assert table.rows == rows


def test_doors_that_count_at_the_same_time_lose_no_start(clock):
    """Another thread's write between this one's decision and its write is not overwritten."""
    table = FaultyTable(tables.ledger())
    level = SharedLevel(table=table, provider="starts", clock=clock)
    shares = StartShares(levels=lambda _: level, clock=clock, workers=WORKERS)
    for _ in range(20):
        shares.seconds_to_wait("ci-1", OUTREACH, LARGE)

    def beside():
        waits.append(shares.seconds_to_wait("ci-1", OUTREACH, LARGE))

    waits = []
    decide_beside(level, beside)
    waits.append(shares.seconds_to_wait("ci-1", OUTREACH, LARGE))

    assert waits[1] - waits[0] == pytest.approx(1)


def decide_beside(level, act):
    """Let another thread make a whole change once, right after the next decision."""
    write = level._write

    def late(*arguments):
        level._write = write
        act()
        return write(*arguments)

    level._write = late
