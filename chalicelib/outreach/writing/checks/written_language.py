"""The language of a text, by its commonest words (``written_language.toml``) and its script; pure.

Seven languages are known by words; others differ by script, or stay unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.outreach.writing.checks.text import folded
from chalicelib.tables import Rows, beside, read

FILE = beside(__file__, "written_language.toml")


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """A language by its English name, and its commonest words with spaces between."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class LanguageFile:
    """The content of ``written_language.toml``: languages by their two letters."""

    languages: Mapping[str, LanguageRow]


_LANGUAGES: Mapping[str, LanguageRow] = Rows(lambda: read(FILE, LanguageFile).languages)


@cache
def _common() -> Mapping[str, frozenset[str]]:
    """The commonest words of each language."""
    return {name: frozenset(row.words.split()) for name, row in _LANGUAGES.items()}


_FEW, _MOST, _ENOUGH, _ABOUT = 2, 0.5, 5, 3


def name_of(language: str) -> str:
    """The English name of a language, as a model's instructions give it; an unknown code is returned as is."""
    row = _LANGUAGES.get(language)
    return row.name if row else language


def common_words(text: str) -> tuple[Counter[str], int]:
    """How many words of a text are common words of each language, and how many words the text has.

    Words of one letter are common in several languages, so they do not count.
    """
    words = re.findall(r"[^\W\d_]{2,}(?:'[^\W\d_]+)?", folded(text))
    counts = Counter(
        {name: sum(word in common for word in words) for name, common in _common().items()}
    )
    return counts, len(words)


def possible_languages(text: str) -> frozenset[str]:
    """The languages that a text may be in, by its common words; empty where it has none.

    They are the one with the most such words, and any with nearly as many.
    """
    counts, _ = common_words(text)
    most = max(counts.values())
    return frozenset(name for name, n in counts.items() if n and n >= most - most // _ABOUT)


def language_of(texts: Iterable[str]) -> frozenset[str]:
    """The languages in which the author of some texts may write; empty where that is unknown.

    Texts come newest first.  Older ones are added to the newest until their common words leave one language.
    """
    said = ""
    for text in texts:
        said = f"{said} {text}"
        found = possible_languages(said)
        if len(found) == 1:
            return found
    return possible_languages(said)


def is_sure(text: str) -> bool:
    """Whether a text has enough common words of one language to know its language."""
    return max(common_words(text)[0].values()) >= _FEW


def is_other_language(draft: str, expected: frozenset[str], said: str) -> bool:
    """Whether a draft is plainly in another language, or script, than expected.

    Args:
        draft: the text.
        expected: the languages that it may be in; empty where that is not known.
        said: what the recipient wrote; the draft may use its script.
    """
    script = _script(draft)
    if script and script != (_script(said) or "LATIN"):
        return True
    if not expected or script != "LATIN":
        return False
    counts, words = common_words(draft)
    most = max(counts.values())
    mine = max(counts[language] for language in expected)
    if words >= _ENOUGH and mine == 0:
        return most >= _FEW or words >= 2 * _ENOUGH
    return most > _FEW and mine < most * _MOST


def _script(text: str) -> str:
    """The script of most of a text's letters (``LATIN``, ``CYRILLIC`` …); empty without a letter."""
    letters = [letter for letter in text if letter.isalpha()][:400]
    names = Counter(unicodedata.name(letter, "LATIN").split()[0] for letter in letters)
    return names.most_common(1)[0][0] if names else ""
