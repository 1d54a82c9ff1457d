"""E-mail addresses, written as they are or spelled out ("name at domain dot com")."""

import re

from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***@***"

_TLD = (
    "com|net|org|edu|gov|mil|info|biz|io|co|us|uk|ca|au|de|fr|es|it|nl|be|at|ch|se|no|dk|fi|pl|pt|"
    "br|mx|ar|cl|in|cn|jp|kr|ru|nz|ie|za|eu|me|tv|app|dev|ai|xyz|online|store|shop|example|test|cat"
)
_L = r"\w.+\-'%~#!$*^`{}&"
_WRITTEN = re.compile(
    rf"(?<![{_L}])(?P<local>\"[^\"\n@]{{1,64}}\"|[{_L}]++)"
    r"(?P<gap>[ \t\x1f]{0,2}@[ \t\x1f]{0,2})"
    r"(?P<domain>\[[0-9a-f.:]{3,45}\]|[\w\-]++(?:\.{1,2}[\w\-]++)*+)"
    rf"(?P<tail>(?:[ \t]?[,.][ \t]?|[ \t](?:dot[ \t])?)(?:{_TLD})(?:\.(?:uk|au|br|mx))?(?![\w@]))?"
)
_KNOWN_TLD = frozenset(_TLD.split("|"))


def mask_emails(sheet: Sheet) -> None:
    """Claim every address; what is written around it stays."""
    if "@" in sheet.low:
        for match in _WRITTEN.finditer(sheet.low):
            span = _written_span(match, sheet.cased)
            if span is not None:
                sheet.claim(*span, Kind.EMAIL, MASK)
        sheet.settle()
    if any(hint in sheet.low for hint in _SPELLED_HINTS):
        _mask_spelled(sheet)


def _written_span(match: re.Match[str], cased: str) -> tuple[int, int] | None:
    local, domain = match["local"], match["domain"]
    start = match.start() + len(local) - len(local.lstrip(".+-'%~#!$*^`{}&"))
    end = match.end("domain")
    if start == match.end("local"):
        return None
    tail = match["tail"]
    is_spaced = len(match["gap"]) > 1
    labels = domain.split(".")
    if len(labels) == 1 and not domain.startswith("["):
        if tail is not None:
            return start, match.end()
        is_word = len(domain) > 1 and domain[0].isalpha()
        return (start, end) if is_word and not is_spaced else None
    if is_spaced and labels[-1] not in _KNOWN_TLD:
        return None
    return start, _without_next_sentence(labels, match.start("domain"), end, cased)


def _without_next_sentence(labels: list[str], start: int, end: int, cased: str) -> int:
    """In `a@example.com.Please call` the address ends before the capital."""
    position = start
    for index, label in enumerate(labels):
        if index > 1 and cased[position : position + 1].isupper() and labels[index - 1] in _KNOWN_TLD:
            return position - 1 if not cased[start : position - 1].isupper() else end
        position += len(label) + 1
    return end


_AT = r"\(at\)|\[at\]|\{at\}|<at>|at|arroba|arobase|klammeraffe|chiocciola|ät|\(arroba\)|\[arroba\]"
_DOT = r"\(dot\)|\[dot\]|\{dot\}|<dot>|dot|punto|punkt|point|ponto|\(punto\)|\[punto\]|\(\.\)|\[\.\]"
_SPELLED_HINTS = (
    " dot ", "dot)", "dot]", "dot}", " punto ", " punkt ", " point ", " ponto ", "at)", "at]",
    "at}", "arroba", "arobase", "chiocciola", "klammeraffe", "<at>", "[.]", "(.)", " at ", "dot com",
)  # fmt: skip
_AT_WORD = re.compile(rf"[ \t\x1f]{{0,3}}(?:@|{_AT})[ \t\x1f]{{0,3}}")
_SEPARATOR = rf"(?:[ \t]{{0,2}}(?:{_DOT})[ \t]{{0,2}}|\.)"
_DOMAIN = re.compile(
    rf"(?P<name>[a-z0-9\-]{{1,40}}(?:{_SEPARATOR}[a-z0-9\-]{{2,40}}){{0,3}}?)"
    rf"(?P<dot>{_SEPARATOR})(?P<tld>{_TLD})(?:{_SEPARATOR}(?:uk|au|br|mx|nz|jp|za|in))?(?![\w])"
)
_LOCAL_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789._-+"
_JOINS = (
    " dot ", " punto ", " punkt ", " point ", " ponto ", " underscore ", " dash ", " hyphen ",
    " guion ", " minus ", " plus ", "(dot)", "[dot]", " (dot) ", " [dot] ",
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


def _mask_spelled(sheet: Sheet) -> None:
    low = sheet.low
    done = 0
    for match in _AT_WORD.finditer(low):
        if match.start() < done:
            continue
        span = _spelled_span(low, match)
        if span is not None and span[0] >= done:
            sheet.claim(*span, Kind.EMAIL, MASK)
            done = span[1]
    sheet.settle()


def _spelled_span(low: str, match: re.Match[str]) -> tuple[int, int] | None:
    start, end = match.span()
    if low[end : end + 1].isspace():
        return None
    domain = _DOMAIN.match(low, end)
    if domain is None:
        return None
    left = _local_start(low, start)
    local = low[left:start]
    if not local:
        return None
    word = match.group().strip()
    if word == "at":
        is_spaced = match.group()[0].isspace() and match.group()[-1].isspace()
        is_spelled = domain["dot"] != "."
        is_mailbox = domain["name"].partition(".")[0] in _MAILBOXES
        is_name = local not in _NO_NAME
        mentions = "mail" in low[max(0, left - 40) : left]
        if not is_spaced or not is_name or not (is_spelled or is_mailbox or mentions):
            return None
    return left, domain.end()


def _local_start(low: str, end: int) -> int:
    """Where the name before the "at" begins, joined by "dot" and "underscore" words."""
    floor = max(0, end - 100)
    start = end
    for _ in range(4):
        chunk = low[floor:start]
        start -= len(chunk) - len(chunk.rstrip(_LOCAL_CHARS))
        joined = next((j for j in _JOINS if low.endswith(j, floor, start)), None)
        if joined is None:
            break
        start -= len(joined)
    name = low[start:end].lstrip(" .-+")
    return end - len(name)
