"""Hours as people write them, as minutes of a day; None where they may be two; pure.

"Not before 9" is in the morning and "until 8" in the evening; "after 8" may be either, and is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.outreach.wishes.lexicon import WishPart
from chalicelib.outreach.wishes.preference import DAY

_NOON = DAY // 2
_EARLY = 6 * 60
"""Before this hour the morning is not meant."""


def not_before(time: WishPart) -> int | None:
    """The hour of "not before 9"."""
    known = _known(time)
    if known is not None:
        return known
    return time.value if time.value >= _EARLY else time.value + _NOON


def after(time: WishPart) -> int | None:
    """The hour of "after 5"."""
    known = _known(time)
    if known is not None:
        return known
    return time.value + _NOON if time.value <= _EARLY else None


def until(time: WishPart) -> int | None:
    """The hour of "until 8", "not after 8"."""
    known = _known(time)
    return known if known is not None else time.value + _NOON


def window(start: WishPart, end: WishPart) -> tuple[int, int] | None:
    """The hours of "between 9 and 5"."""
    if not start.how and end.how in ("am", "pm") and start.value < _NOON:
        start = WishPart("time", start.value, how=end.how if start.value < end.value else "am")
    first, last = _known(start), _known(end)
    if first is None:
        is_certain = last is not None or end.value <= start.value
        first = start.value if start.value > _EARLY or is_certain else start.value + _NOON
        if not is_certain and start.value > _EARLY and end.value < _NOON:
            return None
    if last is None:
        last = end.value if end.value > first else end.value + _NOON
    return (first, last) if first < last <= DAY else None


def joined(windows: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Windows in order; those that touch are one."""
    made: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
        else:
            made.append((start, end))
    return tuple(made)


def outside(windows: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """What of the day is in none of the windows."""
    edges = [0, *(edge for one in joined(windows) for edge in one), DAY]
    return tuple((a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b)


def _known(time: WishPart) -> int | None:
    """The minute where the words themselves say which half of the day it is."""
    if time.how == "pm" and time.value < _NOON:
        return time.value + _NOON
    if time.how == "am":
        return time.value % _NOON
    is_clear = time.how in ("clock", "pm") or time.value >= _NOON or not time.value
    if time.how == "clock" and 0 < time.value <= _EARLY:
        return None
    return time.value if is_clear else None
