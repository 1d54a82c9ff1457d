"""National identity numbers: UK National Insurance, Mexican CURP and RFC, and scanned US SSN."""

import re

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four

_YEAR_TO_DAY = r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_CURP = lazily(rf"(?<![a-z0-9])[a-z]{{4}}{_YEAR_TO_DAY}[hmx][a-z]{{5}}[a-z0-9]\d(?![a-z0-9])")
_RFC = lazily(rf"(?<![a-zñ&0-9])[a-zñ&]{{3,4}}[ \-]?{_YEAR_TO_DAY}[ \-]?[a-z0-9]{{3}}(?![a-z0-9])")
_NI = lazily(
    r"(?<![a-z0-9])(?!bg|gb|nk|kn|tn|nt|zz)[a-ceghj-pr-tw-z][a-ceghj-npr-tw-z][ \-]?"
    r"\d\d[ \-]?\d\d[ \-]?\d\d[ \-]?[a-d](?![a-z0-9])"
)
_SCANNED_SSN = lazily(
    r"(?<!\w)(?:ssn|social security(?: number| no\.?)?)(?: (?:is|was|number|no\.?|#))*[:# ]{1,3}"
    r"(?P<ssn>[0-9oilsb]{3}[\- .][0-9oilsb]{2}[\- .][0-9oilsb]{4})(?!\w)"
)
# The date in a CURP or RFC, with a letter before it.
_DATED = re.compile(r"[0-9](?:(?<=[a-zñ&].)|(?<=[a-zñ&][ \-].))\d{5}[ \-]?[a-z0-9]{3}")
_NI_HINT = re.compile(r"[0-9][ \-]?[a-d](?![a-z0-9])")


def mask_identities(sheet: Sheet, *, has_long_run: bool) -> None:
    """Claim identity numbers that their letters mark; those of digits alone are found as numbers.

    `has_long_run`: whether six digits follow each other anywhere, as the date in a CURP or RFC does.
    """
    low = sheet.low
    if "ssn" in low or "social sec" in low:
        for match in _SCANNED_SSN().finditer(low):
            if sum(map(str.isdigit, match["ssn"])) >= 4:
                start, end = match.span("ssn")
                sheet.claim(start, end, Kind.SSN, last_four(sheet.cased[start:end]))
        sheet.settle()
        low = sheet.low
    spots = [(hint.start() - 14, 18, False) for hint in sheet.find("national insurance", _NI_HINT)]
    if has_long_run:
        spots += [(hint.start() - 5, 24, True) for hint in sheet.find("dated", _DATED)]
    done = 0
    for start, reach, is_dated in sorted(spots):
        for pattern in (_CURP(), _RFC()) if is_dated else (_NI(),):
            found = pattern.search(low, max(done, start), max(0, start) + reach)
            if found is None or low[found.end() : found.end() + 1].isalnum():
                continue
            # "its 100101 and" is no RFC: its letters are capitals.
            if not is_dated or sheet.cased[found.start() : found.start() + 3].isupper():
                done = found.end()
                shown = sheet.cased[found.start() : done]
                sheet.claim(found.start(), done, Kind.ACCOUNT, last_four(shown))
                break
    sheet.settle()
