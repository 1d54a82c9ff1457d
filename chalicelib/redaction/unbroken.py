"""Classifies one unbroken run of digits by nearby words, check digit or length."""

import re

from chalicelib.redaction import cards, phones, tracking
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.vocabulary import Topic

MIN_RUN = 7
MEASURED = lazily(
    r" ?(?:bytes?|kb|mb|gb|kib|mib|ms|µs|us|ns|seconds?|secs?|mah|lumens?|km|rpm|views|followers|"
    r"subscribers|people|pieces|pcs|stück)(?!\w)"
)
"""Units that follow a count or a measure."""

_STAMP = lazily(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d(?:\d{3})?)?)?$"
)
_EPOCH = re.compile(r"1[4-9]\d{8}(?:\d{3}){0,3}$")  # seconds to nanoseconds
_BOOK = re.compile(r"97[89]\d{10}$")
_BY_TOPIC = {
    Topic.TRACKING: Kind.TRACKING,
    Topic.ORDER: Kind.ORDER,
    Topic.ACCOUNT: Kind.ACCOUNT,
    Topic.SSN: Kind.SSN,
    Topic.IBAN: Kind.IBAN,
}


def claim_run(sheet: Sheet, start: int, end: int, digits: str) -> int:
    """Claim a run, or shield it from later passes; returns the offset where it ends."""
    kind = _kind_of_run(sheet, start, end, digits)
    if kind is None:
        sheet.shield(start, end)
    elif kind is Kind.PHONE:
        return phones.claim(sheet, start, end, digits)
    else:
        sheet.claim(start, end, kind, tracking.MASK if kind is Kind.TRACKING else last_four(digits))
    return end


def _kind_of_run(sheet: Sheet, start: int, end: int, digits: str) -> Kind | None:
    """The type of an unbroken run of seven digits or more; None for one that stays readable."""
    length = len(digits)
    if "+" in sheet.low[max(0, start - 2) : start]:
        return Kind.PHONE
    is_joined = sheet.low[start - 1 : start] == ":" == sheet.low[end : end + 1]
    if is_joined and length >= 13 and _EPOCH.match(digits):
        return None  # the time in a key such as `HUBSPOT:...:1763600000000:...`
    near = sheet.near(start, end)
    topic = near.topic
    if topic in {Topic.PRODUCT, Topic.COLOUR} and near.is_direct:
        return None
    if not near.is_direct and _is_card(digits):
        return Kind.CARD
    if topic is Topic.CARD and length in cards.CARD_LENGTHS:
        return Kind.CARD
    if topic in _BY_TOPIC:
        return _BY_TOPIC[topic]
    if topic is Topic.PHONE and length <= phones.DIGITS[-1]:
        return Kind.PHONE
    if _is_card(digits):
        return Kind.CARD
    if _is_readable(digits, topic, is_direct=near.is_direct) or MEASURED().match(sheet.low, end):
        return None
    # Ten digits are a phone; so is a trunk zero with up to twelve more.
    if length in {10, 11} or (digits.startswith("0") and length <= 13):
        return Kind.PHONE
    if tracking.is_carrier_number(digits):
        return Kind.TRACKING
    return Kind.PHONE if length == 12 else Kind.NUMBER


def _is_card(digits: str) -> bool:
    if len(digits) not in cards.CARD_LENGTHS:
        return False
    return cards.has_brand(digits) and cards.passes_luhn(digits)


def _is_readable(digits: str, topic: Topic | None, *, is_direct: bool) -> bool:
    if topic is Topic.AMOUNT and is_direct:
        return len(digits) <= 9
    if _STAMP().match(digits) or _BOOK.match(digits):
        return True
    return topic is Topic.TIME and _EPOCH.match(digits) is not None
