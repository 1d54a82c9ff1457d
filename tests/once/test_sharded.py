"""The sparse index of what is due: stored names, order over shards, limit, the old index."""

import pytest

from chalicelib.once import sharded
from chalicelib.once.sharded import DueIndex, due, partition
from tests.simulation import tables


def test_stored_names_of_the_indexes():
    """Stored rows and `resources.json` depend on them."""
    assert (sharded.INDEX, sharded.SHARD, sharded.DUE) == ("due-index", "due_shard", "due_at")
    assert (sharded.OLD_INDEX, sharded.OLD_ATTRIBUTE) == ("unfinished-index", "unfinished")
    assert partition("event", "evt:rp:1042:c-1") == "event#0"
    assert partition("event", "evt:rp:1042:c-2") == "event#0"
    assert {partition("event", str(n)) for n in range(40)} == {f"event#{n}" for n in range(4)}
    assert due("event", "evt:rp:1042:c-1", 7.9) == {"due_shard": "event#0", "due_at": 7}


def stored(number):
    table = tables.facts()
    for n in range(number):
        key = f"fact-{number - n}"
        at = f"2026-11-20T12:00:{n:02d}.000Z"
        row = {"event_id": key, "created_at": at, "unfinished": partition("pending", key)}
        table.put(row)
        table.put({"event_id": f"new-{key}", **due("fact", key, n)})
    table.put({"event_id": "k", "created_at": "2026", "unfinished": partition("failed", "k")})
    table.put({"event_id": "l", **due("event", "k", 0)})
    return DueIndex(table, old_range="created_at")


def keys(rows):
    return [row["event_id"] for row in rows]


def test_rows_of_all_shards_are_found_oldest_first():
    index = stored(20)
    assert keys(index.until(None, kind="fact", limit=99)) == [
        f"new-fact-{20 - n}" for n in range(20)
    ]
    assert keys(index.old(None, mark="pending", limit=99)) == [f"fact-{20 - n}" for n in range(20)]


def test_the_limit_keeps_the_oldest_over_all_shards():
    index = stored(20)
    assert keys(index.until(None, kind="fact", limit=3)) == [
        "new-fact-20",
        "new-fact-19",
        "new-fact-18",
    ]
    found = index.old(None, mark="pending", limit=3)
    assert keys(found) == ["fact-20", "fact-19", "fact-18"]


def test_only_rows_due_by_a_time_are_found():
    index = stored(20)
    assert keys(index.until(1.5, kind="fact", limit=99)) == ["new-fact-20", "new-fact-19"]
    assert keys(index.until(0, kind="event", limit=99)) == ["l"]
    found = index.old("2026-11-20T12:00:01.000Z", mark="pending", limit=99)
    assert keys(found) == ["fact-20", "fact-19"]


@pytest.mark.parametrize("many_at", [1, 7, 40])
def test_a_list_that_is_read_on_by_its_last_row_has_every_row_once_and_in_order(many_at):
    """Also where more rows are due in one second than a page has."""
    table = tables.facts()
    for number in range(40):
        table.put(
            {"event_id": f"n-{number:02d}", **due("fact", f"n-{number:02d}", number // many_at)}
        )
    index = DueIndex(table, old_range="created_at")
    found = index.until(None, kind="fact", limit=6)
    while page := index.after(found[-1]["due_at"], found[-1]["event_id"], kind="fact", limit=6):
        found += page
    assert keys(found) == [f"n-{number:02d}" for number in range(40)]
