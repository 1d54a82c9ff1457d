"""The languages of our fixed texts, those texts, and the language of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from chalicelib.outreach.conversations.records import Record
from chalicelib.tables import Rows, beside, read


class Language(StrEnum):
    """A language of the fixed texts, by its two letters."""

    EN = "en"
    ES = "es"
    FR = "fr"
    PT = "pt"
    DE = "de"
    IT = "it"
    NL = "nl"


ByLanguage = Mapping[Language, str]


@dataclass(frozen=True, slots=True)
class FixedTexts:
    """The fixed texts of ``texts.toml``; that file says when each is used."""

    opt_out_line: ByLanguage
    machine_line: ByLanguage
    frequency_line: ByLanguage
    rates_line: ByLanguage
    stop_confirmation: ByLanguage
    marketing_stopped: ByLanguage
    help_answer: ByLanguage
    contact: ByLanguage
    person_will_answer: ByLanguage
    question: ByLanguage
    acknowledgement: ByLanguage
    unsubscribe_line: ByLanguage
    page_title: ByLanguage
    page_open: ByLanguage
    page_in_doubt: ByLanguage
    page_stopped: ByLanguage
    page_stopped_otherwise: ByLanguage
    page_stop: ByLanguage
    page_resume: ByLanguage
    page_hours: ByLanguage
    page_channels: ByLanguage
    page_refused: ByLanguage
    page_call: ByLanguage
    page_days: ByLanguage
    page_when: ByLanguage
    page_how: ByLanguage
    page_unchanged: ByLanguage
    page_any: ByLanguage
    page_morning: ByLanguage
    page_afternoon: ByLanguage
    page_evening: ByLanguage
    page_save: ByLanguage


FILE = beside(__file__, "texts.toml")


def fixed_text(name: str) -> ByLanguage:
    """A fixed text in every language, by its name in `FixedTexts`; read at its first use."""
    return Rows(lambda: getattr(_file(), name))


def language_of(record: Record) -> Language:
    """The language of the fixed texts in a conversation, as its record states it; else English."""
    given = str(record.item.get("language") or "")
    return Language(given) if given in set(Language) else Language.EN


@cache
def _file() -> FixedTexts:
    return read(FILE, FixedTexts)
