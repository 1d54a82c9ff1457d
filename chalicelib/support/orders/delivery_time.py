"""When an order will arrive: windows of business days by shipping method.

The day of the order does not count; what is a business day, and when the shop's day ends, is the
shop's calendar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

PREORDER_DAYS = 45
"""A pre-order ships this many days after it was placed."""
_PRIORITY_DAYS = 2


@dataclass(frozen=True, slots=True)
class Window:
    """Earliest and latest arrival, in business days after shipping starts."""

    low: int
    high: int

    @property
    def bucket(self) -> str:
        """The name a customer reads."""
        return "Priority" if self.high <= _PRIORITY_DAYS else "Standard"


WINDOWS: tuple[tuple[str, Window], ...] = (
    (r"overnight|next[ -]?day|one[ -]?day|1[ -]?day", Window(1, 1)),
    (r"two[ -]?day|2(?:nd)?[ -]?day", Window(2, 2)),
    (r"express|rush", Window(1, 2)),
    (r"expedited", Window(2, 3)),
    (r"priority", Window(1, 1)),
    (r"ground", Window(3, 7)),
    (r"standard", Window(3, 5)),
    (r"economy|free|postal|post|mail", Window(5, 7)),
)
"""The first match wins: patterns that name days come before those that name a class."""


UNKNOWN_METHOD = Window(0, 10)
"""For an order with tracking whose method has no window: afterwards it counts as late."""


@dataclass(frozen=True, slots=True)
class DeliveryCalendar:
    """The shop's days.

    Attributes:
        zone: IANA name of the shop's time zone.
        cut_off_hour: an order placed at or after this hour, 0 to 23, counts for the next business
            day; None where the day of the order counts until midnight.
        weekend: days without work, Monday is 0.
        holidays: further days without work.
        windows: patterns of shipping methods in lower case with their windows; the first wins.
        preorder_days: a pre-order ships this many days after it was placed.
    """

    zone: str = "UTC"
    cut_off_hour: int | None = None
    weekend: frozenset[int] = frozenset({5, 6})
    holidays: frozenset[date] = frozenset()
    windows: tuple[tuple[str, Window], ...] = WINDOWS
    preorder_days: int = PREORDER_DAYS

    def is_business_day(self, day: date) -> bool:
        """Whether parcels move on a day."""
        return day.weekday() not in self.weekend and day not in self.holidays

    def today(self, now: datetime) -> date:
        """The shop's date."""
        return now.astimezone(ZoneInfo(self.zone)).date()

    def day_of_order(self, placed: datetime) -> date:
        """The day an order counts for: its own, or the next business day after the cut-off."""
        local = placed.astimezone(ZoneInfo(self.zone))
        day = local.date()
        if self.cut_off_hour is None or local.hour < self.cut_off_hour:
            return day
        return next(
            (
                one
                for n in range(1, _LONGEST_BREAK_DAYS)
                if self.is_business_day(one := day + n * _DAY)
            ),
            day,
        )


DEFAULT_CALENDAR = DeliveryCalendar()
_DAY = timedelta(days=1)
_LONGEST_BREAK_DAYS = 60
_LONGEST_COUNT_DAYS = 1000
"""Beyond it every window is over; counting further would only take time."""


def window_of(
    shipping_method: str | None, calendar: DeliveryCalendar = DEFAULT_CALENDAR
) -> Window | None:
    """The window of a shop's shipping method, or None for an unknown method."""
    method = (shipping_method or "").lower()
    return next(
        (window for words, window in calendar.windows if re.search(rf"\b(?:{words})\b", method)),
        None,
    )


def business_days_after(
    start: date, end: date, calendar: DeliveryCalendar = DEFAULT_CALENDAR
) -> int:
    """Business days after `start`, up to and including `end`; 0 when `end` is not later."""
    days = min((end - start).days, _LONGEST_COUNT_DAYS)
    return sum(calendar.is_business_day(start + n * _DAY) for n in range(1, days + 1))


def remaining(
    window: Window,
    ordered: date,
    today: date,
    *,
    is_preorder: bool = False,
    calendar: DeliveryCalendar = DEFAULT_CALENDAR,
) -> Window:
    """The rest of a window; 0 to 0 on its last day and ever after."""
    ships = ordered + timedelta(days=calendar.preorder_days) if is_preorder else ordered
    until_shipping = business_days_after(today, ships, calendar)
    elapsed = business_days_after(ships, today, calendar)
    return Window(
        until_shipping + max(0, window.low - elapsed),
        until_shipping + max(0, window.high - elapsed),
    )


def human(left: Window, language: Literal["en", "es"] = "en") -> str:
    """The rest of a window that is not over, in words that follow "should arrive"."""
    spanish = language == "es"
    if left.low in (0, left.high):
        days = left.high
        if spanish:
            word = "día hábil" if days == 1 else "días hábiles"
            return f"en {'un máximo de ' if left.low == 0 else ''}{days} {word}"
        word = "business day" if days == 1 else "business days"
        return f"{'within' if left.low == 0 else 'in'} {days} {word}"
    if spanish:
        return f"en {left.low} a {left.high} días hábiles"
    return f"in {left.low} to {left.high} business days"
