"""Twilio's error codes and what each means: for the message, our account, or a retry.

The codes are rows of ``codes.toml``; an unlisted one counts as refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from chalicelib.once.reasons import By, Why
from chalicelib.outreach.conversations.register_entries import Reason
from chalicelib.tables import Rows, beside, read


class CodeMeaning(StrEnum):
    """The meaning of a code."""

    CONFIGURATION = "configuration"
    """Our account or settings are wrong: alarm, do not retry."""
    RECIPIENT = "recipient"
    """The recipient cannot be reached on this channel."""
    OPTED_OUT = "opted_out"
    """The recipient said STOP: a do-not-contact mark."""
    CONTENT = "content"
    """The content is refused."""
    WINDOW = "window"
    """WhatsApp: free text after the 24-hour window."""
    LATER = "later"
    """Surely not sent; a later retry may succeed."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A meaning as a reason: who refused, and words."""

    by: By
    words: str


@dataclass(frozen=True, slots=True)
class Code:
    """One code.

    Attributes:
        never_again: why the number is never tried again on the same channel.
    """

    means: CodeMeaning
    never_again: Reason | None = None


@dataclass(frozen=True, slots=True)
class Codes:
    """The file."""

    meanings: Mapping[CodeMeaning, Explanation]
    codes: Mapping[int, Code]


FILE = beside(__file__, "codes.toml")


@cache
def _file() -> Codes:
    return read(FILE, Codes)


def _reasons() -> Mapping[str, Why]:
    explained = {str(code): _file().meanings[one.means] for code, one in _file().codes.items()}
    return {
        code: Why(code, one.by, f"Twilio refused it with the code {code}: {one.words}")
        for code, one in explained.items()
    }


MEANINGS: Mapping[int, CodeMeaning] = Rows(
    lambda: {code: one.means for code, one in _file().codes.items()}
)
DEAD: Mapping[int, Reason] = Rows(
    lambda: {code: one.never_again for code, one in _file().codes.items() if one.never_again}
)
"""Codes after which the number is never tried again on the same channel."""
REASONS: Mapping[str, Why] = Rows(_reasons)
"""The codes as reasons of outreach."""


def technical(reason: str | None) -> Reason | None:
    """The register's reason for a code such as ``30006``; None where the number may work later."""
    return DEAD.get(int(reason)) if reason and reason.isdecimal() else None


def meaning(reason: str | None) -> CodeMeaning | None:
    """What a reason such as ``21610`` means; None when it is no known code."""
    return MEANINGS.get(int(reason)) if reason and reason.isdecimal() else None
