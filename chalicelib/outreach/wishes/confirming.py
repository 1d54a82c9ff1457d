"""Whether a draft promises messages at a time, or on a channel, that is not stored as a wish; pure."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.outreach.wishes.lexicon import Lexicon, lexicons
from chalicelib.outreach.wishes.preference import Contact, Hours, Preferences
from chalicelib.outreach.wishes.wish_clauses import Clause, sentences
from chalicelib.outreach.wishes.wished import LASTING_KINDS, DoubtError, channels_in, hours_in


def promises_unkept(sentence: str, preferences: Preferences, facts: str) -> bool:
    """Whether a draft's sentence promises when or on which channel we write, and nothing supports it.

    Support is a stored wish of the recipient or a statement of the company.

    Args:
        sentence: of a draft; a question promises nothing.
        preferences: the recipient's stored wishes.
        facts: what the company gave.
    """
    if sentence.rstrip().endswith("?"):
        return False
    return any(_is_unkept(sentence, lexicon, preferences, facts) for lexicon in lexicons().values())


def _is_unkept(sentence: str, lexicon: Lexicon, preferences: Preferences, facts: str) -> bool:
    clauses = _announcing_clauses(sentence, lexicon)
    if not clauses:
        return False
    said = {kind for clause in clauses for kind in _times_and_channels(clause)}
    known = {
        kind for our in _announcing_clauses(facts, lexicon) for kind in _times_and_channels(our)
    }
    if not said or said <= known:
        return False
    wanted = preferences.channels.wanted if preferences.channels else frozenset[Contact]()
    return any(
        not (channels_in(clause)[0] <= wanted and _is_within(clause, preferences.hours))
        for clause in clauses
    )


def _announcing_clauses(text: str, lexicon: Lexicon) -> list[Clause]:
    """The clauses of those sentences of a text in which we announce that we will write."""
    return [
        clause
        for found in sentences(text, lexicon)
        if any(clause.has("we_write") for clause in found)
        for clause in found
    ]


def _times_and_channels(clause: Clause) -> Sequence[str]:
    """The recurring times and the channels that a clause names."""
    timed = [f"{part.kind}{part.value}" for part in clause.parts if part.kind in LASTING_KINDS]
    return [*timed, *channels_in(clause)[0]]


def _is_within(clause: Clause, kept: Hours | None) -> bool:
    """Whether the hours that a clause names lie within the recipient's stored ones (`kept`).

    True if the clause names none; else False where none are stored.
    """
    if not clause.has(*LASTING_KINDS):
        return True
    if kept is None:
        return False
    try:
        said = hours_in(clause)
    except DoubtError:  # "after 9": only the stored hours can say whether it means 9 or 21
        edges = {edge % (12 * 60) for window in kept.windows for edge in window}
        return all(part.value % (12 * 60) in edges for part in clause.parts if part.kind == "time")
    is_within = bool(said.windows) and said.within(kept).windows == said.windows
    return is_within and said.days <= kept.days
