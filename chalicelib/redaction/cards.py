"""Payment cards, IBAN and US social security numbers: check digits, brands, masks."""

from collections.abc import Sequence

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four

CARD_LENGTHS = range(12, 20)
LIKELY_LENGTHS = range(13, 18)
"""Lengths of a card number with one digit lost or doubled."""

_BRANDS = lazily(
    r"4\d{12}(?:\d{3}){0,2}$"  # Visa
    r"|5[1-5]\d{14}$|2[2-7]\d{14}$"  # Mastercard
    r"|3[47]\d{13}$"  # American Express
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12,15}$"  # Discover
    r"|3(?:0[0-5]|[689]\d)\d{11,16}$"  # Diners
    r"|35\d{14,17}$"  # JCB
    r"|(?:62|81)\d{14,17}$"  # UnionPay
    r"|(?:5[06-9]|6\d)\d{10,17}$"  # Maestro, Elo, RuPay
    r"|220[0-4]\d{12,15}$|9792\d{12}$"  # Mir, Troy
)


def has_brand(digits: str) -> bool:
    """Whether a card scheme such as Visa issues numbers with this prefix and length."""
    return _BRANDS().match(digits) is not None


def is_card(digits: str) -> bool:
    """Whether a number may be a payment card's: a scheme issues such numbers and the check digit is right."""
    return len(digits) in CARD_LENGTHS and has_brand(digits) and passes_luhn(digits)


_DOUBLED = str.maketrans("0123456789", "0246813579")


def passes_luhn(digits: str) -> bool:
    """Whether a number's check digit is that of payment cards (ISO/IEC 7812)."""
    total = sum(map(int, digits[-1::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))
    return total % 10 == 0


_IBAN_LENGTHS = {
    "ad": 24, "ae": 23, "al": 28, "at": 20, "az": 28, "ba": 20, "be": 16, "bg": 22, "bh": 22,
    "br": 29, "by": 28, "ch": 21, "cr": 22, "cy": 28, "cz": 24, "de": 22, "dk": 18, "do": 28,
    "ee": 20, "eg": 29, "es": 24, "fi": 18, "fo": 18, "fr": 27, "gb": 22, "ge": 22, "gi": 23,
    "gl": 18, "gr": 27, "gt": 28, "hr": 21, "hu": 28, "ie": 22, "il": 23, "iq": 23, "is": 26,
    "it": 27, "jo": 30, "kw": 30, "kz": 20, "lb": 28, "lc": 32, "li": 21, "lt": 20, "lu": 20,
    "lv": 21, "ly": 25, "mc": 27, "md": 24, "me": 22, "mk": 19, "mr": 27, "mt": 31, "mu": 30,
    "nl": 18, "no": 15, "pk": 24, "pl": 28, "ps": 29, "pt": 25, "qa": 29, "ro": 24, "rs": 22,
    "sa": 24, "sc": 31, "sd": 18, "se": 24, "si": 19, "sk": 24, "sm": 27, "st": 25, "sv": 28,
    "tl": 23, "tn": 24, "tr": 26, "ua": 29, "va": 22, "vg": 24, "xk": 20,
}  # fmt: skip

_IBAN_REST = lazily(r"(?:[ \t\x1f.\-]{0,2}[a-z0-9]){10,30}")


def mask_ibans(sheet: Sheet) -> None:
    """Mask every IBAN, found by country and length, mistyped check digits included."""
    low = sheet.low
    done = 0
    for first, last in sheet.runs:
        start = first - 2
        length = _IBAN_LENGTHS.get(low[max(0, start) : first])
        if length is None or start < done or last - first < 2:
            continue
        if start and low[start - 1].isalnum() and low[start - 1].isascii():
            continue
        rest = _IBAN_REST().match(low, first + 2)
        if rest is None:
            continue
        end = _iban_end(low, start, rest.end(), length)
        if end:
            sheet.claim(start, end, Kind.IBAN, last_four(sheet.cased[start:end]))
            done = end
    sheet.settle()


def _iban_end(low: str, start: int, limit: int, length: int) -> int:
    """The offset at which the IBAN that starts at `start` ends; 0 if none starts there.

    Up to two characters too few or too many, or wrong check digits, count as a typing error.
    """
    seen = 0
    digits = 0
    end = 0
    for position in range(start, limit):
        char = low[position]
        if char.isalnum():
            seen += 1
            digits += char.isdigit()
            if seen == length:
                end = position + 1
                break
    if end and not low[end : end + 1].isalnum() and _passes_mod97(low[start:end]):
        return end
    text = low[start : end or limit]
    if any(char.isspace() for char in text) and not _FOURS().match(text):
        return 0
    if not end:
        is_near = seen >= length - 2 and not low[limit : limit + 1].isalnum()
        return limit if is_near and digits * 2 > seen else 0
    tail = end
    while tail < len(low) and low[tail].isalnum() and tail - end <= 2:
        tail += 1
    if tail - end > 2 or digits * 3 < length:
        return 0
    return tail


_FOURS = lazily(
    r"[a-z]{2}\d{2}(?:[ \t\x1f\-.]{1,2}[a-z0-9]{4})+(?:[ \t\x1f\-.]{1,2}[a-z0-9]{1,4})?$"
)


def _passes_mod97(text: str) -> bool:
    """Whether the check digits of an IBAN are right (ISO 13616)."""
    kept = "".join(char for char in text if char.isalnum() and char.isascii())
    moved = kept[4:] + kept[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


SSN_LENGTHS = (3, 2, 4)


def is_ssn(lengths: tuple[int, ...], separators: tuple[str, ...]) -> bool:
    """Whether groups of 3, 2 and 4 digits have the same separator twice, as the US SSN `123-45-6789`."""
    return lengths == SSN_LENGTHS and separators[0] == separators[1]


def is_mixed_ssn(groups: Sequence[str], separators: Sequence[str]) -> bool:
    """Whether groups have 3, 2 and 4 digits, joined by dashes or spaces as in the US SSN `123-45 6789`.

    A last group that looks like a year, 19xx or 20xx, makes it False.
    """
    is_mixed = all(separator.strip(" \t\x1f") in {"", "-"} for separator in separators)
    return (
        tuple(map(len, groups)) == SSN_LENGTHS
        and is_mixed
        and not groups[-1].startswith(("19", "20"))
    )
