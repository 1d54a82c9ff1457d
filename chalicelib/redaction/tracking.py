"""Tracking numbers: carrier formats with their check digits."""

import re
from itertools import cycle

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***"

_UPS = lazily(
    r"1z(?:[a-z0-9]{14,18}(?![a-z0-9])|(?:[ \t\x1f\-.]{0,2}[a-z0-9]){16}(?![a-z0-9])"
    # Where a digit is lost, up to eight further words that hold a digit.
    r"|(?:[ \t\x1f\-.]{1,2}[a-z0-9]{0,8}\d[a-z0-9]{0,8}(?![a-z0-9])){3,8})"
)
_S10 = re.compile(
    r"[0-9](?:(?<=[a-z]{2}.)|(?<=[a-z]{2}[ \-].))(?:[ \-]?\d){7,8}[ \-]?(?P<country>[a-z]{2})(?![a-z0-9])"
)
_S10_COUNTRIES = frozenset(
    """ae ar at au be bg br ca ch cl cn co cy cz de dk ee eg es fi fr gb gr hk hr hu id ie il in is
    it jp kr lt lu lv ma mt mx my nl no nz pe ph pk pl pt ro rs ru sa se sg si sk th tr tw ua us vn
    za""".split()
)
_CARRIER_PREFIX = frozenset(
    """tba tbm tbc tbd jd jjd jvgl jvgb gm lx rx ry rb lp yt lb lt c d h hm dpd uk sp syrm yw 1ls
    zy cne sf yd jt sfexpress wnb axpa evtn cj la lm an""".split()
)


def mask_marked_formats(sheet: Sheet) -> None:
    """Mask tracking numbers with letters in a carrier's format: UPS `1Z...`, S10 `RR 123 456 789 GB`."""
    low = sheet.low
    if "1z" in low:
        for match in _UPS().finditer(low):
            if not low[match.start() - 1 : match.start()].isalnum() or match.start() == 0:
                sheet.claim(*match.span(), Kind.TRACKING, MASK)
        sheet.settle()
        low = sheet.low
    for first, _ in sheet.runs:
        if first < 2 or not low[first - 2].isalpha():
            continue  # an S10 number needs two letters before it, perhaps with a space or dash
        found = _S10.match(low, first)
        if found is None:
            continue
        start = first - (2 if low[first - 1].isalpha() else 3)
        if start > 0 and low[start - 1].isalnum():
            continue
        end = found.end()
        is_tight = " " not in low[start:end]
        is_upper = sheet.cased[start:end].isupper() and found["country"] in _S10_COUNTRIES
        if is_tight or is_upper:
            sheet.claim(start, end, Kind.TRACKING, MASK)
    sheet.settle()


def is_carrier_token(token: str) -> bool:
    """Whether a code has the form of a courier's: letters and many digits, as `TBA123456789012`."""
    if _NUMBER_LED().match(token):
        return True
    prefix = token.rstrip("0123456789")
    digits = len(token) - len(prefix)
    return (prefix in _CARRIER_PREFIX and digits >= 9) or (prefix[:1] == "j" and digits >= 14)


# PostNL `3SABCD123456789`, Colissimo `6A...`, Australia Post `33ABC...`.
_NUMBER_LED = lazily(
    r"(?:3s[a-z]{2,6}\d{7,11}|\d[a-z]\d{11}|\d{2}[a-z]{3}\d{9,14}|\d{9,12}[a-z]{3}\d{5,12})$"
)


def is_carrier_number(digits: str) -> bool:
    """Whether a number has a carrier's length: 13 digits or more, or 12 with FedEx's check digit."""
    length = len(digits)
    if length >= 18:
        return True
    if length == 12:
        return _passes_fedex(digits)
    return length in {13, 14, 15, 16, 17}


def _passes_fedex(digits: str) -> bool:
    """Whether FedEx's check digit is right: the first eleven digits, weighted 3, 1, 7, give the last."""
    *body, check = map(int, digits)
    total = sum(digit * weight for digit, weight in zip(body, cycle((3, 1, 7)), strict=False))
    return total % 11 % 10 == check


def is_spaced_number(lengths: tuple[int, ...]) -> bool:
    """Whether groups of digits are a tracking number's, as in `9400 1000 0000 0000 0000 00`.

    Eighteen digits or more in equal groups, the last perhaps shorter.
    """
    total = sum(lengths)
    return total >= 18 and len(set(lengths[:-1])) == 1 and 1 <= lengths[-1] <= lengths[0]
