"""Classifies an unbroken run of digits by nearby words, check digit or length."""

import re
from collections.abc import Collection, Iterator
from itertools import chain

from chalicelib.redaction import cards, phones, tracking
from chalicelib.redaction.evidence import Sign, is_masked
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.topics import HARMLESS, NumberContext
from chalicelib.redaction.units import is_measured
from chalicelib.redaction.vocabulary import Topic

MIN_RUN = 7

_STAMP = lazily(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d(?:\d{3})?)?)?$"
)
_EPOCH = re.compile(r"1[4-9]\d{8}(?:\d{3}){0,3}$")  # seconds to nanoseconds
_BOOK = re.compile(r"97[89]\d{10}$")
_LONGEST_NATIONAL = 13
_LONGEST_AMOUNT = 9
_IDENTIFIED = frozenset({*Topic} - {Topic.AMOUNT, Topic.TIME, *HARMLESS})
_BY_TOPIC = {
    Topic.TRACKING: Kind.TRACKING,
    Topic.ORDER: Kind.ORDER,
    Topic.ACCOUNT: Kind.ACCOUNT,
    Topic.SSN: Kind.SSN,
    Topic.IBAN: Kind.IBAN,
}


def claim_run(sheet: Sheet, start: int, end: int, digits: str) -> int:
    """Mask an unbroken run of digits, or shield it from later passes; returns the offset at which it ends."""
    near = sheet.context_near(start, end)
    found = _for_an_identifier(sheet, near, start, digits), _for_harmless(sheet, near, start, end)
    evidence = tuple(chain.from_iterable(found))
    if not is_masked(evidence):
        sheet.shield(start, end)
        return end
    kind = _kind(near, digits, evidence)
    if kind is Kind.PHONE:
        return phones.claim(sheet, start, end, digits, evidence)
    mask = tracking.MASK if kind is Kind.TRACKING else last_four(digits)
    sheet.claim(start, end, kind, mask, evidence)
    return end


def _for_an_identifier(
    sheet: Sheet, near: NumberContext, start: int, digits: str
) -> Iterator[Sign]:
    """The signs (reasons with weights) that speak for masking an unbroken run of seven digits or more."""
    length = len(digits)
    yield Sign.SEVEN_DIGITS
    if "+" in sheet.low[max(0, start - 2) : start]:
        yield Sign.PLUS_SIGN
    if cards.is_card(digits):
        yield Sign.CHECK_DIGIT if length > len("4006381333931") else Sign.SHORT_CHECK_DIGIT
    if length in {10, 11}:
        yield Sign.TEN_DIGITS
    if digits[0] == "0" and length <= _LONGEST_NATIONAL:
        yield Sign.TRUNK_ZERO
    if tracking.is_carrier_number(digits):
        yield Sign.CARRIER_LENGTH
    if near.topic in _IDENTIFIED:
        yield Sign.WORD_BEFORE if near.is_direct else Sign.WORD_NEAR


def _for_harmless(sheet: Sheet, near: NumberContext, start: int, end: int) -> Iterator[Sign]:
    """The signs (reasons with weights) that speak against masking an unbroken run of digits."""
    digits = sheet.low[start:end]
    length = end - start
    if near.is_readable:
        is_its_number = near.topic is not Topic.THING or near.is_named
        yield Sign.CATALOGUE_WORD if is_its_number else Sign.THING_BEFORE
    if near.topic is Topic.AMOUNT and near.is_direct and length <= _LONGEST_AMOUNT:
        yield Sign.AMOUNT_WORD
    if _EPOCH.match(digits):
        if length >= 13 and sheet.low[start - 1 : start] == ":" == sheet.low[end : end + 1]:
            yield Sign.TIME_IN_A_KEY  # `HUBSPOT:...:1763600000000:...`
        if near.topic is Topic.TIME:
            yield Sign.TIME_WORD
    if _STAMP().match(digits) or _BOOK.match(digits):
        yield Sign.DATE_OR_BOOK
    if is_measured(sheet.low, end):
        yield Sign.UNIT


def _kind(near: NumberContext, digits: str, evidence: Collection[Sign]) -> Kind:
    """The kind of a masked run of digits: by the word near it, else by its check digit or its length."""
    length = len(digits)
    topic = near.topic
    if Sign.PLUS_SIGN in evidence:
        return Kind.PHONE
    is_card = Sign.CHECK_DIGIT in evidence or Sign.SHORT_CHECK_DIGIT in evidence
    if is_card and not (near.is_direct and topic in _BY_TOPIC):
        return Kind.CARD
    if topic is Topic.CARD and length in cards.CARD_LENGTHS:
        return Kind.CARD
    if topic in _BY_TOPIC:
        return _BY_TOPIC[topic]
    if topic is Topic.PHONE and length <= phones.DIGITS[-1]:
        return Kind.PHONE
    # Ten digits are a phone; so is a trunk zero with up to twelve more.
    if Sign.TEN_DIGITS in evidence or Sign.TRUNK_ZERO in evidence:
        return Kind.PHONE
    if Sign.CARRIER_LENGTH in evidence:
        return Kind.TRACKING
    return Kind.PHONE if length == 12 else Kind.NUMBER
