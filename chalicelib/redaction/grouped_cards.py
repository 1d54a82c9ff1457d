"""Payment cards by brand and check digit: unbroken, in groups, or split by a line's end."""

from bisect import bisect_right
from itertools import accumulate, pairwise

from chalicelib.redaction import cards, national_ids, series, tracking
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.runs import BOUNDARY, PATTERN, Run, digits_in
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.vocabulary import Topic


def mask_by_check_digit(sheet: Sheet) -> None:
    """Mask payment cards, and CPF (Brazil) and NIR (France) identity numbers, by their check digits.

    A card's number stays for later passes if the word right before it names another kind of number.
    """
    for match in PATTERN.finditer(sheet.low):
        text = match.group()
        if len(text) < _SHORTEST_CARD:
            continue
        digits = digits_in(text)
        if digits < _SHORTEST_CARD and not (digits == _CPF_DIGITS and text.count(".") == 2):
            continue
        start, end = match.span()
        low = sheet.low
        is_in_code = low[start - 1 : start].isalpha() or low[end : end + 1].isalpha()
        if is_in_code or national_ids.claim_checked(sheet, start, end):
            continue
        if _is_named_otherwise(sheet, start):
            continue
        run = Run(sheet, match.start(), match.group())
        if tracking.is_spaced_number(tuple(map(len, run.groups))):
            continue
        index = 0
        while index < len(run.groups):
            totals = list(accumulate(map(len, run.groups[index:])))
            count = card_window(run, index, totals)
            is_list = series.steps_length(run.groups[index:]) >= max(count, 3)
            if count and not is_list and not _is_decimal(run, index, count):
                run.claim(index, count, Kind.CARD)
            index += count or 1
    sheet.settle()


_SHORTEST_CARD = 14
_CPF_DIGITS = 11  # in a CPF, which has two full stops
_FOURS = 4  # groups of most cards
_USUAL = 16  # digits of most cards: three more are rather a check number than a longer card


def _is_decimal(run: Run, first: int, count: int) -> bool:
    """Whether a card number of a single group is the decimals of a number, or too short to be a card's.

    False for several groups.
    """
    is_fraction = first > 0 and run.separators[first - 1] == "."
    return count == 1 and (is_fraction or len(run.groups[first]) < _SHORTEST_CARD)


def _is_named_otherwise(sheet: Sheet, start: int) -> bool:
    """Whether the word right before a number names another kind than a card, which a later pass masks."""
    near = sheet.context_before(start)
    return near.topic in _OTHER_TOPICS and (near.governs or (near.is_direct and near.is_marked))


_OTHER_TOPICS = frozenset(
    {Topic.ORDER, Topic.TRACKING, Topic.ACCOUNT, Topic.SSN, Topic.IBAN, Topic.CATALOGUE}
)


def card_window(run: Run, first: int, totals: list[int]) -> int:
    """How many groups, from `first` on, form a card number with a valid check digit; 0 for none.

    Numbers of the usual sixteen digits are tried first.
    """
    if totals[-1] < cards.CARD_LENGTHS[0] or run.has_plus(first):
        return 0
    if cards.is_card(run.groups[first]):
        return 1
    counts = range(2, bisect_right(totals, cards.CARD_LENGTHS[-1]) + 1)
    for count in sorted(counts, key=lambda count: abs(totals[count - 1] - _USUAL)):
        if totals[count - 1] < cards.CARD_LENGTHS[0]:
            continue
        digits = "".join(run.groups[first : first + count])
        separators = set(run.separators[first : first + count - 1])
        is_mixed = len(separators) > 1 and (count > _FOURS or not separators <= {" ", "-", "."})
        if is_mixed or any(map(BOUNDARY.search, separators)):
            continue  # a card and another number
        if cards.is_card(digits) and is_card_grouping(
            tuple(map(len, run.groups[first : first + count]))
        ):
            return count
    return 0


def is_card_grouping(lengths: tuple[int, ...]) -> bool:
    """Whether digits are grouped as in card numbers: in groups of equal length, or of 4, 6 and 5 digits.

    The last group may be shorter.
    """
    is_even = len(set(lengths[:-1])) == 1 and lengths[0] <= 8 and lengths[-1] <= lengths[0]
    return is_even or lengths in {(4, 6, 5), (4, 6, 4)}


_BREAK = 9  # longer than a space, a line's end and the marks of a quotation
_BROKEN = lazily(
    r"[0-9](?<![\d.,\-].)\d{3}(?:[ \-]?\d{4}){0,2}[ \-]?(?:\r?\n(?:>[ ]?){0,2})"
    r"\d{4}(?:[ \-]?\d{4}){0,2}(?:[ \-]?\d{1,3})?(?![\d\-])"
)


def mask_broken_cards(sheet: Sheet) -> None:
    """Mask card numbers that a line break splits, found by their check digit."""
    low, runs = sheet.low, sheet.runs
    if "\n" not in low or not any(
        "\n" in low[run[1] : following[0]]
        for run, following in pairwise(runs)
        if following[0] - run[1] < _BREAK
    ):
        return
    for match in _BROKEN().finditer(low):
        digits = "".join(filter(str.isdigit, match.group()))
        if cards.is_card(digits):
            sheet.claim(*match.span(), Kind.CARD, last_four(digits))
    sheet.settle()
