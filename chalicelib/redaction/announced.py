"""Where words are that announce an identifier: looked up among the words of a text, not searched for."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.sheet import Kind, Sheet


class Word(NamedTuple):
    """One word where it is written."""

    text: str
    start: int
    end: int


class Finding(NamedTuple):
    """A span to be masked."""

    start: int
    end: int
    kind: Kind
    mask: str
    evidence: tuple[Sign, ...]


def words_in(sheet: Sheet, wanted: Collection[str]) -> Iterator[Word]:
    """Each place of these words that no pass has settled yet."""
    low = sheet.low
    for word in sheet.vocabulary.intersection(wanted):
        start = low.find(word)
        while start >= 0:
            end = start + len(word)
            if not (low[start - 1 : start].isalpha() or low[end : end + 1].isalpha()):
                yield Word(word, start, end)
            start = low.find(word, end)


def claim_all(sheet: Sheet, findings: Iterable[Finding]) -> None:
    """Claim these spans; of two that overlap the first one."""
    done = 0
    for start, end, kind, mask, evidence in sorted(findings):
        if start >= done:
            sheet.claim(start, end, kind, mask, evidence)
            done = end
    sheet.settle()
