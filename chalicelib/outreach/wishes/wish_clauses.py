"""Splits a message into clauses of known words; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chalicelib.outreach.wishes.lexicon import Lexicon, WishPart, tokens

_MOST_WORDS = 7
_QUOTED = re.compile(
    r"^\s*>.*$|[\"\u201c\u201d\u201e\u00ab][^\"\u201c\u201d\u00bb]*[\"\u201c\u201d\u00bb]?",
    re.MULTILINE,
)
"""Quoted words and lines, which are somebody else's."""
_SENTENCE_ENDS, _CLAUSE_ENDS = frozenset(".!\n"), frozenset(",;:()-\u2013\u2014")
_UNKNOWN = WishPart("unknown")
_HALVES = {
    "am": "am",
    "morning": "am",
    "pm": "pm",
    "afternoon": "pm",
    "evening": "pm",
    "night": "pm",
}
_NEEDS_TIME = frozenset({"before", "after", "until", "start", "to", "hour", "am", "pm", "numbers"})
_HAS_BOUND = frozenset({"before", "after", "until"})
_BEFORE_A_NUMBER = frozenset({"before", "after", "until", "start", "to"})
_AN_HOUR_IN_MINUTES, _HOURS, _NOON = 60, 24, 12


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a recipient's message.

    Attributes:
        parts: its words in order, without fillers; a word that is not listed is ``unknown``.
        is_known: whether every word of it is known.
        is_bound: whether each "before", "after" and "until" has its hour.
    """

    parts: tuple[WishPart, ...]
    is_known: bool
    is_bound: bool = True

    def has(self, *kinds: str) -> bool:
        """Whether the clause has a part of one of the given kinds."""
        return any(part.kind in kinds for part in self.parts)


def sentences(text: str, lexicon: Lexicon) -> list[list[Clause]]:
    """The sentences of a message, each as its clauses, by the words of one language.

    Quoted words and reasons ("because …") are left out.
    """
    found: list[list[Clause]] = [[]]
    clause: list[WishPart] = []
    is_dropped = False
    for part in [*_parts(tokens(_QUOTED.sub(" ; ", text)), lexicon), WishPart("sentence")]:
        if part.kind in ("sentence", "clause", "parts", "asks"):
            if part.kind == "asks":
                clause.append(part)
            if clause:
                found[-1].append(_clause(clause))
            clause, is_dropped = [], False
            if part.kind in ("sentence", "asks"):
                found.append([])
        elif part.kind == "why":
            is_dropped = True
        elif not is_dropped:
            clause.append(part)
    return [sentence for sentence in found if sentence]


def _parts(words: Sequence[str], lexicon: Lexicon) -> Iterator[WishPart]:
    at = 0
    while at < len(words):
        word = words[at]
        for length in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            part = lexicon.get(tuple(words[at : at + length]))
            if part is not None:
                yield part
                at += length
                break
        else:
            yield _other(word)
            at += 1


def _other(word: str) -> WishPart:
    if word in _SENTENCE_ENDS:
        return WishPart("sentence")
    if word == "?":
        return WishPart("asks")
    if word in _CLAUSE_ENDS:
        return WishPart("clause")
    clock = re.fullmatch(r"(\d{1,2})(?:[:.h](\d{2}))?", word)
    if clock is None:
        return _UNKNOWN
    hour, minute = int(clock[1]), int(clock[2] or 0)
    if hour > _HOURS or minute >= _AN_HOUR_IN_MINUTES:
        return _UNKNOWN
    how = "clock" if clock[2] and "h" in word else ""
    return WishPart("time", hour * _AN_HOUR_IN_MINUTES + minute, how=how)


def _clause(parts: Sequence[WishPart]) -> Clause:
    timed = list(_timed(parts))
    kept, is_known, is_bound = list[WishPart](), True, True
    for number, part in enumerate(timed):
        following = timed[number + 1].kind if number + 1 < len(timed) else ""
        if part.kind == "fill":
            continue
        is_range_end = part.kind in ("to", "joins") and following == "time"
        needs_time = part.kind in _NEEDS_TIME and following != "time" and not is_range_end
        if needs_time and part.is_fill:
            continue
        is_known &= part.kind != "unknown" and not needs_time
        is_bound &= not needs_time or part.kind not in _HAS_BOUND
        kept.append(part)
    return Clause(tuple(kept), is_known, is_bound)


def _timed(parts: Sequence[WishPart]) -> Iterator[WishPart]:
    """A clause's parts; each number and the words that belong to it ("pm", "o'clock") become one time."""
    at = 0
    while at < len(parts):
        part = parts[at]
        before = next((x.kind for x in reversed(parts[:at]) if x.kind != "fill"), "")
        is_range = before == "joins" and any(x.kind == "start" for x in parts[:at])
        is_number = part.kind in ("numbers", "noon") and (before in _BEFORE_A_NUMBER or is_range)
        if part.kind != "time" and not is_number:
            yield part
            at += 1
            continue
        hours = _NOON if part.kind == "noon" else part.value + 1
        minute = part.value if part.kind == "time" else hours * _AN_HOUR_IN_MINUTES
        how, at = part.how, at + 1
        if at < len(parts) and parts[at].kind == "hour":
            how, at = "clock", at + 1
        if at < len(parts) and parts[at].kind in _HALVES:
            how, at = _HALVES[parts[at].kind], at + 1
        yield WishPart("time", minute, how=how)
