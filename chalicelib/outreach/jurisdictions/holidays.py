"""Public holidays by rule: on a fixed date, or a number of days from Easter Sunday."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache


@dataclass(frozen=True, slots=True)
class HolidayTable:
    """The nationwide public holidays of a country; regional holidays are not known.

    Attributes:
        fixed: holidays by month and day: ``"12-25"``.
        easter: holidays as days from Easter Sunday of the western church; negative: before it.
    """

    fixed: tuple[str, ...] = ()
    easter: tuple[int, ...] = ()

    def has(self, day: date) -> bool:
        """Whether a day is a public holiday of the country."""
        if f"{day:%m-%d}" in self.fixed:
            return True
        return any(day == easter_sunday(day.year) + timedelta(days=days) for days in self.easter)


@cache
def easter_sunday(year: int) -> date:
    """Easter Sunday of a year of the Gregorian calendar (the computus of Meeus, Jones and Butcher)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    shift = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * shift) // 451
    month, day = divmod(h + shift - 7 * m + 114, 31)
    return date(year, month, day + 1)
