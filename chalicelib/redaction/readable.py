"""Values that stay readable: UUIDs, dates, times, IP and MAC addresses, prices, decimals."""

import re

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Sheet
from chalicelib.redaction.vocabulary import Topic

# Every pattern begins with a plain character class, which CPython's matcher can skip to; the
# look-behind after it rejects digits in the middle of a longer token.
_D = r"[0-9](?<![0-9a-z+#_].)"
_UUID_TAIL = re.compile(r"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])")
_HEX8 = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}")
_HARDWARE = lazily(
    r"[0-9a-f](?<![0-9a-z_].)(?:(?P<mac>[0-9a-f]{1,2}(?::[0-9a-f]{1,3}){4,7}(?![\w:]))"
    r"|[0-9a-f]{0,3}(?::[0-9a-f]{1,4}){7}(?![\w:])"
    r"|[0-9a-f](?:-[0-9a-f]{1,2}){4,7}(?![\w-])"
    r"|[0-9a-f]{5,9}-[0-9a-f]{3,5}-[0-9a-f]{3,5}-[0-9a-f]{3,5}-[0-9a-f]{9,14}(?![\w-]))"
)
_CODES = "usd|eur|gbp|cad|aud|nzd|chf|jpy|cny|inr|mxn|brl|ars|clp|cop|pln|czk|huf|ron|sek|nok|dkk|try|zar|sgd|hkd|ils|aed"
_MONEY_WORDS = "dollars|dollar|euros|euro|pounds|pound|bucks|pesos|kr|zł|cents|cent|centimes|reais|francs|franken"
_CURRENCY = rf"{_CODES}|{_MONEY_WORDS}"
# Ten digits without a separator are a phone, whatever currency is near.
_MONEY = r"(?:\d{0,2}(?:[.,' ]\d{3}){1,3}|\d{0,8})(?:[.,]\d{1,2})?"
_TIME = r"[0-2]?\d[:.h][0-5]\d(?:[:.][0-6]\d(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b\.?)?"
_AT_TIME = rf"(?:,?[ \x1f]{{1,2}}{_TIME})?"
_NUMBERS = lazily(
    rf"{_D}(?:"
    # 9:14, 09:14:33.123, 9:14 PM
    r"(?P<time>(?:(?<=[01])\d|(?<=2)[0-3])?:[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b\.?)?"
    r"(?!\w|[-./:]\d))"
    # 2026-01-03T12:00:00.123Z
    r"|(?P<iso>\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:[t \x1f]{1,2}[0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?"
    r"(?: ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?)?(?!\w|[-./]\d))"
    r"|\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])t[0-2]\d[0-5]\d[0-6]\dz?(?!\w)"
    # 3/1/2026, 03.01.26, 3 1 2026, 2026/01/03, each with a time; 2026, 09:14; 2025-2026, 2026-156
    r"|(?P<day>\d?(?P<s>[./\-])(?:0?[1-9]|[12]\d|3[01])(?P=s)"
    rf"(?:(?P<year>(?:19|20)\d\d){_AT_TIME}(?!\w|[-./:]\d)"
    rf"|\d\d(?:{_AT_TIME}(?!\w|[-./: ]\d)|,(?= \d\d?[/.]))))"
    rf"|\d? (?:0?[1-9]|[12]\d|3[01]) (?:19|20)\d\d{_AT_TIME}(?!\w|[-./: ]\d)"
    r"|(?<=[12])[09]\d\d(?P<r>[./])(?:0?[1-9]|1[0-2])(?P=r)(?:0?[1-9]|[12]\d|3[01])"
    rf"{_AT_TIME}(?!\w|[-./:]\d)"
    rf"|(?<=[12])[09]\d\d,?[ \x1f]{{1,2}}{_TIME}(?!\w|[-./:]\d)"
    r"|(?P<span>(?:(?<=1)9|(?<=2)0)\d\d(?: ?[-/ ] ?(?:19|20)\d\d|-(?:[0-2]\d\d|3[0-5]\d|36[0-6]))"
    r"(?!\w|[-./ ]\d))"
    # 08.15-16.15
    r"|(?P<open>(?:(?<=[01])\d|(?<=2)[0-4])?[.:h][0-5][05] ?- ?(?:[01]?\d|2[0-4])[.:h][0-5][05](?!\w|[-./:]\d))"
    # 120x80x40 cm, 1723*2318 mm
    r"|\d{0,3}(?:[.,]\d{1,2})?(?: ?[x×*] ?\d{1,4}(?:[.,]\d{1,2})?){1,2} ?(?:mm|cm|m|km|in|inch|inches|ft|px|pixels?)(?!\w)"
    # 46.2664, -105.1614
    r"|(?P<place>\d?\.\d{3,8}(?:, ?| )-?(?:1[0-7]\d|\d\d?)\.\d{3,8}(?!\w|[-.]\d))"
    # 7.0.8453.75
    r"|(?<!0)\d{0,2}\.\d\.\d{3,5}\.\d{1,4}(?![\w.\-])"
    # 192.0.2.1:8080
    r"|(?P<ip>\d{0,2}(?:\.\d{1,3}){3}(?::\d{2,5}|/\d{1,2})?(?!\w|[-.]\d))"
    # 1,234,567.89 and 1.234.567,89; 1 234 567 with thin spaces
    r"|(?<!0)(?:\d?(?:\x1f\d{3}){1,4}|\d\d(?:\x1f\d{3}|(?:\x1f\d{3}){3,4}))(?![\d\x1f.\-]|[ ]\d)"
    r"|\d{0,2}(?:(?:,\d{3}){1,4}(?:\.\d{1,2})?|(?:\.\d{3}){1,4},\d{2})(?![\d,]|[-.]\d)"
    # 40.712776, 0.25, 12345.67
    r"|(?P<decimal>(?<=[1-9])\d{0,2}\.\d{5,}|(?<=0)\.\d+|\d{4,8}\.\d{2})(?!\w|[-.]\d)"
    # 1 500 euros, USD 1500
    rf"|{_MONEY}[ \x1f]?(?:[€$£¥₹]|(?:{_CURRENCY})(?!\w))"
    rf"|(?<=(?<!\w)(?:{_CODES})[ \x1f].){_MONEY}(?!\d|[-. ]\d)"
    r")"
)
_MONEY_BEFORE = lazily(rf"[€$£¥₹][ \x1f]?[0-9]{_MONEY}(?!\d|[-.]\d)")


_HARDWARE_HINT = re.compile(
    r":[0-9a-f]{1,4}:[0-9a-f]{1,4}:[0-9a-f]|-[0-9a-f]{1,5}-[0-9a-f]{1,5}-[0-9a-f]"
)


def shield_uuids(sheet: Sheet) -> None:
    """Shield UUIDs and hardware addresses from masking, before another pass masks a part of one."""
    low = sheet.low
    if low.count("-") >= 4:
        for match in _UUID_TAIL.finditer(low):
            start = match.start() - 8
            if start >= 0 and _HEX8.match(low, start):
                sheet.shield(start, match.end())
        sheet.settle()
    if (low.count(":") >= 4 or low.count("-") >= 4) and _HARDWARE_HINT.search(low):
        _shield_hardware(sheet)


def shield_readable(sheet: Sheet) -> None:
    """Shield dates, times, prices and the like, which look like an identifier but are none."""
    low = sheet.low
    done = -1
    read = 0
    for start, end in sheet.runs:
        if start < read or not _may_stay(low, start, end):
            continue
        match = _NUMBERS().match(low, start)
        if match is None:
            continue
        read = match.end()
        if _is_start(low, match) and not _is_part_of_identifier(sheet, match, done):
            done = read
            sheet.shield(start, done)
    sheet.settle()
    if "$" in low or not low.isascii():
        for match in _MONEY_BEFORE().finditer(sheet.low):
            sheet.shield(*match.span())
        sheet.settle()


def _may_stay(low: str, start: int, end: int) -> bool:
    """Whether the characters beside a run of digits allow it to be a date, a price or the like; cheap."""
    sign, after = low[end : end + 1], low[end + 1 : end + 2]
    if sign in _ENDS:
        is_more = after.isdigit() or (sign == "," and after in {" ", "\x1f"})
    elif sign == " ":
        word = _NEXT_WORD.match(low, end + 1)
        is_more = word is None or word[0] in _AFTER_SPACE
    else:
        is_more = sign not in _NEVER_AFTER
    return is_more or (
        low[start - 1 : start] in {" ", "\x1f"} and low[start - 4 : start - 1] in _CODE_WORDS
    )


_ENDS = frozenset(".,")
_NEVER_AFTER = frozenset('\n\r\t)!?;"]}>|')
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_CODE_WORDS = frozenset(_CODES.split("|"))
_AFTER_SPACE = frozenset({*_CURRENCY.split("|"), "x"})


def _shield_hardware(sheet: Sheet) -> None:
    """Shield MAC addresses and GUIDs, also with a digit or a group too many or too few."""
    for match in _HARDWARE().finditer(sheet.low):
        if _HEX_LETTER.search(match.group()) or match["mac"]:
            sheet.shield(*match.span())
    sheet.settle()


def _is_start(low: str, match: re.Match[str]) -> bool:
    """Whether a match begins a number: no other digits are joined to it on its left."""
    start = match.start()
    if start < 2 or not low[start - 2].isdigit():
        return True
    if match["iso"]:
        return low[start - 1] not in ".-/'"  # a cell of a table, after a comma
    if match["day"] or match["ip"]:
        return low[start - 1] not in ".-/,'"
    return low[start - 1] not in (
        ".-/,': \x1f" if " " in match.group() or match["time"] else ".-/,'\x1f"
    )


# The groups of digits before a number, across spaces and brackets.
_GROUPS_BEFORE = re.compile(r"(?P<plus>\+ ?)?\(?(?P<digits>\d[\d \x1f()./\-]*?)[ \x1f()/\-]{1,3}$")
_GAPS = " \x1f()-/"


def _is_part_of_identifier(sheet: Sheet, match: re.Match[str], done: int) -> bool:
    """Whether a match that looks like a date, an IP address or a decimal is part of an identifier.

    It is the tail of a phone number if a `+`, an international prefix or a group of digits precedes it
    across a space, or if a word for a phone is about it.  A date with a four-digit year needs a stronger
    sign.  An impossible IP address is part of one, and so are years in a code or right after a word
    such as "order".
    """
    start = match.start()
    if match["span"]:
        if sheet.low[start - 1 : start] in {"-", "_", "/"}:
            return True  # the tail of a code
        near = sheet.context_before(start)
        return near.is_direct and near.topic in _IDENTIFIED
    if match["ip"] and not _is_ip(match.group()):
        return True
    if not (match["day"] or match["ip"] or match["decimal"]):
        return False
    low = sheet.low
    is_full = match["year"] is not None
    if start and low[start - 1] in _GAPS:
        before = low[max(done, start - 24, 0) : start]
        if before.rstrip(_GAPS).endswith("+"):
            return True
        groups = _GROUPS_BEFORE.search(before)
        if groups and not _CLOCK.search(before, 0, groups.end("digits")):
            if groups["plus"] or groups["digits"].startswith("0"):
                return True
            if not is_full and len(groups["digits"]) > 1:
                return True
    if is_full:
        return False
    near = sheet.context_before(start)
    return near.topic is Topic.PHONE and (near.is_direct or not match["day"])


_IDENTIFIED = frozenset({Topic.ORDER, Topic.TRACKING, Topic.PHONE, Topic.ACCOUNT})
_CLOCK = re.compile(r"\d:\d\d$")
_OCTET = re.compile(r"[.:/]")
_HEX_LETTER = re.compile(r"[a-f]")


def _is_ip(text: str) -> bool:
    """Whether all four numbers of an IP address are possible: at most 255, without a leading zero."""
    octets = _OCTET.split(text)[:4]
    return all(int(octet) <= 255 and octet == str(int(octet)) for octet in octets)
