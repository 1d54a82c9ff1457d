"""Estimates how many tokens a text has, before a vendor counts them; pure.

A tokenizer needs a token for about four letters of English, and for one character or less of other
scripts.  The weights are above the counts of OpenAI's tokenizer from gpt-4o on (``o200k_base``) for ordinary
sentences, and near those of older ones; other vendors publish none.  So a budget ends too early rather
than too late.  `tests/outreach/spending/test_token_counts.py` has counts to compare.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right

_MARK, _DIGIT, _LETTER, _OF_CODE = 0.6, 0.55, 0.28, 1.0
_OTHER = 2.2
_SCRIPTS: tuple[tuple[int, float], ...] = (
    (0x0000, 1.0),  # control characters; the printable ones of ASCII are counted apart
    (0x0080, 1.0),  # accented Latin
    (0x0370, 0.5),  # Greek
    (0x0400, 0.45),  # Cyrillic
    (0x0530, 0.8),  # Armenian
    (0x0590, 0.5),  # Hebrew, Arabic
    (0x0700, _OTHER),
    (0x0900, 0.6),  # scripts of India, Thai
    (0x0E80, 1.2),  # Lao, Tibetan, Burmese
    (0x10A0, 0.6),  # Georgian
    (0x1100, 0.8),  # Hangul, as parts
    (0x1200, _OTHER),
    (0x1E00, 1.0),  # Latin of Vietnamese, Greek with accents
    (0x2000, 1.0),  # punctuation
    (0x2070, _OTHER),
    (0x3000, 0.9),  # kana, and punctuation of East Asia
    (0x3400, 1.0),  # Han
    (0xA000, _OTHER),
    (0xAC00, 0.8),  # Hangul
    (0xD7B0, _OTHER),
    (0xF900, 1.0),  # Han and wide forms
    (0x10000, _OTHER),
    (0x20000, _OTHER),
)
"""The first character of each range of Unicode, and the range's tokens per character."""
_STARTS = [first for first, _ in _SCRIPTS]
_CODES = re.compile(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{4,}")
"""Words of mixed letters and digits, such as ids, which need more tokens than other words."""
_LETTERS = re.compile(r"[A-Za-z ]")
_DIGITS = re.compile(r"[0-9]")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]")
_REST = re.compile(r"[^ -~]")


def tokens(text: str) -> int:
    """An estimate of the number of tokens that a text has, rounded up."""
    codes = sum(map(len, _CODES.findall(text)))
    plain = _CODES.sub("", text)
    weighed = ((_LETTERS, _LETTER), (_DIGITS, _DIGIT), (_MARKS, _MARK))
    known = codes * _OF_CODE + sum(weight * len(of.findall(plain)) for of, weight in weighed)
    return math.ceil(known + sum(map(_weight, _REST.findall(plain))))


def _weight(character: str) -> float:
    return _SCRIPTS[bisect_right(_STARTS, ord(character)) - 1][1]
