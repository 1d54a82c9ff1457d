"""Finds words that announce an identifier, by look-ups among the words of a text instead of searches."""

from collections.abc import Collection, Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

from chalicelib.redaction.sheet import Claim, Sheet


class Announcer(NamedTuple):
    """A word that announces an identifier, such as "password", and its place in the text."""

    text: str
    start: int
    end: int


def words_in(sheet: Sheet, wanted: Collection[str]) -> Iterator[Announcer]:
    """Each place in the text where one of these words is, outside the spans that are masked or shielded."""
    low = sheet.low
    for word in sheet.vocabulary.intersection(wanted):
        start = low.find(word)
        while start >= 0:
            end = start + len(word)
            if not (low[start - 1 : start].isalpha() or low[end : end + 1].isalpha()):
                yield Announcer(word, start, end)
            start = low.find(word, end)


def claim_all(sheet: Sheet, claims: Iterable[Claim]) -> None:
    """Mark these spans of a text to be masked, and blank them; of two that overlap, only the first."""
    done = 0
    for start, end, kind, mask, evidence in sorted(claims, key=itemgetter(0, 1)):
        if start >= done:
            sheet.claim(start, end, kind, mask, evidence)
            done = end
    sheet.settle()
