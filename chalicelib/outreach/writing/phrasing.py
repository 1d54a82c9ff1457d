"""Phrases that say what a sentence does: repeats, agrees, leaves open; by the lists of ``phrases.toml``."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.outreach.writing.checks.text import Folded, folded
from chalicelib.tables import beside, read

FILE = beside(__file__, "phrases.toml")
_ALL = ("en", "es", "fr", "pt", "de", "it", "nl")
_OPENING = 20
"""Letters before the agreement itself: "great news, yes"."""
_FEW_WORDS = 2
_QUESTION = re.compile(r"\?\s*\W*$")


@dataclass(frozen=True, slots=True)
class PhraseFile:
    """The file: phrases by language."""

    theirs: Mapping[str, tuple[str, ...]]
    heard: Mapping[str, tuple[str, ...]]
    declining: Mapping[str, tuple[str, ...]]
    acting: Mapping[str, tuple[str, ...]]
    agreeing: Mapping[str, tuple[str, ...]]
    granting: Mapping[str, tuple[str, ...]]
    denying: Mapping[str, tuple[str, ...]]
    open: Mapping[str, tuple[str, ...]]
    pointing: Mapping[str, tuple[str, ...]]
    greeting: Mapping[str, tuple[str, ...]]
    writing: Mapping[str, tuple[str, ...]]
    asking: Mapping[str, tuple[str, ...]]


def says(name: str, sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a sentence has a phrase.

    Args:
        name: of the phrases, as in `PhraseFile`.
        sentence: as it is written.
        languages: that it may be in; none: all.
    """
    return _pattern(name, _key(languages)).search(folded(sentence)) is not None


def is_theirs(sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a sentence repeats something as the recipient's, passes it on, or declines it."""
    return says("theirs", sentence, languages) or says("declining", sentence, languages)


def agrees(sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a sentence begins by agreeing, or agrees as a whole."""
    low = folded(sentence)
    found = _pattern("agreeing", _key(languages)).search(low)
    if found is None:
        return False
    before = low[: found.start()].strip(" \"'\u00bf\u00a1")
    return not before or (len(before) <= _OPENING and before[-1] in ",!:")


def points_back(clause: str, languages: Collection[str] = ()) -> bool:
    """Whether a clause is hardly more than "it is" or "we did"."""
    found = _pattern("pointing", _key(languages)).match(folded(clause).strip(" \"'\u00bf\u00a1"))
    return found is not None and len(folded(clause)[found.end() :].split()) <= _FEW_WORDS


def rest_of_agreement(sentence: str, languages: Collection[str] = ()) -> str:
    """A sentence without the words by which it agrees."""
    whole = Folded(sentence)
    left, start = "", 0
    for found in list(_pattern("agreeing", _key(languages)).finditer(whole.text))[:2]:
        left, start = f"{left}{whole.cut(start, found.start())} ", found.end()
    return f"{left}{whole.cut(start, len(whole.text))}".strip(" ,.!;:-")


def is_open(sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a sentence states nothing: it asks, declines, offers help or leaves it to a person."""
    return is_question(sentence) or any(
        says(one, sentence, languages) for one in ("open", "declining")
    )


def is_question(sentence: str) -> bool:
    """Whether a sentence ends as a question."""
    return _QUESTION.search(sentence) is not None


def _key(languages: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(languages)) or _ALL


@cache
def _pattern(name: str, languages: tuple[str, ...]) -> re.Pattern[str]:
    by_language: Mapping[str, tuple[str, ...]] = getattr(read(FILE, PhraseFile), name)
    phrases = {one for language in languages for one in by_language.get(language, ())}
    forms = [
        re.escape(one).replace(r"\*", r"\w*") for one in sorted(phrases, key=len, reverse=True)
    ]
    return re.compile(rf"(?<![\w'])(?:{'|'.join(forms)})(?![\w'])")
