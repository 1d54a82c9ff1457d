"""Values that stay readable: UUIDs, dates, times, IP and MAC addresses, prices, decimals."""

import re

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Sheet

# Every pattern begins with a plain character class, which CPython's matcher can skip to; the
# look-behind after it rejects digits in the middle of a longer token.
_D = r"[0-9](?<![0-9a-z+#_].)"
_UUID_TAIL = re.compile(r"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])")
_HEX8 = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}")
_MAC = lazily(
    r"[0-9a-f](?<![0-9a-z].)[0-9a-f](?P<s>[:-])(?:[0-9a-f]{2}(?P=s)){4}[0-9a-f]{2}(?![\w:-])"
)
_CURRENCY = "usd|eur|gbp|cad|aud|chf|jpy|mxn|inr|dollars?|euros?|pounds?|bucks|pesos|kr|zł|cents?"
_MONEY = r"\d{0,2}(?:[.,' ]?\d{3}){0,3}(?:[.,]\d{1,2})?"
_NUMBERS = lazily(
    rf"{_D}(?:"
    # 2026-01-03T12:00:00.123Z
    r"(?P<iso>\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:[t \x1f]{1,2}[0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?"
    r"(?: ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?)?(?!\w|[-./]\d))"
    r"|\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])t[0-2]\d[0-5]\d[0-6]\dz?(?!\w)"
    # 3/1/2026, 03.01.26, 3 1 2026, 2026/01/03, 2025-2026
    r"|\d?(?P<s>[./\-])(?:0?[1-9]|[12]\d|3[01])(?P=s)(?:(?:19|20)\d\d|\d\d)(?!\w|[-./ ]\d)"
    r"|\d? (?:0?[1-9]|[12]\d|3[01]) (?:19|20)\d\d(?!\w|[-./ ]\d)"
    r"|(?<=[12])[09]\d\d(?P<r>[./])(?:0?[1-9]|1[0-2])(?P=r)(?:0?[1-9]|[12]\d|3[01])(?!\w|[-./]\d)"
    r"|(?:(?<=1)9|(?<=2)0)\d\d ?[-/ ] ?(?:19|20)\d\d(?!\w|[-./ ]\d)"
    # 192.0.2.1:8080
    r"|(?P<ip>\d{0,2}(?:\.\d{1,3}){3}(?::\d{2,5}|/\d{1,2})?(?!\w|[-.]\d))"
    # 1,234,567.89 and 1.234.567,89
    r"|\d{0,2}(?:(?:,\d{3}){1,4}(?:\.\d{1,2})?|(?:\.\d{3}){1,4},\d{2})(?![\d,]|[-.]\d)"
    # 40.712776, 0.25, 12345.67
    r"|(?:\d{0,2}\.\d{5,}|(?<=0)\.\d+|\d{4,8}\.\d{2})(?!\w|[-.]\d)"
    # 1 500 euros, USD 1500
    rf"|{_MONEY}[ \x1f]?(?:[€$£¥₹]|(?:{_CURRENCY})(?!\w))"
    rf"|(?:(?<=usd[ \x1f].)|(?<=[egc][ubha][rpdf][ \x1f].)){_MONEY}(?!\d|[-.]\d)"
    r")"
)
_MONEY_BEFORE = lazily(rf"[€$£¥₹][ \x1f]?[0-9]{_MONEY}(?!\d|[-.]\d)")


def keep_uuids(sheet: Sheet) -> None:
    """Shield UUIDs before another pass claims a part of one."""
    low = sheet.low
    if low.count("-") >= 4:
        for match in _UUID_TAIL.finditer(low):
            start = match.start() - 8
            if start >= 0 and _HEX8.match(low, start):
                sheet.shield(start, match.end())
        sheet.settle()


def keep_readable(sheet: Sheet) -> None:
    """Shield numbers that look like an identifier but are not."""
    low = sheet.low
    if low.count(":") >= 5 or low.count("-") >= 5:
        _shield(sheet, _MAC())
    _shield(sheet, _NUMBERS())
    if "$" in low or not low.isascii():
        _shield(sheet, _MONEY_BEFORE())


def _shield(sheet: Sheet, pattern: re.Pattern[str]) -> None:
    low = sheet.low
    for match in pattern.finditer(low):
        start = match.start()
        if _is_start(low, start, match.group()) and _is_possible(match):
            sheet.shield(start, match.end())
    sheet.settle()


def _is_start(low: str, start: int, text: str) -> bool:
    """Whether no joined number precedes this one."""
    joins = ".-/,' " if " " in text else ".-/,'"
    return not (start > 1 and low[start - 1] in joins and low[start - 2].isdigit())


def _is_possible(match: re.Match[str]) -> bool:
    text = match.group()
    if match.re is _MAC():
        return ":" in text or not text.replace("-", "").isdigit()
    if match.re is _NUMBERS() and match["ip"]:
        return all(int(octet) <= 255 for octet in _OCTET.split(text)[:4])
    return True


_OCTET = re.compile(r"[.:/]")
