"""A project's target for the wait for a person, in its business hours."""

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.outreach.conversations.response_targets import target_of

WEEKDAYS = {"minutes": 60, "from": "09:00", "until": "17:30", "zone": "Europe/London"}
WORKING = {**WEEKDAYS, "days": [1, 2, 3, 4, 5]}


def due(setting, since):
    found = target_of({"handoff_target": setting}).due(
        datetime.fromisoformat(since).replace(tzinfo=UTC)
    )
    return found and found.strftime("%a %d %H:%M")


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2026-11-20T10:00", "Fri 20 11:00"),
        ("2026-11-20T17:00", "Mon 23 09:30"),
        ("2026-11-20T03:00", "Fri 20 10:00"),
        ("2026-11-21T12:00", "Mon 23 10:00"),
        ("2026-11-20T16:30", "Fri 20 17:30"),
    ],
)
def test_only_business_hours_count(since, expected):
    assert due(WORKING, since) == expected


def test_without_hours_every_hour_counts():
    assert due({"minutes": 90}, "2026-11-21T23:30") == "Sun 22 01:00"


def test_hours_over_midnight_and_a_change_of_the_clock_are_counted_as_they_pass():
    night = {"minutes": 120, "from": "22:00", "until": "06:00", "zone": "Europe/London"}
    assert due(night, "2026-11-20T05:00") == "Fri 20 23:00"
    assert due(night, "2026-10-25T00:30") == "Sun 25 02:30", "an hour comes twice that night"


def test_the_longest_target_with_few_hours_ends():
    start = datetime(2026, 11, 20, tzinfo=UTC)
    few = {"minutes": 600, "from": "09:00", "until": "10:00", "days": [1]}
    assert target_of({"handoff_target": few}).due(start) - start < timedelta(days=75)
    least = {"minutes": 20_000, "from": "09:00", "until": "09:01"}
    assert target_of({"handoff_target": least}).due(start) is None


@pytest.mark.parametrize(
    "setting",
    [
        None,
        30,
        {},
        {"minutes": 0},
        {"minutes": "30"},
        {"minutes": 10**6},
        {**WORKING, "from": "nine"},
        {**WORKING, "zone": "Mars"},
        {**WORKING, "days": []},
        {**WORKING, "days": [8]},
    ],
)
def test_a_setting_that_cannot_be_read_is_no_target(setting):
    assert target_of({"handoff_target": setting}) is None
