"""Finds the identifiers in pasted text: a link, a log line, a mail's header, a sentence; pure.

A text is read in turn as fields of JSON or of a form, as links, as identifiers with a typical form,
and as words or numbers that may be identifiers.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from urllib.parse import unquote

from chalicelib.outreach.channels import ADDRESSES

MOST = 12
"""The most identifiers looked up from one text: each costs a few reads."""
LONGEST = 20_000
"""The characters of a text that are read; a log line is shorter."""
_ADDRESSES = tuple(address.field for address in ADDRESSES)
_FIELDS = (
    *("mw_trace_id", "idempotency_key", "event_id", "ticket_id", "conversation_id", "conversation"),
    *("sqs_message_id", *_ADDRESSES, "MessageSid", "SmsSid", "SmsMessageSid"),
    *("sid", "messageId", "message_id", "From", "To", "phone", "email"),
    *("q", "event", "key", "ticket", "request_id", "X-Request-Id", "id"),
)
"""Names of fields whose values are identifiers, the most specific first."""
_FIELD = re.compile(
    rf"(?<![\w-])[\"']?({'|'.join((*_FIELDS, 'company_id'))})[\"']?\s*(?:=|:)\s*[\"']?([^\s\"',;&}}]+)"
)
_INVISIBLE = dict.fromkeys(
    map(ord, "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2069")
)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_AROUND = " \t\r\n\"'`,;.?!*()[]{}\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"
_LINK = re.compile(
    r"(?:https?://|(?<![\w@.])(?:[\w-]+\.)+[a-z]{2,}/|(?<!\S)/)[^\s<>\"')\]|]*", re.IGNORECASE
)
_MARKED = (
    r"(?:evt|act):[^\s\"'<>|,\]}]+",
    r"\b[A-Za-z0-9][\w.-]*#[^\s\"'<>|,;)\]}]*[^\s\"'<>|,;)\]}.?!*`]",
    r"\b[sm]m[0-9a-f]{32}\b",
    r"\b[0-9a-f]{16}-[0-9a-f-]{8,40}-[0-9]{6}\b",
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    r"\b[0-9a-f]{32}\b",
    r"\bevt_[0-9a-f]{32}\b",
    r"(?<![\w-])[0-9a-f]{16}(?![\w-])",
    r"[^\s<>\"',;:()\[\]=*`\u201c\u201d]+@[^\s<>\"',;:()\[\]?*`\u201c\u201d]+\.[a-z]{2,}",
    r"<[^\s<>]+@[^\s<>]+>",
    r"\b(?:aloware|hubspot|richpanel):\d[^\s\"'<>|,;)\]}]*",
)
"""Patterns that are identifiers anywhere in a text, the most specific first."""
_PHONE = re.compile(r"(?<![\w#.-])\+?\(?\d[\d \t().\-/]{8,22}\d(?![\w-])")
_TRUNK = re.compile(r"(\+\d{1,3})[ -]*\(0\)")
"""The ``(0)`` of a number that is dialled only within its country."""
_NUMBERED = re.compile(
    r"(?:\b(?:ticket|order|case|conversation|aloware|rp|n[ro])\b[.:#-]?\s*|(?<!\w)#\s*)+"
    r"(#?[a-z-]*\d[\w-]*)",
    re.IGNORECASE,
)
"""A ticket or order number as people write it, such as ``ticket 123``."""
_PAIR = re.compile(r"([\w.-]+)\s*[\s/#]\s*([\w.-]*\d[\w.-]*)")
"""A company and a request written together, such as ``acme / r-17``."""
_KEY = re.compile(r"\b(?:evt|act):")
_FRAGMENT = re.compile(r"#(\d+)(?=&|$)")
"""The number in a link's fragment, such as in Richpanel's link to a ticket."""
_DATE = re.compile(
    r"(?<![\w+])(?<![\d)][ .\-/])"
    r"(?:(?:19|20)\d\d([./-])\d\d?\1\d\d?|\d\d?([./-])\d\d?\2(?:(?:19|20)\d\d|\d\d))"
    r"(?:[T,\s]+\d\d?:\d\d(?::\d\d(?:\.\d+)?)?Z?)?(?![\w./-])"
)
"""A date, with or without a time; it is removed before numbers are read."""
_WORD = re.compile(r"(?<![\w.@:/#-])(?=[\w.-]*\d)[A-Za-z][\w.-]{4,99}(?![\w:/#@-])")
"""A word that may be a request's id."""
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{4,12}(?![\w:/-])")


def things(text: str) -> tuple[tuple[str, ...], ...]:
    """Return, for each thing that a text names, its identifiers, the most likely first.

    All fields of one record name one thing.  An identifier that is part of another names the same
    thing.  A single word counts as an identifier unchanged.
    """
    found: list[list[str]] = []
    for names in _readings(_plain(text[:LONGEST])):
        new: list[str] = []
        for name in filter(None, map(str.strip, names)):
            known = [*found, new]
            if sum(map(len, known)) < MOST and not any(name in thing for thing in known):
                whole = (
                    thing for thing in found if any(_is_part(name, of=other) for other in thing)
                )
                next(whole, new).append(name)
        found += [new] if new else []
    return tuple(map(tuple, found))


def _is_part(name: str, *, of: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", of, re.IGNORECASE) is not None


def _readings(text: str) -> Iterator[Iterable[str]]:
    """Yield the identifiers of a text grouped by thing; an identifier may occur more than once."""
    fields = _fields(text)
    yield _of_fields(fields)
    if any(name in fields for name in ("mw_trace_id", "conversation", *_ADDRESSES)):
        return  # a whole log line or body: its other values do not help
    bare = text.strip(_AROUND)
    links = [unquote(link).rstrip(_AROUND) for link in _LINK.findall(bare)]
    marked = [name for form in _MARKED for name in re.findall(form, bare, re.IGNORECASE)]
    marked = [name for name in marked if "#" not in name or not any(name in link for link in links)]
    if bare in marked:
        yield [_as_issued(bare)]
    elif links:
        yield from map(_of_link, links)
    elif not marked:
        yield from _of_words(bare)
    yield from ([_as_issued(name.rstrip(_AROUND))] for name in marked)
    rest = bare
    for read in (*links, *marked):
        rest = rest.replace(read, " ")
    rest = _DATE.sub(" ", rest)
    yield from ([number] for number in _PHONE.findall(rest))
    if not (links or marked or _PHONE.search(rest)):
        yield from ([name] for name in (*_NUMBER.findall(rest), *_WORD.findall(rest)))


def _of_words(bare: str) -> Iterator[Iterable[str]]:
    """Yield the identifiers of a text without marked ones: a ticket number, a pair, a word."""
    if found := _NUMBERED.fullmatch(bare):
        yield [found[1]]
        return
    if not re.search(r"\s", bare) or not re.search(r"[^\W\d_]", bare):
        yield [_as_issued(bare)]
    if (pair := _PAIR.fullmatch(bare)) and re.search(r"[a-z]", pair[1], re.IGNORECASE):
        yield [f"{pair[1]}#{pair[2]}"]
    yield from ([found[1]] for found in _NUMBERED.finditer(bare))


def _of_link(link: str) -> Iterator[str]:
    """Yield the identifiers of a link: its fragment, then its path's parts, the last first."""
    inner = re.split(r"https?://", link, flags=re.IGNORECASE)[-1]
    path = re.split(r"[?#]", inner, maxsplit=1)[0]
    if shown := _FRAGMENT.search(inner):
        yield shown[1]
    for part in reversed(path.split("/")[1:]):
        bare = part.strip(_AROUND).removesuffix(".json")
        if re.search(r"\d", bare) and not re.fullmatch(r"v\d|\d{4}-\d\d-\d\d|AC[0-9a-f]{32}", bare):
            yield f"+{bare}" if "wa.me/" in link else _as_issued(bare)


def _of_fields(fields: Mapping[str, str]) -> Iterator[str]:
    if "company_id" in fields and "request_id" in fields:
        yield f"{fields['company_id']}#{fields['request_id']}"
    for name in _FIELDS:
        value = fields.get(name, "")
        if re.search(r"\d", value):
            yield f"+{value}" if name == "phone" and value.isdigit() else _as_issued(value)


def _fields(text: str) -> dict[str, str]:
    """The known fields of JSON, of a log line as a log viewer shows it, or of a form."""
    for written in (text, text.replace('""', '"'), text.replace('\\"', '"')):
        with suppress(ValueError, RecursionError):
            found = json.loads(written[written.index("{") : written.rindex("}") + 1])
            if flat := dict(_flat(found)):
                return flat
    found_first: dict[str, str] = {}
    for name, value in _FIELD.findall(text.replace("\\", "").replace('""', '"')):
        found_first.setdefault(name, unquote(value).strip(_AROUND))
    return found_first


def _flat(value: object) -> Iterator[tuple[str, str]]:
    """Yield known names and values at any depth; outer ones come last, so that they win in a dict."""
    if not isinstance(value, dict):
        return
    for inner in value.values():
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            yield from _fields(inner).items()
        yield from _flat(inner)
    for name, inner in value.items():
        is_value = isinstance(inner, str | int) and not isinstance(inner, bool)
        if name in (*_FIELDS, "company_id") and is_value:
            yield name, str(inner)


def _as_issued(text: str) -> str:
    """An identifier as its issuer writes it; other text without its scheme, such as ``tel:``."""
    if re.fullmatch(r"[sm]m[0-9a-f]{32}", text, re.IGNORECASE):
        return f"{text[:2].upper()}{text[2:].lower()}"
    if found := re.fullmatch(r"(aloware|hubspot|richpanel):(\d.*)", text, re.IGNORECASE):
        return f"{found[1].upper()}:{found[2]}"
    return re.sub(r"^(?:tel|sms|mailto|whatsapp):(?://)?", "", text, flags=re.IGNORECASE)


def _plain(text: str) -> str:
    """The text normalised: plain letters and dashes, URL escapes decoded, invisible characters removed."""
    plain = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).translate(_DASHES)
    plain = _TRUNK.sub(r"\1", plain)
    return plain if _KEY.search(plain) else unquote(plain)  # a key's own escapes must stay
