"""Whether a recipient asks if a machine or a person writes; pure.

A sentence asks where words that make it one about the writer stand beside a word for machine or human
("are you" ... "bot"), where it offers both ("human or machine"), or where it is hardly more than that word
and a question mark.  "Your bot" and "I am not a robot" are about something else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from chalicelib.tables import beside, read

FILE = beside(__file__, "machine_question.toml")
MOST_CHARACTERS = 600
_MOST_BETWEEN, _MOST_BARE, _LEAST_FUZZY = 5, 3, 5
_PLAIN = str.maketrans({"\u0131": "i", "\u0142": "l", "\u00f8": "o", "\u00e6": "ae", "\u0111": "d"})
_LAST_ACCENTED = "\u0500"
"""Letters before it lose their accents: Latin, Greek, Cyrillic."""
_ENDS = re.compile(r"(?<=[.!?;\u037e\u3002\uff01\uff1f\u061f\u0964])\s*|\n+|(?<=\S),\s+")
_ASKS = re.compile(r"[?;\u037e\uff1f\u061f]\W*$")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A language's table; what each row is, the file says."""

    you: str = ""
    it: str = ""
    behind: str = ""
    between: str = ""
    machine: str = ""
    human: str = ""
    real: str = ""
    owned: str = ""
    either: str = ""
    whole: str = ""
    answer: str = ""
    patterns: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The file."""

    languages: Mapping[str, QuestionWords]


Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    """A language's rows, as phrases of words and as patterns."""

    you: frozenset[Phrase]
    it: frozenset[Phrase]
    behind: frozenset[Phrase]
    between: frozenset[Phrase]
    machine: frozenset[Phrase]
    human: frozenset[Phrase]
    real: frozenset[Phrase]
    owned: frozenset[Phrase]
    either: frozenset[Phrase]
    whole: frozenset[Phrase]
    answer: str
    patterns: re.Pattern[str]
    unless: re.Pattern[str]


_ROWS = tuple(name for name in _Words.__slots__ if name not in ("answer", "patterns", "unless"))


def asks_whether_a_machine(message: str) -> bool:
    """Whether a recipient asks whether a machine or a person writes."""
    return bool(_heard_by(message))


def answer_to(message: str) -> str:
    """The truth in the question's language, with ``{company}``; empty where `texts.toml` has it.

    Of a question that several languages have in common, too.
    """
    answers = [one.answer for one in _heard_by(message)]
    return answers[0] if all(answers) and answers else ""


def _heard_by(message: str) -> list[_Words]:
    """The languages in which a message asks it."""
    if len(message) > MOST_CHARACTERS:
        return []
    found = list[_Words]()
    low = _folded(message)
    for sentence in filter(None, (one.strip() for one in _ENDS.split(low))):
        said = tuple(re.findall(r"[^\W_]+", sentence))
        is_question = _ASKS.search(sentence) is not None
        found += (
            one
            for one in _tables()
            if not one.unless.search(sentence)
            and (one.patterns.search(sentence) or _asks(said, one, is_question=is_question))
        )
    return found


def _asks(said: Phrase, words: _Words, *, is_question: bool) -> bool:
    if said in words.whole:
        return True
    nouns = list(_nouns(said, words))
    if not nouns:
        return False
    if {kind for _, _, kind in nouns} >= {"machine", "human"} and _is_choice(said, nouns, words):
        return True
    bare = len(said) - sum(end - start for start, end, kind in nouns if kind != "real")
    is_named = any(kind != "real" for _, _, kind in nouns)
    if is_question and is_named and bare <= 1 and len(said) <= _MOST_BARE:
        return True
    return any(
        _is_about_writer(said, start, end, words, is_real=kind == "real")
        for start, end, kind in nouns
    )


def _is_choice(said: Phrase, nouns: Sequence[tuple[int, int, str]], words: _Words) -> bool:
    """Whether it offers one of each: "human or machine"."""
    for (_, end, one), (start, _, other) in pairwise(nouns):
        gap = said[end:start]
        if one != other and any((word,) in words.either for word in gap):
            return len(gap) <= _MOST_BARE
    return False


def _is_about_writer(said: Phrase, start: int, end: int, words: _Words, *, is_real: bool) -> bool:
    if is_real and end < len(said):
        return False
    at = start
    for _ in range(_MOST_BETWEEN + 1):
        if _ends_with(said[:at], words.owned) and not _ends_with(said[:at], words.you | words.it):
            return False
        if _ends_with(said[:at], words.you):
            return True
        if _ends_with(said[:at], words.it):
            return _says_no_more(said[end:], words)
        step = _ends_with(said[:at], words.between)
        if not step:
            break
        at -= step
    return at == 0 and bool(_begins_with(said[end:], words.behind))


def _says_no_more(rest: Phrase, words: _Words) -> bool:
    """Whether what follows the noun goes on about the same."""
    known = words.behind | words.either | words.between | words.machine | words.human | words.real
    while rest:
        step = _begins_with(rest, known)
        if not step:
            return False
        rest = rest[step:]
    return True


def _nouns(said: Phrase, words: _Words) -> Iterator[tuple[int, int, str]]:
    """Where it has a word for machine or human, the longest first; misspelt ones too."""
    at = 0
    while at < len(said):
        for kind in ("machine", "human", "real"):
            length = _begins_with(said[at:], getattr(words, kind))
            if not length and kind != "real" and _is_misspelt(said[at], getattr(words, kind)):
                length = 1
            if length:
                yield at, at + length, kind
                at += length
                break
        else:
            at += 1


def _begins_with(said: Phrase, phrases: frozenset[Phrase]) -> int:
    return next((n for n in range(min(6, len(said)), 0, -1) if said[:n] in phrases), 0)


def _ends_with(said: Phrase, phrases: frozenset[Phrase]) -> int:
    return next((n for n in range(min(6, len(said)), 0, -1) if said[-n:] in phrases), 0)


def _is_misspelt(word: str, phrases: frozenset[Phrase]) -> bool:
    """Whether one letter is missing, added, wrong, or two have changed places."""
    return len(word) >= _LEAST_FUZZY - 1 and any(
        len(one) == 1 and len(one[0]) >= _LEAST_FUZZY and _is_near(word, one[0]) for one in phrases
    )


def _is_near(word: str, right: str) -> bool:
    if abs(len(word) - len(right)) > 1 or word[0] != right[0]:
        return False
    start = next((n for n, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), -1)
    if start < 0:
        return True
    a, b = word[start:], right[start:]
    swapped = a[1:2] + a[:1] + a[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped == b


@cache
def _tables() -> list[_Words]:
    return [
        _Words(
            **{name: _phrases(getattr(rows, name)) for name in _ROWS},
            answer=rows.answer,
            patterns=_pattern(rows.patterns),
            unless=_pattern(rows.unless),
        )
        for rows in read(FILE, QuestionFile).languages.values()
    ]


def _pattern(rows: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_folded_pattern, rows)) or r"(?!)")


def _phrases(row: str) -> frozenset[Phrase]:
    return frozenset(tuple(re.findall(r"[^\W_]+", _folded(one))) for one in row.split("|") if one)


def _folded_pattern(pattern: str) -> str:
    return "".join(map(_letter, unicodedata.normalize("NFKC", pattern)))


def _folded(text: str) -> str:
    """Compatible forms united, small letters, without accents where a script has them as marks."""
    low = unicodedata.normalize("NFKC", text.replace("\u2019", "'")).casefold()
    return "".join(map(_letter, low)).translate(_PLAIN)


def _letter(one: str) -> str:
    pieces = unicodedata.normalize("NFD", one)
    is_plain = pieces[0] < _LAST_ACCENTED or "\u0600" <= pieces[0] <= "\u06ff"
    return pieces[0] if is_plain else one
