"""What a draft must not look like: leaked instructions, placeholders or code, forbidden topics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from chalicelib.outreach.writing.checks.text import folded, sentences

_STEM = 7
"""First letters of a topic by which its other forms are found."""
_RUN = 7
"""So many words in a row, shared with the machine's instructions, are a leak."""
_ABOUT = re.compile(
    r"\b(?:my|these|the|our|its) (?:\w+ )?(?:instructions?|guidelines?|system (?:prompt"
    r"|message)|prompt|programming|directives?)\b"
    r"|\bmy rules\b|\bsystem ?prompt\b|\bi(?:'m| am| was|'ve been| have been) (?:told"
    r"|instructed|programmed|configured|ordered|prompted) (?:to|not|by|that|never)\b"
    r"|\b(?:mis|las|sus) (?:instrucciones|reglas|directrices)\b|\bme han (?:dicho|ordenado"
    r"|programado|indicado) que"
    r"|\b(?:meine|die) (?:anweisung\w*|instruktion\w*|regeln|vorgaben)\b|\bmir wurde (?:gesagt"
    r"|aufgetragen)\b"
    r"|\b(?:mes|les) (?:instructions|consignes|directives)\b|\bon m'a (?:dit|demande|programme)"
    r"|\b(?:minhas|as) (?:instrucoes|regras|diretrizes)\b|\bfui (?:programad|instruid)\w+"
    r"|\b(?:le mie|le) (?:istruzioni|regole|direttive)\b|\bsono stat[oa] (?:programmat|istruit)\w+"
    r"|\bmijn (?:instructies|regels|richtlijnen)\b|\bmij is (?:gezegd|opgedragen)"
)
_FORM = re.compile(
    r"\[[A-Za-z][\w '\u2019/-]{1,40}\]|\{\{|\}\}|\{[a-z_]+\}|<\s*/?[A-Za-z!][^<>]{0,200}>|\]\("
    r"|```|%\w+%|\$\{|\*{3}|\b[Rr](?:edacted|EDACTED)\b"
    r"|\b(?:def|function|class)\s+\w+\s*\(|\bimport \w+\s*(?:;|\n|$)|\bconsole\.log|\bprint\("
    r"|\bSELECT\b.{1,80}\bFROM\b|=>|#include|\breturn \w+;?$"
    r"|^\s*[\[{][\s\S]*[\]}]\s*$|&(?:lt|gt|amp|quot|#\d+);|\b(?:undefined|NaN|null)\b|\bXX+\b",
)
_DECLINED = re.compile(
    r"\b(?:not|can't|cannot|unable|n't|won't|ask|talk to|speak to|team|no puedo|nicht|kein\w*"
    r"|frag\w*|ne peux|pas|nao posso|non posso|niet|pregunt\w*)\b|n't\b"
)


def leaks_instructions(draft: str, instructions: Iterable[str], given: str) -> bool:
    """Whether a draft talks about the machine's instructions, or repeats a part of them.

    Args:
        draft: the text.
        instructions: the instructions that the machine got.
        given: what a draft may repeat, even where the instructions say it too.
    """
    low = folded(draft)
    if _ABOUT.search(low):
        return True
    runs = _runs(low) - _runs(folded(given))
    return any(runs & _runs(folded(instruction)) for instruction in instructions)


def has_form(draft: str) -> bool:
    """Whether a draft holds placeholders, markup, program code or JSON, which no message may."""
    return _FORM.search(draft) is not None


def touches(draft: str, topics: Sequence[str]) -> bool:
    """Whether a draft speaks about a forbidden topic, other than to decline or to refer to a person."""
    stems = [re.sub(r"(?:es|s|en|n)$", "", folded(topic))[:_STEM] for topic in topics]
    return any(
        stem and stem in sentence and not _DECLINED.search(sentence)
        for sentence in map(folded, sentences(draft))
        for stem in stems
    )


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[^\W_]+", text)
    return {tuple(words[n : n + _RUN]) for n in range(len(words) - _RUN + 1)}
