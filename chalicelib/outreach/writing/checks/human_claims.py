"""Whether a text claims that a human being writes, in the languages of ``speakers.toml``; pure.

A claim is composed of "I am" and "human", or of "I am", "not" and "a bot".  "I am not a human" is
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from chalicelib.outreach.writing.checks.text import folded, sentences
from chalicelib.tables import beside, read

FILE = beside(__file__, "speakers.toml")
_MOST = 4
"""Filler words that may come between "I am" and "human"."""
_QUESTION = re.compile(r"\?\s*\W*$")
_END = r"(?=\W*$|\s*[,.;:!)\u2013\u2014-]|\s+(?:here|aqui|ici|hier|qui|tu|har|her|tady|aici|da|at all|no|and|but)\b)"


@dataclass(frozen=True, slots=True)
class SpeakerRow:
    """The words of one language for "I", "human" and "machine", as in ``speakers.toml``."""

    language: str
    self: tuple[str, ...] = ()
    speaking: tuple[str, ...] = ()
    here: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    is_spaced: bool = True


@dataclass(frozen=True, slots=True)
class SpeakerFile:
    """The content of ``speakers.toml``: words by which a speaker claims to be human, by language."""

    speaker: tuple[SpeakerRow, ...]


@dataclass(frozen=True, slots=True)
class _Claims:
    """One language's patterns of who writes.

    `denied` finds "I am not human", which is removed from a text before `said` looks for "I am human".
    """

    said: re.Pattern[str]
    denied: re.Pattern[str]


def claims_to_be_human(draft: str) -> bool:
    """Whether a text claims that a human being writes; a question claims nothing."""
    return any(
        claim.said.search(claim.denied.sub(" ", sentence))
        for sentence in map(folded, sentences(draft))
        if not _QUESTION.search(sentence)
        for claim in _claims()
    )


@cache
def _claims() -> Sequence[_Claims]:
    return [_made(row) for row in read(FILE, SpeakerFile).speaker]


def _made(row: SpeakerRow) -> _Claims:
    if not row.is_spaced:
        return _Claims(_of(map(re.escape, _folded(row.alone))), _of(_folded(row.denied)))
    gap = rf"(?:(?:{_one_of(row.with_)})[\s,]+){{0,{_MOST}}}"
    self, no = _one_of(row.self), _one_of(row.no)
    person, machine = _one_of(row.person), _one_of(row.machine)
    denial = rf"(?:(?:{no})\s+)+"
    starts = r"(?:^|[,;:.!\u2013\u2014-])\W*"
    speaker = rf"(?:{_one_of((*row.self, *row.speaking, *row.here))})"
    said = [rf"{speaker}[\s,:]+{gap}(?:{person})", _one_of(row.alone)]
    denied = [rf"(?:{_one_of(row.denied)})"] if row.denied else []
    if row.no:
        said += [
            rf"{speaker}[\s,:]+{gap}{denial}{gap}(?:{machine})",
            rf"{denial}(?:{self})\s+(?:{denial})?{gap}(?:{machine})",
        ]
        denied += [
            rf"(?:{no})\s+(?:{self})\s+{gap}(?:{person})",
            rf"(?:{self})\s+(?:{no})\s+{gap}(?:{person})",
            rf"(?:{no})\s+{gap}(?:{person})",
        ]
    if row.after:
        said.append(rf"(?:{machine})\s+(?:{_one_of(row.after)})")
        denied.append(rf"(?:{person})\s+(?:{_one_of(row.after)})")
    short = rf"{starts}{denial}{gap}(?:{machine}){_END}"  # "No, not a machine!"
    return _Claims(_of([*_bounded(said), short]), _of(_bounded(denied)))


def _bounded(patterns: Iterable[str]) -> list[str]:
    return [rf"(?<!\w)(?:{pattern})(?!\w)" for pattern in patterns]


def _of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or r"(?!)")


def _folded(phrases: Iterable[str]) -> list[str]:
    return [folded(phrase) for phrase in phrases]


def _one_of(phrases: Iterable[str]) -> str:
    forms = sorted(_folded(phrases), key=len, reverse=True)
    return "|".join(re.escape(form).replace(r"\*", r"\w*") for form in forms) or "(?!)"
