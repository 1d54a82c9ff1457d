"""The listed word that was meant by a misspelt one; pure.

In words of six letters and more, a letter that was left out, doubled or swapped with its neighbour is
corrected.  A wrong letter is not: too many words differ by one letter ("meeting", "melting").  A real
word, in `real_words.toml` or `harmless.toml`, is never corrected.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from chalicelib.ready import ready
from chalicelib.support.intents.harmless import rows as harmless_rows
from chalicelib.support.intents.risks import RISKS
from chalicelib.support.intents.risks import SETS as RISK_SETS
from chalicelib.support.intents.words import SETS, TABLES, TYPOS
from chalicelib.tables import beside, read

_SHORT_LETTERS = 5
"""Words of at most this many letters are not matched when misspelt."""


@dataclass(frozen=True, slots=True)
class RealWords:
    """All rows of ``real_words.toml``: correctly spelt words, by language."""

    english: tuple[str, ...]
    spanish: tuple[str, ...]


FILE = beside(__file__, "real_words.toml")


def corrected(word: str) -> str:
    """The word of the tables that a misspelt word most likely means; any other word unchanged."""
    known, nearly = _index()
    if word in known or is_real(word):
        return word
    found = nearly.get(word)
    if found is None and len(word) > _SHORT_LETTERS + 1:
        found = next((shorter for shorter in _without_one(word) if shorter in known), None)
        if found is not None and (len(found) <= _SHORT_LETTERS or found[0] != word[0]):
            found = None
    return found or word


def is_listed(word: str) -> bool:
    """Whether the word occurs in any table of phrases."""
    return word in _index()[0]


def is_real(word: str) -> bool:
    """Whether a word is known to be spelt right, by itself or as a plural."""
    real = _real()
    return word in real or word.removesuffix("s") in real


def near_words(word: str, known: Iterable[str]) -> Iterable[str]:
    """Those of the known words that differ from a word by one letter left out, added, wrong or swapped.

    A wrong letter counts only in words of six letters and more.
    """
    kept = known if isinstance(known, (set, frozenset)) else frozenset(known)
    return (slip for slip in _slips(word) if slip in kept)


def _slips(word: str) -> Iterable[str]:
    size = len(word)
    for at in range(size - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    yield from _without_one(word)
    for at, letter in itertools.product(range(size + 1), _LETTERS):
        yield word[:at] + letter + word[at:]
    if size > _SHORT_LETTERS:
        for at, letter in itertools.product(range(1, size), _LETTERS):
            yield word[:at] + letter + word[at + 1 :]


@ready
def _real() -> frozenset[str]:
    rows = read(FILE, RealWords)
    harmless = re.findall("[a-z]+", " ".join(harmless_rows()))
    return frozenset((*" ".join((*rows.english, *rows.spanish)).split(), *harmless))


@ready
def _index() -> tuple[frozenset[str], dict[str, str]]:
    """Every word of the tables of phrases; and for common misspellings, the word that is meant."""
    listed = itertools.chain(
        SETS.values(),
        RISK_SETS.values(),
        itertools.chain.from_iterable(RISKS.values()),
        *(itertools.chain(table.sure, table.likely, table.hint) for table in TABLES.values()),
    )
    known = frozenset(re.findall(r"[a-z]+", " ".join(listed)))
    nearly: dict[str, str] = {}
    for word in sorted(known_word for known_word in known if len(known_word) > _SHORT_LETTERS):
        for at in range(1, len(word) - 1):
            nearly.setdefault(word[:at] + word[at + 1] + word[at] + word[at + 2 :], word)
        for shorter in _without_one(word):
            if len(shorter) > _SHORT_LETTERS - 1 and shorter[0] == word[0]:
                nearly.setdefault(shorter, word)
    kept = known.union(word.removesuffix("s") for word in known)
    return known, {k: v for k, v in nearly.items() if k not in kept} | dict(TYPOS)


def _without_one(word: str) -> list[str]:
    return [word[:at] + word[at + 1 :] for at in range(len(word))]


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
