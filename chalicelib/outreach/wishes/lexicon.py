"""The words by which people say when and how they want messages, by language, from ``wishes.toml``.

Each known word or phrase becomes one part of a clause.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.tables import beside, read

FILE = beside(__file__, "wishes.toml")


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """The words of one language for times and channels; the head of ``wishes.toml`` explains each row."""

    fill: tuple[str, ...]
    standing: tuple[str, ...]
    contact: tuple[str, ...]
    we_write: tuple[str, ...]
    deny: tuple[str, ...]
    only: tuple[str, ...]
    prefer: tuple[str, ...]
    once: tuple[str, ...]
    others: tuple[str, ...]
    no_wish: tuple[str, ...]
    sms: tuple[str, ...]
    text: tuple[str, ...]
    text_me: tuple[str, ...]
    whatsapp: tuple[str, ...]
    whatsapp_me: tuple[str, ...]
    email: tuple[str, ...]
    email_me: tuple[str, ...]
    call: tuple[str, ...]
    call_me: tuple[str, ...]
    no_call: tuple[str, ...]
    any_time: tuple[str, ...]
    any_channel: tuple[str, ...]
    morning: tuple[str, ...]
    noon: tuple[str, ...]
    afternoon: tuple[str, ...]
    evening: tuple[str, ...]
    night: tuple[str, ...]
    weekdays: tuple[str, ...]
    weekend: tuple[str, ...]
    days: tuple[str, ...]
    one_day: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    until: tuple[str, ...]
    start: tuple[str, ...]
    to: tuple[str, ...]
    joins: tuple[str, ...]
    parts: tuple[str, ...]
    why: tuple[str, ...]
    am: tuple[str, ...]
    pm: tuple[str, ...]
    hour: tuple[str, ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WishFile:
    """The content of ``wishes.toml``: words for times and channels, by language."""

    languages: Mapping[str, LanguageWords]


@dataclass(frozen=True, slots=True)
class WishPart:
    """One word, phrase, time or punctuation mark of a recipient's message, with what it means for a wish.

    Attributes:
        kind: a row of the language's table (``evening``), ``time``, ``unknown``, or a mark:
            ``sentence``, ``clause``, ``asks``, ``end``.
        value: the position in the row, as of a weekday or number; of a ``time`` the minute of the
            day.
        is_fill: the phrase is also a filler: it is ignored where its kind makes no sense.
        how: of a ``time``: ``am``, ``pm``, ``clock``, or empty where nothing says which.
    """

    kind: str
    value: int = 0
    is_fill: bool = False
    how: str = ""


Lexicon = Mapping[tuple[str, ...], WishPart]
_TOKEN = re.compile(
    r"\d{1,2}[:.h]\d{2}(?!\d)|\d+|_to_|[^\W\d_]+|[,;:!?.()\n]|(?<=\s)[-\u2013\u2014](?=\s)"
)


def folded(text: str) -> str:
    """A text in lower case without accents, with plain apostrophes."""
    pieces = unicodedata.normalize("NFKD", text).casefold().replace("\u2019", "'")
    return "".join(piece for piece in pieces if not unicodedata.combining(piece))


def tokens(text: str) -> list[str]:
    """The words, numbers and marks of a text, in lower case without accents; "9-5" gives ``9 _to_ 5``."""
    low = re.sub(r"\b([ap])\.\s?m\.?(?!\w)", r"\1m", folded(text))
    low = re.sub(r"(?<=\d)[h:]?(?=[ap]m\b)", " ", low)
    return _TOKEN.findall(re.sub(r"(?<=\d)\s*[-\u2013]\s*(?=\d)", " _to_ ", low))


@cache
def lexicons() -> Mapping[str, Lexicon]:
    """For each language its phrases, as tuples of words, and what each phrase means."""
    file = read(FILE, WishFile)
    return {name: dict(_phrases(words)) for name, words in file.languages.items()}


def _phrases(table: LanguageWords) -> Iterator[tuple[tuple[str, ...], WishPart]]:
    fill = {tuple(tokens(phrase)) for row in table.fill for phrase in row.split("|")}
    for kind in LanguageWords.__slots__:
        for number, row in enumerate(getattr(table, kind)):
            for phrase in row.split("|"):
                found = tuple(tokens(phrase))
                yield found, WishPart(kind, number, is_fill=found in fill)
    yield ("_to_",), WishPart("to")
