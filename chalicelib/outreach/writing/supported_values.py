"""Whether the sources support a draft's values: the same value, in the role that the sentence gives it.

"Your balance is 695" does not rest on a `deposit` of 695.  A value without a role rests on the
source whose words are most like the sentence's; where another source fits the sentence better, the
draft has swapped the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from chalicelib.outreach.trust import Trust
from chalicelib.outreach.value_roles import has_kind, is_weak, role_hits
from chalicelib.outreach.writing.checks.text import folded
from chalicelib.outreach.writing.implied import contradicting_times, dates_ahead, implied_values
from chalicelib.outreach.writing.right_role import Backing, backing, backing_of_text
from chalicelib.outreach.writing.said_values import SaidValue, as_date, said_in
from chalicelib.outreach.writing.same_value import can_be_same, kinds_for
from chalicelib.outreach.writing.sources import Source, Sources
from chalicelib.outreach.writing.values import ValueKind, values

_SMALL = 10
"""A smaller bare number counts only where the word for what it counts follows."""
_SOME_MINUTES = 15
"""Up to so many minutes are a manner of speaking: "a quick talk of five minutes"."""
_HOURS = frozenset({"opening", "closing"})
_FEW = 2
"""A sentence with so few words does not say what its value is."""
_DENIED = re.compile(
    r"\b(?:not|no|nicht|kein\w*|pas|nao|non|niet|geen)\s(?:on |at |for |am |um |in |der |die |das |le |la |il |el |em |op )?$"
)
"""Words directly before a value by which a sentence denies it."""


@dataclass(frozen=True, slots=True)
class Context:
    """The message that a draft answers; it gives a value its role where the draft's sentence names none.

    Attributes:
        asked: the recipient's newest message.
        languages: the languages that the text may be in.
    """

    asked: str = ""
    languages: frozenset[str] = frozenset()

    def roles(self, kind: ValueKind) -> frozenset[str]:
        """The roles (deposit, balance, …) in the recipient's message that a value of the kind can have."""
        hits = role_hits(folded(self.asked), self.languages)
        return frozenset(hit.role for hit in hits if has_kind(hit.role, kind))


def judged_values(
    text: str, sources: Sources, context: Context, within: Sequence[Source] | None = None
) -> Iterator[tuple[SaidValue, Backing]]:
    """The values of a draft's text, each with how the sources back it.

    Manners of speaking ("a few minutes") and denied values are left out.  A time that the sources
    put on another day is yielded a second time, as ``OTHER``.

    Args:
        text: the draft's text.
        sources: the sources of the draft.
        context: what the draft answers.
        within: only these sources may support a value; None means all.
    """
    before: dict[ValueKind, frozenset[str]] = {}
    texts = [folded(source.text) for source in sources.given if source.is_text]
    found = list(said_in(text, context.languages, texts=texts))
    for value in found:
        if _is_manner(value) or _is_denied(value):
            continue
        beside = [other for other in found if other.text == value.text]
        nearest = _opening_role(value, beside, sources) or value.nearest
        if (
            not nearest and not value.roles and len(value.stems) <= _FEW
        ):  # "It is 695" is about the value before
            nearest = before.get(value.value.kind, frozenset())
        before[value.value.kind] = nearest
        is_alone = sum(other.value.kind is value.value.kind for other in beside) == 1
        asking = context if is_alone else replace(context, asked="")
        yield value, _backing_of(replace(value, nearest=nearest), sources, asking, within)
    given = [
        (source, other) for source, other in sources.values if within is None or source in within
    ]
    yield from (
        (value, Backing.OTHER) for value in contradicting_times(found, given, sources.clock)
    )


def _is_manner(drafted: SaidValue) -> bool:
    """Whether a draft's value is a manner of speaking: a few minutes, or a small number without a count."""
    if drafted.value.kind is ValueKind.NUMBER and not drafted.is_count:
        return all(
            isinstance(number, int | float) and number < _SMALL for number in drafted.value.readings
        )
    return drafted.value.kind is ValueKind.SPAN and all(
        isinstance(span, tuple) and span[1] == "minute" and span[0] <= _SOME_MINUTES
        for span in drafted.value.readings
    )


def _is_denied(drafted: SaidValue) -> bool:
    """Whether a draft's sentence only denies a value: "not tomorrow, on Friday"."""
    return _DENIED.search(folded(drafted.text)[: drafted.value.start]) is not None


def _opening_role(
    drafted: SaidValue, beside: Sequence[SaidValue], sources: Sources
) -> frozenset[str]:
    """The role ``opening`` for a draft's day or time without a named role; empty if it is not that.

    It is one of two or more times listed together, and the sources' opening hours contain it.
    """
    times = [o for o in beside if o.value.kind in (ValueKind.DATE, ValueKind.TIME)]
    is_hours = sum(o.value.kind is ValueKind.TIME for o in times) > 1 and drafted in times
    is_named = any(not is_weak(role, o.value.kind) for o in times for role in o.nearest)
    is_open = is_hours and not is_named
    return frozenset({"opening"} if is_open and _are_hours(drafted, sources) else ())


def _are_hours(drafted: SaidValue, sources: Sources) -> bool:
    """Whether the opening hours that the sources give contain a draft's day or time."""
    return any(
        "opening" in o.roles and can_be_same(drafted, o, sources.clock) for _, o in sources.values
    )


def _backing_of(
    drafted: SaidValue, sources: Sources, context: Context, within: Sequence[Source] | None
) -> Backing:
    clock, kind = sources.clock, drafted.value.kind
    asked_for = context.roles(kind)
    same = [(source, o) for source, o in sources.values if o.value.kind in kinds_for(kind)]
    agreeing = [
        (source, other)
        for source, other in same
        if can_be_same(drafted, other, clock)
        and not _is_only_opening_day(drafted, other, asked_for)
    ]
    own = [(source, o) for source, o in agreeing if within is None or source in within]
    fits = [other for _, other in own]
    by_colleague = [other for source, other in own if source.author is Trust.COLLEAGUE]
    # A colleague's statement about this case outweighs the company's general knowledge.
    rivals = [
        other
        for source, other in same
        if not can_be_same(drafted, other, clock)
        and not (by_colleague and source.path.startswith("knowledge."))
        and (source.is_field or kind is not ValueKind.MONEY or other.value.kind is kind)
    ]
    if not fits:
        given = [(s, o) for s, o in sources.values if within is None or s in within]
        if kind is ValueKind.SPAN and (fits := dates_ahead(drafted, given, clock)):
            dates = [o for _, o in sources.values if o.value.kind is ValueKind.DATE]
            rivals = [other for other in dates if other not in fits]
            drafted, asked_for = as_date(drafted, context.languages), context.roles(ValueKind.DATE)
        elif not (fits := implied_values(drafted, given, clock, _times(sources))):
            return Backing.MISSING
    if kind is ValueKind.TEXT:
        return backing_of_text(drafted, fits, rivals)
    if kind is ValueKind.NUMBER and any(_is_named(source) for source, _ in own):
        return Backing.GIVEN  # part of a name: the 308 of a "Peugeot 308"
    roles = drafted.nearest
    if not roles and len(drafted.stems) <= _FEW:
        is_there = any(asked_for & other.roles for _, other in same)
        strong = frozenset(role for role in asked_for if not is_weak(role, kind))
        roles = asked_for if is_there else strong if kind is ValueKind.MONEY else roles
    return backing(drafted, roles, context.asked, asked_for, fits, rivals)


def _times(sources: Sources) -> AbstractSet[object]:
    """The times of day that the recipient or a form named, in minutes."""
    times = (
        their.value for their in sources.recipients_values if their.value.kind is ValueKind.TIME
    )
    return {reading for time in times for reading in time.readings}


def _is_only_opening_day(drafted: SaidValue, other: SaidValue, asked_for: frozenset[str]) -> bool:
    """Whether a source's day only says when the company is open, and the draft's day is about something else.

    "See you on Saturday" does not rest on being open on Saturdays.
    """
    if drafted.value.kind is not ValueKind.DATE or not other.nearest or not other.nearest <= _HOURS:
        return False
    beside = [value.kind for value in values(drafted.text)]
    is_timed = ValueKind.TIME in beside or beside.count(ValueKind.DATE) > 1
    return not is_timed and not (drafted.roles | asked_for) & _HOURS


def _is_named(source: Source) -> bool:
    """Whether a field's number is part of a name, as in "Peugeot 308": a word of letters is beside it."""
    return source.is_field and any(
        word.isalpha() and len(word) > _FEW for word in source.text.split()
    )
