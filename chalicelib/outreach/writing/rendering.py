"""Writes the value of a field where a draft names the field's path: ``{{project_data.deposit}}``; pure.

A sum, a date and a time are written in the draft's language and the company's time zone; other
values as they were given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache

from chalicelib.outreach.writing.sources import Source, Sources
from chalicelib.outreach.writing.values import ValueKind
from chalicelib.tables import beside, read

FILE = beside(__file__, "rendering.toml")
_PLACE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")
_ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class LanguageForm:
    """How one language writes sums and dates, as in ``rendering.toml``."""

    months: tuple[str, ...]
    date: str
    thousands: str
    decimal: str
    sum: str


@dataclass(frozen=True, slots=True)
class RenderingFile:
    """The content of ``rendering.toml``: forms by language, signs by currency."""

    language: Mapping[str, LanguageForm]
    sign: Mapping[str, str]


@cache
def _file() -> RenderingFile:
    return read(FILE, RenderingFile)


def rendered(text: str, sources: Sources, language: str) -> str:
    """A draft's text with each field path (``{{project_data.deposit}}``) replaced by the field's value.

    A path that no supporting source has is left as it is.

    Args:
        text: the draft's text.
        sources: the sources of the draft.
        language: the draft's language; English forms where the file has none for it.
    """
    form = _file().language.get(language, _file().language[_ENGLISH])

    def value_of(found: re.Match[str]) -> str:
        source = sources.at(found[1])
        return _written(source, form) if source is not None and source.supports else found[0]

    return _PLACE.sub(value_of, text)


def _written(source: Source, form: LanguageForm) -> str:
    text = source.text.strip()
    kinds = {said.value.kind: said.value for said in source.values}
    money = kinds.get(ValueKind.MONEY)
    if money is not None and len(text.split()) <= 2:
        (found, *_) = money.readings
        if isinstance(found, tuple):
            return _sum(Decimal(str(found[0])), str(found[1]), form)
    if re.fullmatch(r"\d{4}-\d\d-\d\d(?:[T ].*)?", text):
        return _moment(source, form)
    return text


def _sum(amount: Decimal, currency: str, form: LanguageForm) -> str:
    places = 0 if amount == amount.to_integral_value() else 2
    plain = f"{amount:,.{places}f}"
    marks = {",": form.thousands, ".": form.decimal}
    written = "".join(marks.get(character, character) for character in plain)
    sign = _file().sign.get(currency, currency)
    return form.sum.format(amount=written, sign=sign).strip()


def _moment(source: Source, form: LanguageForm) -> str:
    """The date of a field, with its time where it has one, in a language's form and the company's zone."""
    text = source.text.strip()
    at = datetime.fromisoformat(text)
    if at.tzinfo is not None and source.zones:
        at = at.astimezone(source.zones[0])
    month = form.months[at.month - 1]
    day = form.date.format(day=at.day, month=month, year=at.year)
    return f"{day}, {at:%H:%M}" if len(text) > len("2026-01-01") else day
