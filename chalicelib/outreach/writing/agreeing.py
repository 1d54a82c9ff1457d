"""Whether a draft agrees with something that only the recipient has said.

"Yes, that is right" states whatever it answers.  So the recipient's message is judged as if it were
the draft's: its values must be given, in their roles, and so must what it says was promised or done.
"""

from __future__ import annotations

from collections.abc import Iterator

from chalicelib.outreach.writing import phrasing
from chalicelib.outreach.writing.checks.claims import mentioned
from chalicelib.outreach.writing.checks.text import sentences
from chalicelib.outreach.writing.checks.written_language import spoken
from chalicelib.outreach.writing.given import Given
from chalicelib.outreach.writing.said import stems_of
from chalicelib.outreach.writing.support import Backing, Context, judged

_ENOUGH = 0.5
"""Of a statement's words, how many a source must have."""
_FEW = 2


def unproven_agreement(text: str, about: Given) -> str | None:
    """The first sentence that agrees with what no source says; None where there is none."""
    if not about.newest:
        return None
    languages = spoken(text)
    found = list(sentences(text))
    for place, sentence in enumerate(found):
        if not phrasing.agrees(sentence, languages) or phrasing.is_theirs(sentence, languages):
            continue
        rest = phrasing.rest_of_agreement(sentence, languages)
        following = found[place + 1] if place + 1 < len(found) else ""
        if phrasing.is_open(rest, languages) or (
            not rest and phrasing.is_open(following, languages)
        ):
            continue
        if any(_unproven(about, rest or following)) or not _is_stated(rest, about):
            return sentence
    return None


def _unproven(about: Given, answer: str) -> Iterator[bool]:
    """What the recipient's message says that no source does."""
    languages = spoken(about.newest)
    context = Context("", languages)
    for said, support in judged(about.newest, about.sources, context):
        yield support is not Backing.GIVEN and said.value.end > said.value.start
    yield bool(mentioned(about.newest, about.case, about.rules, answer))


def _is_stated(rest: str, about: Given) -> bool:
    """Whether a source says the rest of an agreeing sentence, where it can be compared."""
    words = stems_of(rest)
    if len(words) <= _FEW:
        return True
    languages = spoken(rest)
    for source in about.sources.given:
        other = source.words
        if not source.is_field and not spoken(source.text) & languages:
            return True  # another language: its words cannot be compared
        if len(words & other) >= _ENOUGH * len(words) or len(words & other) > _FEW:
            return True
    return False
