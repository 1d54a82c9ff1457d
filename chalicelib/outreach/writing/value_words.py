"""The words of ``values.toml``, compiled: months, weekdays, relative days, spans, currencies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from chalicelib.tables import beside, read

FILE = beside(__file__, "values.toml")


@dataclass(frozen=True, slots=True)
class RelativeRow:
    """Words for a day such as "tomorrow", and the day's distance from today in days."""

    days: int
    words: tuple[str, ...]
    unless_after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PeriodRow:
    """Words for a week, weekend, month or year ("next week"), and how many of them ahead it is."""

    unit: str
    ahead: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitRow:
    """Words for a unit of time, such as days."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CurrencyRow:
    """The code of a currency, with the signs and words for it."""

    code: str
    signs: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PercentRow:
    """Words for a percentage; `half` holds words for "half the price"."""

    words: tuple[str, ...]
    half: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValueFile:
    """The content of ``values.toml``: words for months, days, spans, currencies and percentages."""

    months: Mapping[str, tuple[str, ...]]
    weekdays: Mapping[str, tuple[str, ...]]
    relative: tuple[RelativeRow, ...]
    period: tuple[PeriodRow, ...]
    unit: tuple[UnitRow, ...]
    currency: tuple[CurrencyRow, ...]
    percent: PercentRow


def one_of(words: Iterable[str]) -> str:
    """A pattern that matches any of the given patterns, the longest first."""
    return "(?:" + "|".join(sorted(set(words), key=len, reverse=True)) + ")"


class ValueWords:
    """The words of ``values.toml`` as patterns, to be matched against folded text."""

    @cached_property
    def file(self) -> ValueFile:
        """The content of ``values.toml``, read at first use."""
        return read(FILE, ValueFile)

    @cached_property
    def months(self) -> Mapping[str, int]:
        """The number of a month, 1 to 12, by each of its names."""
        return {
            name: number
            for names in self.file.months.values()
            for number, forms in enumerate(names, 1)
            for name in forms.split("|")
        }

    @cached_property
    def weekdays(self) -> tuple[re.Pattern[str], ...]:
        """A pattern for each day of the week, Monday first."""
        by_day = zip(*self.file.weekdays.values(), strict=True)
        return tuple(re.compile(rf"\b(?:{'|'.join(forms)})\b") for forms in by_day)

    @cached_property
    def relative(self) -> tuple[tuple[int, re.Pattern[str]], ...]:
        """For each relative day ("tomorrow") its distance from today in days, and a pattern of its words."""
        found = []
        for row in self.file.relative:
            before = "".join(rf"(?<!\b{re.escape(word)} )" for word in row.unless_after)
            words = one_of(map(re.escape, row.words))
            found.append((row.days, re.compile(rf"{before}\b{words}\b(?! por la)")))
        return tuple(found)

    @cached_property
    def periods(self) -> tuple[tuple[str, int, re.Pattern[str]], ...]:
        """For each named period ("next week") its unit, how many ahead it is, and a pattern of its words."""
        return tuple(
            (row.unit, row.ahead, re.compile(rf"\b{one_of(row.words)}\b"))
            for row in self.file.period
        )

    @cached_property
    def units(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """For each unit of time its name, and a pattern of its words."""
        return tuple((row.name, re.compile(one_of(row.words))) for row in self.file.unit)

    @cached_property
    def unit(self) -> str:
        """A pattern for the words of any unit of time."""
        return one_of(word for row in self.file.unit for word in row.words)

    @cached_property
    def currencies(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """For each currency its code, and a pattern of its signs and words."""
        return tuple(
            (row.code, re.compile(one_of([*map(re.escape, row.signs), *row.words])))
            for row in self.file.currency
        )

    @cached_property
    def currency(self) -> str:
        """A pattern for any sign or word of a currency."""
        signs = [re.escape(sign) for row in self.file.currency for sign in row.signs]
        words = [word for row in self.file.currency for word in row.words]
        return rf"(?:{one_of(signs)}|(?<![a-z]){one_of(words)}(?![a-z]))"

    @cached_property
    def percent(self) -> str:
        """A pattern for "percent" in any language."""
        return rf"(?:{one_of(self.file.percent.words)})(?![a-z])"

    @cached_property
    def half(self) -> re.Pattern[str]:
        """A pattern for "half the price" in any language."""
        return re.compile(rf"\b{one_of(self.file.percent.half)}\b")


WORDS = ValueWords()
