"""When a legal rule's hours allow messages, by the clock of a time zone; pure.

Hours are written as ``"mon-fri 09:00-21:30"``; the end is excluded, and hours lie within one day.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_WRITTEN = re.compile(r"(\w{3})(?:-(\w{3}))? (\d\d:\d\d)-(\d\d:\d\d)")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_AHEAD = 21
"""Days that are searched for the next open time; more than any run of holidays and weekends."""


@dataclass(frozen=True, slots=True)
class OpenHours:
    """A span of local time on some weekdays (Monday is 0) in which messages are allowed."""

    days: frozenset[int]
    start: time
    end: time

    def has(self, local: datetime) -> bool:
        """Whether a local time lies within these hours."""
        return local.weekday() in self.days and self.start <= local.time() < self.end


def hours_of(written: Iterable[str]) -> tuple[OpenHours, ...]:
    """Parse the hours of a rule file, such as ``"mon-fri 09:00-21:30"``.

    Raises:
        ValueError: a text has another form.
    """
    return tuple(map(_hours, written))


def open_from(at: datetime, hours: tuple[OpenHours, ...], zone: ZoneInfo) -> datetime | None:
    """The first time from `at` on, in a time zone, that is within the allowed hours.

    None where there is none in three weeks.
    """
    local = at.astimezone(zone)
    if any(hour.has(local) for hour in hours):
        return at
    found = [
        opens
        for day in _from(local.date())
        for hour in hours
        if day.weekday() in hour.days
        and (opens := datetime.combine(day, hour.start, zone).astimezone(UTC)) > at
    ]
    return min(found, default=None)


def free_from(at: datetime, is_holiday: Callable[[date], bool], zone: ZoneInfo) -> datetime | None:
    """The first time from `at` on, in a time zone, that is on no public holiday.

    None where there is none in three weeks.
    """
    local = at.astimezone(zone)
    if not is_holiday(local.date()):
        return at
    free = (day for day in _from(local.date()) if not is_holiday(day))
    day = next(free, None)
    return None if day is None else datetime.combine(day, time(), zone).astimezone(UTC)


def _from(first: date) -> Iterable[date]:
    return (first + timedelta(days=n) for n in range(_AHEAD))


def _hours(written: str) -> OpenHours:
    found = _WRITTEN.fullmatch(written)
    if found is None:
        raise ValueError
    first, last, start, end = found.groups()
    begins, ends = _DAYS.index(first), _DAYS.index(last or first)
    made = OpenHours(
        frozenset(range(begins, ends + 1)), time.fromisoformat(start), time.fromisoformat(end)
    )
    if not made.days or made.start >= made.end:
        raise ValueError
    return made
