"""What stays readable: UUIDs, dates, times, IP and MAC addresses, prices, decimals."""

import re

from chalicelib.redaction.sheet import Sheet

_UUID_TAIL = re.compile(r"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])")
_HEX8 = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}")
_ISO = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:[t \x1f]{1,2}[0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?(?: ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?)?"
    r"(?![\w]|[-./]\d)"
)
_BASIC = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])t[0-2]\d[0-5]\d[0-6]\dz?(?!\w)")
_DATE = re.compile(
    r"\d{1,2}(?P<s>[./\- ])(?:0?[1-9]|[12]\d|3[01])(?P=s)(?:(?:19|20)\d\d|\d\d)(?!\w|[-./ ]\d)"
    r"|(?:19|20)\d\d(?P<r>[./])(?:0?[1-9]|1[0-2])(?P=r)(?:0?[1-9]|[12]\d|3[01])(?!\w|[-./]\d)"
)
_YEARS = re.compile(r"(?:19|20)\d\d ?[-/ ] ?(?:19|20)\d\d(?!\w|[-./]\d)")
_IPV4 = re.compile(
    r"(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?::\d{2,5}|/\d{1,2})?(?!\w|\.\d)"
)
_MAC = re.compile(r"[0-9a-f]{2}(?P<s>[:-])(?:[0-9a-f]{2}(?P=s)){4}[0-9a-f]{2}(?![\w:-])")
_CURRENCY = "usd|eur|gbp|cad|aud|chf|jpy|mxn|inr|dollars?|euros?|pounds?|bucks|pesos|kr|zł|cents?"
_MONEY_AFTER = re.compile(
    rf"\d{{1,3}}(?:[.,' ]?\d{{3}}){{0,3}}(?:[.,]\d{{1,2}})?[ \x1f]?(?:[€$£¥₹]|(?:{_CURRENCY})(?!\w))"
)
_MONEY_BEFORE = re.compile(
    r"[€$£¥₹][ \x1f]?\d{1,3}(?:[.,' ]?\d{3}){0,3}(?:[.,]\d{1,2})?(?!\d|[-.]\d)"
)
_CODE_BEFORE = re.compile(
    r"(?:usd|eur|gbp|cad|aud|chf|mxn|inr)[ \x1f]?\d{1,3}(?:[.,' ]?\d{3}){0,3}(?:[.,]\d{1,2})?(?!\d|[-.]\d)"
)
_THOUSANDS = re.compile(
    r"\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,2})?(?![\d,]|[-.]\d)|\d{1,3}(?:\.\d{3}){1,4},\d{2}(?![\d,]|[-.]\d)"
)
_DECIMAL = re.compile(r"\d{1,3}\.\d{5,}(?!\w|[-.]\d)|0\.\d+(?!\w|[-.]\d)|\d{5,9}\.\d{2}(?!\w|[-.]\d)")
_MEASURE = re.compile(
    r"\d{1,12} ?(?:bytes?|kb|mb|gb|kib|mib|ms|µs|us|ns|seconds?|secs?|mah|lumens?|km|rpm|views|"
    r"followers|subscribers|people|pieces|pcs|stück)(?!\w)"
)


def keep_readable(sheet: Sheet) -> None:
    """Shield what looks like a number of a person and is none."""
    low = sheet.low
    if "-" in low:
        for match in _UUID_TAIL.finditer(low):
            start = match.start() - 8
            if start >= 0 and _HEX8.match(low, start):
                sheet.shield(start, match.end())
        sheet.settle()
        _shield(sheet, _ISO, _MAC)
    if ":" in sheet.low:
        _shield(sheet, _MAC)
    if "t" in low:
        _shield(sheet, _BASIC)
    _shield(sheet, _MONEY_AFTER)
    if not low.isascii() or "$" in low:
        _shield_money(sheet, _MONEY_BEFORE)
    _shield_money(sheet, _CODE_BEFORE)
    _shield(sheet, _DATE, _YEARS)
    if "." in low or "," in low:
        _shield(sheet, _IPV4, _THOUSANDS, _DECIMAL)
    _shield(sheet, _MEASURE)


def _shield(sheet: Sheet, *patterns: re.Pattern[str]) -> None:
    for pattern in patterns:
        low = sheet.low
        for match in pattern.finditer(low):
            start = match.start()
            if _is_start(low, start) and not (pattern is _MAC and _is_digits(match.group())):
                sheet.shield(start, match.end())
        sheet.settle()


def _shield_money(sheet: Sheet, pattern: re.Pattern[str]) -> None:
    low = sheet.low
    for match in pattern.finditer(low):
        if not low[match.start() - 1 : match.start()].isalnum():
            sheet.shield(*match.span())
    sheet.settle()


def _is_start(low: str, start: int) -> bool:
    """No digit, letter or joined number stands before."""
    if start == 0:
        return True
    last = low[start - 1]
    if last.isalnum() or last in "+#_":
        return False
    return not (last in ".-/,'" and start > 1 and low[start - 2].isdigit())


def _is_digits(mac: str) -> bool:
    return "-" in mac and mac.replace("-", "").isdigit()
