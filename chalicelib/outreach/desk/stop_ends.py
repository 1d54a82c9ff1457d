"""Classifies what a person's act does with a draft that a rule has stopped: sent, edited or discarded; pure.

A person who sends it all the same says that the stop was false, one who sends something else or
nothing that it was right.  A person who corrects a figure, an address or a link has found the
fault, however little else they change.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.conversations.stop_counts import StopEnd, rule_of
from chalicelib.outreach.desk.case import AskedAct

LEAST_ALIKE = 0.8
"""Words that an edit leaves, as a share of both texts."""
_VALUE = re.compile(r"\d|[@/]|\w\.\w")
_SENDING = frozenset({"approve", "reply"})
_DISCARDING = frozenset({"decline", "close", "stop"})


def stopped_by(record: Record) -> str:
    """The rule that stopped the draft that a conversation's hand-off holds.

    Empty where no rule did, no draft is held, or the hand-off is being released.
    """
    is_open = record.is_handed_off and not record.handoff.get("releasing")
    return rule_of(record.handoff) if is_open else ""


def end_of(asked: AskedAct, held: Draft | None) -> StopEnd | None:
    """How a person's act ends a stopped draft (see `StopEnd`); None where the act leaves that open."""
    text = asked.value_of("text")
    if asked.act in _SENDING and text:
        return _end_of_sending(_text(held), text)
    if asked.act in ("approve", "give_back"):
        return StopEnd.AGAIN
    return StopEnd.DISCARDED if asked.act in _DISCARDING else None


def _end_of_sending(held: str, text: str) -> StopEnd:
    before, after = held.split(), text.split()
    if before == after:
        return StopEnd.AS_IS
    if _factual_words(before) == _factual_words(after) and _is_alike(before, after):
        return StopEnd.EDITED
    return StopEnd.OTHER


def _factual_words(words: list[str]) -> list[str]:
    """Those of the given words that contain a figure, an address or a link.

    Sorted, in lower case, without punctuation around them.
    """
    return sorted(word.strip(".,;:!?()\"'").casefold() for word in words if _VALUE.search(word))


def _is_alike(before: list[str], after: list[str]) -> bool:
    words = SequenceMatcher(None, before, after, autojunk=False)
    return all(
        share() >= LEAST_ALIKE for share in (words.real_quick_ratio, words.quick_ratio, words.ratio)
    )


def _text(held: Draft | None) -> str:
    if held is None:
        return ""
    return held.text or " | ".join((held.variables or {}).values())
