"""Dates: stored names, order over shards, pages, rows behind the dates, moves."""

import pytest

from chalicelib.once import timer
from chalicelib.once.timer import Timer, due_attributes, partition
from tests.simulation import tables


def test_stored_names_of_the_index():
    """Stored rows and `resources.json` depend on them."""
    assert (timer.INDEX, timer.SHARD, timer.DUE) == ("due-index", "due_shard", "due_at")
    assert partition("event", "evt:rp:1042:c-1") == "event#0"
    assert partition("event", "evt:rp:1042:c-2") == "event#0"
    assert {partition("event", str(n)) for n in range(40)} == {f"event#{n}" for n in range(4)}
    assert due_attributes("event", "evt:rp:1042:c-1", 7.9) == {"due_shard": "event#0", "due_at": 7}


def stored(number):
    table = tables.facts()
    for n in range(number):
        key = f"fact-{number - n}"
        table.put({"event_id": key, "kept": n, **due_attributes("fact", key, n)})
    table.put({"event_id": "l", **due_attributes("event", "k", 0)})
    return Timer(table)


def keys(dates):
    return [key for _, key in dates]


def test_dates_of_all_shards_are_found_longest_due_first():
    assert keys(stored(20).due(None, kind="fact", limit=99)) == [
        f"fact-{20 - n}" for n in range(20)
    ]


def test_the_limit_keeps_those_that_are_due_longest_over_all_shards():
    assert keys(stored(20).due(None, kind="fact", limit=3)) == ["fact-20", "fact-19", "fact-18"]


def test_only_dates_up_to_a_time_are_found():
    index = stored(20)
    assert keys(index.due(1.5, kind="fact", limit=99)) == ["fact-20", "fact-19"]
    assert keys(index.due(0, kind="event", limit=99)) == ["l"]
    assert index.count(4, kind="fact", at_most=99) == 5


@pytest.mark.parametrize("many_at", [1, 7, 40])
def test_a_list_that_is_read_on_by_its_last_row_has_every_row_once_and_in_order(many_at):
    """Also where more rows are due in one second than a page has."""
    table = tables.facts()
    for number in range(40):
        table.put(
            {
                "event_id": f"n-{number:02d}",
                **due_attributes("fact", f"n-{number:02d}", number // many_at),
            }
        )
    index = Timer(table)
    found = index.due(None, kind="fact", limit=6)
    while page := index.after(*found[-1], kind="fact", limit=6):
        found += page
    assert keys(found) == [f"n-{number:02d}" for number in range(40)]


def test_rows_are_read_whole_in_the_order_of_their_dates_and_without_those_that_ended():
    index = stored(3)
    dates = index.due(None, kind="fact", limit=9)
    index.table.update({"event_id": "fact-2"}, set_={}, remove=timer.DATE)
    index.table.delete({"event_id": "fact-3"})
    assert index.rows(dates) == [
        {"event_id": "fact-1", "kept": 2, **due_attributes("fact", "fact-1", 2)}
    ]


@pytest.mark.parametrize("number", [0, 99, 100, 101, 350])
def test_each_row_that_is_due_is_read_once_a_batch_at_a_time(number):
    index = stored(number + 2)
    found = index.due_rows(number - 1, kind="fact")
    assert [row["kept"] for row in found] == list(range(number))


def test_what_is_moved_on_while_the_others_are_read_is_not_read_again():
    index, seen = stored(150), []
    for row in index.due_rows(149, kind="fact"):
        seen.append(row["event_id"])
        assert index.move("fact", row["event_id"], seen=row["due_at"], to=150)
    assert len(seen) == len(set(seen)) == 150


def test_a_date_is_moved_only_as_it_was_seen():
    """A worker's date that was written between a look and its move stays."""
    index = stored(1)
    assert index.move("fact", "fact-1", seen=0, to=9, expires_at=7)
    assert index.move("fact", "fact-1", seen=0, to=5) is False
    (row,) = index.rows([(0, "fact-1")])
    assert (row["due_at"], row["expires_at"]) == (9, 7)
    assert index.move("fact", "fact-1", seen=9, to=None)
    assert index.rows([(0, "fact-1")]) == []
    assert index.move("fact", "gone", seen=0, to=1) is False
