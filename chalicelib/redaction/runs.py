"""Runs: groups of digits with separators between them, and where one run is several numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chalicelib.redaction import cards, tracking
from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.unbroken import MIN_RUN
from chalicelib.redaction.vocabulary import Topic

_SEPARATORS = r" \t\x1f.\-/()\[\]_*~|\\,"
PATTERN = re.compile(rf"[0-9]\d*+(?:[{_SEPARATORS}]{{1,4}}+\d++){{0,19}}+")
BOUNDARY = re.compile(r"[,\[\]|;]|\.[ .]")
"""A pattern of separators that end a number."""

_GROUP = re.compile(r"\d+")
_ONLY_DIGITS = str.maketrans("", "", " \t\x1f.-/()[]_*~|\\,")


def digits_in(text: str) -> int:
    """How many digits a text of digits and separators has."""
    return len(text.translate(_ONLY_DIGITS))


class Run:
    """A run of digits in a text: groups of digits, the separators between them, and the groups' offsets."""

    __slots__ = ("ends", "groups", "separators", "sheet", "starts")

    def __init__(self, sheet: Sheet, start: int, text: str) -> None:
        self.sheet = sheet
        spans = [match.span() for match in _GROUP.finditer(text)]
        self.starts = [start + s for s, _ in spans]
        self.ends = [start + e for _, e in spans]
        self.groups = [text[s:e] for s, e in spans]
        self.separators = [text[a[1] : b[0]] for a, b in pairwise(spans)]

    def part(self, first: int, last: int) -> Run:
        """The groups from `first` to the one before `last` as a run of their own."""
        start = self.starts[first]
        return Run(self.sheet, start, self.sheet.low[start : self.ends[last - 1]])

    def topic(self, first: int, last: int) -> tuple[Topic | None, bool]:
        """The meaning that a word near the groups `first` to `last` gives them; None for no such word.

        The second value says whether only filler words are between the word and the groups.
        """
        near = self.sheet.context_near(self.starts[first], self.ends[last])
        return near.topic, near.is_direct

    def has_plus(self, first: int) -> bool:
        """Whether a plus sign is before the group `first`."""
        start = self.starts[first]
        return "+" in self.sheet.low[max(0, start - 2) : start]

    def has_opening(self, first: int) -> bool:
        """Whether a plus sign or an opening bracket is before the group `first`, as before a phone number."""
        start = self.starts[first]
        return self.has_plus(first) or self.sheet.low[max(0, start - 1) : start] == "("

    def claim(self, first: int, count: int, kind: Kind) -> int:
        """Mask `count` groups, from `first` on, as one identifier; returns the offset at which they end."""
        start, end = self.starts[first], self.ends[first + count - 1]
        digits = "".join(self.groups[first : first + count])
        mask = tracking.MASK if kind is Kind.TRACKING else last_four(digits)
        evidence = Sign.CHECK_DIGIT if cards.is_card(digits) else Sign.GROUPS
        self.sheet.claim(start, end, kind, mask, (evidence,))
        return end


def parts(run: Run) -> Iterator[tuple[int, int]]:
    """The separate numbers in a run: for each, its first group and the group after its last.

    A run is split at commas and the like.
    """
    first = seen = 0
    rest = sum(map(len, run.groups))
    if rest < 2 * MIN_RUN:
        yield 0, len(run.groups)
        return
    for index, group in enumerate(run.groups):
        if index and seen >= MIN_RUN and rest >= MIN_RUN and _is_boundary(run, index):
            yield first, index
            first, seen = index, 0
        seen += len(group)
        rest -= len(group)
    yield first, len(run.groups)


def _is_boundary(run: Run, index: int) -> bool:
    """Whether a new number begins at a group of a run.

    It does after a separator such as a comma (`BOUNDARY`), and where a dashed number such as
    `123-45-6789` begins after another separator.
    """
    separator = run.separators[index - 1]
    if BOUNDARY.search(separator):
        return True
    lengths = tuple(map(len, run.groups[index : index + 3]))
    separators = run.separators[index : index + 2]
    return lengths in _DASHED and separators == ["-", "-"] and separator != "-"


_DASHED = frozenset({cards.SSN_LENGTHS, (3, 3, 4)})
