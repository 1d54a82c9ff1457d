"""Numbers written in groups: split at separators, recognised by shape, check digit and context.

In doubt, a run of seven digits or more is masked: a mistyped number is still personal data.
"""

from bisect import bisect_right
from itertools import accumulate

from chalicelib.redaction import cards, order_numbers, phones, series, tracking
from chalicelib.redaction.grouped_cards import card_window, is_card_grouping
from chalicelib.redaction.grouped_phones import phone_window
from chalicelib.redaction.runs import PATTERN, Run, parts
from chalicelib.redaction.sheet import Kind, Sheet
from chalicelib.redaction.unbroken import MIN_RUN, claim_run
from chalicelib.redaction.units import is_measured
from chalicelib.redaction.vocabulary import Topic

_ACCOUNTS = frozenset({(4, 4, 2, 10), (5, 5, 11, 2)})  # a Spanish CCC, a French RIB
_MAX_TOTAL = 34  # the longest tracking number


def mask_numbers(sheet: Sheet) -> None:
    """Mask cards, social security, tracking and phone numbers written in groups, and long runs of digits."""
    done = 0
    for match in PATTERN.finditer(sheet.low):
        text = match.group()
        if len(text) < MIN_RUN:
            continue
        if match.start() < done:
            continue
        if text.isdigit():
            done = claim_run(sheet, match.start(), match.end(), text)
            continue
        run = Run(sheet, match.start(), text)
        for first, last in parts(run):
            part = run if first == 0 and last == len(run.groups) else run.part(first, last)
            done = _mask_run(part)
    sheet.settle()


def _mask_run(run: Run) -> int:
    index = done = 0
    while index < len(run.groups):
        taken, end = _claim_window(run, index)
        if not taken and len(run.groups[index]) >= MIN_RUN:
            span = run.starts[index], run.ends[index]
            taken, end = 1, claim_run(run.sheet, *span, run.groups[index])
        done = max(done, end)
        index += taken or 1
    return done


def _claim_window(run: Run, first: int) -> tuple[int, int]:
    """Mask or shield the groups of digits, from `first` on, that belong together as one number.

    Returns:
        How many groups they are, 0 for none, and the offset at which they end.
    """
    sizes = [len(group) for group in run.groups[first:]]
    totals = list(accumulate(sizes))
    if len(sizes) == 1 or totals[-1] < MIN_RUN or _is_enumerated(run, first):
        return 0, 0
    count, kind = _window(run, first, sizes, totals)
    if not count:
        return 0, 0
    start, end = run.starts[first], run.ends[first + count - 1]
    if kind is None:
        run.sheet.shield(start, end)
        return count, end
    if kind is Kind.PHONE:
        digits = "".join(run.groups[first : first + count])
        return count, phones.claim(run.sheet, start, end, digits)
    return count, run.claim(first, count, kind)


def _window(run: Run, first: int, sizes: list[int], totals: list[int]) -> tuple[int, Kind | None]:
    """How many groups of digits, from `first` on, belong together as one number, and its kind.

    The kind is None for a number that stays readable; the count is 0 where there is no such number.
    """
    count = _tracking_window(run, first, sizes, totals)
    if count:
        return count, Kind.TRACKING
    count = card_window(run, first, totals)
    if count and series.steps_length(run.groups[first:]) < count:
        return count, Kind.CARD
    if not _is_named(run, first) and not run.has_opening(first):
        groups, separators = run.groups[first:], run.separators[first:]
        count = series.series_length(
            groups, separators, is_measured=is_measured(run.sheet.low, run.ends[first + 1])
        )
        if count:
            return count, None
    count, kind = _strong_window(run, first, sizes, totals)
    if count:
        return count, kind
    if sizes[0] <= 3 and len(sizes) > 3 and not run.has_plus(first):
        # A small number before a card number does not start a phone number.
        rest = sizes[1:]
        later = list(accumulate(rest))
        if card_window(run, first + 1, later) or _strong_window(run, first + 1, rest, later)[0]:
            return 0, None
    count = _readable_window(run, first, sizes, totals)
    if count:
        return count, None
    count = phone_window(run, first, sizes, totals)
    if count:
        return count, Kind.PHONE
    return (3, Kind.SSN) if _is_loose_ssn(run, first) else (0, None)


def _strong_window(
    run: Run, first: int, sizes: list[int], totals: list[int]
) -> tuple[int, Kind | None]:
    """How many groups, from `first` on, form a number that their lengths or a word prove, and its kind.

    The kinds are account, card, social security, tracking, and a marketplace's order number; 0 and None
    where no groups form one.
    """
    if tuple(sizes[:4]) in _ACCOUNTS:
        return 4, Kind.ACCOUNT
    if len(sizes) > 2:
        kind = _kind_of_three(run, first, tuple(sizes[:3]))
        if kind is not None:
            return 3, kind
    if totals[-1] < cards.CARD_LENGTHS[0] or run.has_plus(first):
        return 0, None
    for count in range(min(len(sizes), bisect_right(totals, _MAX_TOTAL)), 1, -1):
        if totals[count - 1] < cards.CARD_LENGTHS[0]:
            break
        kind = _card_or_tracking(run, first, tuple(sizes[:count]), totals[count - 1])
        if kind is not None:
            return count, kind
    return 0, None


def _tracking_window(run: Run, first: int, sizes: list[int], totals: list[int]) -> int:
    """How many groups, from `first` on, are the tracking number that the words right before announce.

    0 where no such words are before them.
    """
    near = run.sheet.context_before(run.starts[first])
    if not (near.topic is Topic.TRACKING and near.is_direct):
        return 0
    if not (near.is_marked or tracking.is_spaced_number(tuple(sizes))):
        return 0
    count = 1
    for separator, size in zip(run.separators[first:], sizes[1:], strict=True):
        if size < 2 or separator.strip(" \x1f") not in {"", "-", "."} or totals[count] > _MAX_TOTAL:
            break
        count += 1
    return count if count > 1 and totals[count - 1] >= MIN_RUN else 0


_NAMED_TOPICS = frozenset({Topic.PHONE, Topic.ORDER, Topic.TRACKING, Topic.CARD, Topic.SSN})


def _is_named(run: Run, first: int) -> bool:
    """Whether a word right before a number says what it is: a phone, order, tracking, card or SSN number."""
    near = run.sheet.context_before(run.starts[first])
    return near.topic in _NAMED_TOPICS and near.is_direct


def _is_enumerated(run: Run, first: int) -> bool:
    """Whether the first group only numbers a list item, like the `1` in "1) 555 0142" and "1. 555 0142".

    A closing bracket belongs to the number only if the number opened it.
    """
    start = run.starts[first]
    separator = run.separators[first]
    is_closed = (")" in separator or separator == ". ") and len(run.groups[first]) <= 2
    return is_closed and run.sheet.low[max(0, start - 1) : start] not in {"(", "[", "+"}


def _readable_window(run: Run, first: int, sizes: list[int], totals: list[int]) -> int:
    """How many groups, from `first` on, stay readable; 0 for none.

    They are those of an ISBN, of an ISSN, or of a product's number by the word before it.
    """
    count = 1
    while count < len(sizes) and run.separators[first + count - 1] in {"-", " "}:
        count += 1
    if totals[count - 1] == 13 and run.groups[first] in {"978", "979"}:
        return count
    if sizes[0] == 4 and run.separators[first] == "-" and _is_issn(run, first):
        return 2
    near = run.sheet.context_before(run.starts[first])
    is_phone = tuple(sizes[:3]) in {(3, 3, 4), (1, 3, 3)} or run.has_plus(first)
    return count if near.is_readable and not is_phone else 0


def _is_issn(run: Run, first: int) -> bool:
    """Whether an ISSN such as `0317-8471` begins at the group `first`, by its check digit.

    False after a word for a phone.
    """
    low, end = run.sheet.low, run.ends[first + 1]
    values = [int(digit) for digit in run.groups[first] + run.groups[first + 1]]
    if len(values) == 7 and low[end : end + 1] == "x" and not low[end + 1 : end + 2].isalnum():
        values.append(10)
    weighted = sum(value * weight for value, weight in zip(values, range(8, 0, -1), strict=False))
    is_valid = len(values) == 8 and weighted % 11 == 0
    return is_valid and run.sheet.context_before(run.starts[first]).topic is not Topic.PHONE


def _kind_of_three(run: Run, first: int, lengths: tuple[int, ...]) -> Kind | None:
    """The kind of three groups of digits, by their lengths and separators; None for no known kind.

    `123-45-6789` is a social security number; `114-1234567-1234567` (Amazon) and `12-34567-89012`
    (eBay) are orders.
    """
    separators = tuple(run.separators[first : first + 2])
    is_whole = run.separators[first + 2 : first + 3] != ["-"]
    if (is_whole and cards.is_ssn(lengths, separators)) or (
        lengths == cards.SSN_LENGTHS and _is_named_ssn(run, first)
    ):
        return Kind.SSN
    is_dashed = separators == ("-", "-") and not run.has_plus(first)
    return Kind.ORDER if is_dashed and order_numbers.is_market_shape(lengths) else None


def _is_named_ssn(run: Run, first: int) -> bool:
    """Whether a word near these three groups of digits says that they are a US social security number."""
    near = run.sheet.context_near(run.starts[first], run.ends[first + 2])
    return near.topic is Topic.SSN and (near.is_direct or near.is_marked)


def _is_loose_ssn(run: Run, first: int) -> bool:
    """Whether the groups from `first` on, such as `123-45 6789`, are a US social security number.

    False for a part of a code, and for a measure.
    """
    low, start, end = run.sheet.low, run.starts[first], run.ends[-1]
    is_apart = low[start - 1 : start] not in {"-", "_"} and not (
        low[start - 1 : start].isalpha() or low[end : end + 1].isalpha()
    )
    return (
        is_apart
        and cards.is_mixed_ssn(run.groups[first:], run.separators[first:])
        and not is_measured(low, end)
    )


def _card_or_tracking(run: Run, first: int, lengths: tuple[int, ...], total: int) -> Kind | None:
    count = len(lengths)
    is_fours = count >= 3 and set(lengths[:-1]) == {4} and lengths[-1] <= 4
    topic, _ = run.topic(first, first + count - 1)
    if total in cards.CARD_LENGTHS:
        if topic is Topic.CARD and total in cards.LIKELY_LENGTHS:
            return Kind.CARD
        if topic is Topic.TRACKING and is_card_grouping(lengths):
            return Kind.TRACKING
        if lengths in {(4, 4, 4, 4), (4, 6, 5)}:
            return Kind.CARD
        if is_fours and count == 3:
            return Kind.TRACKING
    if tracking.is_spaced_number(lengths):
        return Kind.TRACKING
    return Kind.TRACKING if topic is Topic.TRACKING and count <= 9 else None
