"""The words of each intent, in English and Spanish: the rows of ``words.toml``.

The file says how a phrase is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.tables import Rows, beside, read


@dataclass(frozen=True, slots=True)
class Words:
    """The phrases of one intent, by how surely they name it."""

    sure: tuple[str, ...]
    likely: tuple[str, ...] = ()
    hint: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordsOfIntents:
    """All rows of ``words.toml``, the phrases of intents.

    Attributes:
        sets: the words of each named set.
        typos: the word meant by each misspelling.
        shorthand: the word meant by each shortened form in a sentence.
    """

    sets: Mapping[str, tuple[str, ...]]
    intents: Mapping[str, Words]
    typos: Mapping[str, str]
    shorthand: Mapping[str, str]


FILE = beside(__file__, "words.toml")


@cache
def _file() -> WordsOfIntents:
    return read(FILE, WordsOfIntents)


SETS: Mapping[str, str] = Rows(lambda: joined_sets(_file().sets))
TABLES: Mapping[str, Words] = Rows(lambda: _file().intents)
SHORTHAND: Mapping[str, str] = Rows(lambda: _file().shorthand)
TYPOS: Mapping[str, str] = Rows(lambda: _file().typos)
"""Misspellings that are not a dropped, doubled or swapped letter (see `spelling`)."""


def joined_sets(sets: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
    """For each named set of words: its words joined by ``|``, as phrases write alternatives."""
    return {name: "|".join(lines) for name, lines in sets.items()}
