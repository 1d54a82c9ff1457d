"""The sparse index of unfinished rows: stored names, order over shards, limit."""

from chalicelib.once import sharded
from chalicelib.once.sharded import UnfinishedIndex, partition
from tests.simulation import tables


def test_stored_names_stay_as_they_are():
    """Rows that older versions wrote are found under these very names."""
    assert (sharded.INDEX, sharded.ATTRIBUTE) == ("unfinished-index", "unfinished")
    assert partition("received", "evt:rp:1042:c-77") == "received#1"
    assert partition("pending", "ALOWARE:719285063") == "pending#1"
    assert {partition("m", str(n)) for n in range(50)} == {f"m#{n}" for n in range(4)}


def stored(count):
    """A facts' table with rows in every shard, the newest written first."""
    table = tables.facts()
    for number in reversed(range(count)):
        key = f"k{number:02d}"
        at = f"2026-11-20T12:00:{number // 2:02d}.000Z"  # two of each time
        row = {"event_id": key, "created_at": at, "unfinished": partition("pending", key)}
        table.put(row)
    table.put({"event_id": "k", "created_at": "2026", "unfinished": partition("failed", "k")})
    return UnfinishedIndex(table, sorted_by="created_at")


def test_rows_of_a_mark_come_oldest_first_over_all_shards():
    found = stored(20).oldest("pending", limit=100)
    assert [row["event_id"] for row in found] == [f"k{n:02d}" for n in range(20)]


def test_no_more_rows_are_returned_than_the_limit():
    found = stored(20).oldest("pending", limit=3)
    assert [row["event_id"] for row in found] == ["k00", "k01", "k02"]


def test_only_rows_before_a_time_are_returned():
    found = stored(20).oldest("pending", limit=100, before="2026-11-20T12:00:02.000Z")
    assert [row["event_id"] for row in found] == ["k00", "k01", "k02", "k03"]
