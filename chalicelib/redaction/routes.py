"""Addresses without a word for a street: numbered roads, rural routes, number and postcode alone."""

import re

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Sheet
from chalicelib.redaction.street_words import NEVER
from chalicelib.redaction.units import is_counted

_NUMBERED = lazily(
    r"[ ,\x1f]{1,2}(?:(?:north|south|east|west|[nsew]\b\.?) )?"
    r"(?:(?:county|co|state|us|u\.s\.|farm|forest|old)\.? )?"
    r"(?:(?:road|rd|route|rte|rt|highway|hwy|street|st|avenue|ave|cr|sr|fm|carretera)\.? (?:no\.? ?)?#?"
    r"|[nsew]\.? (?=\d00\b)|(?:[ns][ew]?|[ew]|north|south|east|west)\.? (?=\d{1,3}(?:st|nd|rd|th)\b)"
    r"|(?<=\d{3} )(?:us|i|business loop)[ \-](?=\d))(?:\d{1,3}(?:st|nd|rd|th)|\d{1,4}[a-z]?|[a-z])(?![\w]|[.,]\d)(?: (?:[nsew]|north|south|east|west)\b)?"
)
# With a state in capitals and a postcode after it, any number begins an address.
_POSTCODE = lazily(
    r"(?:[ ,\x1f]{1,2}(?:[A-Z][\w.'\-]*|#? ?\d{1,4}[A-Za-z]?|de|la|of|the)){1,9}?[ ,\x1f]{1,2}"
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|"
    r"T[NX]|UT|V[AT]|W[AIVY]|PR)[ ,\x1f]{1,2}\d{5}(?:-\d{4})?(?![\w\-])"
)
_BRITISH = lazily(
    r"(?:,?[ ]{1,2}[A-Z][\w'’.\-]*){1,8}?,?[ ]{1,2}[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?![\w])"
)
BRITISH_END = re.compile(r"[0-9][a-z]{2}(?![a-z0-9])")
_FAR = 100
_STATE_CODE = lazily(r"[ ,\n][a-z]{2}[ ,]{1,2}\d{5}(?:-\d{4})?(?!\w)")
_NO_HOUSE = re.compile(r"[ ,](?:mile|miles|palms|flags|points|items?|orders?|x)\b")
_ANNOUNCED = (
    "address", "live at", "lives at", "living at", "ship to", "shipped to", "deliver to",
    "deliver it to", "delivered to", "send to", "send it to", "moved to", "dirección", "direccion",
    "adresse", "anschrift", "wohne", "vivo en", "domicilio", "enviar a", "envíen a", "liefern an",
    "indirizzo", "endereço", "habite",
)  # fmt: skip
_PHONE_BEFORE = re.compile(r"\d{3}[ .\-]\d{3,4}[ .\-]$|\+\d[\d ]*$")
_PHONE_AFTER = re.compile(r"[ .\-]\d{2,3}[ .\-]\d{3,4}(?!\d)|[ .\-]\d{2}(?:[ .\-]\d{2}){2,}(?!\d)")
_REACH = 40


def is_phone_part(low: str, start: int, end: int) -> bool:
    """Whether a number is a group of a phone number and not a house number: "call 305 555 0125"."""
    if (
        start > 1
        and low[start - 1] in " .-"
        and low[start - 2] in "0123456789 "
        and _PHONE_BEFORE.search(low[max(0, start - 16) : start])
    ):
        return True
    if not low[end + 1 : end + 2].isdigit():
        return False
    return low[end : end + 1] in {" ", ".", "-"} and _PHONE_AFTER.match(low, end) is not None


def is_announced(sheet: Sheet, start: int) -> bool:
    """Whether words such as "my address is" come before a number; then lower-case words after it count."""
    tail = sheet.text_before(start)[-_REACH:]
    return any(hint in tail for hint in _ANNOUNCED)


def has_postcode(sheet: Sheet, end: int) -> bool:
    """Whether a US state's two letters and a postcode follow within forty characters."""
    return _STATE_CODE().search(sheet.low, end, end + _REACH) is not None


# An address word right before the number makes any capitalised words after it the street.
_ADDRESS_WORD = lazily(
    r"(?:\b(?:address|dirección|direccion|adresse|anschrift|domicilio)(?: (?:is|es|ist|lautet|to|now))?|"
    r"\b(?:lives?|living|located|arrived|off) at|\b(?:ship|deliver|send|sent|moved?|shipped|return)(?: (?:it|them))? to|"
    r"\b(?:vivo en|wohne in|enviar a))[:,]?[ \n]{1,2}$"
)
_NAMED = lazily(
    r"(?:[ ,]{1,2}(?:(?:and|of|the|de|del|la|el|los|las|van|der|den)(?= )|#? ?\d{1,5}(?:/\d|[A-Za-z])?\b|[NSEWnsew]\b\.?|[A-Z][\w'’\-]*\.?))"
    r"{1,10}"
)


def _may_be_name(cased: str, end: int) -> bool:
    """Whether the next word may begin a street's name: a capital, a number or a particle such as "of".

    Only the word's first letter is compared.
    """
    first = cased[end + 1 : end + 2]
    return not first.islower() or first in "adelnostvw"


def after_address_word(sheet: Sheet, start: int, end: int) -> tuple[int, int] | None:
    """The span of an address whose number comes right after a word such as "address", or None.

    As in `My address is 2945 W. Harrison Suite 100`.
    """
    if sheet.low[end : end + 1] not in {" ", ","}:
        return None
    if end - start < _LEAST_HOUSE and not _may_be_name(sheet.cased, end):
        return None
    tail = sheet.text_before(start)[-_REACH:]
    if tail.rstrip(" :,\n").rpartition(" ")[2] not in _LEADS or _NO_HOUSE.match(sheet.low, end):
        return None
    if _ADDRESS_WORD().search(tail) is None:
        return None
    match = _NAMED().match(sheet.cased, end) or _small_letters(sheet, start, end)
    if match is None or "\x00" in sheet.low[start : match.end()]:
        return None
    return (start, match.end()) if _WORD.search(match.group().title()) else None


_SMALL = lazily(r"(?: (?!to\b|and\b|or\b|for\b)[a-z][\w'’\-]*\.?){2,5}(?:, [a-z]{2}(?![a-z]))?")


def _small_letters(sheet: Sheet, start: int, end: int) -> re.Match[str] | None:
    """The match of the words after a house number in small letters, `ship to 1504 timber rail`, or None.

    The number has three digits or more, and the words are no unit.
    """
    if end - start < _LEAST_HOUSE:
        return None
    match = _SMALL().match(sheet.low, end)
    if (
        match is None
        or not NEVER.isdisjoint(match.group().split()[:2])
        or is_counted(sheet.low, end)
    ):
        return None
    return match


_LEAST_HOUSE = 3
_SIDE_INITIALS = frozenset("NSEW")
_WITH_SIDE = lazily(
    r" (?:[NSEW](?P<dot>\.)?|(?<=\d{4} )(?:North|South|East|West)) [A-Z][a-z][\w'’\-]*+\.?(?: [A-Z][a-z][\w'’\-]*+\.?){0,4}+"
    r"(?(dot)(?! [a-z]))(?: \d{1,4}\b)?"
)


def street_with_side(sheet: Sheet, start: int, end: int) -> tuple[int, int] | None:
    """The span of an address with a direction and a name but no word for a street, or None: `613 S. Main`."""
    if end - start == 1 or sheet.cased[end + 1 : end + 2] not in _SIDE_INITIALS:
        return None
    match = _WITH_SIDE().match(sheet.cased, end)
    return (start, match.end()) if match else None


_LEADS = frozenset(
    """address dirección direccion adresse anschrift domicilio is es ist lautet to now at en in a""".split()
)
ROAD_WORDS = frozenset(
    """county co state us u farm forest old north south east west n s e w ne nw se sw i business road
    rd route rte rt highway hwy street st avenue ave cr sr fm carretera""".split()
)
POSTCODE_DIGITS = 5
_FIVE_DIGITS = re.compile(r"[0-9]\d{4}")
_WORD = re.compile(r"[A-Z][\w'’\-]{2}")


def numbered_street(sheet: Sheet, start: int, end: int) -> tuple[int, int] | None:
    """The span of an address on a numbered road, or None: `1200 County Road 5`, `350 W 400 S`."""
    low = sheet.low
    if low[end : end + 1] not in {" ", ",", "\x1f"}:
        return None
    match = _NUMBERED().match(low, end)
    if match is None or _LONE_LETTER.match(sheet.cased, end):
        return None  # "500 e 600" is a list
    return start, match.end()


_LONE_LETTER = re.compile(r"[ ,\x1f]{1,2}[nsew] ")


def before_postcode(sheet: Sheet, start: int, end: int) -> tuple[int, int] | None:
    """The span of an address of capitalised words between a number and a postcode, or None.

    As in `120 Hekili, Kailua, HI 96734`.
    """
    low = sheet.low
    if low[end : end + 1] not in {" ", ","} or not _may_be_name(sheet.cased, end):
        return None
    british = (
        _BRITISH().match(sheet.cased, end) if BRITISH_END.search(low, end, end + _FAR) else None
    )
    if british and "\x00" not in low[start : british.end()]:
        return start, british.end()
    if not _FIVE_DIGITS.search(low, end, end + 100):
        return None
    if _NO_HOUSE.match(low, end):
        return None
    match = _POSTCODE().match(sheet.cased, end)
    if match is None or "\x00" in low[start : match.end()]:
        return None
    return start, match.end()
