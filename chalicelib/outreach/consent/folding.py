"""The normal form of a message for comparison; pure.

Folding removes case, accents, vowel points, invisible signs, punctuation and emoji, and gives letters of
several shapes one shape.  The rows of `wordings.toml` are folded in the same way, so they are written
with usual spelling.  Chinese and Japanese have no spaces: `words_of` cuts their runs into pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_SIGNS = {
    "\N{OCTAGONAL SIGN}": " stop ",
    "\N{NO ENTRY}": " stop ",
    "\N{NO ENTRY SIGN}": " stop ",
    "\N{REVERSED HAND WITH MIDDLE FINGER EXTENDED}": " f off ",
}
_INVISIBLE = re.compile(
    "[\u00ad\u0640\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
"""Invisible signs, among them those that set the direction, and the stroke that widens Arabic."""
_SHAPES = str.maketrans(
    {
        "đ": "d",
        "ł": "l",
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ß": "ss",
        "ى": "ي",
        "ی": "ي",
        "ک": "ك",
        "ة": "ه",
        "ٱ": "ا",
        "ۀ": "ه",
        "ँ": "ं",
        "ґ": "г",
        "ς": "σ",
    }
)
_MARKS = re.compile("[^\\w\u0900-\u0963\u0966-\u097f]+|_+")
"""Everything but letters and digits; vowel signs of Devanagari are part of a word."""
_SPELT = re.compile(r"(?:\b\w\b ?){4,}")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}")
"""Runs of Chinese characters and of kana."""


def plain_letters(text: str) -> str:
    """A text without accents, invisible signs and variants of letters (``ø`` is ``o``); its case stays."""
    apart = unicodedata.normalize("NFKD", _INVISIBLE.sub("", text))
    kept = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", kept).translate(_SHAPES)


def bare_words(text: str, spellings: Mapping[str, str]) -> str:
    """A text in the form for comparison: words in lower case, without accents, punctuation and emoji.

    Args:
        text: a message, or a wording of ``wordings.toml``.
        spellings: the words to write instead, by short form or other spelling.
    """
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    words = _MARKS.sub(" ", plain_letters(text.casefold())).strip()
    words = _SPELT.sub(lambda found: found[0].replace(" ", "") + " ", words).strip()
    return " ".join(spellings.get(word, word) for word in words.split())


def words_of(said: str) -> list[str]:
    """Split a folded text into words; a Chinese or Japanese run gives its overlapping pairs of characters."""
    return _UNSPACED.sub(_pairs, said).split()


def _pairs(found: re.Match[str]) -> str:
    run = found[0]
    return " " + " ".join(run[at : at + 2] for at in range(len(run) - 1)) + " "
