"""National identity numbers: UK National Insurance, Mexican CURP and RFC, and scanned US SSN."""

import re

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four

_YEAR_TO_DAY = r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
# Each begins at a digit, which a matcher can skip to; letters before it are looked back at.
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
_NI_HINT = re.compile(r"\d[ \-]?[a-d](?![a-z0-9])")
_DATE_HINT = re.compile(r"[a-z&][ \-]?\d{6}[ \-]?[a-z0-9]")


def mask_identities(sheet: Sheet) -> None:
    """Claim identity numbers that their letters mark; those of digits alone are found as numbers."""
    low = sheet.low
    if "ssn" in low or "social sec" in low:
        for match in _SCANNED_SSN().finditer(low):
            if sum(map(str.isdigit, match["ssn"])) >= 4:
                start, end = match.span("ssn")
                sheet.claim(start, end, Kind.SSN, last_four(sheet.cased[start:end]))
        sheet.settle()
        low = sheet.low
    patterns = []
    if _DATE_HINT.search(low):
        patterns += [_CURP(), _RFC()]
    if _NI_HINT.search(low):
        patterns.append(_NI())
    for pattern in patterns:
        for match in pattern.finditer(sheet.low):
            start, end = match.span()
            sheet.claim(start, end, Kind.ACCOUNT, last_four(sheet.cased[start:end]))
        sheet.settle()
