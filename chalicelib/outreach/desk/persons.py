"""Names of the persons at a desk, as they have them; pure.

A name is whatever a team or its sign-in calls a person: ``o'brien@example.com``, ``Zoë Müller``,
``José (night shift)``.  It is kept in Unicode's form NFC, so that one name is one person however a
keyboard composes it.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 64
_NEVER = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters, line breaks, and what turns the direction of a text."""
PATTERN = rf"[^\s{_NEVER}]([^{_NEVER}]{{0,{LONGEST - 2}}}[^\s{_NEVER}])?"
"""A name without blanks around it; in the syntax that Python and JSON Schema share."""
_NAME = re.compile(PATTERN)


def normal(name: str) -> str:
    """A name in the form in which names are compared."""
    return unicodedata.normalize("NFC", name)


def named(given: object) -> str | None:
    """A person's name as it is kept; None for what no person is called."""
    name = normal(given) if isinstance(given, str) else ""
    return name if _NAME.fullmatch(name) and _is_whole(name) else None


def _is_whole(text: str) -> bool:
    """Whether no character is half of a pair."""
    return not any("\ud800" <= one <= "\udfff" for one in text)
