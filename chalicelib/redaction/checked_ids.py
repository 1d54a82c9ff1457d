"""Identity numbers recognised by digit groups and check digits, without a word: CH, BE, SE, IN."""

import re
from collections.abc import Callable
from itertools import cycle
from typing import NamedTuple

from chalicelib.redaction.cards import passes_luhn
from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.vocabulary import Topic


class CheckedForm(NamedTuple):
    """The pattern of a country's identity number, and the test of its check digits."""

    pattern: Callable[[], re.Pattern[str]]
    is_valid: Callable[[str], bool]


def passes_verhoeff(digits: str) -> bool:
    """Whether an Aadhaar number's check digit is right: Verhoeff's, in the dihedral group of ten."""
    check = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char)
        for _ in range(place % 8):
            value = _PERMUTED[value]
        check = _product(check, value)
    return check == 0


_PERMUTED = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def _product(first: int, second: int) -> int:
    """The product of two symmetries of a pentagon, for Verhoeff's check digit.

    A number below five is a rotation, any other a reflection.
    """
    turned = first - second if first >= 5 else first + second
    return turned % 5 + 5 * ((first >= 5) != (second >= 5))


def _passes_belgian(digits: str) -> bool:
    """Whether a Belgian identity number's two check digits are right: 97 less the remainder by 97.

    The remainder is that of the digits before them, for a person born since 2000 with a 2 in front.
    """
    body, check = digits[:-2], int(digits[-2:])
    return check in (97 - int(body) % 97, 97 - int("2" + body) % 97)


def _passes_swiss(digits: str) -> bool:
    """Whether a Swiss identity number's check digit is right; it is computed as that of a barcode (EAN)."""
    weighted = zip(map(int, digits), cycle((1, 3)), strict=False)
    return sum(digit * weight for digit, weight in weighted) % 10 == 0


_DAY = r"(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])"
_BELGIAN = CheckedForm(lazily(r"\d\d\.\d\d\.\d\d[ \-.]\d{3}[ .\-]\d\d(?![\w\-])"), _passes_belgian)
_SWISS = CheckedForm(
    lazily(r"756(?P<g>[ .]?)\d{4}(?P=g)\d{4}(?P=g)\d\d(?!\w|[.\-]\d)"), _passes_swiss
)
_SWEDISH = CheckedForm(lazily(rf"\d\d{_DAY}[\-+]\d{{4}}(?!\w|[.\-]\d)"), passes_luhn)
_INDIAN = CheckedForm(
    lazily(r"[2-9]\d{3}(?P<g>[ \-])\d{4}(?P=g)\d{4}(?!\w|[ .\-]\d)"), passes_verhoeff
)
_BY_FIRST_GROUP = {2: _BELGIAN, 3: _SWISS, 4: _INDIAN, 6: _SWEDISH, 13: _SWISS}
_OTHER_TOPICS = frozenset({Topic.ORDER, Topic.TRACKING, Topic.CATALOGUE, Topic.PHONE})


def mask_checked_identities(sheet: Sheet) -> None:
    """Mask Swiss, Belgian, Swedish and Indian identity numbers by their groups and right check digits.

    A number stays for later passes if a word beside it names another kind of number.
    """
    low, done = sheet.low, 0
    for start, end in sheet.runs:
        form = _BY_FIRST_GROUP.get(end - start)
        if form is None or start < done or low[start - 1 : start] in _INSIDE:
            continue
        match = form.pattern().match(low, start)
        if match is None or low[start - 1 : start].isalpha():
            continue
        digits = "".join(filter(str.isdigit, match.group()))
        if (
            form.is_valid(digits)
            and sheet.context_near(start, match.end()).topic not in _OTHER_TOPICS
        ):
            done = match.end()
            sheet.claim(start, done, Kind.IDENTITY, last_four(digits), (Sign.CHECK_DIGIT,))
    sheet.settle()


_INSIDE = frozenset(".-/#+_")
