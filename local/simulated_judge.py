"""The simulated language model as a judge: whether sources support a text, by their words alone.

It is a poor one on purpose: it knows no language, so that a true sentence in other words than the source's
is ``unsure`` to it.  Its `JUDGES` fail as the writers of `simulated_model` do.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SUPPORTED, NOT, UNSURE = "supported", "not", "unsure"
_DENIALS = frozenset(
    {
        *("not", "no", "never", "none", "cannot", "can't", "don't", "isn't", "won't", "without"),
        *("nicht", "kein", "keine", "nie", "pas", "jamais", "sans", "non", "mai", "senza"),
        *("nao", "sem", "nunca", "sin", "niet", "geen", "nooit"),
    }
)
_ENOUGH = 0.3
"""Share of a sentence's words that one source must have."""
_FEW = 2


def compared(sources: Mapping[str, str], text: str) -> str:
    """What a comparison of words says: each sentence by its best source.

    Args:
        sources: texts by their paths.
        text: that is to be sent.
    """
    given = {path: _words(f"{path} {said}") for path, said in sources.items()}
    numbers = {number for said in sources.values() for number in _numbers(said)}
    found = {
        _of_sentence(sentence, given, numbers) for sentence in re.split(r"(?<=[.!?])\s+|\n", text)
    }
    return next((verdict for verdict in (NOT, UNSURE) if verdict in found), SUPPORTED)


def _of_sentence(sentence: str, given: Mapping[str, set[str]], numbers: set[float]) -> str:
    words = _words(sentence)
    own = set(_numbers(sentence))
    if sentence.rstrip().endswith("?") or (len(words) < _FEW and not own):
        return SUPPORTED
    if own - numbers:
        return NOT
    best = max(given.values(), key=lambda said: len(said & words), default=set[str]())
    if len(best & words) < _ENOUGH * len(words):
        return SUPPORTED if own else UNSURE  # in other words, but with figures that were given
    return NOT if bool(words & _DENIALS) is not bool(best & _DENIALS) else SUPPORTED


def _words(text: str) -> set[str]:
    return {
        word
        for word in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.casefold())
        if len(word) > _FEW + 1 or word in _DENIALS
    }


def _numbers(text: str) -> Iterator[float]:
    for number in re.findall(r"\d+(?:[.,]\d{3})*(?:[.,]\d{1,2})?", text):
        last = re.search(r"[.,]\d{1,2}$", number)
        whole = re.sub(r"\D", "", number[: last.start()] if last else number)
        yield float(f"{whole}.{last[0][1:]}" if last else whole)


def literal(body: Mapping[str, Any]) -> dict[str, str]:
    """For `OpenAI.answer_by`: compares the words."""
    shown = json.loads(body["input"][0]["content"])
    return {"verdict": compared(shown["sources"], shown["text"])}


def compliant(body: Mapping[str, Any]) -> dict[str, str]:
    """For `OpenAI.answer_by`: says of every text what its author would like."""
    del body
    return {"verdict": SUPPORTED}


def mistaken(body: Mapping[str, Any]) -> dict[str, str]:
    """For `OpenAI.answer_by`: compares the words, and mixes up what it found."""
    mixed = {SUPPORTED: NOT, NOT: SUPPORTED}
    verdict = literal(body)["verdict"]
    return {"verdict": mixed.get(verdict, verdict)}


def silent(body: Mapping[str, Any]) -> dict[str, str]:
    """For `OpenAI.answer_by`: says nothing that was asked for."""
    del body
    return {"verdict": ""}


JUDGES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, str]]] = {
    "literal": literal,
    "obedient": compliant,
    "agreeable": compliant,
    "confused": mistaken,
    "incomplete": silent,
}
"""How a judge may fail, by the characters of `simulated_model.CHARACTERS`, and one that does not."""
