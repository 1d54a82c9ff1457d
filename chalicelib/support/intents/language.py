"""The language of a message, by its commonest words (``language.toml``) or its script; pure.

Twelve languages by words, more by script.  A message too short to tell is ``unknown``, which is
treated like English: the tables decide whether they understand it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from chalicelib.tables import beside, read

Language = str
"""An ISO 639-1 code, or ``unknown``."""
UNDERSTOOD = frozenset({"en", "es", "unknown"})
"""Languages whose messages the tables read."""
_ENOUGH = 2
"""Number of common words from which a language other than English or Spanish is recognised."""
_ENOUGH_LETTERS = 3


FILE = beside(__file__, "language.toml")


@dataclass(frozen=True, slots=True)
class CommonWords:
    """The content of ``language.toml``: by language its commonest words, with spaces between."""

    words: Mapping[Language, str]


@cache
def _common() -> Mapping[Language, frozenset[str]]:
    """The commonest words of each language."""
    return {name: frozenset(row.split()) for name, row in read(FILE, CommonWords).words.items()}


def language_of(words: Sequence[str], text: str = "") -> Language:
    """The language of a message: the one whose common words the message has most of, or of its script.

    It is ``unknown`` where it has no common word, on a tie, and where only one common word speaks
    for a language other than English and Spanish.

    Args:
        words: as `own_words.words_of` gives them.
        text: the message itself, for scripts other than the Latin one.
    """
    for language, script in _SCRIPTS:
        if len(script.findall(text[:500])) >= _ENOUGH_LETTERS:
            return language
    counts = {name: sum(word in common for word in words) for name, common in _common().items()}
    best = max(counts.values())
    leading = [name for name, count in counts.items() if count == best]
    if best == 0 or len(leading) > 1:
        return "unknown"
    if leading[0] not in UNDERSTOOD and best < _ENOUGH:
        return "unknown"
    return leading[0]


_SCRIPTS: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("uk", re.compile("[\u0404\u0406\u0407\u0454\u0456\u0457]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
"""Japanese before Chinese: its own letters come between Chinese ones."""


def languages() -> frozenset[Language]:
    """Every language that is recognised."""
    return frozenset({*_common(), *(language for language, _ in _SCRIPTS)})
