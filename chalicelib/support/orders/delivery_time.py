"""When an order will arrive: windows of business days by shipping method.

Business days are Monday to Friday; the day of the order does not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

PREORDER_DAYS = 45
"""A pre-order ships this many days after it was placed."""
_SATURDAY = 5
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


def window_of(shipping_method: str | None) -> Window | None:
    """The window of a shop's shipping method, or None for an unknown method."""
    method = (shipping_method or "").lower()
    return next(
        (window for words, window in WINDOWS if re.search(rf"\b(?:{words})\b", method)), None
    )


def business_days_after(start: date, end: date) -> int:
    """Business days after `start`, up to and including `end`; 0 when `end` is not later."""
    days = (end - start).days
    if days <= 0:
        return 0
    weeks, rest = divmod(days, 7)
    extra = sum(
        (start + timedelta(days=weeks * 7 + n)).weekday() < _SATURDAY for n in range(1, rest + 1)
    )
    return weeks * 5 + extra


def remaining(window: Window, ordered: date, today: date, *, is_preorder: bool = False) -> Window:
    """The rest of a window; 0 to 0 when it is over."""
    ships = ordered + timedelta(days=PREORDER_DAYS) if is_preorder else ordered
    until_shipping = business_days_after(today, ships)
    elapsed = business_days_after(ships, today)
    return Window(
        until_shipping + max(0, window.low - elapsed),
        until_shipping + max(0, window.high - elapsed),
    )


def human(left: Window, language: Literal["en", "es"] = "en") -> str:
    """The rest of a window, in words that follow "should arrive"."""
    spanish = language == "es"
    if left.high == 0:
        return "en cualquier momento" if spanish else "any day now"
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
