"""Numbers written in groups: split at separators, recognised by shape, check digit and context.

In doubt a run of seven digits or more is masked: a mistyped number is still personal data.
"""

import re
from bisect import bisect_right
from itertools import accumulate, pairwise

from chalicelib.redaction import cards, orders, phones, tracking
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.unbroken import MEASURED, MIN_RUN, claim_run
from chalicelib.redaction.vocabulary import Topic

_SEPARATORS = r" \t\x1f.\-/()\[\]_*~|\\,"
_RUN = re.compile(rf"[0-9]\d*+(?:[{_SEPARATORS}]{{1,4}}+\d++){{0,19}}+")
_GROUP = re.compile(r"\d+")
_MAX_WINDOW = 8
_MAX_TOTAL = 34  # the longest tracking number


class _Run:
    """One run: its groups and the separators between them."""

    __slots__ = ("ends", "groups", "separators", "sheet", "starts")

    def __init__(self, sheet: Sheet, start: int, text: str) -> None:
        self.sheet = sheet
        spans = [match.span() for match in _GROUP.finditer(text)]
        self.starts = [start + s for s, _ in spans]
        self.ends = [start + e for _, e in spans]
        self.groups = [text[s:e] for s, e in spans]
        self.separators = [text[a[1] : b[0]] for a, b in pairwise(spans)]

    def topic(self, first: int, last: int) -> tuple[Topic | None, bool]:
        """The topic near these groups, and whether it directly precedes them."""
        near = self.sheet.near(self.starts[first], self.ends[last])
        return near.topic, near.is_direct


def mask_numbers(sheet: Sheet) -> None:
    """Claim cards, social security, spaced tracking and phone numbers, and long runs."""
    done = 0
    for match in _RUN.finditer(sheet.low):
        text = match.group()
        if len(text) < MIN_RUN:
            continue
        if match.start() < done:
            continue
        if text.isdigit():
            done = claim_run(sheet, match.start(), match.end(), text)
            continue
        done = _mask_run(_Run(sheet, match.start(), text))
    sheet.settle()


def _mask_run(run: _Run) -> int:
    index = done = 0
    while index < len(run.groups):
        taken, end = _claim_window(run, index)
        if not taken and len(run.groups[index]) >= MIN_RUN:
            span = run.starts[index], run.ends[index]
            taken, end = 1, claim_run(run.sheet, *span, run.groups[index])
        done = max(done, end)
        index += taken or 1
    return done


def _claim_window(run: _Run, first: int) -> tuple[int, int]:
    """Claim the groups from `first` that form one number; returns their count and the claim's end."""
    sizes = [len(group) for group in run.groups[first:]]
    if len(sizes) == 1:
        return 0, 0
    totals = list(accumulate(sizes))
    if totals[-1] < MIN_RUN or _is_enumerated(run, first):
        return 0, 0
    count, kind = _strong_window(run, first, sizes, totals)
    if kind is not None:
        return count, _claim(run, first, count, kind)
    if sizes[0] <= 3 and len(sizes) > 3 and not _is_plus(run, first):
        # A small number before a card number does not start a phone number.
        rest = sizes[1:]
        if _strong_window(run, first + 1, rest, list(accumulate(rest)))[1] is not None:
            return 0, 0
    count = _readable_window(run, first, sizes, totals)
    if count:
        run.sheet.shield(run.starts[first], run.ends[first + count - 1])
        return count, run.ends[first + count - 1]
    count = _phone_window(run, first, sizes, totals)
    if count:
        start, end = run.starts[first], run.ends[first + count - 1]
        digits = "".join(run.groups[first : first + count])
        return count, phones.claim(run.sheet, start, end, digits)
    return (3, _claim(run, first, 3, Kind.SSN)) if _is_loose_ssn(run, first) else (0, 0)


def _strong_window(
    run: _Run, first: int, sizes: list[int], totals: list[int]
) -> tuple[int, Kind | None]:
    """Count and kind of the groups that form a card, social security, tracking or market number."""
    if len(sizes) > 2:
        kind = _triple(run, first, tuple(sizes[:3]))
        if kind is not None:
            return 3, kind
    if totals[-1] < cards.CARD_LENGTHS[0] or _is_plus(run, first):
        return 0, None
    for count in range(min(len(sizes), bisect_right(totals, _MAX_TOTAL)), 1, -1):
        if totals[count - 1] < cards.CARD_LENGTHS[0]:
            break
        kind = _card_or_tracking(run, first, tuple(sizes[:count]), totals[count - 1])
        if kind is not None:
            return count, kind
    return 0, None


def _is_enumerated(run: _Run, first: int) -> bool:
    """Whether the first group numbers a list item, as the `1` of "1) 555 0142" and "1. 555 0142" does.

    A closing bracket belongs to the number only if the number opened it.
    """
    start = run.starts[first]
    separator = run.separators[first]
    is_closed = (")" in separator or separator == ". ") and len(run.groups[first]) <= 2
    return is_closed and run.sheet.low[max(0, start - 1) : start] not in {"(", "[", "+"}


def _readable_window(run: _Run, first: int, sizes: list[int], totals: list[int]) -> int:
    """Count of groups of an ISBN such as `978-3-16-148410-0`, or of a number marked as a product's."""
    count = 1
    while count < len(sizes) and run.separators[first + count - 1] in {"-", " "}:
        count += 1
    if totals[count - 1] == 13 and run.groups[first] in {"978", "979"}:
        return count
    if sizes[0] == 4 and run.separators[first] == "-" and _is_issn(run, first):
        return 2
    near = run.sheet.before(run.starts[first])
    is_product = near.topic is Topic.PRODUCT and near.is_direct
    is_phone = tuple(sizes[:3]) in {(3, 3, 4), (1, 3, 3)} or _is_plus(run, first)
    return count if is_product and not is_phone else 0


def _is_issn(run: _Run, first: int) -> bool:
    """`0317-8471`, by its check digit; not after a word for a phone."""
    low, end = run.sheet.low, run.ends[first + 1]
    values = [int(digit) for digit in run.groups[first] + run.groups[first + 1]]
    if len(values) == 7 and low[end : end + 1] == "x" and not low[end + 1 : end + 2].isalnum():
        values.append(10)
    weighted = sum(value * weight for value, weight in zip(values, range(8, 0, -1), strict=False))
    is_valid = len(values) == 8 and weighted % 11 == 0
    return is_valid and run.sheet.before(run.starts[first]).topic is not Topic.PHONE


def _triple(run: _Run, first: int, lengths: tuple[int, ...]) -> Kind | None:
    """`123-45-6789`, Amazon's `114-1234567-1234567` and eBay's `12-34567-89012`."""
    separators = tuple(run.separators[first : first + 2])
    is_whole = run.separators[first + 2 : first + 3] != ["-"]
    if (is_whole and cards.is_ssn(lengths, separators)) or (
        lengths == cards.SSN_LENGTHS and _is_called_ssn(run, first)
    ):
        return Kind.SSN
    is_dashed = separators == ("-", "-") and not _is_plus(run, first)
    return Kind.ORDER if is_dashed and orders.is_market_shape(lengths) else None


def _is_called_ssn(run: _Run, first: int) -> bool:
    """Whether a word marks these three groups as a social security number."""
    near = run.sheet.near(run.starts[first], run.ends[first + 2])
    return near.topic is Topic.SSN and (near.is_direct or near.is_marked)


def _is_loose_ssn(run: _Run, first: int) -> bool:
    """`123-45 6789` on its own: not part of a code or a list, and not a measure."""
    low, start, end = run.sheet.low, run.starts[first], run.ends[-1]
    is_apart = low[start - 1 : start] not in {"-", "_"} and not (
        low[start - 1 : start].isalpha() or low[end : end + 1].isalpha()
    )
    return (
        is_apart
        and cards.is_mixed_ssn(run.groups[first:], run.separators[first:])
        and MEASURED().match(low, end) is None
    )


def _card_or_tracking(run: _Run, first: int, lengths: tuple[int, ...], total: int) -> Kind | None:
    count = len(lengths)
    is_fours = count >= 3 and set(lengths[:-1]) == {4} and lengths[-1] <= 4
    is_even = is_fours or len(set(lengths[:-1])) == 1 or lengths in {(4, 6, 5), (4, 6, 4)}
    topic, _ = run.topic(first, first + count - 1)
    if total in cards.CARD_LENGTHS:
        if topic is Topic.CARD:
            return Kind.CARD
        if is_even:
            digits = "".join(run.groups[first : first + count])
            if cards.has_brand(digits) and cards.passes_luhn(digits):
                return Kind.CARD
            if topic is Topic.TRACKING:
                return Kind.TRACKING
        if lengths in {(4, 4, 4, 4), (4, 6, 5)}:
            return Kind.CARD
        if is_fours and count == 3:
            return Kind.TRACKING
    if tracking.is_spaced_number(lengths):
        return Kind.TRACKING
    return Kind.TRACKING if topic is Topic.TRACKING and count <= 9 else None


def _is_plus(run: _Run, first: int) -> bool:
    start = run.starts[first]
    return "+" in run.sheet.low[max(0, start - 2) : start]


def _phone_window(run: _Run, first: int, sizes: list[int], totals: list[int]) -> int:
    head = run.groups[first]
    start = run.starts[first]
    sign = run.sheet.low[max(0, start - 1) : start]
    most = min(len(sizes), _MAX_WINDOW)
    if _is_plus(run, first) or head.startswith("00"):
        if head.startswith("1"):
            exact = _longest(totals, most, range(11, 12))
            if exact:
                return exact
        return _longest(totals, most, range(8, 16))
    if sign in {"-", "_"}:
        return 0  # the tail of a code such as `XJ-900-2021`
    for count in range(most, 1, -1):
        separators = tuple(run.separators[first : first + count - 1])
        if phones.is_shape(tuple(sizes[:count]), separators):
            return count
    if head.startswith("0") and head != "0" and "," not in "".join(run.separators[first:]):
        return _longest(totals, most, range(7, 15))
    if sign == "(":
        return _longest(totals, most, range(7, 14))
    if run.topic(first, first)[0] is Topic.PHONE or _is_labelled(run):
        return _longest(totals, min(len(sizes), 15), phones.DIGITS)
    is_spelled = sizes[:9] == [1] * 9
    if is_spelled:
        return _longest(totals, len(sizes), phones.DIGITS)
    return _dashed(run, first, sizes, totals)


_LABEL = lazily(r" ?[\-(:]? ?(?:office|fax|mobile|cell|home|desk|work phone|landline|handy)(?!\w)")


def _is_labelled(run: _Run) -> bool:
    """`22 498317 office`: a word for the kind of phone follows."""
    return _LABEL().match(run.sheet.low, run.ends[-1]) is not None


def _longest(totals: list[int], most: int, wanted: range) -> int:
    return next((n for n in range(most, 1, -1) if totals[n - 1] in wanted), 0)


def _dashed(run: _Run, first: int, sizes: list[int], totals: list[int]) -> int:
    """Count of groups joined by dashes that are long enough for a mistyped phone number."""
    count = 1
    for separator in run.separators[first:]:
        if separator != "-":
            break
        count += 1
    count = min(count, len(sizes), _MAX_WINDOW)
    return count if count > 1 and 8 <= totals[count - 1] <= 15 else 0


def _claim(run: _Run, first: int, count: int, kind: Kind) -> int:
    start, end = run.starts[first], run.ends[first + count - 1]
    digits = "".join(run.groups[first : first + count])
    run.sheet.claim(start, end, kind, tracking.MASK if kind is Kind.TRACKING else last_four(digits))
    return end
