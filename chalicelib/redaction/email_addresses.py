"""E-mail addresses, written as they are or spelled out ("name at domain dot com")."""

import re

from chalicelib.redaction.patterns import Hints, holds_any, lazily
from chalicelib.redaction.sheet import Kind, Sheet
from chalicelib.redaction.vocabulary import vocabulary

MASK = "***@***"

_TLD = (
    "com|net|org|edu|gov|mil|info|biz|io|co|us|uk|ca|au|de|fr|es|it|nl|be|at|ch|se|no|dk|fi|pl|pt|"
    "br|mx|ar|cl|in|cn|jp|kr|ru|nz|ie|za|eu|me|tv|app|dev|ai|xyz|online|store|shop|example|test|cat"
)
_SIGN = re.compile(r"@(?=(?:[ \t\x1f]{0,2}|\r?\n)(?:\[|\w[\w\-.]))")
_LOCAL = lazily(r"(?P<gap>[ \t\x1f]{0,2})(?P<local>\"[^\"\n@]{1,64}\"|[\w.+\-'%~#!$*^`{}&]+)")
_LEADING = ".+-'%~#!$*^`{}&"
_DOMAIN_WRITTEN = lazily(
    r"(?P<gap>[ \t\x1f]{0,2}|\r?\n)(?P<domain>\[[0-9a-f.:]{3,45}\]|[\w\-]++(?:\.{1,2}[\w\-]++)*+)"
    rf"(?P<tail>(?: \.[ ][\w\-]{{1,40}}){{0,2}}"
    r"(?:[ \t]?[,.](?:[ \t]?|\r?\n)|[ \t](?:(?:dot|punkt|punto|point|ponto)[ \t])?"
    r"|[ \t]?[(\[{](?:dot|punkt|punto|point|ponto|\.)[)\]}][ \t]?)"
    rf"(?:{_TLD})(?:\.(?:uk|au|br|mx))?(?![\w@]))?"
)
_KNOWN_TLD = frozenset(_TLD.split("|"))
_LOCAL_REACH = 320  # RFC 5321 allows 64; a longer one is masked as well


def mask_emails(sheet: Sheet) -> None:
    """Mask every e-mail address, written or spelled out; the text around it stays."""
    low = sheet.low
    if low.count("@") > _MANY_SIGNS:
        low = _without_huge_words(sheet)
    if "@" in low:
        done = 0
        for sign in _SIGN.finditer(low):
            at = sign.start()
            if at < done:
                continue
            span = _written_span(sheet, max(done, at - _LOCAL_REACH), at)
            done = at + 1
            if span is not None:
                sheet.claim(*span, Kind.EMAIL, MASK)
                done = span[1]
        sheet.settle()
    _mask_spelled(sheet)
    if sheet.holds(_PROVIDERS):
        _mask_bare_mailboxes(sheet)


_MANY_SIGNS = 200
_HUGE_WORD = lazily(r"(?<![^\s\x00])[^\s\x00]{2000}[^\s\x00]*+")


def _without_huge_words(sheet: Sheet) -> str:
    """Mask whole words of 2,000 characters or more that hold hundreds of `@`, as they are not parsed.

    Returns the lower-case text in which these words are blanked.
    """
    for match in _HUGE_WORD().finditer(sheet.low):
        if match.group().count("@") > _MANY_SIGNS:
            sheet.claim(*match.span(), Kind.EMAIL, MASK)
    sheet.settle()
    return sheet.low


def _written_span(sheet: Sheet, floor: int, at: int) -> tuple[int, int] | None:
    low = sheet.low
    # Matched backwards, so that a long run of letters is read once and not once per letter.
    left = _LOCAL().match(low[floor:at][::-1])
    right = _DOMAIN_WRITTEN().match(low, at + 1)
    if left is None or right is None:
        return None
    local = left["local"][::-1].lstrip(_LEADING)
    if not local:
        return None
    start = at - left.end("gap") - len(local)
    end = right.end("domain")
    domain = right["domain"]
    is_spaced = bool(left["gap"] or right["gap"])
    labels = domain.split(".")
    if len(labels) == 1 and not domain.startswith("["):
        if right["tail"] is not None:
            return start, right.end()
        is_word = len(domain) > 1 and domain[0].isalpha()
        return (start, end) if is_word and not is_spaced else None
    if is_spaced and labels[-1] not in _KNOWN_TLD:
        return None
    return start, _without_next_sentence(labels, right.start("domain"), end, sheet.cased)


def _without_next_sentence(labels: list[str], start: int, end: int, cased: str) -> int:
    """The offset at which an address ends: in `a@example.com.Please call`, right after `com`."""
    position = start
    for index, label in enumerate(labels):
        if (
            index > 1
            and cased[position : position + 1].isupper()
            and labels[index - 1] in _KNOWN_TLD
        ):
            return position - 1 if not cased[start : position - 1].isupper() else end
        position += len(label) + 1
    return end


_AT_NAMES = (
    "at", "arroba", "arobase", "arrobase", "arobas", "chiocciola", "klammeraffe", "affenschwanz", "ät", "aet",
)  # fmt: skip
_AT = (
    *(f" {name} " for name in _AT_NAMES), "_at_", "-at-", "at>", "(a)", "[a]", "@)", "@]",
    *(name + closing for name in _AT_NAMES for closing in ")]}"),
)  # fmt: skip
_AT_SIGNS = ("(a)", "[a]", "@)", "@]")
_AT_WORDS = frozenset({*_AT_NAMES, "a", "@"})
_AT_CLOSINGS = tuple((sign, sign[-1] if sign[-1] in ")]}>" else None) for sign in _AT)
_CLEAR_AT = tuple(sign for sign in _AT if sign != " at ")
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}
_DOT = r"[(\[{<] ?(?:dot|punto|punkt|point|ponto|\.) ?[)\]}>]|dot|punto|punkt|point|ponto"
_SEPARATOR = rf"(?:[ \t]{{0,2}}(?:{_DOT})[ \t]{{0,2}}| \.[ ]?|\.)"
_DOMAIN = lazily(
    rf"(?P<name>[a-z0-9\-]{{1,40}}(?:{_SEPARATOR}[a-z0-9\-]{{2,40}}){{0,3}})"
    rf"(?P<dot>{_SEPARATOR})(?P<tld>{_TLD})(?:{_SEPARATOR}(?:uk|au|br|mx|nz|jp|za|in))?(?![\w])"
)
_DOT_WORD = lazily(rf"[ \t(\[{{<](?:{_DOT})|(?:{_DOT})[ \t]|[)\]}}>]")
_LOCAL_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789._-+"
_JOINS = (
    " dot ", " punto ", " punkt ", " point ", " ponto ", " underscore ", " dash ", " hyphen ",
    " guion ", " minus ", " plus ", " unterstrich ", " guion bajo ", " bindestrich ", " tiret ", " trattino ", " hífen ", " underline ", " tiret bas ", " trattino basso ",
    *(f"{gap}{opening}{dot}{closing}{gap}" for dot in ("dot", "punto", "punkt", "point", "ponto")
      for opening, closing in ("()", "[]") for gap in (" ", "")),
)  # fmt: skip
_MAILBOXES = frozenset(
    """gmail googlemail yahoo ymail hotmail outlook live msn icloud me aol proton protonmail gmx web
    yandex mail zoho fastmail comcast verizon att t-online orange wanadoo free laposte libero
    hey tutanota qq rocketmail""".split()
)
_NO_NAME = frozenset(
    """me us you him her them it is was are be look looking available arrived order ordered orders
    bought buy found find seen see shop shopping shopped store site website page purchase purchased
    here back online support sold sale listed contact and or that this item items products go went
    click visit start signed sign log logged register registered account working work price prices
    checkout only not meet meeting also both all out up placed paid customer service team""".split()
)


def may_be_spelled(low: str) -> bool:
    """Whether a lower-case text may hold a spelled-out e-mail address, or "my gmail is ..."; cheap."""
    if " at " in low and holds_any(low, _DOT_NAMES):
        return True
    return any(sign in low for sign in _CLEAR_AT) or _PROVIDERS.may_be_in(low)


_DOT_NAMES = (".", "dot", "punkt", "punto", "point", "ponto")
_PROVIDERS = Hints("gmail", "hotmail", "outlook", "yahoo", "icloud", "gmx")
_BARE_MAILBOX = lazily(
    r"(?<![\w@.])(?:gmail|hotmail|outlook|yahoo|icloud|gmx)"
    r"(?: (?:address|account|adresse|username|user|id|name))?(?: (?:is|es|ist|lautet)|:|=)[ \x1f]{0,2}"
    r"(?P<name>[a-z0-9][a-z0-9._+\-]{2,63})(?![\w@])"
)


def _mask_bare_mailboxes(sheet: Sheet) -> None:
    """Mask the name in "my gmail is jo.smith22", which is an e-mail address without its domain.

    A name without a digit, dot or underscore stays.
    """
    for match in _BARE_MAILBOX().finditer(sheet.low):
        name = match["name"].rstrip(".-")
        if any(char.isdigit() or char in "._" for char in name):
            start = match.start("name")
            sheet.claim(start, start + len(name), Kind.EMAIL, MASK)
    sheet.settle()


def _mask_spelled(sheet: Sheet) -> None:
    low = sheet.low
    if sheet.vocabulary.isdisjoint(_AT_NAMES) and not holds_any(low, _AT_SIGNS):
        return
    closed = {closing for closing in _OPENING if closing in low}
    signs = tuple(sign for sign, closing in _AT_CLOSINGS if closing is None or closing in closed)
    for sign in [sign for sign in signs if sign in low]:
        low = sheet.low
        at = low.find(sign)
        done = 0
        while at >= 0:
            span = _spelled_span(low, at, sign)
            if span is not None and span[0] >= done:
                sheet.claim(*span, Kind.EMAIL, MASK)
                done = span[1]
            at = low.find(sign, max(done, at + 1))
        sheet.settle()


def _spelled_span(low: str, at: int, sign: str) -> tuple[int, int] | None:
    end = at + len(sign)
    if sign[-1] in ")]}>":
        at = low.rfind(_OPENING[sign[-1]], max(0, at - 13), at + 1)
        if at < 0 or low[at + 1 : end - 1].strip() not in _AT_WORDS:
            return None
    end += low[end : end + 1] == " "
    domain = _DOMAIN().match(low, end)
    if domain is None:
        return None
    start = at - (low[at - 1 : at] == " ")
    left = _local_start(low, start)
    local = low[left:start]
    if not local:
        return None
    if sign == " at ":
        is_spelled = _DOT_WORD().search(domain.group()) is not None
        is_mailbox = domain["name"].partition(".")[0] in _MAILBOXES
        mentions = "mail" in low[max(0, left - 40) : left]
        if local in _NO_NAME or not (is_spelled or is_mailbox or mentions):
            return None
    return left, domain.end()


def _local_start(low: str, end: int) -> int:
    """The offset at which the name of a spelled-out address begins, read backwards from its "at".

    Words such as "dot" and "underscore" join the parts of the name.
    """
    floor = max(0, end - 100)
    start = end
    for _ in range(4):
        chunk = low[floor:start]
        start -= len(chunk) - len(chunk.rstrip(_LOCAL_CHARS))
        joined = next((j for j in _JOINS if low.endswith(j, floor, start)), None)
        if joined is None and low[start - 1 : start] == " " and _is_number(low[start:end]):
            joined = " "  # "t underscore wells 84 at", "bigdave ninety nine at"
        if joined is None:
            break
        start -= len(joined)
    name = low[start:end].lstrip(" .-+")
    return end - len(name)


def _is_number(local: str) -> bool:
    """Whether what was read so far of a spelled-out address's name is only numbers, in digits or words."""
    digits = vocabulary().digits
    return all(word.isdigit() or word in digits for word in local.split())
