"""Names as they may become part of a message: what a form's name may hold, and what makes it none; pure."""

from __future__ import annotations

import re

from chalicelib.outreach.conversations.records import Record

LONGEST = 40
_NAME = re.compile(r"[^\W\d_]+(?:[ '\u2019\u2010-][^\W\d_]+|\. ?[^\W\d_]{1,12}(?= |$))*\.?")
_MOST_WORDS = 4
_LINK = re.compile(r"\w\.\w{2,}")


def bounded(name: object) -> str:
    """A person's name, if it is one: letters, at most four words, no link, no digit; else nothing."""
    text = " ".join(str(name or "").split())
    is_name = len(text) <= LONGEST and len(text.split()) <= _MOST_WORDS
    return text if is_name and not _LINK.search(text) and _NAME.fullmatch(text) else ""


def first_name_of(record: Record) -> str:
    """The recipient's first name; nothing where what was given is no name."""
    return bounded(record.item.get("recipient_first_name"))
