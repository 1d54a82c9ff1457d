"""What a message wishes about time and channel; pure.

A clause with an unknown word counts only where it also has a way to write to the recipient, and
"only", "better" or "from now on".  An answer to a question, a wish for today alone or anything
doubtful is no preference: a wrong one is worse than none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from chalicelib.outreach.wishes import clock_words
from chalicelib.outreach.wishes.lexicon import WishPart, lexicons
from chalicelib.outreach.wishes.preference import (
    DAY,
    DAY_PARTS,
    WEEK,
    About,
    Channels,
    Contact,
    Hours,
    Wish,
)
from chalicelib.outreach.wishes.wish_clauses import Clause, sentences

MOST_CHARACTERS = 400
"""A message with more characters says more than a wish, so it counts as none."""
_TEXTS = frozenset({Contact.SMS, Contact.WHATSAPP})
_OURS = frozenset({Contact.SMS, Contact.WHATSAPP, Contact.EMAIL})
_NOUNS = {
    "sms": frozenset({Contact.SMS}),
    "text": _TEXTS,
    "whatsapp": frozenset({Contact.WHATSAPP}),
    "email": frozenset({Contact.EMAIL}),
    "call": frozenset({Contact.CALL}),
}
_VERBS = {f"{name}_me": found for name, found in _NOUNS.items() if name != "sms"}
_EXCLUDED = {
    **DAY_PARTS,
    "morning": (0, 12 * 60),
    "evening": (17 * 60, DAY),
    "night": (21 * 60, DAY),
}
_BOUNDS = ("before", "after", "until", "start")
_TIMES = (
    *DAY_PARTS,
    "night",
    "weekdays",
    "weekend",
    "days",
    "one_day",
    *_BOUNDS,
    "time",
    "any_time",
)
LASTING_KINDS = (*DAY_PARTS, "weekdays", "weekend", "days", *_BOUNDS)
"""Kinds of words for times that recur ("evening"), unlike a single day and hour."""
_ADDRESSED = ("contact", "no_call", *_NOUNS, *_VERBS)
_WAYS = ("contact", "sms", "text", "whatsapp", "email", "text_me", "whatsapp_me", "email_me")
_RELEVANT = (*_TIMES, *_ADDRESSED, "any_channel")
_AMBIGUOUS = frozenset({"text", "call"})
"""Names of channels that are also verbs."""
_SETTLED = ("only", "prefer", "deny", "standing")
_WEEKDAYS = frozenset(range(5))
Sentences = Sequence[Sequence[Clause]]


@dataclass(frozen=True, slots=True)
class _ClauseInSentence:
    """A clause of a recipient's message, with the whole sentence that it is part of."""

    clause: Clause
    sentence: Clause

    @property
    def is_addressed(self) -> bool:
        """Whether the clause is about reaching the recipient: it names writing, a call or a channel."""
        return self.clause.has(*_ADDRESSED)

    @property
    def is_settled(self) -> bool:
        """Whether the wish is meant to last: it has "only", "better", "not" or "from now on"."""
        return self.clause.has(*_SETTLED) or self.sentence.has("standing", "only")

    @property
    def is_certain(self) -> bool:
        """Whether the clause counts as a wish: all its words are known, or the known ones are decisive.

        Decisive are words such as "only".  A question with an unknown word needs "from now on".
        """
        if self.clause.is_known:
            return True
        if self.sentence.has("asks") and not self.sentence.has("standing"):
            return False
        if self.clause.has(*_TIMES):
            has_way = self.sentence.has(*_WAYS)
            return has_way and self.is_settled
        return self.clause.has("only", "prefer", "standing", "no_call")


@dataclass(frozen=True, slots=True)
class _ClauseWish:
    """What one clause wishes; `named` and `refused` are channels, `lifts` are preferences taken back."""

    hours: Hours | None = None
    named: frozenset[Contact] = frozenset()
    refused: frozenset[Contact] = frozenset()
    lifts: frozenset[About] = frozenset()


class DoubtError(Exception):
    """A clause may wish a time or a channel, but is not understood."""


def stated_wish(text: str, *, answers: bool = False) -> Wish | None:
    """A recipient's wish about time and channel; None where the message has none, or the wish is in doubt.

    Args:
        text: the recipient's message.
        answers: whether our newest message asked something, so that "not before 9" may be the
            answer.
    """
    return _agreed_wish(text, _wishing_clauses, answers=answers)


def wish_if_all_known(text: str) -> Wish | None:
    """The wish of a message; None where a word of its clauses about time and channel is not known."""
    return _agreed_wish(text, _known_clauses, answers=False)


def _agreed_wish(
    text: str, choose: Callable[[Sentences], Sequence[_ClauseInSentence] | None], *, answers: bool
) -> Wish | None:
    """The wish in a message, by the languages that know most of its words.

    None where these read different wishes or none, or where the message is too long.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    read = [sentences(text, lexicon) for lexicon in lexicons().values()]
    unknown = [
        sum(part.kind == "unknown" for s in sentences_read for c in s for part in c.parts)
        for sentences_read in read
    ]
    chosen = [
        reading for reading, count in zip(read, unknown, strict=True) if count == min(unknown)
    ]
    heard = [
        wish
        for reading in chosen
        if (wish := _wish_of_clauses(choose(reading), answers=answers)) is not None
    ]
    return heard[0] if heard and all(wish == heard[0] for wish in heard) else None


def _wish_of_clauses(said: Sequence[_ClauseInSentence] | None, *, answers: bool) -> Wish | None:
    if said is None:
        return None
    try:
        is_addressed = any(clause.is_addressed for clause in said)
        heard = [
            _wish_of_clause(clause, is_addressed=is_addressed, answers=answers) for clause in said
        ]
    except DoubtError:
        return None
    return _combined_wish(heard, said)


def _known_clauses(found: Sentences) -> Sequence[_ClauseInSentence] | None:
    """The clauses about time and channel of a message; those with an unknown word are skipped.

    None where a skipped clause is about reaching the recipient, or a sentence is about an occasion,
    an appointment or somebody else.
    """
    said = list[_ClauseInSentence]()
    for sentence in found:
        if any(clause.has("once", "no_wish", "others") for clause in sentence):
            return None
        relevant = [
            _ClauseInSentence(clause, clause) for clause in sentence if clause.has(*_RELEVANT)
        ]
        if all(clause.clause.is_known for clause in relevant):
            said += relevant
        elif any(clause.is_addressed for clause in relevant):
            return None
    return said


def _wishing_clauses(found: Sentences) -> Sequence[_ClauseInSentence] | None:
    """The clauses that wish a time or a channel; None where one is in doubt.

    Sentences about an appointment, a condition or somebody else are skipped.  A clause with an
    unknown word needs "only", "better" or "from now on" beside a way to write to the recipient.
    """
    said = list[_ClauseInSentence]()
    is_once = False
    for sentence in found:
        whole = Clause(tuple(part for clause in sentence for part in clause.parts), is_known=True)
        is_once |= whole.has("once")
        if whole.has("once", "no_wish"):
            continue
        for clause in takewhile(lambda clause: not clause.has("others"), sentence):
            said_clause = _ClauseInSentence(clause, whole)
            if not clause.has(*_RELEVANT):
                continue
            if not clause.is_bound and said_clause.is_addressed:
                return None
            if said_clause.is_certain:
                said.append(said_clause)
    if is_once and not any(clause.has("standing") for sentence in found for clause in sentence):
        return None
    return said


def _combined_wish(heard: Sequence[_ClauseWish], said: Sequence[_ClauseInSentence]) -> Wish | None:
    """The combined wish of all clauses of a message.

    None where they contradict each other, are unclear, or wish nothing.
    """
    is_settled = any(clause.is_settled for clause in said)
    hours: Hours | None = None
    for wish in heard:
        if wish.hours is not None:
            hours = wish.hours if hours is None else hours.within(wish.hours)
    if hours is not None and not hours.is_possible:
        return None
    named = frozenset[Contact]().union(*(wish.named for wish in heard))
    refused = frozenset[Contact]().union(*(wish.refused for wish in heard))
    if named >= _TEXTS and named - refused:  # "text me, no WhatsApp"
        named -= refused & _TEXTS
    is_only = any(c.clause.has("only") and wish.named for c, wish in zip(said, heard, strict=True))
    if is_only:
        refused |= frozenset(Contact) - named
    is_unclear = bool(named & refused) or refused >= _OURS or (named and not is_settled)
    if is_unclear or (refused >= _TEXTS and not named):  # a STOP refuses both
        if hours is None or refused:
            return None
        named = frozenset()
    channels = Channels(named, refused) if named or refused else None
    lifts = frozenset[About]().union(*(wish.lifts for wish in heard))
    if About.HOURS in lifts:
        hours = None
    if hours is None and channels is None and not lifts:
        return None
    return Wish(hours, channels, lifts)


def _wish_of_clause(said: _ClauseInSentence, *, is_addressed: bool, answers: bool) -> _ClauseWish:
    clause = said.clause
    if clause.has("any_channel"):
        if clause.has("deny", *_TIMES):
            raise DoubtError
        return _ClauseWish(lifts=frozenset({About.CHANNELS}))
    if clause.has("any_time") and not clause.has(*(set(_TIMES) - {"any_time"})):
        if clause.has("deny"):
            raise DoubtError
        return _ClauseWish(lifts=frozenset({About.HOURS}))
    if clause.has(*_TIMES):
        return _timed_wish(said, is_addressed=is_addressed, answers=answers)
    named, refused = channels_in(clause)
    return _ClauseWish(named=named, refused=refused)


def _timed_wish(said: _ClauseInSentence, *, is_addressed: bool, answers: bool) -> _ClauseWish:
    clause = said.clause
    is_lasting = clause.has("only", "deny") or said.sentence.has("only", "standing")
    is_bare = not is_lasting or answers
    if (is_bare and not is_addressed) or clause.has("any_time"):
        raise DoubtError
    if clause.has("one_day") and not said.is_settled:
        raise DoubtError
    hours = hours_in(clause)
    names = set(_NOUNS) if clause.has("only", "prefer") else set(_NOUNS) - _AMBIGUOUS
    is_named = clause.has(*names) and said.is_settled and not clause.has("deny")
    named = channels_in(clause)[0] if is_named else frozenset[Contact]()
    return _ClauseWish(hours, named)


def hours_in(clause: Clause) -> Hours:
    """The hours and days on which a clause wants messages; a "not" in it leaves out those that it names.

    Raises:
        DoubtError: they are ambiguous.
    """
    is_denied = clause.has("deny")
    table = _EXCLUDED if is_denied else DAY_PARTS
    windows: list[tuple[int, int]] = []
    bounds = Hours()
    for bound in _bounds(clause.parts, is_denied=is_denied):
        if bound[0] == "window":
            windows.append(bound[1])
        else:
            bounds = bounds.within(Hours((bound[1],)))
    for part in clause.parts:
        if part.kind in (*DAY_PARTS, "night"):
            if part.kind not in table:
                raise DoubtError  # "at night", when the law allows no message
            windows.append(table[part.kind])
    days = frozenset(_days(clause.parts))
    if is_denied and days and (windows or bounds != Hours()):
        raise DoubtError
    whole = clock_words.merged_windows(windows) if windows else ((0, DAY),)
    if is_denied and windows:
        whole = clock_words.uncovered_windows(windows)
    if is_denied and days:
        days = WEEK - days
    return replace(Hours(whole).within(bounds), days=days or WEEK)


def _bounds(parts: Sequence[WishPart], *, is_denied: bool) -> Iterator[tuple[str, tuple[int, int]]]:
    """The hours that a clause names: ``window`` for "from 9 to 5", ``bound`` for "before 9" or "after 5".

    Each comes with its first and last minute of the day.

    Raises:
        DoubtError: an hour is ambiguous or missing, or is in neither a window nor a bound.
    """
    at = 0
    while at < len(parts):
        part, time, *rest = (*parts[at : at + 4], *[WishPart("end")] * 4)[:4]
        if part.kind in (*_BOUNDS, "time"):
            first = part if part.kind == "time" else time
            link, last = (time, rest[0]) if part.kind == "time" else (rest[0], rest[1])
            is_range = link.kind in ("to", "joins", "until") and last.kind == "time"
            if first.kind != "time" or (part.kind == "time" and not is_range):
                raise DoubtError
            if is_range and part.kind in ("start", "time", "after"):
                window = clock_words.window(first, last)
                if window is None:
                    raise DoubtError
                yield "window", window
                at += 3 if part.kind == "time" else 4
                continue
            yield "bound", _bound(part.kind, first, is_denied=is_denied)
            at += 2
            continue
        at += 1


def _bound(kind: str, time: WishPart, *, is_denied: bool) -> tuple[int, int]:
    is_late = kind in ("after", "start")
    if is_denied:
        at = clock_words.until(time) if is_late else clock_words.not_before(time)
        found = (0, at) if is_late else (at, DAY)
    else:
        at = clock_words.after(time) if is_late else clock_words.until(time)
        found = (at, DAY) if is_late else (0, at)
    if at is None or found[0] is None or found[1] is None or at > DAY:
        raise DoubtError
    return found[0], found[1]


def _days(parts: Sequence[WishPart]) -> Iterator[int]:
    for part in parts:
        if part.kind in ("days", "one_day"):
            yield part.value
        elif part.kind == "weekdays":
            yield from _WEEKDAYS
        elif part.kind == "weekend":
            yield from WEEK - _WEEKDAYS


def channels_in(clause: Clause) -> tuple[frozenset[Contact], frozenset[Contact]]:
    """The channels that a clause asks for, and those that it refuses.

    A "not" refuses the channels after it; at the end of the clause, all before it.
    """
    kinds = [part.kind for part in clause.parts]
    denied_at = kinds.index("deny") if "deny" in kinds else len(kinds)
    named, refused = set[Contact](), set[Contact]()
    refused.update({Contact.CALL} if "no_call" in kinds else ())
    places = [n for n, kind in enumerate(kinds) if kind in _NOUNS or kind in _VERBS]
    is_about_all = bool(places) and places[-1] < denied_at < len(kinds)
    for place in places:
        kind = kinds[place]
        is_refused = is_about_all or place > denied_at
        if kind in _VERBS:
            same = [
                n for n in places if kinds[n] in _NOUNS and (n > denied_at) == (place > denied_at)
            ]
            if same and kind != "call_me":  # "text me by WhatsApp"
                continue
        (refused if is_refused else named).update(_NOUNS.get(kind) or _VERBS[kind])
    return frozenset(named), frozenset(refused)
