"""What a reader sees of a text: control characters, invisible signs, half characters; pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_UNSEEN = re.compile(
    r"[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+"
)
"""Control characters, line breaks, marks of text direction, byte order marks, half characters."""


def is_one_line(text: str) -> bool:
    """Whether a text has no line breaks and no invisible characters."""
    return _UNSEEN.search(text) is None


def one_line(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A stored text without line breaks and invisible characters; empty for a value that is no text."""
    return " ".join(_UNSEEN.sub(" ", value).split()) if isinstance(value, str) else ""


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: only spaces and characters without a width."""
    return not any(unicodedata.category(sign)[0] not in "CZ" for sign in text)


def is_whole(text: str) -> bool:
    """Whether no character is half of a surrogate pair."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
