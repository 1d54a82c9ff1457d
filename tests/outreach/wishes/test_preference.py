"""Hours and channels as they are kept, and when a message fits."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from chalicelib.outreach.wishes.preference import Hours, hours_of, preferences_of

EVENING = Hours(((17 * 60, 21 * 60),), frozenset(range(5)), ("Europe/Berlin",))
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ("2026-11-24T10:00", "2026-11-24T16:00"),
        ("2026-11-24T16:30", None),
        ("2026-11-24T20:00", "2026-11-25T16:00"),
        ("2026-11-27T20:30", "2026-11-30T16:00"),  # over the weekend
        ("2026-03-27T21:00", "2026-03-30T15:00"),  # and over the change of the clocks
    ],
)
def test_it_gives_the_next_time_in_the_recipients_zone(now, then):
    wanted = then and datetime.fromisoformat(then).replace(tzinfo=UTC)
    found = EVENING.next_from(datetime.fromisoformat(now).replace(tzinfo=UTC), BERLIN)
    assert found == wanted


def test_it_is_read_as_it_was_kept():
    assert hours_of(EVENING.item) == EVENING


def test_the_newest_word_of_any_address_counts_and_one_that_was_taken_back_holds_no_more():
    early, late = (
        {"said_at": "2026-11-01", "message": "a"},
        {"said_at": "2026-11-02", "message": "b"},
    )
    kept = {"1#hours": {**EVENING.item, **early}, "2#hours": {"lifted_at": "2026-11-02", **late}}
    assert preferences_of(kept).hours is None
    assert preferences_of({**kept, "2#hours": {**Hours().item, **late}}).hours == Hours()


def test_a_wish_that_leaves_no_hour_of_the_day_is_not_possible():
    assert EVENING.is_possible
    assert not Hours(((22 * 60, 24 * 60),)).is_possible
    assert not EVENING.within(Hours(((8 * 60, 12 * 60),))).is_possible
