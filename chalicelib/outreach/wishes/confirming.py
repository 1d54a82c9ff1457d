"""Whether a draft says that messages will come at a time, or on a channel, that is not kept; pure."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.outreach.wishes.lexicon import Lexicon, lexicons
from chalicelib.outreach.wishes.preference import Contact, Hours, Preferences
from chalicelib.outreach.wishes.wish_clauses import Clause, sentences
from chalicelib.outreach.wishes.wished import LASTING, DoubtError, channels_in, hours_in


def promises_unkept(sentence: str, preferences: Preferences, facts: str) -> bool:
    """Whether a sentence says when or how we shall write, and it is neither kept nor the company's word.

    Args:
        sentence: of a draft.
        preferences: what is kept of the recipient.
        facts: what the company gave.
    """
    if sentence.rstrip().endswith("?"):
        return False
    return any(_is_unkept(sentence, one, preferences, facts) for one in lexicons().values())


def _is_unkept(sentence: str, lexicon: Lexicon, preferences: Preferences, facts: str) -> bool:
    clauses = _ours(sentence, lexicon)
    if not clauses:
        return False
    said = {kind for one in clauses for kind in _about(one)}
    known = {kind for one in _ours(facts, lexicon) for kind in _about(one)}
    if not said or said <= known:
        return False
    wanted = preferences.channels.wanted if preferences.channels else frozenset[Contact]()
    return any(
        not (channels_in(one)[0] <= wanted and _is_within(one, preferences.hours))
        for one in clauses
    )


def _ours(text: str, lexicon: Lexicon) -> list[Clause]:
    """The clauses of sentences in which we say that we write."""
    return [
        clause
        for found in sentences(text, lexicon)
        if any(one.has("we_write") for one in found)
        for clause in found
    ]


def _about(clause: Clause) -> Sequence[str]:
    """What a clause says of time and channel."""
    timed = [f"{one.kind}{one.value}" for one in clause.parts if one.kind in LASTING]
    return [*timed, *channels_in(clause)[0]]


def _is_within(clause: Clause, kept: Hours | None) -> bool:
    """Whether the hours of a clause, if it has some, are those that are kept."""
    if not clause.has(*LASTING):
        return True
    if kept is None:
        return False
    try:
        said = hours_in(clause)
    except DoubtError:  # "after 9", of which only the kept hours know which
        edges = {edge % (12 * 60) for window in kept.windows for edge in window}
        return all(one.value % (12 * 60) in edges for one in clause.parts if one.kind == "time")
    is_within = bool(said.windows) and said.within(kept).windows == said.windows
    return is_within and said.days <= kept.days
