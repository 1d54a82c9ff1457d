"""Links, e-mail addresses and phone numbers of a text, also in disguise: "example dot com"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from chalicelib.outreach.writing.checks.text import WORD_VALUES, folded, shown

_TLDS = (
    "com|net|org|edu|gov|info|biz|io|co|me|app|dev|ai|tv|cc|xyz|top|site|online|store|shop"
    "|link|club"
    "|live|pro|page|click|win|vip|icu|cloud|tech|space|website|test|example|invalid|local|us"
    "|uk|de|fr"
    "|es|it|nl|pt|br|mx|ar|cl|pe|be|ch|at|ie|ca|au|nz|in|ru|cn|jp|pl|se|no|dk|fi|eu|ly|gl|gg"
    "|sh|st|to"
    "|ws|la|im|so|ms|mobi|name|jobs|travel|help|support|bank|finance|money|pay|chat|bot|host"
    "|gift|sale"
)
_DOTTED = (
    r"(?:com|net|org|info|biz|io|co|app|dev|xyz|site|online|shop|store|link|test|example|me|win)"
)
_DOT_WORD = re.compile(
    r"([\w-])\s*(?:[\[({<]\s*(?:dot|\.|punto|punkt|point|ponto|punt)\s*[\])}>]"
    rf"|\s(?:dot|punto|punkt|point|ponto|punt)\s(?=\s*{_DOTTED}\b))\s*"
)
_AT_WORD = re.compile(r"\s*[\[({<]\s*(?:at|@|arroba|chez|bei|ad)\s*[\])}>]\s*|\s+(?:arroba)\s+")
_SPACED = re.compile(r"(?<=\w)\s+\.\s*(?=\w)|(?<=\w)\.\s+(?=(?:" + _TLDS + r")\b(?:/|\s*$))")
_WWW = re.compile(r"\bw\s?w\s?w\s?(?=\.)")
_EMAIL = re.compile(r"[\w.+%'-]+\s?@\s?[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"\b(?:h(?:tt|xx)ps?:\s?/\s?/|ftp://|www\.)[^\s<>\"]+", re.IGNORECASE)
_BARE = re.compile(
    rf"(?<![\w@.-])(?:[^\W_][\w-]*\.)+(?:{_TLDS}|xn--[\w-]+)(?![\w-])(?:[/?#:][^\s<>\"]*)?"
)
_PATHED = re.compile(r"(?<![\w@.-])(?:[^\W_][\w-]*\.)+[a-z]{2,24}/[^\s<>\"]+")
_IP = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_SCHEME = re.compile(
    r"\b(?:javascript|data|file|tg|whatsapp|skype|intent|tel|sms|mailto):(?=\S)\S+"
)
_HANDLE = re.compile(r"(?<![\w@./])@[a-z][\w.]{2,}")
_PHONE = re.compile(r"(?<![\w#-])(?:\+|00)?\(?\d(?:[\s().\-/\u2010-\u2015]{0,3}\d){6,14}(?![\w])")
_NO_PHONE = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[ T]\d\d?)?|\d\d?([./-])\d\d?\1\d{4}(?:\s\d\d?)?"
    r"|\d{4,6}\s?[-\u2013]\s?\d{4,6}"
)
"""Dates, and ranges of amounts, which look like phone numbers."""
_DIGIT_WORDS = frozenset(word for word, n in WORD_VALUES.items() if n <= 9) | {"oh", "o", "double"}
_SPELLED = 6
"""So many digits written as words in a row are a phone number."""
_TAIL = 7
"""The shortest number, in digits, that can match another form of the same number."""
_END = ".,;:!?)]}>'\"*_|\u2026\u00bb\u201d"


@dataclass(frozen=True, slots=True)
class Addresses:
    """The links, e-mail addresses and phone numbers of a text.

    Attributes:
        links: host in lower case, and path with query, which may be empty.
        emails: in lower case.
        phones: digits only.
        has_spelled_phone: whether digits written as words follow each other like a phone number's.
    """

    links: frozenset[tuple[str, str]] = frozenset()
    emails: frozenset[str] = frozenset()
    phones: frozenset[str] = frozenset()
    has_spelled_phone: bool = False

    def __or__(self, other: Addresses) -> Addresses:
        """The links, e-mail addresses and phone numbers of both texts; without `has_spelled_phone`."""
        return Addresses(
            self.links | other.links, self.emails | other.emails, self.phones | other.phones
        )


def addresses(text: str) -> Addresses:
    """Every link, e-mail address and phone number of a text, also in disguise: "example dot com"."""
    plain = _undisguised(shown(text))
    emails = {address.replace(" ", "").lower().strip(_END) for address in _EMAIL.findall(plain)}
    rest = _EMAIL.sub(" ", _URL.sub(" ", plain)) if "://" not in plain else _URL.sub(" ", plain)
    found = [match.group() for match in _URL.finditer(plain)]
    rest = _EMAIL.sub(" ", rest)
    low = rest.casefold()
    for pattern in (_PATHED, _BARE, _IP, _SCHEME, _HANDLE):
        hits = pattern.finditer(low)
        found += [hit.group() for hit in hits if not _is_end_of_sentence(rest, hit)]
        low = pattern.sub(" ", low)
    links = frozenset(_parts(link) for link in found)
    if _URL.search(plain):  # user:password@host is no e-mail address within a link
        emails = {email for email in emails if not _is_in_link(email, found)}
    phones = frozenset(
        _digits(number) for number in _PHONE.findall(rest) if not _NO_PHONE.fullmatch(number)
    )
    return Addresses(links, frozenset(emails), phones, _has_spelled_phone(text))


def without_addresses(text: str) -> str:
    """A text as a reader sees it, with one blank for each link, e-mail address and phone number."""
    plain = _undisguised(shown(text))
    for pattern in (_URL, _EMAIL, _PATHED):
        plain = pattern.sub(" ", plain)
    return _PHONE.sub(lambda found: found[0] if _NO_PHONE.fullmatch(found[0]) else " ", plain)


def blanked(text: str) -> str:
    """A text with each link, e-mail address and phone number replaced by as many blanks."""
    for pattern in (_URL, _EMAIL, _PATHED, _PHONE):
        text = pattern.sub(
            lambda found: found[0] if _NO_PHONE.fullmatch(found[0]) else " " * len(found[0]), text
        )
    return text


def is_allowed(link: tuple[str, str], allowed: Iterable[str]) -> bool:
    """Whether a link is on an allow-list of hosts and links, as `ai_config` has it; subdomains count."""
    host, path = link
    for entry in allowed:
        its_host, its_path = _parts(entry)
        if host != its_host and not host.endswith(f".{its_host}"):
            continue
        if not its_path or path == its_path or path.startswith(its_path.rstrip("/") + "/"):
            return True
    return False


def is_phone(phone: str, known: Iterable[str]) -> bool:
    """Whether a phone number is one of the known ones, with or without its country code."""
    return any(
        phone == other
        or (
            min(len(phone), len(other)) >= _TAIL
            and (
                phone.lstrip("0").endswith(other.lstrip("0")[-9:])
                or other.endswith(phone.lstrip("0")[-9:])
            )
        )
        for other in known
    )


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _undisguised(text: str) -> str:
    found = _WWW.sub("www", _SPACED.sub(".", text))
    return _DOT_WORD.sub(r"\1.", _AT_WORD.sub("@", found))


def _parts(link: str) -> tuple[str, str]:
    """The host and the path of a link; a user's name before ``@`` is left out."""
    rest = re.sub(r"^[a-z]+:\s?/\s?/", "", link.strip().lower()).rstrip(_END).replace("\\", "/")
    rest = rest.removeprefix("www.")
    found = re.match(r"([^/?#]*)(.*)", rest, re.DOTALL)
    host, path = found.groups() if found else (rest, "")
    host = host.rpartition("@")[2] if not link.startswith("@") else host
    return host.partition(":")[0].rstrip("."), "" if path == "/" else path


def _is_in_link(email: str, links: Iterable[str]) -> bool:
    return any(email in link.lower() for link in links)


def _is_end_of_sentence(text: str, found: re.Match[str]) -> bool:
    """Whether what looks like a link is the end of a sentence and the start of the next: ``noted.So``."""
    last = text[found.start() : found.end()].rpartition(".")[2]
    return "/" not in found.group() and last[:1].isupper() and last[1:].islower()


def _has_spelled_phone(text: str) -> bool:
    run = 0
    for word in re.findall(r"[^\W_]+", folded(text)):
        run = run + 1 if word in _DIGIT_WORDS else 0
        if run >= _SPELLED:
            return True
    return False
