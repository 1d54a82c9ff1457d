"""Codes of letters and digits: hashes stay readable, identifiers with long numbers are masked."""

import re

from chalicelib.redaction import tracking
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.vocabulary import Topic

_CODE = re.compile(r"[0-9](?:(?<=[a-z].)[a-z0-9]*+|(?<![0-9].)\d*+[a-z][a-z0-9]*+)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONG_NUMBER = re.compile(r"\d{7}")
_HASH = re.compile(r"(?:[a-z]{2})?[0-9a-f]{32,128}$|[0-9a-f]{16,31}$")
_TURN = re.compile(r"[0-9](?=[a-f])|[a-f](?=[0-9])")
_MIN_TURNS = 4
_TRACKED_LENGTH = 8


def mask_codes(sheet: Sheet) -> None:
    """Mask codes of letters and digits with a long number or a courier's form; hashes stay readable.

    A long number has seven digits in a row or more.  A code of eight characters or more without one is
    masked if a word for tracking is right beside it.
    """
    low = sheet.low
    done = 0
    for match in _CODE.finditer(low):
        start, end = match.span()
        if start < done:
            continue
        chunk = low[max(done, start - 40) : start]
        start -= len(chunk) - len(chunk.rstrip(_LETTERS))
        token = low[start:end]
        done = end
        if is_hash(token) or token.startswith("0x"):
            sheet.shield(start, end)
            continue
        kind = _kind(sheet, start, end, token)
        if kind is Kind.TRACKING:
            sheet.claim(start, end, kind, tracking.MASK)
        elif kind is not None:
            sheet.claim(start, end, kind, last_four(sheet.cased[start:end]))
    sheet.settle()


def is_hash(token: str) -> bool:
    """Whether a code is hexadecimal, as long as a hash, and often changes between letters and digits.

    `JJD000987...` does not.
    """
    return _HASH.match(token) is not None and len(_TURN.findall(token)) >= _MIN_TURNS


def _kind(sheet: Sheet, start: int, end: int, token: str) -> Kind | None:
    if tracking.is_carrier_token(token):
        return Kind.TRACKING
    is_long = _LONG_NUMBER.search(token) is not None
    if len(token) < _TRACKED_LENGTH:
        return Kind.NUMBER if is_long else None
    near = sheet.context_near(start, end)
    topic = near.topic
    if topic is Topic.TRACKING and (is_long or near.is_direct):
        return Kind.TRACKING
    if near.is_readable:
        sheet.shield(start, end)
        return None
    return Kind.NUMBER if is_long else None
