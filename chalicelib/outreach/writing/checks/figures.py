"""Sums of money, percentages, codes and other numbers of a text, compared with what was given."""

from __future__ import annotations

import re

from chalicelib.outreach.writing.checks.days import without_times
from chalicelib.outreach.writing.checks.text import (
    NUMBER,
    NUMBER_WORD,
    WORD_VALUES,
    folded,
    sentences,
    value,
)

_SIGNS = r"[$\u20ac\u00a3\u00a5\u20b9\u20bf]"
_CURRENCY = (
    r"(?:us ?\$|usd|eur|gbp|chf|mxn|brl|cad|aud|btc|dollars?|euros?|pounds?|quid|bucks?|cents?"
    r"|pesos?"
    r"|dolares|dolar|libras|reais|real\b|dollari|dollaro|sterline|franken|pfund"
    r"|livres sterling|livres"
    r"|pond|grand)\b"
)
_PERCENT = (
    r"(?:%|percent\b|per cent\b|por ?ciento\b|prozent\b|pour ?cent\b|por ?cento\b|per ?cento\b"
    r"|procent\b)"
)
_N = rf"({NUMBER}k?|{NUMBER_WORD}(?:[\s-]{NUMBER_WORD})*)"
_AMOUNTS = {
    "money": (
        re.compile(rf"(?:{_SIGNS}|\b{_CURRENCY})\s*({NUMBER}k?)"),
        re.compile(rf"\b{_N}\s*(?:{_SIGNS}|{_CURRENCY})"),
        re.compile(rf"(?<![\w.,])({NUMBER}k)\b"),
    ),
    "percent": (re.compile(rf"\b{_N}\s*{_PERCENT}"),),
}
_HALF_PRICE = -50.0
_HALF = re.compile(
    r"\bhalf(?: the)? price\b|\bhalf off\b|\b(?:a la )?mitad de precio\b|\bhalber? preis\b"
    r"|\bhalben preis"
    r"|\bmoitie prix\b|\bmetade do preco\b|\bmeta prezzo\b|\bhalve prijs\b|\btwo for one\b"
    r"|\bdos por uno\b"
)
_THEIRS = re.compile(
    r"\byou (?:mention|said|say|told|wrote|asked|offer|want|name|paid|would like)"
    r"|\byour (?:budget|wish|offer)"
    r"|\bnoted\b|has mencionado|mencionaste|dijiste|has dicho|anoto|sie (?:nannten|haben"
    r"|schrieben|erwahn)"
    r"|notiert|vous avez (?:dit|mentionn|ecrit|indiqu)|note\b|voce (?:disse|mencion|falou)"
    r"|ha (?:detto|scritto"
    r"|menzionat)|(?:je|u) (?:noemde|zei|schreef)|genoteerd"
)
_CODE = re.compile(r"(?<![\w/@.])#?(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[^\W_][\w-]{3,}(?![\w/@])")
_CODE_WORD = re.compile(
    r"(?i:\b(?:code|coupon|voucher|codigo|c\u00f3digo|cup\u00f3n|cupon|gutscheincode"
    r"|rabattcode|kode|codice|cupom)"
    r"\b[\s:\"'\u201c\u201e\u00ab]{1,4})([A-Z0-9][A-Z0-9-]{3,})\b"
)
_HARMLESS = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|am|pm|h|k|er|e|o|a|min|mins|kg|km|cm|m|g|ml|x\d{1,4})|\d{1,2}h\d\d"
    r"|24-7|covid-19"
    r"|\d{1,3}-[a-z]+|[a-z]+-\d{1,2}|\d{4}-\d\d-\d\dt\d\d|mp[34]|b2b|b2c|h1b"
)
_SMALL = 10
"""Smaller bare numbers are a manner of speaking, or a count."""


def amounts(text: str, kind: str) -> set[float]:
    """Every sum of money, or every percentage, of a folded text; "half price" is a percentage."""
    found = set()
    for pattern in _AMOUNTS[kind]:
        for one in pattern.finditer(text):
            number = one[1]
            found.add(value(number.rstrip("k")) * (1000 if number.endswith("k") else 1))
    return found | ({_HALF_PRICE} if kind == "percent" and _HALF.search(text) else set())


def numbers(text: str) -> set[float]:
    """Every number of a folded text, in figures and words."""
    found = {value(one) for one in re.findall(NUMBER, text)}
    words = re.findall(rf"\b{NUMBER_WORD}(?:[\s-]{NUMBER_WORD})*\b", text)
    return (
        found
        | {value(one) for one in words}
        | {float(WORD_VALUES[w]) for w in words if w in WORD_VALUES}
    )


def codes(text: str) -> set[str]:
    """Codes of letters and digits, in small letters."""
    found = {one.group().lstrip("#").casefold().strip("-_") for one in _CODE.finditer(text)}
    return {one for one in found if not _HARMLESS.fullmatch(one)}


def has_unknown_amount(draft: str, given: str, said: str) -> bool:
    """Whether it names a sum or percentage that is not given, nor named as the recipient's own."""
    for kind, other in (("money", "percent"), ("percent", "money")):
        known, theirs = (_bare(text, other) | amounts(folded(text), kind) for text in (given, said))
        for sentence in map(folded, sentences(draft)):
            unknown = amounts(sentence, kind) - known
            if unknown and not (unknown <= theirs and _THEIRS.search(sentence)):
                return True
    return False


def _bare(text: str, other: str) -> set[float]:
    """The numbers of a text that are no time and no amount of the other kind."""
    low = without_times(text)
    for pattern in _AMOUNTS[other]:
        low = pattern.sub(" ", low)
    return numbers(low)


def has_unknown_code(draft: str, *known: str) -> bool:
    """Whether it names a code or a number of an order that no known text holds."""
    texts = [folded(one) for one in known]
    if any(one not in text for one in codes(draft) for text in [" ".join(texts)]):
        return True
    whole = " ".join(texts)
    return any(one.casefold() not in whole for one in _CODE_WORD.findall(draft))


def has_unknown_number(draft: str, *known: str) -> bool:
    """Whether it names a number of ten or more that no known text names, in figures or words."""
    low = folded(draft)
    there = {one for text in known for one in numbers(folded(text))}
    digits = re.sub(r"\D", " ", " ".join(known)).split()
    for found in re.finditer(rf"(?<![\w.,:/]){NUMBER}(?![\w%])", low):
        one = value(found.group())
        if one < _SMALL or one in there or found.group() in digits:
            continue
        if low[found.start() - 3 : found.end() + 2].strip() == "24/7":
            continue
        return True
    return False
