"""Messages that are a keyword of STOP, START or HELP, and the form in which they are compared; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from chalicelib.outreach.consent import folding, wordings

_AGAIN = re.compile(r"\b(\w+)(?: \1)+\b")
_LENGTHENED = re.compile(r"(\w)\1+$")
"""A last letter that is repeated: "STOPPP"."""
_SLIPPED = 9
"""From this many letters on a keyword also counts with a typing error; shorter ones resemble other words."""
_SLIP = 0.88
"""Minimum similarity of a keyword with a typing error, as `difflib` counts it."""


@dataclass(frozen=True, slots=True)
class FoldedKeywords:
    """The keywords for STOP, START, yes and HELP in all languages, folded as messages are for comparison.

    Attributes:
        help: the keywords of HELP with their language; None for English.
        long: the keywords of STOP that count also with a typing error.
        courtesies: words such as "please" that a keyword may have beside it.
    """

    stop: frozenset[str]
    start: frozenset[str]
    yes: frozenset[str]
    help: Mapping[str, str | None]
    long: tuple[str, ...]
    courtesies: re.Pattern[str]


@cache
def all_keywords() -> FoldedKeywords:
    """The keywords for STOP, START, yes and HELP; read at the first message, to keep cold starts short."""
    rows = wordings.all_wordings()
    of = rows.keywords
    stop = frozenset(map(bare_message, wordings.all_languages(of.stop)))
    said = sorted(map(bare_message, wordings.all_languages(rows.courtesies)), key=len, reverse=True)
    unspaced = "|".join(
        bare_message(courtesy)
        for name in wordings.UNSPACED
        for courtesy in rows.courtesies.get(name, ())
    )
    return FoldedKeywords(
        stop,
        frozenset(map(bare_message, wordings.all_languages(of.start))),
        frozenset(map(bare_message, wordings.all_languages(of.yes))),
        {
            bare_message(word): None if name == "en" else name
            for name, them in of.help.items()
            for word in them
        },
        tuple(word for word in stop if len(word) >= _SLIPPED and word.isascii()),
        re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, said))})(?!\S)|{unspaced}"),
    )


def is_keyword(said: str) -> bool:
    """Whether a folded message consists only of words for STOP, one or several.

    Letters may be repeated, and a long word may have a typing error.
    """
    every = all_keywords()
    if said in every.stop or _LENGTHENED.sub(r"\1", said) in every.stop:
        return True
    words = said.split()
    if len(words) > 1 and all(word in every.stop for word in words):
        return True
    if len(said) < _SLIPPED or said in every.start:
        return False
    near = [
        keyword for keyword in every.long if keyword[:2] == said[:2]
    ]  # "subscribe" is no "unsubscribe"
    return bool(get_close_matches(said, near, 1, _SLIP))


def plain_text(text: str) -> str:
    """A message folded by `bare_message`, without courtesies such as "please"; a repeated word is kept once.

    Courtesies stay where the message has nothing else.
    """
    words = bare_message(text)
    kept = " ".join(all_keywords().courtesies.sub(" ", words).split())
    return _AGAIN.sub(r"\1", kept or words)


def bare_message(text: str) -> str:
    """A message folded for comparison: lower case, without accents, punctuation or emoji.

    Abbreviations of text messages are written out (`ur` as `your`).
    """
    return folding.bare_words(text, wordings.all_wordings().spellings)
