"""Business days, and windows in words."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.support.orders.delivery_time import DEFAULT_CALENDAR, DeliveryCalendar, Window


def test_the_first_day_and_the_weekend_do_not_count():
    friday, monday = date(2026, 11, 20), date(2026, 11, 23)
    assert DEFAULT_CALENDAR.business_days_after(friday, friday) == 0
    assert DEFAULT_CALENDAR.business_days_after(friday, monday) == 1
    assert DEFAULT_CALENDAR.business_days_after(monday, friday) == 0


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(-10, 400))
def test_business_days_match_a_day_by_day_count(start, days):
    end = start + timedelta(days=days)
    by_hand = sum((start + timedelta(days=n)).weekday() < 5 for n in range(1, days + 1))
    assert DEFAULT_CALENDAR.business_days_after(start, end) == by_hand


def test_a_holiday_is_no_business_day_and_a_late_order_counts_for_the_next_one():
    friday = date(2026, 11, 27)
    calendar = DeliveryCalendar(cut_off_hour=14, holidays=frozenset({friday}))
    assert calendar.business_days_after(date(2026, 11, 26), date(2026, 11, 30)) == 1
    assert calendar.day_of_order(datetime(2026, 11, 26, 15, tzinfo=UTC)) == date(2026, 11, 30)
    assert calendar.day_of_order(datetime(2026, 11, 26, 13, tzinfo=UTC)) == date(2026, 11, 26)


@pytest.mark.parametrize(
    ("window", "language", "words"),
    [
        (Window(3, 5), "en", "3 to 5 business days"),
        (Window(1, 1), "en", "1 business day"),
        (Window(2, 2), "es", "2 días hábiles"),
        (Window(0, 1), "es", "0 a 1 día hábil"),
    ],
)
def test_a_window_reads_well(window, language, words):
    assert window.in_words(language) == words
