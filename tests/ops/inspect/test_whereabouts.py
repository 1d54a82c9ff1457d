"""Where an event is, from its row alone: the place, since when, the next try, and why it waits."""

import pytest

from chalicelib.clock import iso
from chalicelib.once.event import LATE_SECONDS
from ops.inspect import whereabouts
from tests.rigs.fakes import NOON

NOW = NOON.timestamp()
SINCE = iso(NOON)
DUE = int(NOW + 60 + LATE_SECONDS)
ROW = {"received_at": SINCE, "last_processed_at": SINCE}


@pytest.mark.parametrize(
    ("row", "place", "why"),
    [
        ({"status": "received"}, "on the queue", "its turn"),
        (
            {"status": "received", "last_reason": "beyond_share", "until": NOW},
            "set aside",
            "beyond_share",
        ),
        (
            {"status": "received", "last_reason": "http_503"},
            "back on the queue",
            "http_503",
        ),
        ({"status": "processing", "lease_until": NOW + 9}, "at a worker", "its worker"),
        (
            {"status": "processing", "lease_until": NOW - 9},
            "its worker died or overran",
            "its message",
        ),
        (
            {"status": "processing", "lease_until": 0, "last_reason": "http_429"},
            "back on the queue",
            "http_429",
        ),
        ({"status": "parked", "reason": "unknown:x"}, "parked", "unknown:x"),
        ({"status": "failed", "reason": "x"}, "ended", "x"),
        ({"status": "failed", "reason": "x", "asked": True}, "asked for again", "x"),
        ({"status": "processed"}, "ended", None),
    ],
)
def test_every_state_has_a_place_and_a_reason(row, place, why):
    found = whereabouts.of_row(ROW | row, now_epoch=NOW)
    assert (found.place, found.why, found.since) == (place, why, SINCE)


@pytest.mark.parametrize(
    "row",
    [
        {"status": "received", "last_reason": "http_503"},
        {"status": "processing", "lease_until": 0, "last_reason": "http_503"},
    ],
)
def test_the_next_try_of_a_returned_message_is_before_it_counts_as_lost(row):
    found = whereabouts.of_row(ROW | row | {"due_at": DUE}, now_epoch=NOW)
    assert found.next_try == iso(NOON.replace(minute=1))
