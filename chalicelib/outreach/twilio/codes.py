"""Twilio's error codes and what each means for the message, our account or a retry.

The codes are rows of ``codes.toml``; an unlisted code counts as a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from chalicelib.once.reasons import By, Why
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.tables import Rows, beside, read


class CodeMeaning(StrEnum):
    """What a group of Twilio's error codes means for a message."""

    CONFIGURATION = "configuration"
    """Our account or settings are wrong; an alarm is raised, and nothing is retried."""
    RECIPIENT = "recipient"
    """The recipient cannot be reached on this channel."""
    OPTED_OUT = "opted_out"
    """The recipient said STOP to the carrier, so a do-not-contact mark is written."""
    CONTENT = "content"
    """Twilio or the channel refuses the content."""
    WINDOW = "window"
    """WhatsApp refused free text outside the 24-hour window."""
    LATER = "later"
    """The message was surely not sent; a later retry may succeed."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """For one meaning of Twilio's error codes: who refused the message, and why, in words."""

    by: By
    words: str


@dataclass(frozen=True, slots=True)
class Code:
    """What one error code of Twilio means for a message and for the number.

    Attributes:
        never_again: the register's reason why the number is never tried again on the same channel;
            None where it may be.
    """

    means: CodeMeaning
    never_again: MarkReason | None = None


@dataclass(frozen=True, slots=True)
class CodeFile:
    """The contents of ``codes.toml``: Twilio's error codes and their meanings."""

    meanings: Mapping[CodeMeaning, Explanation]
    codes: Mapping[int, Code]


FILE = beside(__file__, "codes.toml")


@cache
def _file() -> CodeFile:
    return read(FILE, CodeFile)


def _reasons() -> Mapping[str, Why]:
    explained = {str(code): _file().meanings[row.means] for code, row in _file().codes.items()}
    return {
        code: Why(
            code, explanation.by, f"Twilio refused it with the code {code}: {explanation.words}"
        )
        for code, explanation in explained.items()
    }


MEANINGS: Mapping[int, CodeMeaning] = Rows(
    lambda: {code: row.means for code, row in _file().codes.items()}
)
NEVER_AGAIN: Mapping[int, MarkReason] = Rows(
    lambda: {code: row.never_again for code, row in _file().codes.items() if row.never_again}
)
"""CodeFile after which a number is never tried again on the same channel, with the register's reason."""
REASONS: Mapping[str, Why] = Rows(_reasons)
"""Twilio's error codes as reasons why a message was not sent, by code."""


def register_reason(reason: str | None) -> MarkReason | None:
    """The reason to enter a number in the do-not-contact register, by Twilio's error code, as ``30006``.

    None where the number may work later, or the code is unknown.
    """
    return NEVER_AGAIN.get(int(reason)) if reason and reason.isdecimal() else None


def meaning(reason: str | None) -> CodeMeaning | None:
    """What an error code of Twilio such as ``21610`` means; None for anything but a known code."""
    return MEANINGS.get(int(reason)) if reason and reason.isdecimal() else None
