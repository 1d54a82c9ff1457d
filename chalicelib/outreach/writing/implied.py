"""Values that follow from given values, such as the date at the end of a span; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import timedelta

from chalicelib.outreach.writing.moments import Day, LocalClock, date_of
from chalicelib.outreach.writing.said_values import SaidValue
from chalicelib.outreach.writing.same_value import can_be_same, is_same_time
from chalicelib.outreach.writing.sources import Source
from chalicelib.outreach.writing.values import ValueKind


def implied_values(
    drafted: SaidValue,
    given: Sequence[tuple[Source, SaidValue]],
    clock: LocalClock,
    asked: AbstractSet[object],
) -> list[SaidValue]:
    """The values of sources from which a draft's value follows; empty where there are none.

    A time that the recipient asked about follows from opening hours that contain it.  "Closed on
    Sunday" follows from opening days without Sunday.
    """
    hours = [other for _, other in given if "opening" in other.roles]
    is_asked = not asked.isdisjoint(drafted.value.readings)
    if drafted.value.kind is ValueKind.TIME and "opening" in drafted.roles and is_asked:
        times = [o for o in hours if o.value.kind is ValueKind.TIME]
        return [
            o for o in times if _is_between(drafted, [p for p in times if p.part[0] == o.part[0]])
        ]
    days = [other for other in hours if other.value.kind is ValueKind.DATE]
    if drafted.value.kind is ValueKind.DATE and "closing" in drafted.roles and days:
        mine = {
            n
            for day in drafted.value.readings
            if isinstance(day, Day)
            for n in clock.weekday_of(day)
        }
        theirs = {
            n
            for o in days
            for day in o.value.readings
            if isinstance(day, Day)
            for n in day.weekdays
        }
        if mine and not mine & theirs:
            return [replace(days[0], roles=days[0].roles | drafted.roles)]
    return []


def _is_between(drafted: SaidValue, hours: Sequence[SaidValue]) -> bool:
    """Whether a draft's time lies between the first and the last of some opening hours."""
    minutes = [max(int(str(n)) for n in other.value.readings) for other in hours]
    first = min((int(str(n)) for other in hours for n in other.value.readings), default=0)
    return len(hours) > 1 and any(
        first <= int(str(n)) <= max(minutes) for n in drafted.value.readings
    )


def dates_ahead(
    drafted: SaidValue, given: Iterable[tuple[Source, SaidValue]], clock: LocalClock
) -> list[SaidValue]:
    """The dates in sources that a draft's span reaches, counted from today: "in three days".

    Only spans of days, nights and weeks count; empty where no source names such a date.
    """
    ahead = {
        clock.today + timedelta(span[0] * {"day": 1, "night": 1, "week": 7}[span[1]])
        for span in drafted.value.readings
        if isinstance(span, tuple) and span[1] in ("day", "night", "week")
    }
    return [
        other
        for _, other in given
        if other.value.kind is ValueKind.DATE
        and any(isinstance(day, Day) and date_of(day) in ahead for day in other.value.readings)
    ]


def contradicting_times(
    found: Sequence[SaidValue], given: Sequence[tuple[Source, SaidValue]], clock: LocalClock
) -> Iterator[SaidValue]:
    """The times in a draft whose day contradicts the sources.

    Every source with the same time names a day beside it, and none of these is the draft's day.
    """
    for time in (value for value in found if value.value.kind is ValueKind.TIME):
        days = [
            value
            for value in found
            if value.value.kind is ValueKind.DATE and value.part == time.part
        ]
        its = [(source, other) for source, other in given if is_same_time(time, other)]
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
                dates and not any(can_be_same(day, o, clock) for o in dates) for dates in beside
            ):
                yield time
