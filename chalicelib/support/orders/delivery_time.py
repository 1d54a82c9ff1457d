"""How long orders take: the shop's business days, and its windows by country and shipping method.

Windows count from dispatch, without the day of dispatch.  The shop's calendar says which days are
business days, and when the shop's day ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from chalicelib.support.orders.order_rules import WindowRow, order_rules

_PRIORITY_DAYS = 2


@dataclass(frozen=True, slots=True)
class Window:
    """How long a shipping method takes: its shortest and longest time, in business days after dispatch."""

    low: int
    high: int

    @property
    def bucket(self) -> str:
        """The name under which a reply shows the window to a customer: ``Priority`` or ``Standard``."""
        return "Priority" if self.high <= _PRIORITY_DAYS else "Standard"

    def in_words(self, language: Literal["en", "es"]) -> str:
        """The window in words: ``3 to 5 business days``."""
        days = (
            str(self.high) if self.low == self.high else f"{self.low} {_TO[language]} {self.high}"
        )
        return f"{days} {words_for_business_days(self.high, language)}"


def words_for_business_days(number: int, language: Literal["en", "es"]) -> str:
    """The words for business days that follow a number in a reply, e.g. ``business days``."""
    singular, plural = _DAYS[language]
    return singular if number == 1 else plural


_TO = {"en": "to", "es": "a"}
_DAYS = {"en": ("business day", "business days"), "es": ("día hábil", "días hábiles")}


@dataclass(frozen=True, slots=True)
class DeliveryCalendar:
    """The shop's business days and delivery windows.

    Attributes:
        zone: IANA name of the shop's time zone.
        cut_off_hour: an order placed at or after this hour, 0 to 23, counts for the next business
            day; None where a day counts until midnight.
        weekend: days of the week without work; Monday is 0.
        holidays: further days without work.
        own_windows: the shop's delivery windows, which replace the built-in ones; the first that
            fits is used.
        own_home: countries where windows that name no country apply; they replace the built-in one.
        own_handling_days: business days until an order leaves the shop; replaces the built-in
            number.
        preorder_days: days after which a pre-order ships; None where the shop does not say, so that
            no pre-order is answered.
    """

    zone: str = "UTC"
    cut_off_hour: int | None = None
    weekend: frozenset[int] = frozenset({5, 6})
    holidays: frozenset[date] = frozenset()
    own_windows: tuple[WindowRow, ...] = ()
    own_home: frozenset[str] = frozenset()
    own_handling_days: int | None = None
    preorder_days: int | None = None

    @property
    def home_countries(self) -> frozenset[str]:
        """The countries where delivery windows that name no country apply."""
        return self.own_home or frozenset({order_rules().times.home})

    @property
    def handling_days(self) -> int:
        """The business days until an order leaves the shop."""
        own = self.own_handling_days
        return order_rules().times.handling_days if own is None else own

    def is_business_day(self, day: date) -> bool:
        """Whether a day is a business day of the shop."""
        return day.weekday() not in self.weekend and day not in self.holidays

    def today(self, now: datetime) -> date:
        """The date in the shop's time zone at the time `now`."""
        return now.astimezone(ZoneInfo(self.zone)).date()

    def day_of_order(self, placed: datetime) -> date:
        """The day from which an order's handling is counted: the day on which the order was placed.

        At or after the cut-off hour it is the next business day.
        """
        local = placed.astimezone(ZoneInfo(self.zone))
        day = local.date()
        if self.cut_off_hour is None or local.hour < self.cut_off_hour:
            return day
        return next(
            (
                following
                for n in range(1, _LONGEST_BREAK_DAYS)
                if self.is_business_day(following := day + n * _DAY)
            ),
            day,
        )

    def window_of(self, shipping_method: str | None, country: str) -> Window | None:
        """The delivery window of a shipping method to a country; None where none is known."""
        method = (shipping_method or "").lower()
        for row in self.own_windows or order_rules().windows:
            holds = country in (row.countries or self.home_countries)
            if holds and re.search(rf"\b(?:{row.methods})\b", method):
                return Window(row.low, row.high)
        return None

    def business_days_after(self, start: date, end: date) -> int:
        """How many business days lie after `start`, up to and including `end`; 0 when `end` is not later."""
        days = min((end - start).days, _LONGEST_COUNT_DAYS)
        return sum(self.is_business_day(start + n * _DAY) for n in range(1, days + 1))


DEFAULT_CALENDAR = DeliveryCalendar()
_DAY = timedelta(days=1)
_LONGEST_BREAK_DAYS = 60
_LONGEST_COUNT_DAYS = 1000
"""After so many days every window is over, so counting stops."""
