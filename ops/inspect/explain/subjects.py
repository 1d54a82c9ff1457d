"""Decides from an identifier's form what it may be; pure.

An operator pastes what an alarm, a log line, a vendor's console or a customer's mail shows;
`pasted` extracts the identifiers.  A text may name several things.  One identifier may be of
several kinds: a number may be a ticket's, an order's or a request's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from chalicelib.outreach.channels import address_of
from ops.inspect.explain import pasted


class SubjectKind(StrEnum):
    """Kinds of identifiers; the value is how a message to the operator names them."""

    ACTION = "an action key"
    EVENT = "an event key"
    FACT = "a fact key"
    HANDOFF = "a hand-off id"
    START = "company#request"
    DIGEST = "a trace id, or a digest of a log line"
    QUEUE_MESSAGE = "an SQS message id"
    CONVERSATION = "a conversation"
    TEXT_MESSAGE = "a Twilio id"
    E_MAIL = "an SES id"
    MESSAGE_ID = "a Message-ID"
    ADDRESS = "an address"
    TICKET = "a ticket"
    ORDER = "an order number"
    REQUEST = "a request of any company"
    COMPANY_EVENT = "an event that a company was sent"


@dataclass(frozen=True, slots=True)
class Sought:
    """One interpretation of an identifier: its kind and its normalised value."""

    kind: SubjectKind
    value: str


Reading = tuple[Sought, ...]
"""Interpretations that are all looked up; every one that finds something is shown."""
Thing = tuple[Reading, ...]
"""One thing that a text names: its readings, most specific first; the first that finds something counts."""

LONGEST_KEY = 1_000
"""The longest identifier, in bytes: DynamoDB takes no longer key."""
_HEX_16 = re.compile(r"[0-9a-f]{16}")
_HEX_32 = re.compile(r"[0-9a-f]{32}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FACT = re.compile(r"[A-Z]{2,20}:\S+")
_FACT_NUMBER = re.compile(r"\d{6,12}")
_FACT_SOURCE = "ALOWARE"
"""The source of facts whose ids are plain numbers."""
_COMPANY_EVENT = re.compile(r"evt_[0-9a-f]{32}")
_REQUEST = re.compile(r"[A-Za-z0-9][\w.\-]{0,99}")
_TWILIO = re.compile(r"[SM]M[0-9a-f]{32}")
_SES = re.compile(r"[0-9a-f]{16}-[0-9a-f-]{8,40}-[0-9]{6}")
_PHONE = re.compile(r"(?:\+|00)[\d\s().\-/]{7,24}|\(?\d+(?:[\s().\-/]+\d+){2,}")
"""A number that begins with a country code, or is written in groups."""
_PHONE_DIGITS = range(9, 18)
_ABROAD = ("011", "00")
"""International prefixes, dialled before a country code, in North America and elsewhere."""
_NORTH_AMERICAN = 10
"""Digits of a North American number without the country code 1."""
_DIGITS = re.compile(r"\d{10,15}")
_ORDER = re.compile(r"#?[A-Za-z0-9][A-Za-z0-9\-]{2,29}")


def candidates(text: str) -> tuple[Sought, ...]:
    """Every interpretation of a text, in one list; empty for a text that names nothing."""
    return tuple(sought for thing in things(text) for reading in thing for sought in reading)


def things(text: str) -> tuple[Thing, ...]:
    """The things that a text names; empty for a text that names nothing."""
    seen: set[Sought] = set()
    found = []
    for names in pasted.things(text):
        known = (name for name in names if len(name.encode()) <= LONGEST_KEY)
        thing = []
        for reading in (reading for name in known for reading in _of(name)):
            new = tuple(sought for sought in dict.fromkeys(reading) if sought not in seen)
            seen |= {*new}
            thing += [new] if new else []
        found += [tuple(thing)] if thing else []
    return tuple(found)


def _of(text: str) -> Iterator[Reading]:
    for prefix, kind in (("act:", SubjectKind.ACTION), ("evt:", SubjectKind.EVENT)):
        if text.startswith(prefix):
            yield (Sought(kind, text),)
            return
    yield from ((sought,) for sought in _by_form(text))  # an issued identifier names one thing
    yield tuple(_by_name(text))
    yield from ((machine,) for machine in _of_machines(text))


def _by_form(text: str) -> list[Sought]:
    found: list[Sought] = []
    owner, mark, rest = text.partition("#")
    if owner and mark and rest:
        if _HEX_32.fullmatch(rest):
            found.append(Sought(SubjectKind.HANDOFF, text))
        return [*found, Sought(SubjectKind.START, text)]
    if _FACT.fullmatch(text):
        found.append(Sought(SubjectKind.FACT, text))
    if text.startswith("<") and text.endswith(">"):
        found.append(Sought(SubjectKind.MESSAGE_ID, text))
    elif known := address_of(text):
        found.append(Sought(SubjectKind.ADDRESS, known))
        if "@" in text:
            found.append(Sought(SubjectKind.MESSAGE_ID, text))
    elif _PHONE.fullmatch(text) and sum(map(str.isdigit, text)) in _PHONE_DIGITS:
        found += [Sought(SubjectKind.ADDRESS, number) for number in _e164(text)]
    if _TWILIO.fullmatch(text):
        both = (text, f"{'M' if text.startswith('S') else 'S'}{text[1:]}")
        found += [Sought(SubjectKind.TEXT_MESSAGE, id_) for id_ in both]
    if _SES.fullmatch(text):
        found.append(Sought(SubjectKind.E_MAIL, text))
    lower = text.lower()
    if _HEX_32.fullmatch(lower):
        found.append(Sought(SubjectKind.CONVERSATION, lower))
        found.append(Sought(SubjectKind.TEXT_MESSAGE, f"SM{lower}"))
    if _HEX_32.fullmatch(lower) or _TWILIO.fullmatch(text):
        found.append(Sought(SubjectKind.HANDOFF, text))
    return found


def _by_name(text: str) -> list[Sought]:
    """Interpretations as what people call things: a ticket, an order, a request, a phone number."""
    found = [] if address_of(text) else [Sought(SubjectKind.TICKET, text)]
    lower = text.lower()
    if _DIGITS.fullmatch(text):
        found += [Sought(SubjectKind.ADDRESS, number) for number in _e164(text)]
    if _FACT_NUMBER.fullmatch(text):
        found.append(Sought(SubjectKind.FACT, f"{_FACT_SOURCE}:{text}"))
    if _COMPANY_EVENT.fullmatch(lower):
        found.append(Sought(SubjectKind.COMPANY_EVENT, lower))
    elif _REQUEST.fullmatch(text) and not _HEX_16.fullmatch(lower):
        found.append(Sought(SubjectKind.REQUEST, text))
    if _ORDER.fullmatch(text):
        found.append(Sought(SubjectKind.ORDER, text))
    return found


def _of_machines(text: str) -> Iterator[Sought]:
    """Yield interpretations to try last, because they take the longest to look up."""
    lower = text.lower()
    if _HEX_16.fullmatch(lower):
        yield Sought(SubjectKind.DIGEST, lower)
    if _UUID.fullmatch(lower):
        yield Sought(SubjectKind.QUEUE_MESSAGE, lower)


def _e164(text: str) -> list[str]:
    """The E.164 numbers that a written number may mean; it may lack its country code."""
    digits = "".join(digit for digit in text if digit.isdigit())
    for abroad in _ABROAD:
        if digits.startswith(abroad) and not text.startswith("+"):
            return [f"+{digits.removeprefix(abroad)}"]
    if not text.startswith("+") and len(digits) == _NORTH_AMERICAN:
        return [f"+1{digits}", f"+{digits}"]
    return [f"+{digits}"]
