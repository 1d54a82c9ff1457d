"""Whether two values can be the same: sums with currencies, days by the clock, numbers; pure."""

from __future__ import annotations

from datetime import timedelta

from chalicelib.outreach.writing.moments import Day, LocalClock, date_of
from chalicelib.outreach.writing.said_values import SaidValue, stems_of
from chalicelib.outreach.writing.values import ValueKind

_KINDS = {
    ValueKind.MONEY: {ValueKind.MONEY, ValueKind.NUMBER},
    ValueKind.PERCENT: {ValueKind.PERCENT, ValueKind.NUMBER},
    ValueKind.NUMBER: {ValueKind.NUMBER, ValueKind.MONEY, ValueKind.PERCENT, ValueKind.CODE},
    ValueKind.SPAN: {ValueKind.SPAN, ValueKind.NUMBER},
    ValueKind.CODE: {ValueKind.CODE, ValueKind.NUMBER},
}
"""The kinds of source values that may support a draft's value, by its kind; else its own kind alone."""


def can_be_same(drafted: SaidValue, other: SaidValue, clock: LocalClock) -> bool:
    """Whether a draft's value can be the same as a source's: a sum, a day, a number, a code."""
    mine, its = drafted.value.readings, other.value.readings
    if drafted.value.kind is ValueKind.DATE:
        is_about = bool(drafted.roles & other.roles or stems_of(drafted.text) & other.stems)
        return any(_same_day(a, b, clock, is_about=is_about) for a in mine for b in its)
    if drafted.value.kind is ValueKind.MONEY:
        return any(_same_sum(a, b) for a in mine for b in its)
    if other.value.kind is ValueKind.MONEY:
        return any(isinstance(b, tuple) and a == b[0] for a in mine for b in its)
    if other.value.kind is ValueKind.CODE and drafted.value.kind is ValueKind.NUMBER:
        return any(f"{a:g}" in str(b) for a in mine for b in its if isinstance(a, float))
    if drafted.value.kind is ValueKind.SPAN and other.value.kind is ValueKind.NUMBER:
        return any(isinstance(a, tuple) and a[0] == b for a in mine for b in its)
    return not mine.isdisjoint(its)


def _same_sum(mine: object, its: object) -> bool:
    if not isinstance(mine, tuple):
        return False
    if not isinstance(its, tuple):
        return bool(mine[0] == its)
    return bool(mine[0] == its[0]) and ("" in (mine[1], its[1]) or mine[1] == its[1])


def _same_day(mine: object, its: object, clock: LocalClock, *, is_about: bool) -> bool:
    """Whether a draft's day and a source's day can be the same.

    A date matches a source's weekdays only where `is_about`: the two sentences share a role or a
    word.
    """
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
    """The kinds of source values that may support a draft's value of a kind."""
    return frozenset(_KINDS.get(kind, {kind}))


def is_same_time(drafted: SaidValue, other: SaidValue) -> bool:
    """Whether a source's value is the same time of day as a draft's value."""
    is_time = other.value.kind is ValueKind.TIME
    return is_time and not drafted.value.readings.isdisjoint(other.value.readings)
