"""Whether an order is as old as its customer says; pure.

"It has been weeks", about an order that is four days old, means another order or another matter.
What the shop shows would be true, but would not answer the question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from chalicelib.once.keys import normalised
from chalicelib.support.intents.own_words import MAX_INPUT_CHARACTERS, own_part

TOLERANCE = timedelta(days=3)
"""Ages that differ by no more count as equal: people round, and do not count the day itself."""


def is_as_old_as_said(text: str, ordered: date, today: date) -> bool:
    """Whether an order can be the one that a message means, by the age or the day that the message states.

    A stated day of ordering must be within `TOLERANCE` of the order's day.  A stated wait may not be
    much longer than the order's age.  It may be shorter: a customer who has waited three days may
    have ordered long before.  True where the message states neither.

    Args:
        text: the message.
        ordered: the day of the order.
        today: today's date in the shop's time zone, like `ordered`.
    """
    plain = normalised(own_part(text[:MAX_INPUT_CHARACTERS]))
    said = "".join(
        letter for letter in unicodedata.normalize("NFD", plain) if not _is_accent(letter)
    )
    age = today - ordered
    waits = all(wait - age <= max(TOLERANCE, wait / 2) for wait in _waits(said))
    return waits and all(abs(day - ordered) <= TOLERANCE for day in _days(said, today))


def _is_accent(character: str) -> bool:
    return unicodedata.combining(character) > 0


def _waits(said: str) -> Iterator[timedelta]:
    """Every length of time for which the customer claims to have waited."""
    for found in (*_WAITED.finditer(said), *_AGO.finditer(said)):
        unit, number = found["unit"], found["number"]
        at_least = 2 if unit.endswith("s") else 1
        count = int(number) if (number or "").isdecimal() else _NUMBERS.get(number or "", at_least)
        yield _UNITS[unit] * count


def _days(said: str, today: date) -> Iterator[date]:
    """Every day on which the customer claims to have ordered, as the latest such date that has passed."""
    for found in _ORDERED_ON.finditer(said):
        month = _MONTHS[(found["month"] or found["mes"])[:3]]
        past = (_date(year, month, int(found["day"] or found["dia"])) for year in _years(today))
        yield from [day for day in past if day is not None and day <= today][:1]


def _years(today: date) -> tuple[int, int]:
    return today.year, today.year - 1


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "un", "una"), 1),
    **dict.fromkeys(("two", "a couple of", "couple of", "dos", "un par de"), 2),
    **dict.fromkeys(("three", "a few", "several", "tres", "varios", "varias", "unas", "unos"), 3),
    **dict.fromkeys(("four", "cuatro"), 4),
    **dict.fromkeys(("five", "cinco"), 5),
    **dict.fromkeys(("six", "seis"), 6),
    **dict.fromkeys(("seven", "siete"), 7),
    **dict.fromkeys(("eight", "ocho"), 8),
    **dict.fromkeys(("nine", "nueve"), 9),
    **dict.fromkeys(("ten", "diez"), 10),
}
_UNITS = {
    **dict.fromkeys(("day", "days", "dia", "dias"), timedelta(days=1)),
    **dict.fromkeys(("week", "weeks", "wk", "wks", "semana", "semanas"), timedelta(days=7)),
    **dict.fromkeys(("fortnight", "quincena"), timedelta(days=14)),
    **dict.fromkeys(("month", "months", "mes", "meses"), timedelta(days=30)),
}
_ENGLISH = "january|february|march|april|may|june|july|august|september|october|november|december"
_SPANISH = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_MONTHS = {
    name[:3]: number
    for names in (_ENGLISH, _SPANISH)
    for number, name in enumerate(names.split("|"), 1)
}
_SPAN = (
    rf"(?:(?P<number>\d{{1,2}}|{_any_of(_NUMBERS)})\s+)?"
    rf"(?:(?:business|working|full|whole|good|long)\s+)?(?P<unit>{_any_of(_UNITS)})\b"
)
_WAITED = re.compile(
    r"\b(?:been|waiting|waited|for|hace|llevo|llevamos|desde|esperando)\s+"
    rf"(?:(?:over|about|around|almost|nearly|like|now|the|last|past|more|than|at|least|ya|hace|mas|de|casi)\s+)*"
    rf"{_SPAN}"
)
_AGO = re.compile(
    rf"\b{_SPAN}\s+"
    r"(?:ago|back|already|now|atras|esperando|ya|que|of waiting|waiting"
    r"|(?:i|we)\W?(?:ve|have)? (?:been|waited))\b"
)
_MONTH = rf"(?:{_ENGLISH}|{_SPANISH}|{_any_of(_MONTHS)}|sept)"
_ORDERED_ON = re.compile(
    r"\b(?:ordered|bought|purchased|placed|made|compre|pedi|ordene|hice|encargue)\b[^.?!\n]{0,30}?\b"
    rf"(?:(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|(?P<dia>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?P<mes>{_MONTH})\b)"
)
