"""Windows of business days: per shipping method, the remaining time, and its wording."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.support.orders import delivery_time


@pytest.mark.parametrize(
    ("method", "window"),
    [
        ("Standard Shipping", delivery_time.Window(3, 5)),
        ("Ground", delivery_time.Window(3, 7)),
        ("Priority Overnight", delivery_time.Window(1, 1)),
        ("USPS Priority Mail", delivery_time.Window(1, 1)),
        ("2-Day Air", delivery_time.Window(2, 2)),
        ("Free shipping", delivery_time.Window(5, 7)),
        ("Express", delivery_time.Window(1, 2)),
        ("By hand", None),
        ("", None),
        (None, None),
    ],
)
def test_each_shipping_method_has_its_delivery_window(method, window):
    assert delivery_time.window_of(method) == window


def test_the_day_of_the_order_and_the_weekend_do_not_count():
    friday, monday = date(2026, 11, 20), date(2026, 11, 23)
    assert delivery_time.business_days_after(friday, friday) == 0
    assert delivery_time.business_days_after(friday, monday) == 1
    assert delivery_time.remaining(
        delivery_time.Window(3, 5), friday, monday
    ) == delivery_time.Window(2, 4)


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(-10, 400))
def test_business_days_match_a_day_by_day_count(start, days):
    end = start + timedelta(days=days)
    by_hand = sum((start + timedelta(days=n)).weekday() < 5 for n in range(1, days + 1))
    assert delivery_time.business_days_after(start, end) == by_hand


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(0, 60), st.booleans())
def test_the_remaining_delivery_window_never_grows(ordered, days, preorder):
    window = delivery_time.Window(3, 5)
    lefts = [
        delivery_time.remaining(window, ordered, ordered + timedelta(days=n), is_preorder=preorder)
        for n in (days, days + 1)
    ]
    assert lefts[0].low >= lefts[1].low >= 0
    assert lefts[0].high >= lefts[1].high >= 0
    assert lefts[0].low <= lefts[0].high


def test_the_remaining_window_reads_well():
    assert delivery_time.human(delivery_time.Window(1, 1)) == "in 1 business day"
    assert delivery_time.human(delivery_time.Window(0, 2)) == "within 2 business days"
    assert delivery_time.human(delivery_time.Window(2, 4)) == "in 2 to 4 business days"
    assert delivery_time.human(delivery_time.Window(0, 1), "es") == "en un máximo de 1 día hábil"
