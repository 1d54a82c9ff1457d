"""The values of a text, each with its position: sums, percentages, dates, times, spans, numbers, codes.

Links, e-mail addresses and phone numbers are blanked out here; `checks.contact_details` finds them.
A value can mean several things ("3/4", "at 5"): it holds every reading, and two values agree where
they share one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from chalicelib.outreach.writing.checks.contact_details import blanked
from chalicelib.outreach.writing.checks.text import NUMBER, NUMBER_WORD, Folded, value
from chalicelib.outreach.writing.moments import found_times
from chalicelib.outreach.writing.value_words import WORDS


class ValueKind(StrEnum):
    """The kind of a value in a text: a sum, a date, a code and so on."""

    MONEY = "money"
    PERCENT = "percent"
    DATE = "date"
    TIME = "time"
    SPAN = "span"
    NUMBER = "number"
    CODE = "code"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text, with its position and what it can mean.

    Attributes:
        kind: what it is.
        start, end: its position in the folded text.
        readings: what it can mean: of money `(amount, currency)`, of a percentage or a number its
            amount, of a time the minutes since midnight, of a span `(number, unit)`, of a code its
            lower-case form, of a date a `moments.Day`.
    """

    kind: ValueKind
    start: int
    end: int
    readings: frozenset[object] = field(repr=False)


_AMOUNT = rf"(?:{NUMBER}k?|{NUMBER_WORD}(?:[\s-]{NUMBER_WORD})*)"
_CODE = re.compile(r"(?<![\w/@.])#?(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[^\W_][\w-]{3,}(?![\w/@])")
_CODE_WORD = re.compile(
    r"(?i:\b(?:code|coupon|voucher|codigo|c\u00f3digo|cup\u00f3n|cupon|gutscheincode|rabattcode|kode|codice"
    r"|cupom)\b[\s:\"'\u201c\u201e\u00ab]{1,4})([A-Z0-9][A-Z0-9-]{3,})\b"
)
_NO_CODE = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|am|pm|h|k|er|e|o|a|min|mins|kg|km|cm|m|g|ml|l|x\d{1,4})|\d{1,2}h\d\d"
    r"|24-7|covid-19|\d{1,3}-[a-z]+|[a-z]+-\d{1,2}|\d{4}-\d\d-\d\dt\d\d|mp[34]|b2b|b2c|h1b"
)
_BARE = re.compile(rf"(?<![\w.,:/]){NUMBER}(?![\w%])")


def values(text: str, *, is_source: bool = False) -> list[Value]:
    """The values of a text (sums, dates, numbers, codes), in the order of the text.

    Args:
        text: as it is written.
        is_source: the text is a source's, no draft's.  Then a range of days names all of them, a bare
            number can be an hour, and small numbers count.
    """
    folded = Folded(blanked(text))
    rest, found = folded.text, list[Value]()

    def take(kind: ValueKind, start: int, end: int, *readings: object) -> None:
        nonlocal rest
        found.append(Value(kind, start, end, frozenset(readings)))
        rest = rest[:start] + " " * (end - start) + rest[end:]

    for start, end, amount in list(_money(rest)):
        take(ValueKind.MONEY, start, end, amount)
    for start, end, share in list(_percentages(rest)):
        take(ValueKind.PERCENT, start, end, share)
    for time in found_times(rest, is_source=is_source):
        take(ValueKind(time.kind), time.start, time.end, *time.readings)
    for start, end, code in list(_codes(folded, rest)):
        take(ValueKind.CODE, start, end, code)
    for hit in list(_BARE.finditer(rest)):
        number = value(hit.group())
        is_always = rest[max(hit.start() - 3, 0) : hit.end() + 3].strip() == "24/7"
        if not is_always:
            take(ValueKind.NUMBER, hit.start(), hit.end(), number)
    for hit in list(re.finditer(rf"\b{NUMBER_WORD}\b", rest)):
        if value(hit.group()) > 1:
            take(ValueKind.NUMBER, hit.start(), hit.end(), value(hit.group()))
    return sorted(found, key=lambda found_value: found_value.start)


def _money(text: str) -> Iterator[tuple[int, int, tuple[float, str]]]:
    before = rf"(?P<sign>{WORDS.currency})\s?(?P<n>{NUMBER}k?)(?:\s?(?:usd|eur|gbp)\b)?"
    after = rf"\b(?P<n>{_AMOUNT})\s*(?P<sign>{WORDS.currency})"
    parts = "hundert|tausend|zig|cientos|mila|cento|hundred|thousand|duizend|honderd"
    compound = rf"\b(?P<n>[a-z]+(?:{parts})[a-z]*)\s*(?P<sign>{WORDS.currency})"
    thousands = rf"(?<![\w.,])(?P<n>{NUMBER}k)\b(?P<sign>)"
    taken = set[int]()
    for pattern in (before, after, thousands, compound):
        for hit in re.finditer(pattern, text):
            if taken.isdisjoint(range(*hit.span())):
                taken |= set(range(*hit.span()))
                yield *hit.span(), (_amount(hit["n"]), _currency(hit["sign"]))


def _amount(text: str) -> float:
    return value(text.rstrip("k") if text[0].isdigit() else text) * (
        1000 if text[0].isdigit() and text.endswith("k") else 1
    )


def _currency(sign: str) -> str:
    return next((code for code, form in WORDS.currencies if form.fullmatch(sign)), "")


def _percentages(text: str) -> Iterator[tuple[int, int, float]]:
    for hit in re.finditer(rf"\b(?P<n>{_AMOUNT})\s*{WORDS.percent}", text):
        yield *hit.span(), _amount(hit["n"])
    for hit in WORDS.half.finditer(text):
        yield *hit.span(), -50.0


def _codes(folded: Folded, rest: str) -> Iterator[tuple[int, int, str]]:
    taken = set[int]()
    for hit in _CODE.finditer(rest):
        code = hit.group().lstrip("#").strip("-_")
        if not _NO_CODE.fullmatch(code):
            taken.add(hit.end())
            yield *hit.span(), code
    for hit in _CODE_WORD.finditer(folded.original):
        start, end = folded.index(hit.start(1)), folded.index(hit.end(1))
        if end not in taken and rest[start:end].strip():
            yield start, end, hit[1].casefold()
