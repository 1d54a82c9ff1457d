"""Public holidays by rule."""

from datetime import date

import pytest

from chalicelib.outreach.jurisdictions.holidays import HolidayTable, easter_sunday
from chalicelib.outreach.jurisdictions.rulebook import jurisdictions


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [(1961, 4, 2), (2000, 4, 23), (2008, 3, 23), (2025, 4, 20), (2026, 4, 5), (2038, 4, 25)],
)
def test_easter_is_where_the_calendar_has_it(year, month, day):
    assert easter_sunday(year) == date(year, month, day)


def test_a_holiday_is_fixed_or_so_many_days_from_easter():
    table = HolidayTable(fixed=("12-25",), easter=(-2, 39))
    assert table.has(date(2026, 12, 25))
    assert table.has(date(2026, 4, 3))
    assert table.has(date(2026, 5, 14))
    assert not table.has(date(2026, 4, 5))


@pytest.mark.parametrize(("region", "count"), [("fr", 11), ("es", 10), ("br", 10)])
def test_a_country_has_its_nationwide_holidays(region, count):
    """As their laws count them: 11 in France; Spain's 9 fixed ones and Good Friday; Brazil's 10."""
    (table,) = [
        jurisdiction.file.holidays for jurisdiction in jurisdictions() if jurisdiction.id == region
    ]
    days = {
        date.fromordinal(n)
        for n in range(date(2026, 1, 1).toordinal(), date(2027, 1, 1).toordinal())
    }
    assert sum(map(table.has, days)) == count
