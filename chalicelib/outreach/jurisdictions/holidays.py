"""Public holidays of a year by rule: on a fixed day, or so many days from Easter Sunday."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache


@dataclass(frozen=True, slots=True)
class HolidayTable:
    """The nationwide holidays of a country; holidays of a part of it are not known.

    Attributes:
        fixed: month and day: ``"12-25"``.
        easter: days from Easter Sunday of the western church.
    """

    fixed: tuple[str, ...] = ()
    easter: tuple[int, ...] = ()

    def has(self, day: date) -> bool:
        """Whether a day is one."""
        if f"{day:%m-%d}" in self.fixed:
            return True
        return any(day == easter_sunday(day.year) + timedelta(days=one) for one in self.easter)


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
