"""A message's own words and its order number; pure."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from chalicelib.once.keys import normalised
from chalicelib.support.intents.spelling import corrected
from chalicelib.vendors.reply_text import newly_written

MAX_INPUT_CHARACTERS = 8000
MIN_CHILD, ADULT = 2, 18
"""A number from `MIN_CHILD` to below `ADULT` may be a child's age."""


def words_of(text: str) -> list[str]:
    """A message's words outside quoted history: lower case, without accents; ``<n>`` for numbers."""
    return without_marks(marked_words(own_part(text)))


def without_marks(words: Sequence[str]) -> list[str]:
    """The words with ``<n>`` in place of every mark for a number: ``<age>`` and ``<emergency>``, too."""
    return ["<n>" if word in _NUMBERS else word for word in words]


def marked_words(own: str) -> list[str]:
    """The words of a text, as in `words_of`, but with ``<age>`` for a number that may be a child's age.

    An emergency number such as 911 is ``<emergency>``.
    """
    plain = unicodedata.normalize("NFD", normalised(html.unescape(own[:MAX_INPUT_CHARACTERS])))
    found = _WORD.findall(plain.translate(_DROPPED))
    return [_number(word) if word.isdigit() else corrected(word) for word in found]


def _number(digits: str) -> str:
    if digits in _EMERGENCY:
        return "<emergency>"
    is_age = len(digits) <= len("17") and MIN_CHILD <= int(digits) < ADULT
    return "<age>" if is_age else "<n>"


def order_number(text: str, *, is_asked_for: bool = False) -> str | None:
    """The likeliest order number in a message: the longest that is called so, else the longest other one.

    Returns None where the message has no such number.

    Args:
        text: the message.
        is_asked_for: we asked for the number, so any bare number of 3 to 20 digits counts.
    """
    message = normalised(own_part(text[:MAX_INPUT_CHARACTERS]))
    named = [number for pair in _NAMED_ORDER.findall(message) for number in pair if number]
    bare = _BARE_ORDER.findall(message) + (_ANY_NUMBER.findall(message) if is_asked_for else [])
    found = named or [number for number in bare if not _DATE.fullmatch(number)]
    return max(found, key=len) if found else None


@lru_cache(maxsize=4)
def own_part(text: str) -> str:
    """The message without the earlier messages that an e-mail quotes; the whole text if nothing else is left.

    The result is cached, as several steps ask for it.
    """
    return newly_written(text) or text


_NUMBERS = frozenset({"<n>", "<age>", "<emergency>"})
_EMERGENCY = frozenset({"911", "999", "112", "988", "061"})
"""Emergency telephone numbers in America and Europe."""
_WORD = re.compile(r"[a-z]+|[0-9]+")
_DROPPED = dict.fromkeys([0x27, 0x60, 0xB4, 0x2018, 0x2019, *range(0x300, 0x370)])
"""Apostrophes, and the accents that NFD splits off."""
_NAMED_ORDER = re.compile(
    r"(?:order|pedido|orden|compra)s?\s*(?:number|numero|número|num|no\.?|nr\.?|id|is|es|n[°º])?"
    r"\s*(?:is|es)?\s*[:#]?\s*#?(\d{3,20})(?!\w)|(?<!\w)#(\d{4,10})(?!\w)"
)
_BARE_ORDER = re.compile(r"(?<![\w.,:/$€+-])(\d{6,8})(?![\w:/-])")
_ANY_NUMBER = re.compile(r"(?<![\w.,:/$€+-])#?(\d{3,20})(?![\w:/-])")
_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
