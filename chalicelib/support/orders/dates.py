"""A date as people write it, in the languages of replies."""

from __future__ import annotations

import calendar
from datetime import date

_SPANISH = {
    1: "enero",
    2: "febrero",
    3: "marzo",
    4: "abril",
    5: "mayo",
    6: "junio",
    7: "julio",
    8: "agosto",
    9: "septiembre",
    10: "octubre",
    11: "noviembre",
    12: "diciembre",
}


def date_in_words(day: date, today: date, language: str = "en") -> str:
    """A date in words, ``November 3`` or ``3 de noviembre``; with the year if it is not this year's."""
    is_this_year = day.year == today.year
    if language == "es":
        text = f"{day.day} de {_SPANISH[day.month]}"
        return text if is_this_year else f"{text} de {day.year}"
    text = f"{calendar.month_name[day.month]} {day.day}"
    return text if is_this_year else f"{text}, {day.year}"
