"""Twilio's error codes and what each means: for the message, our account, or a retry.

Codes arrive in the response to a send (HTTP 400) and in status callbacks.
Source: https://www.twilio.com/docs/api/errors; an unlisted code counts as refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from chalicelib.once.reasons import By, Why
from chalicelib.outreach.conversations.do_not_contact import Reason


class Meaning(StrEnum):
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


MEANINGS: Mapping[int, Meaning] = {
    **dict.fromkeys(
        (20003, 20404, 21606, 21659, 21660, 21608, 21408, 63007, 21655, 21656, 30034, 21703, 21705),
        Meaning.CONFIGURATION,
    ),
    **dict.fromkeys(
        (21211, 21212, 21612, 21614, 63003, 63024, 30004, 30005, 30006, 30007, 30450),
        Meaning.RECIPIENT,
    ),
    21610: Meaning.OPTED_OUT,
    **dict.fromkeys((21617, 21620, 63005, 63013, 63021, 63028, 63030, 63036), Meaning.CONTENT),
    63016: Meaning.WINDOW,
    **dict.fromkeys((20429, 21611, 63018, 63038, 30001, 30003, 30008, 30036, 30047), Meaning.LATER),
}


DEAD: Mapping[int, Reason] = {
    **dict.fromkeys((21211, 21217, 30005), Reason.DEAD_NUMBER),
    **dict.fromkeys((21614, 30006), Reason.LANDLINE),
    63003: Reason.DEAD_NUMBER,
}
"""Codes after which the number is never tried again on the same channel: it does not exist, it is not
on WhatsApp, or it takes no texts.  30003, 30004 and 30007 may pass and are not among them."""

_SAID: Mapping[Meaning, tuple[By, str]] = {
    Meaning.CONFIGURATION: (By.VENDOR, "the account or its settings are wrong"),
    Meaning.RECIPIENT: (By.VENDOR, "the recipient cannot be reached on this channel"),
    Meaning.OPTED_OUT: (By.RECIPIENT, "the recipient said STOP"),
    Meaning.CONTENT: (By.VENDOR, "it does not take the content"),
    Meaning.WINDOW: (By.LIMIT, "WhatsApp takes free text only within 24 hours after a message"),
    Meaning.LATER: (By.VENDOR, "it may succeed later"),
}
REASONS: Mapping[str, Why] = {
    str(code): Why(
        str(code), _SAID[one][0], f"Twilio refused it with the code {code}: {_SAID[one][1]}"
    )
    for code, one in MEANINGS.items()
}
"""The codes as reasons of outreach."""


def technical(reason: str | None) -> Reason | None:
    """The register's reason for a code such as ``30006``; None where the number may work later."""
    return DEAD.get(int(reason)) if reason and reason.isdecimal() else None


def meaning(reason: str | None) -> Meaning | None:
    """What a reason such as ``21610`` means; None when it is no known code."""
    return MEANINGS.get(int(reason)) if reason and reason.isdecimal() else None
