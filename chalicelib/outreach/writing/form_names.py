"""Which names from a form may become part of a message; pure."""

from __future__ import annotations

import re

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.writing.checks.text import folded
from chalicelib.outreach.writing.checks.written_language import is_sure

LONGEST = 40
_NAME = re.compile(r"[^\W\d_]+(?:[ '\u2019\u2010-][^\W\d_]+|\. ?[^\W\d_]{1,12}(?= |$))*\.?")
_MOST_WORDS = 4
_PARTICLES = frozenset(
    [
        "de",
        "la",
        "las",
        "los",
        "del",
        "el",
        "da",
        "das",
        "do",
        "dos",
        "di",
        "della",
        "van",
        "von",
        "der",
        "den",
        "het",
        "ten",
        "le",
        "du",
        "des",
        "e",
        "y",
    ]
)
_LINK = re.compile(r"\w\.\w{2,}")


def plausible_name(name: object) -> str:
    """The text given as a person's name, if it looks like a name; else an empty text.

    A name has letters, at most four words, and no link or digit.  A text with several common words
    of a language is a sentence, not a name: "Send money now please".
    """
    text = _plain(name)
    is_name = len(text) <= LONGEST and len(text.split()) <= _MOST_WORDS and not is_sentence(text)
    return text if is_name and not _LINK.search(text) and _NAME.fullmatch(text) else ""


def is_sentence(text: str) -> bool:
    """Whether a text given as a name is a sentence: several common words, other than "de la" and the like."""
    words = [word for word in text.casefold().split() if word not in _PARTICLES]
    return len(words) > 1 and is_sure(" ".join(words))


def addresses_by_no_name(text: str, record_name: object) -> bool:
    """Whether a draft addresses the recipient by the value of the name field although that is no name."""
    given = _plain(record_name)
    return bool(given) and not plausible_name(given) and folded(given) in folded(text)


def _plain(name: object) -> str:
    return " ".join(str(name or "").split())


def first_name_of(record: Record) -> str:
    """The recipient's first name; empty where the text given for it looks like no name."""
    return plausible_name(record.item.get("recipient_first_name"))
