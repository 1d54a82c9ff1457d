"""Numbers dictated as words: "four one five, five five five, oh one three four"."""

import re
from functools import cache

from chalicelib.redaction import cards, phones, series
from chalicelib.redaction.sheet import Kind, Sheet, last_four
from chalicelib.redaction.vocabulary import Topic, vocabulary

_TIMES = {"double": 2, "doble": 2, "doppel": 2, "triple": 3}
_MIN_DIGITS = 7
_MIN_WORDS = 5
_SEEN = 3  # different number words in a dictated number, with rare exceptions


def may_be_dictated(low: str) -> bool:
    """Whether a lower-case text has several words for digits and so may hold a dictated number; cheap."""
    words = low.replace(",", " ").replace("-", " ").split()
    known = vocabulary()
    if known.number_words.isdisjoint(words):
        return False
    seen = len(known.number_words.intersection(words))
    return seen >= _SEEN or (seen > 1 and sum(map(known.digits.__contains__, words)) >= _MIN_DIGITS)


def mask_dictated(sheet: Sheet) -> None:
    """Mask runs of five number words or more that give seven digits or more; lists and counting stay."""
    if vocabulary().number_words.isdisjoint(sheet.vocabulary) or not may_be_dictated(sheet.low):
        return
    for match in _run().finditer(sheet.low):
        words = [word for word in _WORD.findall(match.group()) if word not in _JOINS]
        pieces = _pieces(words)
        digits = "".join(pieces)
        if len(digits) < _MIN_DIGITS or len(words) < _MIN_WORDS:
            continue
        if series.series_length(pieces, [" "] * (len(pieces) - 1)) >= len(pieces) - 1:
            continue
        start, end = match.span()
        if sheet.context_near(start, end).topic is Topic.CARD or cards.is_card(digits):
            sheet.claim(start, end, Kind.CARD, last_four(digits))
        elif len(digits) in phones.DIGITS:
            sheet.claim(start, end, Kind.PHONE, phones.mask(digits))
        else:
            sheet.claim(start, end, Kind.NUMBER, last_four(digits))
    sheet.settle()


def _pieces(words: list[str]) -> list[str]:
    """The digits that each number word gives; "twenty one" is one piece, "double five" two digits in one."""
    values = vocabulary().digits
    pieces: list[str] = []
    times = 1
    is_ten = False
    for word in words:
        if word in _TIMES:
            times = _TIMES[word]
            continue
        value = values.get(word, word)
        if is_ten and len(value) == 1 and value != "0":
            pieces[-1] = pieces[-1][0] + value
        else:
            pieces.append(value * times)
        is_ten = len(value) == 2 and value[1] == "0" and word in values
        times = 1
    return pieces


_JOINS = frozenset({"y", "e", "und", "et", "and", "plus", "dash", "hyphen", "space", "guion"})
_WORD = re.compile(r"[^\W\d_]+|\d+")


@cache
def _run() -> re.Pattern[str]:
    """The pattern of a run of five number words or more, compiled at its first use."""
    number = "|".join(sorted([*vocabulary().digits, *_TIMES], key=len, reverse=True))
    return re.compile(
        rf"(?<![\w'’])(?:plus )?(?:{number}|\d)(?!\w)"
        r"(?:[ ,.\-–\n\x1f]{1,3}(?:(?:y|e|und|et|dash|hyphen|space|guion) )?"
        rf"(?:{number}|\d{{1,4}})(?![\w'’])){{4,}}"
    )
