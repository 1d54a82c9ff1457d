"""Finds the days, times of day and spans that a text names, in the languages of ``values.toml``; pure.

A `Day` holds what the text says of a day, which may be a weekday alone.  `LocalClock` knows what
today is: it says whether such a day can be a given date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from chalicelib.outreach.writing.checks.text import NUMBER, NUMBER_WORD, value
from chalicelib.outreach.writing.value_words import WORDS

WEEK = 7
_TO = r"\s*(?:-|\u2013|to|until|through|till|bis|a|al|as|au|ate|tot|hasta|and"
_TO += r"|y|e|et|und|en|or|o|ou|oder|of)\s*"
_ISO = re.compile(
    r"\b(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(z|[+-]\d\d:?\d\d)?)?"
)
_NUMERIC = re.compile(
    r"\b(\d{1,2})([./-])(\d{1,2})(?:\2(\d{2,4})|\.(?!\d))?(?![\d%.,/]\d|\d|\s*(?:%|euro|eur|uhr|\u20ac))"
)
_CLOCK = re.compile(
    r"(?<![$\u20ac\u00a3.,\d])\b(\d{1,2})\s?[:.h]\s?(\d\d)(?!\d|[.,]\d|\s*(?:%|euro|eur|dollars?))"
    r"(?:\s*(am|pm|a\.m|p\.m)\b\.?|\s*(?:uhr|h|uur|horas)\b)?"
)
_HOUR = re.compile(
    r"\b(\d{1,2})\s*(am\b|pm\b|a\.m\.?|p\.m\.?|o'clock|uhr|h\b(?!\w)|uur|horas\b|heures\b|en punto)"
)
_AT = re.compile(
    r"\b(?:at|a las|a la|um|gegen|ab|a partir de|from|since|until|till|vers|as|alle|om|rond|around|by)"
    r"\s(\d{1,2})(?![\d.,:%]\d|\d|\s*(?:%|[$\u20ac\u00a3]))\b(?!\s*[a-z]*\s*(?:working|business|"
    r"days?|hours?|minut|weeks?|tag|dias|jour|%|euro|dollar|people\b|guests\b)|(?:st|nd|rd|th)\b|\s+[\w.]+\s+(?:road|rd"
    r"|street|st|avenue|ave|lane|drive|way|square|place|court))"
)
_NOON = re.compile(
    r"\b(?:noon|midday|mediodia|mittags?|midi|meio-dia|mezzogiorno|middag)\b(?! pause|spause)"
)
_AT_WORD = re.compile(
    r"\b(?:at|by|before|after|a las|um|gegen|om|alle|as|vers)"
    rf" (?:(half|halb|quarter past|quarter to) )?({NUMBER_WORD})\b"
    r"(?!\s*(?:of|point|time|end|least|last|[a-z]*tag|days?|hours?|minut|weeks?|dias?|jour))"
)
_HALF = re.compile(rf"\b(half past|half|halb) ({NUMBER_WORD})\b(?!\s*(?:of|hour|price))")
_HOURS = re.compile(
    rf"(?<![\d.:])\b(\d{{1,2}})(?:[:.](\d\d))?\s*(am|pm)?{_TO}(\d{{1,2}})(?:[:.](\d\d))?"
    r"\s*(uhr\b|h\b|uur\b|am\b|pm\b|horas\b)"
)
_ORDINAL = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)\b|\b(?:el|am|le|dia|il) (\d{1,2})\b(?![:.,]\d|\s*(?:%|euro|uhr|h\b))"
)
_DAYTIME = re.compile(
    r"\b(\d{1,2})(?:[:.](\d\d))?\s*(?:uhr )?(?:(de la manana|da manha|du matin|di mattina"
    r"|del mattino|morgens|fruh|vormittags|'s ochtends|in the morning)"
    r"|(?:de la tarde|de la noche|da tarde|da noite|de l'apres-midi|du soir|di sera|del pomeriggio|nachmittags|abends|'s avonds|'s middags|in the (?:evening|afternoon)|at night))"
)
_ONE_MORE = (
    r"\b(?:in|within|another|only|still|nog|over|binnen|noch|innerhalb|encore|dans|dentro de|falta|daqui a|ancora"
    r"|tra|fra|entro)\s(?:a|an|one|eine?[rmn]?|una?|uma?|une|een)\s"
)
_WEEKEND = re.compile(r"\bweekends?\b|\bfin(?:es)? de semana\b|\bwochenend\w*|\bfim de semana\b")
_RANGE = re.compile(r"\s*(?:-|\u2013|to|through|till|until|a|al|bis|au|tot)\s*")


@dataclass(frozen=True, slots=True)
class Day:
    """What a text says of one day, e.g. "tomorrow" or "Friday"; parts not named are None or empty.

    Attributes:
        weekdays: Monday is 0; several where a range names them.
        days: distance from today, for "tomorrow" and the like.
        period: ``week``, ``weekend``, ``month`` or ``year``, and how many of them ahead it is.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekdays: frozenset[int] = frozenset()
    days: int | None = None
    period: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A day, a time of day or a span that a text names, with its position in the text.

    Attributes:
        kind: the value of a `values.ValueKind`.
        start, end: position in the folded text.
        readings: what it can mean, as in `values.Value`.
    """

    kind: str
    start: int
    end: int
    readings: frozenset[object]


@dataclass(frozen=True, slots=True)
class LocalClock:
    """The time now, in the recipient's time zone and in the company's.

    Attributes:
        now: an aware datetime.
        recipient, place: the recipient's and the company's zone; equal where one is not known.
    """

    now: datetime
    recipient: ZoneInfo
    place: ZoneInfo

    @property
    def today(self) -> date:
        """The date today in the recipient's zone."""
        return self.now.astimezone(self.recipient).date()

    @property
    def dates_today(self) -> tuple[date, ...]:
        """The date today in the recipient's zone and in the company's."""
        return self.today, self.now.astimezone(self.place).date()

    def may_be(self, said: Day, given: date) -> bool:
        """Whether a day that a draft names ("tomorrow", "Friday the 4th") can be a given date."""
        if said.days is not None and given != self.today + timedelta(said.days):
            return False
        if said.period is not None and not self._is_in(said.period, given):
            return False
        if said.weekdays and given.weekday() not in said.weekdays:
            return False
        if said.day is not None:
            is_month = said.month in (None, given.month)
            return said.day == given.day and is_month and said.year in (None, given.year)
        ahead = (given - self.today).days
        is_named = said.days is not None or said.period is not None
        return is_named or (bool(said.weekdays) and -1 <= ahead <= WEEK)

    def _is_in(self, period: tuple[str, int], given: date) -> bool:
        unit, ahead = period
        monday = self.today - timedelta(self.today.weekday())
        if unit == "week":
            start = monday + timedelta(WEEK * ahead)
            return start <= given < start + timedelta(WEEK)
        if unit == "weekend":
            return given in (monday + timedelta(5), monday + timedelta(6))
        if unit == "month":
            months = self.today.year * 12 + self.today.month - 1 + ahead
            return given.year * 12 + given.month - 1 == months
        return given.year == self.today.year + ahead

    def weekday_of(self, said: Day) -> frozenset[int]:
        """The weekdays that a day named by a draft can be; empty where they cannot be known."""
        if said.days is not None:
            return frozenset({(self.today + timedelta(said.days)).weekday()})
        if said.period == ("weekend", 0):
            return frozenset({5, 6})
        if said.day is None:
            return said.weekdays
        if said.month is None:
            return frozenset()
        exact = date_of(said) or date_of(replace(said, year=self.today.year))
        is_own = exact is not None and (not said.weekdays or exact.weekday() in said.weekdays)
        return frozenset({exact.weekday()}) if exact is not None and is_own else frozenset()

    def is_past(self, given: date) -> bool:
        """Whether a date is over in both time zones."""
        return given < min(self.dates_today)


def date_of(day: Day) -> date | None:
    """The date of a `Day` whose year, month and day are named; None if one is missing or no such date is."""
    if day.year is None or day.month is None or day.day is None:
        return None
    try:
        return date(day.year, day.month, day.day)
    except ValueError:
        return None


def found_times(text: str, *, is_source: bool = False) -> list[FoundTime]:
    """Every day, time of day and span of a folded text from which addresses were removed.

    Args:
        text: the text.
        is_source: the text is a source's, no draft's; then ranges of weekdays, weekends and bare
            hours count too.
    """
    rest, found = text, list[FoundTime]()

    def take(kind: str, hit: tuple[int, int], *readings: object) -> None:
        nonlocal rest
        found.append(FoundTime(kind, *hit, frozenset(readings)))
        rest = rest[: hit[0]] + " " * (hit[1] - hit[0]) + rest[hit[1] :]

    for iso in list(_ISO.finditer(rest)):
        end = iso.end() if iso[4] is None else iso.start(4)
        take("date", (iso.start(), end), Day(int(iso[1]), int(iso[2]), int(iso[3])))
        if iso[4] is not None:
            minutes = _minutes(int(iso[4]), int(iso[5]), "exact")
            take("time", (iso.start(4), iso.end()), *minutes)
    for start, end, spans in list(_spans(rest)):
        take("span", (start, end), *spans)
    for start, end, readings in list(_dates(rest)):
        take("date", (start, end), *readings)
    for start, end, minutes in list(_clocks(rest)):
        take("time", (start, end), *minutes)
    for numeric in list(_NUMERIC.finditer(rest)):
        if kept := _numeric(numeric, is_source=is_source):
            take("date", numeric.span(), *kept)
    for start, end, day in list(_days(rest, is_source=is_source)):
        take("date", (start, end), day)
    for ordinal in list(_ORDINAL.finditer(rest)):
        take("date", ordinal.span(), Day(day=int(ordinal[1] or ordinal[2])))
    found += _bare_hours(rest) if is_source else ()
    return list(_joined(sorted(found, key=lambda moment: (moment.start, moment.end)), text))


def _bare_hours(text: str) -> Iterator[FoundTime]:
    """Bare numbers up to 24 in a text, as times of day that they may mean.

    The end of each is its start, so that the same digits are found as a number too.
    """
    for bare in re.finditer(r"(?<![\w.,])(?<![a-z]-)\d{1,2}(?![\d.,]\d|\w)", text):
        if int(bare.group()) <= 24:
            minutes = _minutes(int(bare.group()), 0, None)
            yield FoundTime("time", bare.start(), bare.start(), minutes)


def _joined(found: list[FoundTime], text: str) -> Iterator[FoundTime]:
    """The times found in a text; a weekday and a date side by side are one: "Thursday, 26 November"."""
    waiting: FoundTime | None = None
    for time in found:
        if (
            waiting is not None
            and time.kind == "date"
            and _BESIDE.fullmatch(text[waiting.end : time.start])
        ):
            merged = _merged(waiting.readings, time.readings)
            waiting = FoundTime("date", waiting.start, time.end, merged) if merged else waiting
            if merged:
                continue
        if waiting is not None:
            yield waiting
        waiting = time if time.kind == "date" else None
        if waiting is None:
            yield time
    if waiting is not None:
        yield waiting


_BESIDE = re.compile(r"[\s,.(]{1,3}(?:the |den |dem |el |le |il |dia |dia |de )?")


def _merged(first: frozenset[object], second: frozenset[object]) -> frozenset[object]:
    """The days that two descriptions side by side mean together: "Friday next week, 11 December".

    Empty where each pair names the same part of a day twice.
    """
    found = set[object]()
    for reading in first:
        for other in second:
            if (
                isinstance(reading, Day)
                and isinstance(other, Day)
                and _fit_together(reading, other)
            ):
                exact, loose = (reading, other) if reading.day is not None else (other, reading)
                found.add(
                    Day(
                        exact.year,
                        exact.month,
                        exact.day,
                        reading.weekdays | other.weekdays,
                        loose.days if exact.days is None else exact.days,
                        loose.period or exact.period,
                    )
                )
    return frozenset(found)


def _fit_together(first: Day, second: Day) -> bool:
    """Whether two readings can be one day: they name no part of it twice."""
    both = ((first.day, second.day), (first.days, second.days), (first.period, second.period))
    is_open = all(None in pair for pair in both) and not (first.weekdays and second.weekdays)
    return is_open and max(len(first.weekdays), len(second.weekdays)) <= 1


def _dates(text: str) -> Iterator[tuple[int, int, tuple[Day, ...]]]:
    month = rf"(?P<m>{'|'.join(sorted(WORDS.months, key=len, reverse=True))})\b\.?"
    years = r"(?:,?\s*(?:de |del )?(?P<y>20\d\d)\b)?"
    day_month = (
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|[.\u00ba\u00aao])?\s*(?:of |de |di )?{month}{years}"
    )
    month_day = (
        rf"\b{month}\s*(?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[:h]|\s*(?:am|pm)\b){years}"
    )
    taken = set[int]()
    for pattern in (day_month, month_day):
        for hit in re.finditer(pattern, text):
            if 1 <= int(hit["d"]) <= 31 and taken.isdisjoint(range(*hit.span())):
                taken |= set(range(*hit.span()))
                number = WORDS.months[hit["m"]]
                year = int(hit["y"]) if hit["y"] else None
                yield *hit.span(), (Day(year, number, int(hit["d"])),)


def _numeric(hit: re.Match[str], *, is_source: bool) -> list[Day]:
    first, second, year = int(hit[1]), int(hit[3]), hit[4]
    if hit[2] == "." and not (year or is_source or hit.group().endswith(".")):
        return []  # "3.5" is a number
    if hit[2] == "-" and not year:
        return []
    whole = int(year) + (2000 if len(year) == 2 else 0) if year else None
    either = {(first, second), (second, first)}
    return [Day(whole, m, d) for m, d in either if 1 <= m <= 12 and 1 <= d <= 31]


def _days(text: str, *, is_source: bool) -> Iterator[tuple[int, int, Day]]:
    """The relative days ("tomorrow"), periods ("next week") and weekdays of a text, with positions."""
    taken = set[int]()
    named = [
        (hit, Day(period=(unit, n)))
        for unit, n, pattern in WORDS.periods
        for hit in pattern.finditer(text)
    ]
    named += [
        (hit, Day(days=n)) for n, pattern in WORDS.relative[::-1] for hit in pattern.finditer(text)
    ]
    for hit, day in sorted(named, key=lambda found_day: -len(found_day[0].group())):
        if taken.isdisjoint(range(*hit.span())):
            taken |= set(range(*hit.span()))
            yield *hit.span(), day
    found = sorted(
        (hit.start(), hit.end(), n)
        for n, pattern in enumerate(WORDS.weekdays)
        for hit in pattern.finditer(text)
        if taken.isdisjoint(range(*hit.span()))
    )
    spans = [{first} for _, _, first in found]
    for place, ((_, end, first), (start, _, last)) in enumerate(pairwise(found)):
        if is_source and first < last and _RANGE.fullmatch(text[end:start]):
            spans[place] = spans[place + 1] = set(range(first, last + 1))
    for (start, end, _), names in zip(found, spans, strict=True):
        yield start, end, Day(weekdays=frozenset(names))
    if is_source:
        for hit in _WEEKEND.finditer(text):
            yield *hit.span(), Day(weekdays=frozenset({5, 6}))


def _clocks(text: str) -> Iterator[tuple[int, int, frozenset[object]]]:
    rest = text
    for pattern in (_DAYTIME, _HOURS, _CLOCK, _HOUR, _NOON, _HALF, _AT_WORD, _AT):
        for hit in pattern.finditer(rest):
            yield from ((*hit.span(), reading) for reading in _readings(pattern, hit) if reading)
        rest = pattern.sub(lambda hit: " " * len(hit.group()), rest)


def _readings(pattern: re.Pattern[str], hit: re.Match[str]) -> list[frozenset[object]]:
    """The minutes of the day that a matched time of day can mean, as one set.

    Of a range of hours, there is a set for each of its ends.
    """
    if pattern is _HOURS:
        last = hit[6] if hit[6] in ("am", "pm") else None
        first = _minutes(int(hit[1]), int(hit[2] or 0), hit[3])
        return [first, _minutes(int(hit[4]), int(hit[5] or 0), last)]
    return [_reading(pattern, hit)]


def _reading(pattern: re.Pattern[str], hit: re.Match[str]) -> frozenset[object]:
    if pattern is _NOON:
        return frozenset({720})
    if pattern in (_HALF, _AT_WORD):
        hour, word = int(value(hit[2])), hit[1] or ""
        shift = {"half past": 30, "half": 30, "halb": -30, "quarter past": 15, "quarter to": -15}
        if not 1 <= hour <= 12 or (hour == 1 and not word):
            return frozenset()
        minutes = hour * 60 + shift.get(word, 0)
        return frozenset({minutes % 1440, (minutes + 720) % 1440})
    hour = int(hit[1])
    if pattern is _DAYTIME:
        return (
            _minutes(hour, int(hit[2] or 0), "am" if hit[3] else "pm")
            if hour <= 12
            else frozenset()
        )
    minute = int(hit[2]) if pattern is _CLOCK else 0
    half = hit[3] if pattern is _CLOCK else hit[2] if pattern is _HOUR else None
    if hour > 24 or minute > 59:
        return frozenset()
    return _minutes(hour, minute, half)


def _minutes(hour: int, minute: int, half: str | None) -> frozenset[object]:
    if half == "exact":
        return frozenset({hour * 60 + minute})
    if half and half.startswith("p"):
        return frozenset({(hour % 12 + 12) * 60 + minute})
    if half and half.startswith("a"):
        return frozenset({hour % 12 * 60 + minute})
    later = {(hour + 12) * 60 + minute} if 1 <= hour < 12 else set()
    return frozenset({hour * 60 + minute, *later})


def _spans(text: str) -> Iterator[tuple[int, int, list[tuple[float, str]]]]:
    several = r"(?:(?:working|business|full|more|werktage|calendar|further|short)\s+)?"
    pattern = (
        rf"(?<!\d[:.])\b({NUMBER}|{NUMBER_WORD}(?:[\s-]{NUMBER_WORD})*)(?:{_TO}({NUMBER}|{NUMBER_WORD}))?"
        rf"[\s-]*{several}({WORDS.unit})\b"
    )
    for hit in re.finditer(pattern, text):
        unit = next(name for name, words in WORDS.units if words.fullmatch(hit[3]))
        numbers = [number for number in hit.group(1, 2) if number]
        for number in numbers:
            if value(number) != 1 or number[0].isdigit():
                yield *hit.span(), [(value(number), unit)]
    for hit in re.finditer(rf"{_ONE_MORE}(?P<unit>{WORDS.unit})\b", text):
        unit = next(name for name, words in WORDS.units if words.fullmatch(hit["unit"]))
        yield hit.start("unit"), hit.end(), [(1.0, unit)]
