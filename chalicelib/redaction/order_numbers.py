"""Order numbers: `#1001`, "order no. ...", Amazon 3-7-7, eBay 2-5-5, typos and all."""

import re

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.letter_codes import is_hash
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.topics import NumberContext, may_be_direct
from chalicelib.redaction.units import is_counted
from chalicelib.redaction.vocabulary import Topic

_TOKEN = re.compile(r"[0-9][a-z0-9]*+(?:[\-_/.][a-z0-9]++)*+")
_MORE_GROUPS = lazily(r"(?: \d{3,}(?![a-z\d]))+|(?: \d(?![a-z\d.,]))+")
_LEFT = "abcdefghijklmnopqrstuvwxyz0123456789-_/"
_LEFT_SIGNS = frozenset(_LEFT)
_ORDINAL = re.compile(
    r"\d+(?:st|nd|rd|th|er|x|am|pm|h|days?|min|[km]?g|[cmk]?m|[mc]?l|oz|lbs?|k?wh?|v|m?ah|k?hz|[kmgt]b|px|ft|%)$"
)
_HEX_COLOUR = re.compile(r"(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$")
_SALES_ORDER = lazily(r"so-\d{4,10}$")
_AREA = re.compile(r"\(\d{2,4}\)[ \x1f\-./]{0,2}$")
_MIN_BARE = 4
_MIN_HASHED = 3
_LAST_FOUR = frozenset({Kind.ORDER, Kind.ACCOUNT})
_TOPICS = frozenset({Topic.ORDER, Topic.ACCOUNT})


def mask_orders(sheet: Sheet) -> None:
    """Mask order numbers by their shape, a `#` before them, or a word for order near them.

    Numbers of accounts and tracking numbers are masked too, by the word for them.
    """
    low = sheet.low
    done = 0
    for match in _TOKEN.finditer(low):
        start = match.start()
        if start < done or (start > 1 and low[start - 1] == " " and low[start - 2].isdigit()):
            continue  # a later group of a number that is read from its first group
        if ")" in low[max(0, start - 2) : start] and _AREA.search(low, max(0, start - 8), start):
            continue  # the rest of "(212) 555-0142"
        start, end = _whole_span(low, match, done)
        kind = _kind(sheet, start, end)
        if kind is None and low[start - 1 : start] == "#" and not low[start:end].strip("0"):
            sheet.shield(start, end)  # the colour black
        elif kind is not None:
            more = _MORE_GROUPS().match(low, end) if low[start:end].isdigit() else None
            if more and end - start + len(more.group()) <= 24:
                end = more.end()
            mask = last_four(sheet.cased[start:end]) if kind in _LAST_FOUR else "***"
            evidence = Sign.FORM if low[start - 1 : start] == "#" else Sign.WORD_BEFORE
            sheet.claim(start, end, kind, mask, (evidence,))
            done = end
    sheet.settle()


def _whole_span(low: str, match: re.Match[str], done: int) -> tuple[int, int]:
    """The span of an order number with letters before its digits: `SO-12345`; of `order-12345` the digits."""
    start = match.start()
    if low[start - 1 : start] not in _LEFT_SIGNS:
        return match.span()
    chunk = low[max(done, start - 12) : start]
    left = chunk[len(chunk.rstrip(_LEFT)) :]
    letters = left.strip("-_/")
    if len(letters) <= 5 and letters != "order":
        start -= len(left.lstrip("-_/"))
    return start, match.end()


def _kind(sheet: Sheet, start: int, end: int) -> Kind | None:
    low = sheet.low
    token = low[start:end]
    is_number = token.isdigit()
    digits = len(token) if is_number else sum(map(str.isdigit, token))
    last = low[start - 1 : start] if start else ""
    if last == "+" or (last == "(" and low[end : end + 1] == ")" and digits <= _MIN_BARE):
        return None
    if last == ":" and low[start - 2 : start - 1].isdigit():
        return None  # the minutes of a time
    if token.startswith("so-") and _SALES_ORDER().match(token):
        return Kind.ORDER
    if last == "#":
        return _kind_after_hash(sheet, start, token, digits)
    if len(token) >= 32 and is_hash(token):
        return None
    if not is_number and _ORDINAL.match(token):
        return None
    counted = is_counted(low, end)
    if (counted or digits < _MIN_BARE) and not may_be_direct(low, start, end):
        return None
    near = sheet.context_near(start, end)
    if counted and not (near.is_direct and near.is_marked and digits >= _MIN_BARE):
        return None
    if near.topic in _TOPICS and _is_number(near, token, digits):
        return Kind.ACCOUNT if near.topic is Topic.ACCOUNT else Kind.ORDER
    if near.topic is Topic.SECRET and near.is_direct and token.isdigit() and digits >= _MIN_HASHED:
        return Kind.SECRET
    if near.topic is Topic.TRACKING and near.is_direct and digits >= 5 and len(token) >= 7:
        return Kind.TRACKING
    return None


def _is_number(near: NumberContext, token: str, digits: int) -> bool:
    if near.topic is Topic.ACCOUNT:
        return near.is_direct and digits > _MIN_BARE
    if digits < _MIN_HASHED:
        return near.is_named and near.governs
    if near.is_direct:
        is_code = len(token) > digits >= _MIN_HASHED
        return near.is_marked or digits >= _MIN_BARE or is_code
    return near.is_named and digits >= _MIN_BARE


def _kind_after_hash(sheet: Sheet, start: int, token: str, digits: int) -> Kind | None:
    near = sheet.context_before(start - 1)
    if "/" in sheet.low[max(0, start - 80) : start].rpartition(" ")[2]:
        return None  # the fragment of a link
    if near.topic is Topic.ORDER and near.is_direct:
        return Kind.ORDER
    if near.is_readable:
        return None
    if (
        digits < _MIN_HASHED
        or not token.strip("0")
        or (not token.isdigit() and _HEX_COLOUR.match(token))
    ):
        return None
    return Kind.ORDER


def is_market_shape(lengths: tuple[int, ...]) -> bool:
    """Whether three groups have the lengths of an order number of Amazon (3-7-7) or eBay (2-5-5).

    Each of Amazon's groups may have one digit more or less.
    """
    one, two, three = lengths
    is_amazon = one in {2, 3, 4} and two in {6, 7, 8} and three in {6, 7, 8}
    return is_amazon or lengths == (2, 5, 5)
