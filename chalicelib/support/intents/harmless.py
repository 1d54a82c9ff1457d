"""Hides harmless phrases that look grave, such as "glue gun", from the search for grave matters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from chalicelib.ready import ready
from chalicelib.support.intents.phrases import SURE, Phrases
from chalicelib.tables import beside, read

HIDDEN = "_"
"""Replaces a hidden word: no phrase contains it, and the words around it do not become neighbours."""
FILE = beside(__file__, "harmless.toml")


@dataclass(frozen=True, slots=True)
class HarmlessRows:
    """All rows of ``harmless.toml``: phrases that look grave and are not, by language."""

    english: tuple[str, ...]
    spanish: tuple[str, ...]
    other_languages: tuple[str, ...]


def hide_harmless(words: Sequence[str]) -> list[str]:
    """The words of a message, with `HIDDEN` in place of the words of a harmless phrase such as "glue gun"."""
    found = list(words)
    for (_, _, number), start, end in _phrases().spans(words):
        for at in range(start, end):
            if words[at] in _words()[number - 1]:
                found[at] = HIDDEN
    return found


def without_titles(text: str) -> str:
    """The text without quoted titles of games, books and the like, as a title may sound grave."""
    return _TITLE.sub(r"\1", text)


@cache
def rows() -> tuple[str, ...]:
    """The harmless phrases of all languages."""
    known = read(FILE, HarmlessRows)
    return (*known.english, *known.spanish, *known.other_languages)


@ready
def _phrases() -> Phrases:
    return Phrases((row, "harmless", SURE) for row in rows())


@ready
def _words() -> tuple[frozenset[str], ...]:
    """For each harmless phrase, the words in it."""
    return tuple(frozenset(re.findall(r"<\w+>|[a-z0-9]+", row)) for row in rows())


_TITLE = re.compile(
    r"\b((?:game|book|movie|film|novel|series|song|album|puzzle|poster|shirt|mug|play|musical|comic|print"
    r"|juego|libro|pel[i\u00ed]cula|serie|novela|canci[o\u00f3]n|disco|taza|camiseta|playera|rompecabezas)s?"
    r"(?:\s\w+){0,2}\s)[\"\u201c\u00ab][^\"\u201d\u00bb.!?]{1,50}[\"\u201d\u00bb]",
    re.IGNORECASE,
)
