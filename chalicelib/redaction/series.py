"""Lists, ranges and years: successive groups of digits that are no identifier."""

from collections.abc import Sequence
from itertools import pairwise

_NEAR = 100  # the two ends of a range are closer than those of two random numbers
_SMALL_STEP = 10
_ROUND = 5  # larger steps of a list are round


def series_length(
    groups: Sequence[str], separators: Sequence[str], *, is_measured: bool = False
) -> int:
    """How many groups of digits, from the first, form a list, a range or years; 0 for none.

    Args:
        groups: groups of digits, in order.
        separators: the text between them; one fewer than groups.
        is_measured: whether a unit or a counted thing follows the second group.

    >>> counted(["2019", "2020", "2021"], [", ", ", "])
    3
    >>> counted(["212", "555", "0142"], ["-", "-"])
    0
    """
    return max(
        _years_length(groups),
        _list_length(groups, separators),
        steps_length(groups),
        _range_length(groups, separators, is_measured),
    )


def _years_length(groups: Sequence[str]) -> int:
    count = 0
    for group in groups:
        if len(group) != 4 or group[:2] not in {"19", "20"}:
            break
        count += 1
    return count if count > 1 else 0


def _list_length(groups: Sequence[str], separators: Sequence[str]) -> int:
    """How many groups, from the first, form a list such as `1001, 1002, 1005`: three at least; 0 for none."""
    count = 1
    for separator, group in zip(separators, groups[1:], strict=True):
        if separator.rstrip(" ") != "," or len(group) > 4 or separator == ",":
            break
        count += 1
    return count if count > 2 and len(groups[0]) <= 4 else 0


def steps_length(groups: Sequence[str]) -> int:
    """How many groups, from the first, rise by the same step, as `36 38 40`: three at least, or 0."""
    if len(groups) < 3 or len(groups[0]) > 4:
        return 0
    step = int(groups[1][:5]) - int(groups[0])
    most = 10 if len(groups[1]) <= 2 else 1000
    if not 0 < step <= most or (step > _SMALL_STEP and step % _ROUND):
        return 0  # three groups of a phone number may have one step, too
    count = 1
    for before, after in pairwise(groups):
        if int(after[:5]) - int(before) != step or len(after) > len(before) + 2:
            break
        if after[0] == "0":  # `01 02 03` and `007 008` count up, but a phone number may begin so
            return 0
        count += 1
    is_phone = tuple(map(len, groups[:count])) == (3, 3, 4)
    return count if count > 2 and not is_phone else 0


def _range_length(groups: Sequence[str], separators: Sequence[str], is_measured: bool) -> int:  # noqa: FBT001
    """2 if the first two groups are a range such as `1001 - 1010` or `1001-1010`; else 0."""
    if len(groups) < 2 or separators[0].strip(" ") != "-" or "-" in "".join(separators[1:2]):
        return 0
    first, last = groups[:2]
    if first[0] == "0" or last[0] == "0" or len(last) > 4:
        return 0
    is_close = len(first) == len(last) and int(last) - int(first) <= _NEAR
    is_spaced = separators[0] != "-" and int(last) < 2 * int(first)
    return 2 if int(first) < int(last) and (is_close or is_spaced or is_measured) else 0
