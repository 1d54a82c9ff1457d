"""The shop's calendar: which days are business days, and on which day an order counts as placed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

SATURDAY, SUNDAY = 5, 6


@dataclass(frozen=True, slots=True)
class Calendar:
    """When the shop works.

    Attributes:
        zone: of its dates and its cut-off hour.
        weekend: days of the week that are no business days; Monday is 0.
        holidays: further days that are no business days.
        cut_off: an order from this time of day on counts as placed on the next day.
    """

    zone: tzinfo = UTC
    weekend: frozenset[int] = frozenset({SATURDAY, SUNDAY})
    holidays: frozenset[date] = frozenset()
    cut_off: time | None = None

    def date_of(self, moment: datetime) -> date:
        """The shop's date at a moment."""
        return moment.astimezone(self.zone).date()

    def placed_on(self, moment: datetime) -> date:
        """The day on which an order of that moment counts as placed."""
        local = moment.astimezone(self.zone)
        is_late = self.cut_off is not None and local.time() >= self.cut_off
        return local.date() + timedelta(days=1 if is_late else 0)

    def is_business_day(self, day: date) -> bool:
        """Neither weekend nor holiday."""
        return day.weekday() not in self.weekend and day not in self.holidays

    def business_days_after(self, start: date, end: date) -> int:
        """Business days after `start`, up to and including `end`; 0 when `end` is not later."""
        days = (end - start).days
        if days <= 0:
            return 0
        weeks, rest = divmod(days, 7)
        first = weeks * 7 + 1
        extra = sum(
            (start + timedelta(days=number)).weekday() not in self.weekend
            for number in range(first, first + rest)
        )
        lost = sum(
            start < day <= end and day.weekday() not in self.weekend for day in self.holidays
        )
        return weeks * (7 - len(self.weekend)) + extra - lost


USUAL = Calendar()
"""Monday to Friday, no holidays, UTC."""
