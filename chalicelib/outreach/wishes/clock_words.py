"""Hours as people write them, as minutes of the day; None where they are ambiguous; pure.

"Not before 9" means the morning and "until 8" the evening; "after 8" may be either, so it is None.
"""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.outreach.wishes.lexicon import WishPart
from chalicelib.outreach.wishes.preference import DAY

_NOON = DAY // 2
_EARLY = 6 * 60
"""An hour before this, without "am" or "pm", is not in the morning."""


def not_before(time: WishPart) -> int | None:
    """The minute of the day that "not before 9" means: in the morning from 6 on, else in the afternoon."""
    known = _minute_of_day(time)
    if known is not None:
        return known
    return time.value if time.value >= _EARLY else time.value + _NOON


def after(time: WishPart) -> int | None:
    """The minute of the day that "after 5" means; None for "after 8", which may be morning or evening."""
    known = _minute_of_day(time)
    if known is not None:
        return known
    return time.value + _NOON if time.value <= _EARLY else None


def until(time: WishPart) -> int | None:
    """The minute of the day that "until 8" or "not after 8" means: after noon, unless the words say more."""
    known = _minute_of_day(time)
    return known if known is not None else time.value + _NOON


def window(start: WishPart, end: WishPart) -> tuple[int, int] | None:
    """The minutes of the day, first and last, that "between 9 and 5" means.

    None where the hours are ambiguous or make no window.
    """
    if not start.how and end.how in ("am", "pm") and start.value < _NOON:
        start = WishPart("time", start.value, how=end.how if start.value < end.value else "am")
    first, last = _minute_of_day(start), _minute_of_day(end)
    if first is None:
        is_certain = last is not None or end.value <= start.value
        first = start.value if start.value > _EARLY or is_certain else start.value + _NOON
        if not is_certain and start.value > _EARLY and end.value < _NOON:
            return None
    if last is None:
        last = end.value if end.value > first else end.value + _NOON
    return (first, last) if first < last <= DAY else None


def merged_windows(windows: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Windows (pairs of minutes of the day) in order; those that touch or overlap are merged."""
    made: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
        else:
            made.append((start, end))
    return tuple(made)


def uncovered_windows(windows: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The windows (pairs of minutes of the day) that no given window covers, in order."""
    edges = [0, *(edge for covered in merged_windows(windows) for edge in covered), DAY]
    return tuple((a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b)


def _minute_of_day(time: WishPart) -> int | None:
    """The minute of the day of a time, where its words say which half of the day it is; else None."""
    if time.how == "pm" and time.value < _NOON:
        return time.value + _NOON
    if time.how == "am":
        return time.value % _NOON
    is_clear = time.how in ("clock", "pm") or time.value >= _NOON or not time.value
    if time.how == "clock" and 0 < time.value <= _EARLY:
        return None
    return time.value if is_clear else None
