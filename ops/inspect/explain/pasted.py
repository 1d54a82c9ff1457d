"""The identifiers in what a person pastes: a link, a log line, a mail's sender, a sentence; pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

MOST = 12
"""Identifiers that are looked up of one text: each costs a few reads."""
_LOGGED = ("mw_trace_id", "idempotency_key", "ticket_id", "sqs_message_id")
"""Fields of a log line that identify its event, the most specific first."""
_ASKED = ("q", "event", "conversation", "ticket", "ticket_id", "id")
"""Parameters of a link that identify what it shows."""
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202c\u202d"))
_QUOTES = "\"'`,;\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"
_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_SCHEME = re.compile(r"(?:tel|sms|mailto|whatsapp):(?://)?", re.IGNORECASE)
_NAMED = re.compile(r"[^<>]+<([^<>\s]+@[^<>\s]+)>")
_NUMBERED = re.compile(
    r"(?:(?:ticket|order|case|n[ro]?)\b[.:]?\s*){0,2}#\s*([a-z0-9-]{1,30})"
    r"|(?:(?:ticket|order|case|n[ro])\b[.:]?\s*){1,2}([a-z-]*\d[a-z0-9-]*)",
    re.IGNORECASE,
)
"""A ticket or an order as people call it."""
_TWILIO = r"\b[sm]m[0-9a-f]{32}\b"
_MARKED = re.compile(
    rf"(?:evt|act):[^\s\"'<>|,]+|{_TWILIO}"
    r"|\b[0-9a-f]{16}-[0-9a-f-]{8,40}-[0-9]{6}\b"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{16}\b"
    r"|[^\s<>\"',;:()]+@[^\s<>\"',;:()]+\.[a-z]{2,}",
    re.IGNORECASE,
)
"""What is an identifier wherever it is found."""


def identifiers(text: str) -> tuple[str, ...]:
    """What a text may mean, the most likely first; the text itself is among them where it has no spaces."""
    text = _trimmed(text)
    return tuple(dict.fromkeys(one for one in _readings(text) if one))[:MOST]


def _readings(text: str) -> Iterator[str]:
    logged = _log_line(text)
    if logged is not None:
        yield from (logged[name] for name in _LOGGED if name in logged)
        return
    if _LINK.fullmatch(text):
        yield from _of_link(text)
        return
    text = _SCHEME.sub("", text, count=1) if _SCHEME.match(text) else text
    if found := _NAMED.fullmatch(text):
        yield found[1]
    if found := _NUMBERED.fullmatch(text):
        yield found[1] or found[2]
        return
    if not re.search(r"\s", text) or not re.search(r"[^\W\d_]", text):
        yield _as_issued(text)  # a word, or a number as people write it
    yield from map(_as_issued, map(_trimmed, _MARKED.findall(text)))


def _of_link(text: str) -> Iterator[str]:
    """The identifiers of a link: its parameters, then the parts of its path, the last first."""
    try:
        link = urlsplit(text)
    except ValueError:
        return
    given = dict(parse_qsl(link.query)) | dict(parse_qsl(urlsplit(link.fragment).query))
    yield from (_as_issued(given[name]) for name in _ASKED if name in given)
    for part in reversed(f"{link.path}/{urlsplit(link.fragment).path}".split("/")):
        known = _trimmed(unquote(part))
        if re.search(r"\d", known):
            yield _as_issued(known)


def _as_issued(text: str) -> str:
    """A Twilio id as Twilio writes it, whatever copied it; anything else as it is."""
    is_twilios = re.fullmatch(_TWILIO, text, re.IGNORECASE) is not None
    return f"{text[:2].upper()}{text[2:].lower()}" if is_twilios else text


def _trimmed(text: str) -> str:
    """Without what surrounds a copied text: spaces, quotation marks, invisible characters."""
    return text.translate(_INVISIBLE).replace("\xa0", " ").strip().strip(_QUOTES).strip()


def _log_line(text: str) -> Mapping[str, str] | None:
    """The fields of a pasted log line, with what a console writes before it; None for any other text."""
    try:
        line = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError:
        return None
    if not isinstance(line, dict):
        return None
    return {name: value for name, value in line.items() if isinstance(value, str)}
