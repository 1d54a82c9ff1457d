"""Identity numbers of any country, by the word before or after them."""

import re
from collections.abc import Iterator
from functools import cache

from chalicelib.redaction.announced import Announcer, claim_all, words_in
from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.identity_words import WORDS
from chalicelib.redaction.sheet import Claim, Sheet, last_four

_REACH = 120  # letters after a word
_BACK = 60  # letters before a word
_NEAR = 24  # letters of the word's own phrase
_LEAST = 6  # letters and digits
_LEAST_DIGITS = 4
_MOST = 24
_GAP = r"[\s\x1f:=#\-–.,(\"'’°º]{0,4}"
_FILLER = (
    r"(?:is|was|are|it|its|s|it's|that's|es|son|ist|lautet|est|c'est|è|é|är|to|number|numbers|no|nr|num|numéro|numero|número|"
    r"nummer|n|nº|n°|card|code|id|the|my|el|le|la|o|il|de|der|die|das|den|hat|porte|a|as|personal|personali|osobisty|social|sociale|"
    r"security|national|sécu|itin|pan|uk|us|und|e|y|and|with|mit|con|com|avec)"
)
_GOES_ON = rf"(?:{_GAP}(?<![^\W\d_]){_FILLER}(?![^\W\d_])){{0,6}}{_GAP}(?<!\w)"
_UNTIL_COLON = r"(?:[ ,'’]{1,2}[^\W\d_]+){1,6} ?: ?(?<!\w)"
_COPULA = (
    r"(?:,? ?(?:is|ist|es|est|c'est|è|é|är|to|that's|that is|das ist|=|\(|-|–|:)|,)"
    r"(?: ?(?:my|mi|mein|meine|mon|ma|il|la|mio|mia|o|meu|a|minha|mijn|de|the|her|his|dit|das|ist|national|new)(?!\w)){0,3} ?$"
)


def mask_named_identities(sheet: Sheet) -> None:
    """Mask identity numbers that follow or precede a word for them: "pesel: 610614 07919"."""
    claim_all(sheet, _claims(sheet))


def _claims(sheet: Sheet) -> Iterator[Claim]:
    low = sheet.low
    for word in words_in(sheet, WORDS):
        rule = WORDS[word.text]
        before = _part(rule.before).search(low, max(0, word.start - _NEAR), word.start)
        after = _part(rf"{rule.after}(?![^\W\d_])").match(low, word.end)
        if before is None or after is None:
            continue
        span = _span(low, word, after.end(), rule.form)
        if span:
            shown = last_four(sheet.cased[slice(*span)])
            yield Claim(*span, rule.kind, shown, (Sign.WORD_BEFORE,))


def _span(low: str, word: Announcer, end: int, form: str) -> tuple[int, int] | None:
    """The span of the identity number right after or before a word for such a number; None for none."""
    forward, backward = _patterns(form)
    match = forward.match(low, end, end + _REACH)
    if match is None:
        match = backward.search(low, max(0, word.start - _BACK), word.start)
    if match is None:
        return None
    kept = [char for char in match["id"] if char.isalnum()]
    is_number = _LEAST <= len(kept) <= _MOST and sum(map(str.isdigit, kept)) >= _LEAST_DIGITS
    return match.span("id") if is_number else None


@cache
def _patterns(form: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two patterns that find an identity number: the first after the word for it, the second before it."""
    number = rf"(?P<id>{form})(?!\w)"
    return (
        re.compile(rf"(?:{_GOES_ON}|{_UNTIL_COLON}){number}"),
        re.compile(rf"(?<![\w.\-/#]){number}{_COPULA}"),
    )


@cache
def _part(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
