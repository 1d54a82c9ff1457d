"""Phone numbers in groups: how many groups, from a given one, form a number."""

from chalicelib.redaction import phones
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.runs import Run
from chalicelib.redaction.vocabulary import Topic

_MAX_WINDOW = 8
_WHOLE = 11  # digits of an international number written in one group


def phone_window(run: Run, first: int, sizes: list[int], totals: list[int]) -> int:
    """How many groups of digits, from `first` on, form a phone number; 0 for none."""
    head = run.groups[first]
    start = run.starts[first]
    sign = run.sheet.low[max(0, start - 1) : start]
    most = min(len(sizes), _MAX_WINDOW)
    if run.has_plus(first) or head.startswith("00"):
        if head.startswith("1"):
            exact = _longest_window(totals, most, range(11, 12))
            if exact:
                return exact
        if len(head) >= _WHOLE:
            return 0  # a complete number, whatever follows
        return _longest_window(totals, most, range(8, 16))
    if sign in {"-", "_"}:
        return 0  # the tail of a code such as `XJ-900-2021`
    for count in range(most, 1, -1):
        separators = tuple(run.separators[first : first + count - 1])
        if phones.is_shape(tuple(sizes[:count]), separators):
            return count
    if head.startswith("0") and head != "0" and "," not in "".join(run.separators[first:]):
        return _longest_window(totals, most, range(7, 15))
    if sign == "(":
        return _longest_window(totals, most, range(7, 14))
    if run.topic(first, first)[0] is Topic.PHONE or _is_labelled(run):
        return _longest_window(totals, min(len(sizes), 15), phones.DIGITS)
    is_spelled = sizes[:9] == [1] * 9
    if is_spelled:
        return _longest_window(totals, len(sizes), phones.DIGITS)
    return _dashed_window(run, first, sizes, totals)


_LABEL = lazily(r" ?[\-(:]? ?(?:office|fax|mobile|cell|home|desk|work phone|landline|handy)(?!\w)")


def _is_labelled(run: Run) -> bool:
    """Whether a word for a kind of phone, such as "fax", follows a number: `22 498317 office`."""
    return _LABEL().match(run.sheet.low, run.ends[-1]) is not None


def _longest_window(totals: list[int], most: int, wanted: range) -> int:
    return next((n for n in range(most, 1, -1) if totals[n - 1] in wanted), 0)


def _dashed_window(run: Run, first: int, sizes: list[int], totals: list[int]) -> int:
    """How many groups, from `first` on, are joined by dashes and have 8 to 15 digits in all; 0 for none.

    Such groups may be a mistyped phone number.
    """
    count = 1
    for separator in run.separators[first:]:
        if separator != "-":
            break
        count += 1
    count = min(count, len(sizes), _MAX_WINDOW)
    return count if count > 1 and 8 <= totals[count - 1] <= 15 else 0
