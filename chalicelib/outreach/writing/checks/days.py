"""Days, dates, times and spans of time that a text names, in seven languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from chalicelib.outreach.writing.checks.text import (
    NUMBER,
    NUMBER_WORD,
    content,
    folded,
    sentences,
    value,
)
from chalicelib.outreach.writing.checks.written_language import spoken

_MONTHS = tuple(
    one.split("|")
    for one in (
        "january|enero|janvier|janeiro|januar|gennaio|januari|jan",
        "february|febrero|fevrier|fevereiro|februar|febbraio|februari|feb",
        "march|marzo|mars|marco|marz|maart|maerz",
        "april|abril|avril|aprile|apr|abr",
        "may|mayo|mai|maio|maggio|mei",
        "june|junio|juin|junho|juni|giugno|jun",
        "july|julio|juillet|julho|juli|luglio|jul",
        "august|agosto|aout|augustus|aug|ago",
        "september|septiembre|septembre|setembro|settembre|sept|sep",
        "october|octubre|octobre|outubro|oktober|ottobre|oct|okt",
        "november|noviembre|novembre|novembro|nov",
        "december|diciembre|decembre|dezembro|dezember|dicembre|dec|dic|dez",
    )
)
_WEEKDAYS = tuple(
    re.compile(rf"\b(?:{one})\b")
    for one in (
        r"mondays?|lunes|lundis?|segundas?-feiras?|montags?|lunedi|maandags?",
        r"tuesdays?|martes|mardis?|tercas?-feiras?|dienstags?|martedi|dinsdags?",
        r"wednesdays?|miercoles|mercredis?|quartas?-feiras?|mittwochs?|mercoledi|woensdags?",
        r"thursdays?|jueves|jeudis?|quintas?-feiras?|donnerstags?|giovedi|donderdags?",
        r"fridays?|viernes|vendredis?|sextas?-feiras?|freitags?|venerdi|vrijdags?",
        r"saturdays?|sabados?|samedis?|samstags?|sonnabends?|sabato|zaterdags?",
        r"sundays?|domingos?|dimanches?|sonntags?|domenica|zondags?",
    )
)
_WEEKEND = re.compile(r"\bweekends?\b|\bfin(?:es)? de semana\b|\bwochenend\w*|\bfim de semana\b")
_TO = r"\s*(?:-|\u2013|to|until|through|bis|a|al|as|au|ate|tot|hasta|and|y|e|et|und|en|or|o|ou|oder|of)\s*"
_ALL_MONTHS = {name: n for n, names in enumerate(_MONTHS, 1) for name in names}
_MONTH = "(?:" + "|".join(sorted(_ALL_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|er|[.\u00ba\u00aao])?\s*(?:of |de |di )?({_MONTH})"
)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\s*(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[:h])")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d))?")
_NUMERIC = re.compile(
    r"\b(\d{1,2})([./-])(\d{1,2})(?:\2(\d{2,4}))?(?![\d%.,/]\d|\d|\s*(?:%|euro|eur|uhr))"
)
_CLOCK = re.compile(
    r"(?<![$\u20ac\u00a3.,\d])\b(\d{1,2})\s?[:.h]\s?(\d\d)(?!\d|[.,]\d|\s*(?:%|euro|eur|dollars?))\s*(am|pm|a\.m|p\.m)?\b"
)
_HOUR = re.compile(
    r"\b(\d{1,2})\s*(am|pm|a\.m|p\.m|o'clock|uhr|h\b(?!\w)|uur|horas\b|heures\b|en punto)"
)
_AT = re.compile(
    r"\b(?:at|a las|a la|um|gegen|ab|a partir de|from|since|until|vers|as|alle|om|rond|around|by)"
    r"\s(\d{1,2})(?![\d.,:%]\d|\d|\s*(?:%|[$\u20ac\u00a3]))\b(?!\s*[a-z]*\s*(?:working|business|"
    r"days?|hours?|minut|weeks?|tag|dias|jour|%|euro|dollar)|\s+[\w.]+\s+(?:road|rd|street|st"
    r"|avenue|ave|lane|drive|way|square|place|court))"
)
_NOON = re.compile(
    r"\b(?:noon|midday|mediodia|mittags?|midi|meio-dia|mezzogiorno|middag)\b(?! pause|spause)"
)
_AT_WORD = re.compile(
    r"\b(?:at|by|before|after|a las|um|gegen|om|alle|as|vers)"
    rf" ({NUMBER_WORD})\b(?!\s*(?:of|point|time|end|least|last|[a-z]*tag|days?|hours?|minut|weeks?|dias?|jour))"
)
_HOURS = re.compile(rf"\b(\d{{1,2}})(?:[:.]00)?{_TO}(\d{{1,2}})\s*(?:uhr|h\b|uur|am|pm|horas)")
_ORDINAL = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)\b|\b(?:el|am|le|dia|il|de) (\d{1,2})\b(?![:.,]\d)"
)
_SPAN = re.compile(
    rf"\b({NUMBER}|{NUMBER_WORD}(?:[\s-]{NUMBER_WORD})*)"
    rf"(?:{_TO}({NUMBER}|{NUMBER_WORD}))?[\s-]*"
    r"(?:(?:working|business|full|more|werktage|calendar|further)\s+)?"
    r"(minut\w*|mins?\b|hours?\b|hrs?\b|horas?\b|heures?\b|stunden?\b|ore\b|uren\b|uur\b"
    r"|(?:werk|arbeits)?tag(?:e|en)?\b|days?\b|dias?\b|jours?\b|giorni?\b|(?:werk)?dag(?:en)?\b"
    r"|weeks?\b|semanas?\b|semaines?\b|wochen?\b|settiman[ae]\b|weken\b|week\b"
    r"|months?\b|mes(?:es)?\b|mois\b|monat(?:e|en)?\b|mesi?\b|maand(?:en)?\b"
    r"|years?\b|anos?\b|ans?\b|annees?\b|jahre?n?\b|anni\b|jaar\b|jaren\b)"
)
_UNITS = (
    ("minute", ("minut", "min")),
    ("hour", ("hour", "hr", "hora", "heure", "stunde", "ore", "uren", "uur")),
    ("week", ("week", "semana", "semaine", "woche", "settiman", "weken")),
    ("month", ("month", "mes", "mois", "monat", "maand")),
    ("year", ("year", "ano", "an", "jahr", "jaar", "jaren")),
    ("day", ("day", "dia", "jour", "tag", "werktag", "arbeitstag", "giorn", "dag", "werkdag")),
)
_SOME_MINUTES = 15
"""So many minutes are a manner of speaking: "a quick talk of five minutes"."""
_RELATIVE = {
    "tomorrow": r"\btomorrow\b|(?<!la )(?<!esta )(?<!de )\bmanana\b(?! por)|\bdemain\b|\bamanha\b"
    r"|(?<!guten )(?<!goede )(?<!am )(?<!heute )(?<!de )(?<!schonen )\bmorgen\b|\bdomani\b"
    r"|\bubermorgen\b|\bovermorgen\b|\bpasado manana\b",
    "tonight": r"\btonight\b|\besta noche\b|\bheute abend\b|\bce soir\b|\bhoje a noite\b|\bstasera\b"
    r"|\bvanavond\b",
    "next": r"\bnext (?:week|month|year)\b|\b(?:la semana|el mes) que viene\b|\bproxim[oa] (?:semana"
    r"|mes)\b"
    r"|\bnachste[nr]? (?:woche|monat|jahr)\b|\b(?:semaine|mois) prochaine?\b"
    r"|\b(?:settimana|mese) prossim[ao]\b|\bprossim[ao] (?:settimana|mese)\b"
    r"|\bvolgende (?:week|maand)\b",
    "today": r"\btoday\b|\bhoy\b|\bheute\b(?! morgen| abend)|\baujourd'hui\b|\bhoje\b(?! a noite)"
    r"|\boggi\b"
    r"|\bvandaag\b",
}
_RELATIVES = {name: re.compile(pattern) for name, pattern in _RELATIVE.items()}
_ACTS = re.compile(
    r"\b(?:will|'ll|arriv|deliver|ship|calls?\b|decid|get\b|receive|pays?\b|ready|llega|recib"
    r"|llam|komm"
    r"|erhalt|ruf|liefer|recevr|appel|chega|receb|ligar|arriva|ricev|chiam|komt|ontvang"
    r"|bel(?:t|len)\b)"
)
_GREETING = re.compile(
    r"have a|enjoy|how are you|thank|hope|wish|message|glad|buen dia|que tengas|schonen|danke"
    r"|merci|bonne"
    r"|obrigad|grazie|bedankt|fijne"
)


@dataclass(frozen=True, slots=True)
class Times:
    """What a text names of time.

    Attributes:
        dates: each mention as the (month, day) that it may mean.
        days: weekdays, Monday is 0.
        clocks: each mention as the minutes of the day that it may mean.
        spans: pairs of number and unit.
        words: of `_RELATIVE`.
        ordinals: days of a month that are named without it: "the 2nd".
    """

    dates: tuple[frozenset[tuple[int, int]], ...]
    days: frozenset[int]
    clocks: tuple[frozenset[int], ...]
    spans: frozenset[tuple[float, str]]
    words: frozenset[str]
    ordinals: frozenset[int]


def times(text: str, *, generous: bool = False, has_bare_hours: bool = True) -> Times:
    """The days, dates, times and spans of a text without addresses.

    Args:
        text: the text.
        generous: for what was given or said: a range names all its days, and a date its weekday.
        has_bare_hours: whether then a bare number up to 24 may be an hour.
    """
    low = folded(text)
    dates, days, clocks = [], set[int](), []
    for found in _ISO.finditer(low):
        year, month, day, hour, minute = found.groups()
        dates.append(frozenset({(int(month), int(day))}))
        if hour is not None:
            clocks.append(
                frozenset({int(hour) * 60 + int(minute), int(hour) % 12 * 60 + int(minute)})
            )
        if generous:
            days |= _weekday_of(int(year), int(month), int(day))
    low = _ISO.sub(" ", low)
    spans = frozenset(_spans(low))
    named = [(one[2], one[1]) for one in _DAY_MONTH.finditer(low)]
    named += [(one[1], one[2]) for one in _MONTH_DAY.finditer(low)]
    dates += [frozenset({(_ALL_MONTHS[name.rstrip(".")], int(day))}) for name, day in named]
    clocks += _clocks(low)
    if generous and has_bare_hours:
        hours = (int(one) for one in re.findall(r"(?<![\d.,])\d{1,2}(?![\d.,]\d|\d)", low))
        clocks += [frozenset({n * 60, n % 12 * 60, n % 12 * 60 + 720}) for n in hours if n <= 24]
    for found in _NUMERIC.finditer(_CLOCK.sub(" ", low)):
        one, other = int(found[1]), int(found[3])
        if found[2] == "." and not (found[4] or generous):
            continue  # "3.5" is a number
        either = {(one, other), (other, one)}
        kept = frozenset((m, d) for m, d in either if 1 <= m <= 12 and 1 <= d <= 31)
        if kept:
            dates.append(kept)
    days |= _days(low, generous=generous)
    words = frozenset(name for name, one in _RELATIVES.items() if one.search(low))
    ordinals = frozenset(int(one[0] or one[1]) for one in _ORDINAL.findall(low))
    return Times(tuple(dates), frozenset(days), tuple(clocks), spans, words, ordinals)


def unsupported(draft: str, case: str, said: str, rules: str, asked: str) -> bool:
    """Whether a draft names a day, date, time or span that nothing given or said names.

    Args:
        draft: the text, as the others without addresses.
        case: what was given of this case.
        said: what the recipient wrote.
        rules: what the company states in general; a line supports what is about the same thing.
        asked: the recipient's newest message.
    """
    known = [times(one, generous=True) for one in (case, said)]
    is_same_language = not spoken(rules) or bool(spoken(draft) & spoken(rules))
    lines = [(line, _subject(line)) for line in rules.splitlines()]
    subject = _subject(asked)
    before = frozenset[str]()
    for sentence in sentences(draft):
        own = _subject(sentence)
        related = [
            times(line, generous=True, has_bare_hours=False)
            for line, words in lines
            if not is_same_language or words & (own | subject | before) or _repeats(sentence, line)
        ]
        if _is_unsupported(sentence, [*known, *related]):
            return True
        before = own
    return False


def _repeats(sentence: str, line: str) -> bool:
    """Whether a sentence repeats a whole timetable: three or more days and times, all of one line."""
    own, its = times(sentence), times(line, generous=True, has_bare_hours=False)
    clocks = {one for options in its.clocks for one in options}
    is_part = own.days <= its.days and all(options & clocks for options in own.clocks)
    return is_part and len(own.days) + len(own.clocks) >= 3


def _subject(text: str) -> frozenset[str]:
    """The stems of a text's words that name no time."""
    low = without_times(text)
    for pattern in (*_WEEKDAYS, *_RELATIVES.values()):
        low = pattern.sub(" ", low)
    return content(low)


def _is_unsupported(sentence: str, given: Sequence[Times]) -> bool:
    said = times(sentence)
    dates = {one for its in given for options in its.dates for one in options}
    months = {month for month, _ in dates}
    dates |= {(month, day) for month in months for its in given for day in its.ordinals}
    clocks = {one for its in given for options in its.clocks for one in options}
    days = {one for its in given for one in its.days}
    spans = {one for its in given for one in its.spans}
    words = {one for its in given for one in its.words}
    return (
        any(not options & dates for options in said.dates)
        or any(not options & clocks for options in said.clocks)
        or bool(said.days - days)
        or any(one not in spans and not _is_short(one) for one in said.spans)
        or bool(said.words - words - {"today"})
        or ("today" in said.words - words and _is_announced(folded(sentence)))
    )


def _is_announced(low: str) -> bool:
    """Whether a sentence says that something happens, and is no question and no greeting."""
    is_greeting = _GREETING.search(low) or low.strip().endswith("?")
    return _ACTS.search(low) is not None and not is_greeting


def without_times(text: str, *, is_dotted: bool = False) -> str:
    """The folded text with a blank in place of each date, time and span.

    Args:
        text: the text.
        is_dotted: whether "12.50" is a time, which may be a price too.
    """
    low = folded(text)
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY, _SPAN, _HOURS, _HOUR, _AT):
        low = pattern.sub(" ", low)
    for pattern in (_CLOCK, _NUMERIC):
        low = pattern.sub(lambda one: one[0] if "." in one[0] and not is_dotted else " ", low)
    return low


def _is_short(span: tuple[float, str]) -> bool:
    return span[1] == "minute" and span[0] <= _SOME_MINUTES


def _weekday_of(year: int, month: int, day: int) -> set[int]:
    try:
        return {date(year, month, day).weekday()}
    except ValueError:
        return set()


def _days(low: str, *, generous: bool) -> set[int]:
    found = [(one.start(), n) for n, day in enumerate(_WEEKDAYS) for one in day.finditer(low)]
    named = {n for _, n in found}
    if generous:
        named |= {5, 6} if _WEEKEND.search(low) else set()
        found.sort()
        for (start, first), (end, last) in pairwise(found):
            between = re.sub(r"^\S+", "", low[start:end])
            if first < last and re.fullmatch(
                r"\s*(?:-|\u2013|to|through|till|until|a|al|bis|au|tot)\s*", between
            ):
                named |= set(range(first, last + 1))
    return named


def _clocks(low: str) -> Iterator[frozenset[int]]:
    for found in _CLOCK.finditer(low):
        hour, minute = int(found[1]), int(found[2])
        if hour <= 24 and minute < 60:
            yield _minutes(hour, minute, found[3])
    rest = _CLOCK.sub(" ", low)
    for found in _HOURS.finditer(rest):
        yield _minutes(int(found[1]), 0, None)
    for found in _HOUR.finditer(rest):
        yield _minutes(int(found[1]), 0, found[2])
    yield from (frozenset({720}) for _ in _NOON.finditer(rest))
    for found in _AT_WORD.finditer(rest):
        if 2 <= value(found[1]) <= 12:
            yield _minutes(int(value(found[1])), 0, None)
    for found in _AT.finditer(_HOUR.sub(" ", rest)):
        if int(found[1]) <= 24:
            yield _minutes(int(found[1]), 0, None)


def _minutes(hour: int, minute: int, half: str | None) -> frozenset[int]:
    if half in ("pm", "p.m"):
        return frozenset({(hour % 12 + 12) * 60 + minute})
    if half in ("am", "a.m"):
        return frozenset({hour % 12 * 60 + minute})
    later = {(hour + 12) * 60 + minute} if hour < 12 else {(hour - 12) * 60 + minute}
    return frozenset({hour * 60 + minute, *later})


def _spans(low: str) -> Iterator[tuple[float, str]]:
    for found in _SPAN.finditer(low):
        unit = next(name for name, stems in _UNITS if found[3].startswith(stems))
        for number in found.group(1, 2):
            if number is not None and (value(number) != 1 or number[0].isdigit()):
                yield value(number), unit
