"""Keyed ids of the addresses that a person's words name, by which the words are found again.

The words are stored without the addresses.  However an address is written, it has one id: a mailbox
counts without its tag and dots, a number by its last nine digits.  Of a number of seven or eight
digits, as it is said within a town, the last seven count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from chalicelib.once.keys import OpaqueIds

MOST = 40
"""The most keyed ids of one text; a text that is masked and cut has no more addresses."""
_NATIONAL, _LOCAL = 9, 7
_MAILBOX = re.compile(r"[\w.+'%-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"\d(?:[\s().\-/_]*\d)*")
_DIGITS = re.compile(r"\d+")
_AROUND = "'%-"


def ids_in(words: str, opaque: Callable[[], OpaqueIds]) -> list[str]:
    """The keyed ids of the addresses (mailboxes and phone numbers) in a person's words, `MOST` at most.

    The key is read only where there is an address.
    """
    text = unicodedata.normalize("NFKC", words).lower()
    found = [_mailbox(mailbox) for mailbox in _MAILBOX.findall(text)]
    found += (end for run in _NUMBER.findall(_MAILBOX.sub(" ", text)) for end in _ends(run))
    return [opaque().of("named", fromkey) for fromkey in dict.fromkeys(found)][:MOST]


def ids_of(address: str, opaque: OpaqueIds) -> list[str]:
    """The keyed ids under which `ids_in` may find an address that a person's words name.

    A mailbox has one; a phone number has one for its last nine digits and one for its last seven.
    """
    if "@" in address:
        return [opaque.of("named", _mailbox(address.lower()))]
    digits = "".join(_DIGITS.findall(address))
    ends = {digits[-most:] for most in (_NATIONAL, _LOCAL) if len(digits) >= most}
    return [opaque.of("named", end) for end in sorted(ends)]


def _mailbox(address: str) -> str:
    local, _, domain = address.partition("@")
    return f"{local.partition('+')[0].replace('.', '').strip(_AROUND)}@{domain}"


def _ends(run: str) -> list[str]:
    """The digits that may identify a phone number, read after each group of a run of digits.

    They are the last nine of the digits so far, or the last seven where there are fewer than nine: the
    number may end at any group, as another one may follow in the same run.
    """
    before, found = "", []
    for group in _DIGITS.findall(run):
        before += group
        most = _NATIONAL if len(before) >= _NATIONAL else _LOCAL
        found += [before[-most:]] if len(before) >= _LOCAL else []
    return found
