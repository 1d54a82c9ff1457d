"""Whether the sources support a draft's values: the same value, in the role that the sentence gives it.

"Your balance is 695" does not rest on a `deposit` of 695.  A value without a role rests on the source
whose words are most like the sentence's; where another source fits the sentence better, it was swapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from chalicelib.outreach.trust import Trust
from chalicelib.outreach.value_roles import has_kind, is_like, is_weak, role_hits
from chalicelib.outreach.writing.checks.text import folded
from chalicelib.outreach.writing.moments import Day, LocalClock, date_of
from chalicelib.outreach.writing.said import SaidValue, said_in, stems_of
from chalicelib.outreach.writing.sources import Source, Sources
from chalicelib.outreach.writing.values import ValueKind, values

_KINDS = {
    ValueKind.MONEY: {ValueKind.MONEY, ValueKind.NUMBER},
    ValueKind.PERCENT: {ValueKind.PERCENT, ValueKind.NUMBER},
    ValueKind.NUMBER: {ValueKind.NUMBER, ValueKind.MONEY, ValueKind.PERCENT, ValueKind.CODE},
    ValueKind.SPAN: {ValueKind.SPAN, ValueKind.NUMBER},
    ValueKind.CODE: {ValueKind.CODE, ValueKind.NUMBER},
}
"""Of a draft's value: the kinds of sources that it may rest on; else its own."""
_SMALL = 10
"""A smaller bare number counts only where what it counts follows it."""
_SOME_MINUTES = 15
"""So many minutes are a manner of speaking: "a quick talk of five minutes"."""


_HOURS = frozenset({"opening", "closing"})
_FEW = 2
"""So few words say nothing of a value."""


_DENIED = re.compile(
    r"\b(?:not|no|nicht|kein\w*|pas|nao|non|niet|geen)\s(?:on |at |for |am |um |in |der |die |das |le |la |il |el |em |op )?$"
)
"""What comes before a value that a sentence denies."""


class Backing(StrEnum):
    """What the sources say of a value."""

    GIVEN = "given"
    MISSING = "missing"
    """No source has it."""
    OTHER = "other"
    """A source has it, but as something else."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a sentence without a role of its own may be about.

    Attributes:
        asked: the recipient's newest message.
        before: the roles of the draft's sentence before.
    """

    asked: str = ""
    languages: frozenset[str] = frozenset()

    def roles(self, kind: ValueKind) -> frozenset[str]:
        """The roles that the recipient's message names."""
        hits = role_hits(folded(self.asked), self.languages)
        return frozenset(hit.role for hit in hits if has_kind(hit.role, kind))


def judged(
    text: str, sources: Sources, context: Context, within: Sequence[Source] | None = None
) -> Iterator[tuple[SaidValue, Backing]]:
    """Every value of a text, with what supports it.

    Args:
        text: of a draft.
        sources: what it may rest on.
        context: what its sentences may be about.
        within: the sources that its claims name; all without one.
    """
    asked = {
        reading
        for one in sources.theirs
        if one.value.kind is ValueKind.TIME
        for reading in one.value.readings
    }
    before: dict[ValueKind, frozenset[str]] = {}
    texts = [folded(source.text) for source in sources.given if source.is_text]
    found = list(said_in(text, context.languages, texts=texts))
    for one in found:
        if _is_manner(one) or _is_denied(one):
            continue
        is_bare = len(one.stems) <= _FEW  # "It is 695": of what was said before
        nearest = one.nearest or (
            before.get(one.value.kind, frozenset()) if is_bare else frozenset()
        )
        before[one.value.kind] = nearest
        asking = replace(one, nearest=nearest)
        yield one, _support(asking, sources, context, asked, within)
    given = [(source, one) for source, one in sources.said if within is None or source in within]
    yield from ((one, Backing.OTHER) for one in _apart(found, given, sources.clock))


def _is_manner(one: SaidValue) -> bool:
    """Whether a value is a manner of speaking: a few minutes, a small number of nothing in particular."""
    if one.value.kind is ValueKind.NUMBER and not one.is_count:
        return all(
            isinstance(number, int | float) and number < _SMALL for number in one.value.readings
        )
    return one.value.kind is ValueKind.SPAN and all(
        isinstance(span, tuple) and span[1] == "minute" and span[0] <= _SOME_MINUTES
        for span in one.value.readings
    )


def _is_denied(one: SaidValue) -> bool:
    """Whether a sentence only says that it is not this value: "not tomorrow, on Friday"."""
    return _DENIED.search(folded(one.text)[: one.value.start]) is not None


def _support(
    one: SaidValue,
    sources: Sources,
    context: Context,
    asked: AbstractSet[object],
    within: Sequence[Source] | None,
) -> Backing:
    clock = sources.clock
    asked_for = context.roles(one.value.kind)
    same = [(source, o) for source, o in sources.said if o.value.kind in kinds_for(one.value.kind)]
    agreeing = [
        (source, other)
        for source, other in same
        if agrees(one, other, clock) and not _is_only_open(one, other, asked_for)
    ]
    own = [(source, o) for source, o in agreeing if within is None or source in within]
    fits = [other for _, other in own]
    by_colleague = [other for source, other in own if source.author is Trust.COLLEAGUE]
    # What a colleague says of this case counts before what the company says of all.
    rivals = [
        other
        for source, other in same
        if not agrees(one, other, clock)
        and not (by_colleague and source.path.startswith("knowledge."))
    ]
    if not fits:
        given = [(s, o) for s, o in sources.said if within is None or s in within]
        fits = _implied(one, given, clock, asked)
    if not fits:
        return Backing.MISSING
    if one.value.kind is ValueKind.TEXT:
        return _as_text(one, fits, rivals)
    if one.value.kind is ValueKind.NUMBER and any(_is_named(source) for source, _ in own):
        return Backing.GIVEN  # part of a name: the 308 of a "Peugeot 308"
    roles = one.nearest
    if not roles and len(one.stems) <= _FEW:
        is_there = any(asked_for & other.roles for _, other in same)
        roles = asked_for if is_there or one.value.kind is ValueKind.MONEY else roles
    if not roles:
        return _by_words(one, fits, rivals, stems_of(context.asked))
    if all(is_weak(role, one.value.kind) for role in roles):
        strong = frozenset(role for role in asked_for if not is_weak(role, one.value.kind))
        if _is_of_other(one, strong, fits, rivals):
            return Backing.OTHER
    return _in_role(one, roles, fits, rivals)


def _is_only_open(one: SaidValue, other: SaidValue, asked_for: frozenset[str]) -> bool:
    """Whether a day is only one of the opening hours, of which neither speaks: "see you on Saturday"."""
    if one.value.kind is not ValueKind.DATE or not other.nearest or not other.nearest <= _HOURS:
        return False
    beside = [one.kind for one in values(one.text)]
    is_timed = ValueKind.TIME in beside or beside.count(ValueKind.DATE) > 1
    return not is_timed and not (one.roles | asked_for) & _HOURS


def _is_named(source: Source) -> bool:
    """Whether a field has a number within a name."""
    return source.is_field and any(
        word.isalpha() and len(word) > _FEW for word in source.text.split()
    )


def _is_of_other(
    one: SaidValue,
    asked_for: frozenset[str],
    fits: Sequence[SaidValue],
    rivals: Sequence[SaidValue],
) -> bool:
    """Whether a sentence that says only "it costs" is given for something else than was asked for."""
    wanted = [other for other in rivals if asked_for & other.nearest]
    if not wanted or any(asked_for & other.roles for other in fits):
        return False
    return _most_shared(one, fits) <= _most_shared(one, wanted)


def _most_shared(one: SaidValue, others: Sequence[SaidValue]) -> int:
    return max((len(one.stems & other.stems) for other in others), default=0)


def _in_role(
    one: SaidValue, roles: frozenset[str], fits: Sequence[SaidValue], rivals: Sequence[SaidValue]
) -> Backing:
    exact = [other for other in fits if roles & other.roles]
    rightful = [other for other in rivals if roles & other.roles]
    if not exact:
        if any(_is_same_sort(one.value.kind, other.value.kind) for other in rightful):
            return Backing.OTHER
        alike = [o for o in fits if any(is_like(r, s) for r in roles for s in o.roles)]
        if one.value.kind is ValueKind.TIME and "closing" in roles:
            alike += [o for o in fits if "opening" in o.roles]
        exact = alike or _without_role(one, fits, rivals)
        if not exact:
            return Backing.OTHER
    best = max(_score(one, other) for other in exact)
    if any(_score(one, other) > best for other in rightful):
        return Backing.OTHER
    return Backing.GIVEN


def _without_role(
    one: SaidValue, fits: Sequence[SaidValue], rivals: Sequence[SaidValue]
) -> list[SaidValue]:
    """Sources whose words give no role, and none of which is less like the sentence than a rival."""
    words = stems_of(one.text)
    most = max((len(words & other.stems) for other in rivals if not other.roles), default=0)
    return [o for o in fits if not o.roles and len(words & o.stems) >= most]


def _as_text(one: SaidValue, fits: Sequence[SaidValue], rivals: Sequence[SaidValue]) -> Backing:
    """A name or a place is swapped where the sentence gives it the role of another one, which it lacks."""
    low, roles = folded(one.text), one.nearest
    is_own = not roles or any(roles & other.roles for other in fits)
    # A person is not mistaken for a state: "an appointment with Dr Shah", whose state is "booked".
    sort = _is_name(fits[0])
    absent = [
        o
        for o in rivals
        if _is_name(o) is sort and not any(str(text) in low for text in o.value.readings)
    ]
    return Backing.GIVEN if is_own or not any(roles & o.roles for o in absent) else Backing.OTHER


def _is_name(one: SaidValue) -> bool:
    """Whether a text of a source is a name or a place: it has capital letters."""
    return not one.text.islower()


def _by_words(
    one: SaidValue, fits: Sequence[SaidValue], rivals: Sequence[SaidValue], asked: frozenset[str]
) -> Backing:
    own, more = one.stems, one.stems | asked
    for words in (own, more):
        best = max(len(words & other.stems) for other in fits)
        worst = max((len(words & other.stems) for other in rivals), default=0)
        if best != worst:
            return Backing.GIVEN if best > worst else Backing.OTHER
    return Backing.GIVEN


def _is_same_sort(one: ValueKind, other: ValueKind) -> bool:
    return one is other or {one, other} == {ValueKind.CODE, ValueKind.NUMBER}


def _score(one: SaidValue, other: SaidValue) -> int:
    # "The last day" is in what a field is for; by its name it is a deadline.
    is_called = one.value.kind is ValueKind.DATE and bool(one.nearest & other.nearest)
    return 2 * len(one.roles & other.roles) + len(one.stems & other.stems) + is_called


def agrees(one: SaidValue, other: SaidValue, clock: LocalClock) -> bool:
    """Whether a draft's value may be a source's."""
    mine, its = one.value.readings, other.value.readings
    if one.value.kind is ValueKind.DATE:
        is_about = bool(one.roles & other.roles or stems_of(one.text) & other.stems)
        return any(_same_day(a, b, clock, is_about=is_about) for a in mine for b in its)
    if one.value.kind is ValueKind.MONEY:
        return any(_same_sum(a, b) for a in mine for b in its)
    if other.value.kind is ValueKind.MONEY:
        return any(isinstance(b, tuple) and a == b[0] for a in mine for b in its)
    if other.value.kind is ValueKind.CODE and one.value.kind is ValueKind.NUMBER:
        return any(f"{a:g}" in str(b) for a in mine for b in its if isinstance(a, float))
    if one.value.kind is ValueKind.SPAN and other.value.kind is ValueKind.NUMBER:
        return any(isinstance(a, tuple) and a[0] == b for a in mine for b in its)
    return not mine.isdisjoint(its)


def _same_sum(mine: object, its: object) -> bool:
    if not isinstance(mine, tuple):
        return False
    if not isinstance(its, tuple):
        return bool(mine[0] == its)
    return bool(mine[0] == its[0]) and ("" in (mine[1], its[1]) or mine[1] == its[1])


def _same_day(mine: object, its: object, clock: LocalClock, *, is_about: bool) -> bool:
    """Whether two days may be one; a date is one of some weekdays only where it is about the same."""
    if not isinstance(mine, Day) or not isinstance(its, Day):
        return False
    if its.days is not None and its.day is None:
        return mine.days == its.days
    exact = date_of(its)
    if exact is not None:
        return clock.may_be(mine, exact)
    if its.day is not None:
        own = (mine.month, mine.day)
        if mine.days is not None and mine.day is None:
            tomorrow = clock.today + timedelta(mine.days)
            own = (tomorrow.month, tomorrow.day)
        return (own[1] == its.day and None in (own[0], its.month)) or own == (its.month, its.day)
    is_bound = is_about or (mine.day is None and mine.days is None)
    weekdays = clock.weekday_of(mine)
    return is_bound and bool(its.weekdays) and bool(weekdays) and weekdays <= its.weekdays


def kinds_for(kind: ValueKind) -> frozenset[ValueKind]:
    """The kinds of values that one of a draft may rest on."""
    return frozenset(_KINDS.get(kind, {kind}))


def _implied(
    one: SaidValue,
    given: Sequence[tuple[Source, SaidValue]],
    clock: LocalClock,
    asked: AbstractSet[object],
) -> list[SaidValue]:
    """What implies a value: the date of a span's end, opening hours around a time that was asked for."""
    if one.value.kind is ValueKind.SPAN:
        return _until(one, given, clock)
    hours = [other for _, other in given if "opening" in other.roles]
    is_asked = not asked.isdisjoint(one.value.readings)
    if one.value.kind is ValueKind.TIME and "opening" in one.roles and is_asked:
        times = [o for o in hours if o.value.kind is ValueKind.TIME]
        return [o for o in times if _holds(one, [p for p in times if p.part[0] == o.part[0]])]
    days = [other for other in hours if other.value.kind is ValueKind.DATE]
    if one.value.kind is ValueKind.DATE and "closing" in one.roles and days:
        mine = {
            n for day in one.value.readings if isinstance(day, Day) for n in clock.weekday_of(day)
        }
        theirs = {
            n
            for o in days
            for day in o.value.readings
            if isinstance(day, Day)
            for n in day.weekdays
        }
        if mine and not mine & theirs:
            return [replace(days[0], roles=days[0].roles | one.roles)]
    return []


def _holds(one: SaidValue, hours: Sequence[SaidValue]) -> bool:
    """Whether a time lies between the first and the last of some hours."""
    minutes = [max(int(str(n)) for n in other.value.readings) for other in hours]
    first = min((int(str(n)) for other in hours for n in other.value.readings), default=0)
    return len(hours) > 1 and any(first <= int(str(n)) <= max(minutes) for n in one.value.readings)


def _until(
    one: SaidValue, given: Iterable[tuple[Source, SaidValue]], clock: LocalClock
) -> list[SaidValue]:
    """The given dates that are so many days ahead: "in three days"."""
    ahead = {
        clock.today + timedelta(span[0] * {"day": 1, "night": 1, "week": 7}[span[1]])
        for span in one.value.readings
        if isinstance(span, tuple) and span[1] in ("day", "night", "week")
    }
    return [
        other
        for _, other in given
        if other.value.kind is ValueKind.DATE
        and any(isinstance(day, Day) and date_of(day) in ahead for day in other.value.readings)
    ]


def _apart(
    found: Sequence[SaidValue], given: Sequence[tuple[Source, SaidValue]], clock: LocalClock
) -> Iterator[SaidValue]:
    """Times that their sources name for another day than the draft does."""
    for time in (one for one in found if one.value.kind is ValueKind.TIME):
        days = [one for one in found if one.value.kind is ValueKind.DATE and one.part == time.part]
        its = [(source, other) for source, other in given if agrees_time(time, other)]
        for day in days:
            beside = [
                [
                    o
                    for s, o in given
                    if s is source and o.part == other.part and o.value.kind is ValueKind.DATE
                ]
                for source, other in its
            ]
            if beside and all(
                dates and not any(agrees(day, o, clock) for o in dates) for dates in beside
            ):
                yield time


def agrees_time(one: SaidValue, other: SaidValue) -> bool:
    """Whether a source names a draft's time of day."""
    is_time = other.value.kind is ValueKind.TIME
    return is_time and not one.value.readings.isdisjoint(other.value.readings)
