"""Limits hold exactly, and count one action once."""

from datetime import timedelta

import pytest

from chalicelib.errors import TransientError
from chalicelib.once.allowances import Allowances, Limit
from chalicelib.once.store import ConditionFailed
from tests.rigs.fakes import ManualClock
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

HOUR = Limit("hourly", 3, timedelta(hours=1))
MINUTE = Limit("minutely", 1, timedelta(minutes=1))


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def allowances(table_a, clock):
    return Allowances(table=table_a, clock=clock)


@pytest.fixture
def take(allowances):
    return lambda by, *limits: allowances.take("auto_reply:test", "opaque", by, limits or (HOUR,))


def rows(table):
    return table.scan_page(limit=9)[0]


def test_the_limits_window_slides(take, clock):
    for number in range(3):
        assert take(f"a{number}") is None
        clock.forward(600)
    assert take("b") == "hourly"
    clock.forward(1800)
    assert take("b") is None, "the first is an hour old"
    assert take("c") == "hourly"


def test_one_action_is_counted_once(take):
    assert [take("same") for _ in range(5)] == [None] * 5
    assert [take("b"), take("c"), take("d")] == [None, None, "hourly"]


def test_a_released_allowance_can_be_used_again(take, allowances, table_a):
    assert [take("a"), take("b"), take("c"), take("d")] == [None, None, None, "hourly"]
    for by in ("b", "b", "nobody"):
        allowances.give_back("auto_reply:test", "opaque", by)
    allowances.give_back("auto_reply:test", "who has taken none", "a")
    assert [take("a"), take("c"), take("d"), take("b")] == [None, None, None, "hourly"]
    assert len(rows(table_a)) == 1


def test_every_limit_must_allow_it(take, clock):
    assert take("a", MINUTE, HOUR) is None
    assert take("b", MINUTE, HOUR) == "minutely"
    clock.forward(61)
    assert take("b", MINUTE, HOUR) is None


def test_a_row_keeps_only_entries_within_the_longest_window(take, clock, table_a):
    for number in range(5):
        assert take(f"a{number}") is None
        clock.forward(1200)
    (row,) = rows(table_a)
    assert [taken["by"] for taken in row["taken"]] == ["a2", "a3", "a4"]
    assert take("a0") is None
    assert take("b") == "hourly", "asked again after the window, an action counts anew"


@pytest.fixture
def contended(clock):
    """Allowances whose row another worker changes before each write."""
    table = FaultyTable(tables.ledger())
    allowances = Allowances(table=table, clock=clock)
    allowances.take("auto_reply:test", "opaque", "a", [HOUR])
    table.fails["put"] = [ConditionFailed({"taken": [], "version": 2})] * 100
    return allowances


def test_a_reply_that_cannot_be_counted_is_not_allowed(contended):
    with pytest.raises(TransientError) as raised:
        contended.take("auto_reply:test", "opaque", "b", [HOUR])
    assert raised.value.reason == "contended"


def test_an_allowance_that_cannot_be_released_raises(contended):
    with pytest.raises(TransientError) as raised:
        contended.give_back("auto_reply:test", "opaque", "a")
    assert raised.value.reason == "contended"
