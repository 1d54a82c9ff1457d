"""Persons at a desk: their names, and how a stored text says who has proven them; pure.

A name is whatever a team or its sign-in calls a person: ``o'brien@example.com``, ``Zoë Müller``,
``José (night shift)``.  It is stored in Unicode's form NFC, so a name is the same person however a
keyboard composes it.

A person is stored and shown as one text.  If the person is proven, the text names the subject and
the issuer, which identify the person, whatever the name is::

    ana@example.com <00u1abc at login.example.com>     by a provider; the address is verified
    <00u1abc at login.example.com>                     likewise, without a verified address
    <o'brien@example.com at desk-token>                by a token of ours
    sam                                                a name that a program wrote: not proven
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from chalicelib.outreach.visible_text import is_whole

LONGEST = 254
"""Characters of a name at most: the longest e-mail address has as many."""
LONGEST_PERSON = 800
"""Characters of a person as text at most: name, subject and issuer."""
_NEVER = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters, line breaks, and marks of text direction."""
PATTERN = rf"[^\s{_NEVER}]([^{_NEVER}]{{0,{LONGEST - 2}}}[^\s{_NEVER}])?"
"""A name without blanks around it; the syntax is valid in Python and in JSON Schema."""
_NAME = re.compile(PATTERN)
_PART = rf"[^<>{_NEVER}]{{1,255}}"
_SUBJECT, _ISSUER = re.compile(_PART), re.compile(r"[!-;=?-~]{1,255}")
_PROVEN = re.compile(rf"(?:({_PART}) )?<({_PART}) at ([!-;=?-~]{{1,255}})>")


@dataclass(frozen=True, slots=True)
class DeskPerson:
    """A person at a company's desk: their name, and who has proven it, if anybody.

    Attributes:
        name: what the person is called; of a proven one, a name with ``@`` is a verified address.
        subject: the person's id at the issuer; empty for a person whom no issuer has proven, whose name is
            only what the calling program sent.
        issuer: who has proven the person.
    """

    name: str
    subject: str = ""
    issuer: str = ""

    @property
    def text(self) -> str:
        """The person as one text, with name and proof, as stored and shown."""
        if not self.subject:
            return self.name
        proof = f"<{self.subject} at {self.issuer}>"
        return f"{self.name} {proof}" if self.name else proof

    @property
    def shown_name(self) -> str:
        """The person's name as a page shows it; the subject where there is no name."""
        return self.name or self.subject

    @property
    def facts(self) -> dict[str, str]:
        """The person's fields in an event to the company: name, subject and issuer."""
        return {
            "person_name": self.name,
            "person_subject": self.subject,
            "person_issuer": self.issuer,
        }

    @property
    def key(self) -> str:
        """A text that identifies the person: subject and issuer if proven, else the name."""
        return DeskPerson("", self.subject, self.issuer).text if self.subject else self.name

    def is_holder(self, holder: str) -> bool:
        """Whether this person has a conversation; `holder` is the stored text of the one who has it.

        Where `holder` is a mere name, it means the unproven person of that name, and the proven person
        whose subject or verified address it is.
        """
        other = parsed_person(holder)
        if other.subject or not self.subject:
            return self.key == other.key
        return other.name == self.subject or ("@" in self.name and other.name == self.name)


def normal_name(name: str) -> str:
    """A person's name in Unicode's form NFC, in which names are compared."""
    return unicodedata.normalize("NFC", name)


def stored_name(given: object) -> str | None:
    """A person's valid name in its stored form; None for other values, and for a text that claims a proof."""
    name = normal_name(given) if isinstance(given, str) else ""
    is_name = bool(_NAME.fullmatch(name)) and is_whole(name)
    return name if is_name and not _PROVEN.fullmatch(name) else None


def stored_person(given: object) -> str | None:
    """A person as stored: the given text where it is a name with its proof (``name <subject at issuer>``).

    Any other text is stored as `stored_name` allows; None where it is no valid name.
    """
    text = normal_name(given) if isinstance(given, str) else ""
    return text if _PROVEN.fullmatch(text) and is_whole(text) else stored_name(given)


def proven_person(subject: object, issuer: str, *, name: object = "") -> DeskPerson | None:
    """A proven person from subject and issuer; None where the subject cannot be stored.

    Args:
        subject: the person's id at the issuer.
        issuer: who has proven the person: an address without ``https://``, or a word.
        name: what the person is called; dropped where it cannot be stored.
    """
    text = normal_name(subject) if isinstance(subject, str) else ""
    if not (_SUBJECT.fullmatch(text) and is_whole(text) and text == text.strip()):
        return None
    kept = stored_name(name) or ""
    return DeskPerson("" if "<" in kept or ">" in kept else kept, text, issuer)


def parsed_person(text: str) -> DeskPerson:
    """The person that a stored text names, proven or not."""
    kept = normal_name(text)
    found = _PROVEN.fullmatch(kept)
    return DeskPerson(found[1] or "", found[2], found[3]) if found else DeskPerson(kept)


def is_same_person(asked: str, holder: str) -> bool:
    """Whether the person asked for is the one who has a conversation.

    `asked` is a name or a stored text; a mere name also finds a proven holder by name or subject.
    """
    wanted, other = parsed_person(asked), parsed_person(holder)
    return wanted.key == other.key or (
        not wanted.subject and wanted.name in (other.name, other.subject)
    )


def issuer_text(address: str) -> str | None:
    """An identity provider's address in the short form in which persons are stored.

    None where it is unusable.
    """
    text = address.removeprefix("https://").rstrip("/")
    return text if _ISSUER.fullmatch(text) else None
