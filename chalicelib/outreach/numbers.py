"""Spellings of one phone number: some carriers write a country's mobile numbers with one digit more.

WhatsApp reports a sender by the number under which it was registered, which may be the older form
(https://faq.whatsapp.com/1294841057948784, "About international phone number format")::

    Mexico     +52 1 55 1234 5678   +52 55 1234 5678     the 1 was dialled until 2019
    Brazil     +55 11 98123 4567    +55 11 8123 4567     mobile numbers got a ninth digit, 2012-2016
    Argentina  +54 9 11 2345 6789   +54 11 2345 6789     the 9 marks a mobile, dialled from abroad

Both forms reach one telephone.  Messages and do-not-contact marks are matched by every form; a number
is stored and sent to in the form in which it was given.
"""

from __future__ import annotations

import re

_FORMS = (
    (re.compile(r"\+521([2-9]\d{9})"), r"+52\1"),
    (re.compile(r"\+52([2-9]\d{9})"), r"+521\1"),
    (re.compile(r"\+55([1-9]\d)9([6-9]\d{7})"), r"+55\1\2"),
    (re.compile(r"\+55([1-9]\d)([6-9]\d{7})"), r"+55\g<1>9\2"),
    (re.compile(r"\+549([1-8]\d{9})"), r"+54\1"),
    (re.compile(r"\+54([1-8]\d{9})"), r"+549\1"),
)
"""Pattern and other form. Brazil's landlines, 2 to 5 after the area code, have no ninth digit."""


def spellings(address: str) -> tuple[str, ...]:
    """Every spelling of a phone number in E.164, the given one first; an e-mail address has one."""
    others = (found.expand(other) for form, other in _FORMS if (found := form.fullmatch(address)))
    return (address, *others)


def is_same(address: str, other: str) -> bool:
    """Whether two addresses reach one telephone or one mailbox."""
    return other in spellings(address)


def canonical_spelling(address: str) -> str:
    """One spelling for all spellings of an address, in lower case: a number's first one in sort order."""
    return min(spellings(address.strip().lower()))
