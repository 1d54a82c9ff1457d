"""Whether a sentence has a phrase that repeats, agrees, declines or asks, by ``phrases.toml``."""

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
"""Maximum number of letters before an agreement: "great news, yes"."""
_FEW_WORDS = 2
_ENDS = (",", ".", "!", ";", ":", "")
"""Marks after a phrase that make it a clause of its own."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")
_QUESTION = re.compile(r"\?\s*\W*$")


@dataclass(frozen=True, slots=True)
class PhraseFile:
    """The content of ``phrases.toml``: for each kind of phrase, the phrases by language."""

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
    bare: Mapping[str, tuple[str, ...]]
    there: Mapping[str, tuple[str, ...]]
    sparing: Mapping[str, tuple[str, ...]]
    acknowledging: Mapping[str, tuple[str, ...]]
    reaching: Mapping[str, tuple[str, ...]]


def says(name: str, sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a sentence has a phrase of a kind, such as ``agreeing`` or ``declining``.

    Args:
        name: the kind, a field of `PhraseFile`.
        sentence: as it is written.
        languages: the languages that the sentence may be in; empty means all.
    """
    return _pattern(name, _key(languages)).search(folded(sentence)) is not None


def is_theirs(sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a draft's sentence repeats something as the recipient's, passes it on, or declines it.

    It has a phrase for that, such as "you wrote".
    """
    return says("theirs", sentence, languages) or says("declining", sentence, languages)


def agrees(sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a draft's sentence begins with a phrase that agrees, such as "yes, that is right"."""
    return _begins_with("agreeing", folded(sentence), languages) is not None


def acknowledges(sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a draft's sentence begins by taking note of what was said ("Perfect, ...")."""
    low = folded(sentence)
    end = _begins_with("acknowledging", low, languages)
    return end is not None and low[end : end + 1] in _ENDS


def _begins_with(name: str, low: str, languages: Collection[str]) -> int | None:
    """The position after the phrase of a kind that a folded sentence begins with; None without one."""
    found = _pattern(name, _key(languages)).search(low)
    if found is None:
        return None
    before = low[: found.start()].strip(" \"'\u00bf\u00a1")
    is_first = not before or (len(before) <= _OPENING and before[-1] in ",!:")
    return found.end() if is_first else None


def points_back(clause: str, languages: Collection[str] = ()) -> bool:
    """Whether a clause only refers to what was said before: little more than "it is" or "we did"."""
    found = _pattern("pointing", _key(languages)).match(folded(clause).strip(" \"'\u00bf\u00a1"))
    return found is not None and len(folded(clause)[found.end() :].split()) <= _FEW_WORDS


def is_bare(clause: str, languages: Collection[str] = (), more: Collection[str] = ()) -> bool:
    """Whether a clause has only filler words, so that it refers to what was said before: "that's so".

    Args:
        clause: as it is written.
        languages: the languages that the clause may be in; empty means all.
        more: further folded words that count as filler.
    """
    words = _WORD.findall(folded(clause))
    known = _bare_words(_key(languages))
    return bool(words) and all(word in known or word in more for word in words)


def rest_of_agreement(sentence: str, languages: Collection[str] = ()) -> str:
    """A draft's sentence without the phrases by which it agrees or takes note."""
    whole = Folded(sentence)
    key = _key(languages)
    hits = [
        hit
        for name in ("agreeing", "acknowledging")
        for hit in list(_pattern(name, key).finditer(whole.text))[:2]
    ]
    left, start = "", 0
    for found in sorted(hits, key=lambda hit: hit.start()):
        if found.end() > start:
            left = f"{left}{whole.cut(start, max(found.start(), start))} "
            start = found.end()
    return f"{left}{whole.cut(start, len(whole.text))}".strip(" ,.!;:-")


def is_open(sentence: str, languages: Collection[str] = ()) -> bool:
    """Whether a sentence states no fact: it asks, declines, offers help or refers to a person."""
    return is_question(sentence) or any(
        says(kind, sentence, languages) for kind in ("open", "declining")
    )


def is_question(sentence: str) -> bool:
    """Whether a sentence ends with a question mark."""
    return _QUESTION.search(sentence) is not None


def _key(languages: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(languages)) or _ALL


@cache
def _bare_words(languages: tuple[str, ...]) -> frozenset[str]:
    by_language = read(FILE, PhraseFile).bare
    return frozenset(word for language in languages for word in by_language.get(language, ()))


@cache
def _pattern(name: str, languages: tuple[str, ...]) -> re.Pattern[str]:
    by_language: Mapping[str, tuple[str, ...]] = getattr(read(FILE, PhraseFile), name)
    phrases = {phrase for language in languages for phrase in by_language.get(language, ())}
    forms = [
        re.escape(phrase).replace(r"\*", r"\w*")
        for phrase in sorted(phrases, key=len, reverse=True)
    ]
    return re.compile(rf"(?<![\w'])(?:{'|'.join(forms)})(?![\w'])")
