"""Whether an order is as old as its customer says."""

from __future__ import annotations

from datetime import date

import pytest

from chalicelib.support.orders.stated_age import is_as_old_as_said
from tests.rigs.each_row import each_row

TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("text", "day_of_order"),
    [
        ("It's been weeks!!", 14),
        ("I have been waiting 3 weeks", 10),
        ("Three weeks I've been waiting for this.", 15),
        ("ordered a month ago", 9),
        ("I placed this order on November 3rd", 14),
        ("I bought it on 18 November", 11),
        ("Lo pedí el 3 de noviembre", 14),
        ("Llevo dos semanas esperando", 16),
        ("hace más de un mes que espero", 9),
        ("I ordered in may 4", 12),
    ],
)
def test_an_order_that_is_younger_than_said_is_not_the_one(text: str, day_of_order: int) -> None:
    assert not is_as_old_as_said(text, date(2026, 11, day_of_order), TODAY)


@each_row(
    ("text", "day_of_order"),
    [
        ("It's been weeks", 10),
        ("been waiting two days", 1),
        ("waiting for over a week now", 14),
        ("I placed this order on November 3rd", 4),
        ("ordered on nov 3", 3),
        ("Lo pedí el 3 de noviembre", 3),
        ("hace una semana que espero", 14),
        ("Does it usually take 3 to 5 days?", 19),
        ("will it be here in two weeks", 19),
        ("I ordered on February 30", 19),
        ("hi i ordered a lamp last week", 18),
        ("where is my order", 19),
    ],
)
def test_an_order_that_may_be_as_old_is_the_one(text: str, day_of_order: int) -> None:
    assert is_as_old_as_said(text, date(2026, 11, day_of_order), TODAY)


def test_a_day_without_a_year_is_the_last_such_day() -> None:
    assert is_as_old_as_said("I ordered on December 28", date(2025, 12, 28), date(2026, 1, 4))
