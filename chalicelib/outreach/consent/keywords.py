"""Keywords of STOP, START and HELP, which are whole messages, and a message in the shape to compare; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from chalicelib.outreach.consent import folding, wordings

_AGAIN = re.compile(r"\b(\w+)(?: \1)+\b")
_LENGTHENED = re.compile(r"(\w)\1+$")
"""A last letter that was held down: "STOPPP"."""
_SLIPPED = 9
"""Letters of a keyword that is also recognised with a slip: a shorter one is near another word."""
_SLIP = 0.88
"""How alike, as `difflib` counts."""


@dataclass(frozen=True, slots=True)
class KnownKeywords:
    """The keywords of all languages.

    Attributes:
        help: with their language, where it is not English.
        long: those of STOP that are recognised with a slip.
    """

    stop: frozenset[str]
    start: frozenset[str]
    yes: frozenset[str]
    help: Mapping[str, str | None]
    long: tuple[str, ...]
    courtesies: re.Pattern[str]


@cache
def known() -> KnownKeywords:
    """They, read for the first message, to keep cold starts short."""
    rows = wordings.listed()
    of = rows.keywords
    stop = frozenset(map(bare, wordings.every(of.stop)))
    said = sorted(map(bare, wordings.every(rows.courtesies)), key=len, reverse=True)
    unspaced = "|".join(
        bare(one) for name in wordings.UNSPACED for one in rows.courtesies.get(name, ())
    )
    return KnownKeywords(
        stop,
        frozenset(map(bare, wordings.every(of.start))),
        frozenset(map(bare, wordings.every(of.yes))),
        {
            bare(one): None if name == "en" else name
            for name, them in of.help.items()
            for one in them
        },
        tuple(one for one in stop if len(one) >= _SLIPPED and one.isascii()),
        re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, said))})(?!\S)|{unspaced}"),
    )


def is_keyword(said: str) -> bool:
    """A keyword of STOP, also a long one with a slip in it."""
    every = known()
    if said in every.stop or _LENGTHENED.sub(r"\1", said) in every.stop:
        return True
    words = said.split()
    if len(words) > 1 and all(one in every.stop for one in words):
        return True
    if len(said) < _SLIPPED or said in every.start:
        return False
    near = [one for one in every.long if one[:2] == said[:2]]  # "subscribe" is no "unsubscribe"
    return bool(get_close_matches(said, near, 1, _SLIP))


def plain_text(text: str) -> str:
    """Lower case without accents, marks, emoji and courtesies; a word repeated is one."""
    words = bare(text)
    kept = " ".join(known().courtesies.sub(" ", words).split())
    return _AGAIN.sub(r"\1", kept or words)


def bare(text: str) -> str:
    """Lower case without accents, marks and emoji; short forms spelled out."""
    return folding.bare(text, wordings.listed().spellings)
