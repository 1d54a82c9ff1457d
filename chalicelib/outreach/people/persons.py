"""Persons at a desk: their names, as they have them, and who has proven which of them acts; pure.

A name is whatever a team or its sign-in calls a person: ``o'brien@example.com``, ``Zoë Müller``,
``José (night shift)``.  It is kept in Unicode's form NFC, so that one name is one person however a
keyboard composes it.

A person is stored and shown as one text.  Where somebody has proven who acts, the text says so, and the
person is the subject as its issuer knows it, whatever they are called::

    ana@example.com <00u1abc at login.example.com>     by a provider; the address is verified
    <00u1abc at login.example.com>                     likewise, without a verified address
    <o'brien@example.com at desk-token>                by a token of ours
    sam                                                a name that a program wrote: not proven
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

LONGEST = 254
"""Of a name: an e-mail address has no more characters."""
LONGEST_PERSON = 800
"""Of a person as text: name, subject and issuer."""
_NEVER = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters, line breaks, and what turns the direction of a text."""
PATTERN = rf"[^\s{_NEVER}]([^{_NEVER}]{{0,{LONGEST - 2}}}[^\s{_NEVER}])?"
"""A name without blanks around it; in the syntax that Python and JSON Schema share."""
_NAME = re.compile(PATTERN)
_PART = rf"[^<>{_NEVER}]{{1,255}}"
_SUBJECT, _ISSUER = re.compile(_PART), re.compile(r"[!-;=?-~]{1,255}")
_PROVEN = re.compile(rf"(?:({_PART}) )?<({_PART}) at ([!-;=?-~]{{1,255}})>")


@dataclass(frozen=True, slots=True)
class DeskPerson:
    """A person at a desk.

    Attributes:
        name: what they are called; one with an ``@`` is a verified address where they are proven.
        subject: their id, as its issuer gives it; empty: not proven, the name is a program's word.
        issuer: who has proven it.
    """

    name: str
    subject: str = ""
    issuer: str = ""

    @property
    def text(self) -> str:
        """The person as they are stored and shown."""
        if not self.subject:
            return self.name
        proof = f"<{self.subject} at {self.issuer}>"
        return f"{self.name} {proof}" if self.name else proof

    @property
    def called(self) -> str:
        """What a page calls them."""
        return self.name or self.subject

    @property
    def facts(self) -> dict[str, str]:
        """What an event to a company says of them, where its project asks for it."""
        return {
            "person_name": self.name,
            "person_subject": self.subject,
            "person_issuer": self.issuer,
        }

    @property
    def key(self) -> str:
        """The same text for the same person, whatever they are called."""
        return DeskPerson("", self.subject, self.issuer).text if self.subject else self.name

    def has(self, holder: str) -> bool:
        """Whether a conversation that is with `holder`, as stored, is with this person.

        One that was handed to a mere name is with the unproven person of that name, and with the one
        who has proven it: as their subject or their verified address.
        """
        other = read(holder)
        if other.subject or not self.subject:
            return self.key == other.key
        return other.name == self.subject or ("@" in self.name and other.name == self.name)


def normal(name: str) -> str:
    """A name in the form in which names are compared."""
    return unicodedata.normalize("NFC", name)


def named(given: object) -> str | None:
    """A person's name as it is kept; None for what no person is called, or what claims a proof."""
    name = normal(given) if isinstance(given, str) else ""
    is_name = bool(_NAME.fullmatch(name)) and is_whole(name)
    return name if is_name and not _PROVEN.fullmatch(name) else None


def known(given: object) -> str | None:
    """A person whom somebody names: by a name, or as texts show one who is proven."""
    text = normal(given) if isinstance(given, str) else ""
    return text if _PROVEN.fullmatch(text) and is_whole(text) else named(given)


def proven(subject: object, issuer: str, *, name: object = "") -> DeskPerson | None:
    """A person who is proven; None where the subject cannot be kept.

    Args:
        subject: as the issuer gives it.
        issuer: who has proven it; an address without ``https://``, or a word.
        name: what they are called; left out where it cannot be kept.
    """
    text = normal(subject) if isinstance(subject, str) else ""
    if not (_SUBJECT.fullmatch(text) and is_whole(text) and text == text.strip()):
        return None
    kept = named(name) or ""
    return DeskPerson("" if "<" in kept or ">" in kept else kept, text, issuer)


def read(text: str) -> DeskPerson:
    """The person in a stored text."""
    kept = normal(text)
    found = _PROVEN.fullmatch(kept)
    return DeskPerson(found[1] or "", found[2], found[3]) if found else DeskPerson(kept)


def means(asked: str, holder: str) -> bool:
    """Whether who asks for a person's conversations by a name or a text means this holder."""
    wanted, other = read(asked), read(holder)
    return wanted.key == other.key or (
        not wanted.subject and wanted.name in (other.name, other.subject)
    )


def issuer_text(address: str) -> str | None:
    """An issuer's address as texts name it; None where it cannot be named."""
    text = address.removeprefix("https://").rstrip("/")
    return text if _ISSUER.fullmatch(text) else None


def is_whole(text: str) -> bool:
    """Whether no character is half of a pair."""
    return not any("\ud800" <= one <= "\udfff" for one in text)
