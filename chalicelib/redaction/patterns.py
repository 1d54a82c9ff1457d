"""Regular expressions compiled on first use, so that a cold start compiles none of them."""

import re
from collections.abc import Callable
from functools import cache

_WORD = re.compile("[a-zß-öø-ɏͰ-ӿ]+")  # ranges: several times as fast as "[^\\W\\d_]"
_ASCII_WORD = re.compile(r"[a-z]+")


def words_of(low: str) -> list[str]:
    """The words of a lower-case text; for ASCII with a plain class of letters, which is much faster."""
    return (_ASCII_WORD if low.isascii() else _WORD).findall(low)


class Hints:
    """Strings of which every text that a pattern can match holds one; without them the search is spared.

    Each is looked for only if a word of the text begins as the string does, by its first four letters.
    Those in `anywhere` are looked for in every text.
    """

    __slots__ = ("_anywhere", "_starts", "_strings")

    def __init__(self, *strings: str, anywhere: tuple[str, ...] = ()) -> None:
        self._strings = strings
        self._anywhere = anywhere
        self._starts = frozenset(words_of(string)[0][:STEM] for string in strings)

    def may_be_in(self, low: str) -> bool:
        """Whether one of the strings is in a lower-case text, so that the pattern must be tried."""
        return holds_any(low, self._strings) or holds_any(low, self._anywhere)

    def are_in(self, low: str, stems: frozenset[str]) -> bool:
        """Whether one of the strings is in a lower-case text; quicker than `may_be_in`.

        `stems` are the first four letters of each of the text's words.
        """
        is_near = not self._starts.isdisjoint(stems)
        return (is_near and holds_any(low, self._strings)) or holds_any(low, self._anywhere)


STEM = 4
"""How many first letters of a word are compared before a text is searched."""


def holds_any(text: str, hints: tuple[str, ...]) -> bool:
    """Whether one of these strings is in the text; faster than a regular expression."""
    for hint in hints:  # noqa: SIM110 - twice as fast as any() here
        if hint in text:
            return True
    return False


def lazily(pattern: str) -> Callable[[], re.Pattern[str]]:
    """A function that compiles the regular expression at its first call and returns it."""

    @cache
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern)

    return compiled
