"""Forms of one phone number: some carriers write a country's mobile numbers with a digit more or less.

WhatsApp reports a sender by the number under which it was registered, which may be the older form
(https://faq.whatsapp.com/1294841057948784, "About international phone number format")::

    Mexico     +52 1 55 1234 5678   +52 55 1234 5678     the 1 was dialled until 2019
    Brazil     +55 11 98123 4567    +55 11 8123 4567     mobile numbers got a ninth digit, 2012-2016
    Argentina  +54 9 11 2345 6789   +54 11 2345 6789     the 9 marks a mobile, dialled from abroad

Two forms are one telephone.  A message is matched with every form, and so is a mark not to contact
somebody; what is stored and sent to is the number as it was given.
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
"""Brazil's landlines begin with 2 to 5 and have no ninth digit."""


def forms(address: str) -> tuple[str, ...]:
    """Every form of a number in E.164, the given one first; an e-mail address has one."""
    others = (found.expand(other) for form, other in _FORMS if (found := form.fullmatch(address)))
    return (address, *others)


def is_same(one: str, other: str) -> bool:
    """Whether two addresses are one telephone or one mailbox."""
    return other in forms(one)


def canonical(address: str) -> str:
    """The one form of all variants of an address: the least form of a number, an e-mail in lower case."""
    return min(forms(address.strip().lower()))
