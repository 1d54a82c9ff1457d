"""National identity numbers: UK, Mexico, Italy, Spain, Brazil, France; and US SSN read by a scanner."""

import re
from collections.abc import Callable

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four

_YEAR_TO_DAY = r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_CURP = lazily(rf"(?<![a-z0-9])[a-z]{{4}}{_YEAR_TO_DAY}[hmx][a-z]{{5}}[a-z0-9]\d(?![a-z0-9])")
_RFC = lazily(rf"(?<![a-zñ&0-9])[a-zñ&]{{3,4}}[ \-]?{_YEAR_TO_DAY}[ \-]?[a-z0-9]{{3}}(?![a-z0-9])")
_NI = lazily(
    r"(?<!\w)(?!bg|gb|nk|kn|tn|nt|zz)[a-ceghj-pr-tw-z][a-ceghj-npr-tw-z][ \-]?"
    r"\d\d[ \-]?\d\d[ \-]?\d\d[ \-]?[a-d](?![a-z0-9])"
)
_SCANNED_SSN = lazily(
    r"(?<!\w)(?:ssn|social security(?: number| no\.?)?)(?: (?:is|was|number|no\.?|#))*[:# ]{1,3}"
    r"(?P<ssn>[0-9oilsb]{3}[\- .][0-9oilsb]{2}[\- .][0-9oilsb]{4})(?!\w)"
)
_FISCALE = lazily(
    r"(?<![a-z0-9])[a-z]{3} ?[a-z]{3} ?[\dlmnp-v]{2}[a-ehlmprst][\dlmnp-v]{2} ?[a-z][\dlmnp-v]{3} ?[a-z](?![a-z0-9])"
)
_SPANISH = lazily(
    r"(?<![a-z0-9])(?P<number>\d{8}|\d{2}\.\d{3}\.\d{3}|[xyz][ \-]?\d{7})[ \-]?(?P<letter>[a-z])(?![a-z0-9])"
)
_SPANISH_LETTERS = "trwagmyfpdxbnjzsqvhlcke"
_FOREIGNERS = str.maketrans("xyz", "012")
_CPF = re.compile(r"[0-9](?<![\w.\-].)\d\d\.\d{3}\.\d{3}-\d\d(?![\w\-])")
# A NIR: sex, year, month, place and order of birth, and the key, 97 less the remainder.
_NIR = re.compile(
    r"[12](?<!\w.)(?P<g>[ \x1f.\-]?)\d\d(?P=g)(?:0[1-9]|1[0-2]|[2-9]\d)(?P=g)\d[\dab](?P=g)\d{3}(?P=g)\d{3}(?P=g)(?P<key>\d\d)(?![\w])"
)
# The date in a CURP or RFC, with a letter before it.
_DATED = re.compile(r"[0-9](?:(?<=[a-zñ&].)|(?<=[a-zñ&][ \-].))\d{5}[ \-]?[a-z0-9]{3}")
_DATE_DIGITS = 6


def mask_identities(sheet: Sheet) -> None:
    """Mask national identity numbers that their letters prove.

    Also US social security numbers after their word, in which a scanner has read digits as letters.
    """
    low = sheet.low
    if "ssn" in low or "social sec" in low:
        for match in _SCANNED_SSN().finditer(low):
            if sum(map(str.isdigit, match["ssn"])) >= 4:
                start, end = match.span("ssn")
                sheet.claim(start, end, Kind.SSN, last_four(sheet.cased[start:end]))
        sheet.settle()
        low = sheet.low
    done = 0
    for start, reach, hint in _spots(low, sheet.runs):
        for pattern in _PATTERNS[hint]:
            found = pattern().search(low, max(done, start), max(0, start) + reach)
            if found is None or low[found.end() : found.end() + 1].isalnum():
                continue
            if pattern is _SPANISH and not _has_its_letter(found):
                continue
            # "its 100101 and" is no RFC: its letters are capitals.
            if hint != "dated" or sheet.cased[found.start() : found.start() + 3].isupper():
                done = found.end()
                shown = sheet.cased[found.start() : done]
                sheet.claim(found.start(), done, Kind.IDENTITY, last_four(shown))
                break
    sheet.settle()


def _spots(low: str, runs: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Where an identity number with letters may begin: offsets, in order.

    Each comes with how many characters the number may take, and the name of the patterns to try.
    """
    spots = []
    for start, end in runs:
        at = end + (low[end : end + 1] in {" ", "-"})
        letter, following = low[at : at + 1], low[at + 1 : at + 2]
        if "a" <= letter <= "z" and not ("a" <= following <= "z" or "0" <= following <= "9"):
            if letter <= "d":
                spots.append((end - 15, 18, "ni"))
            if end - start >= 3:
                spots.append((end - 19, 21, "check"))
        if end - start >= _DATE_DIGITS and _DATED.match(low, start):
            spots.append((start - 5, 24, "dated"))
    return sorted(spots)


def claim_checked(sheet: Sheet, start: int, end: int) -> bool:
    """Mask the Brazilian CPF or French NIR within a span, if its check digits are right.

    Returns:
        Whether there is one.
    """
    for pattern, is_valid in _CHECKED:
        match = pattern.search(sheet.low, start, end)
        if match and is_valid(match):
            sheet.claim(*match.span(), Kind.IDENTITY, last_four(match.group()), (Sign.CHECK_DIGIT,))
            return True
    return False


_PATTERNS = {"ni": (_NI,), "check": (_FISCALE, _SPANISH), "dated": (_CURP, _RFC)}


def _has_cpf_digits(found: re.Match[str]) -> bool:
    """Whether the two check digits of a Brazilian CPF are right."""
    digits = [int(char) for char in found.group() if char.isdigit()]
    for size in (9, 10):
        weighted = sum(d * w for d, w in zip(digits[:size], range(size + 1, 1, -1), strict=True))
        if weighted * 10 % 11 % 10 != digits[size]:
            return False
    return True


def _has_nir_key(found: re.Match[str]) -> bool:
    """Whether the key of a French NIR is right; numbers of Corsica (2A, 2B) are not checked."""
    if "a" in found.group() or "b" in found.group():
        return True
    number = "".join(filter(str.isdigit, found.group()))
    return 97 - int(number[:-2]) % 97 == int(number[-2:])


def _has_its_letter(found: re.Match[str]) -> bool:
    """Whether the check letter of a Spanish DNI or NIE is right."""
    digits = "".join(filter(str.isdigit, found["number"].translate(_FOREIGNERS)))
    return _SPANISH_LETTERS[int(digits) % 23] == found["letter"]


_CHECKED: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
    (_CPF, _has_cpf_digits),
    (_NIR, _has_nir_key),
)
