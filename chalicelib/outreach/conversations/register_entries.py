"""An entry of the register of recipients that a company must not contact: why, and whether it blocks.

An entry belongs to a company and an address, has a reason, and says who entered it and when::

    do-not-contact#{company}           what the recipient asked for by text; a START lifts it
    do-not-contact#{company}#kept      complaints, unsubscribed e-mail, an operator's entries: only an
                                       operator lifts them
    do-not-contact#{company}#{channel} technical: the address does not work on this channel, or its
                                       owner has blocked us there
    do-not-contact#{company}#doubt     what may be a wish: a question to a person until ``stop_at``, and a
                                       STOP from then on (`doubts`)
    do-not-contact#{company}#suspended an e-mail that nothing proves asked for it: no marketing opening
                                       or reminder goes to this address by e-mail until ``until``

Who enters, lifts and looks is `do_not_contact`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.once.reasons import BY_OPERATOR
from chalicelib.outreach import reasons

DO_NOT_CONTACT_TTL = timedelta(days=5 * 365)
"""An entry outlives the conversations; no item is without an end date."""
SUSPENDED_FOR = timedelta(days=30)
"""How long an unproven wish is in force; a second one makes it no longer."""
NOT_FORBIDDEN = "attribute_not_exists(#conversation_id) OR attribute_exists(#lifted_at)"
"""The condition on a mark under which a conversation may be opened."""


class Reason(StrEnum):
    """Why; stored, so never changed."""

    STOP = reasons.STOP
    ASKED = reasons.ASKED_TO_STOP
    """In words that are no keyword, recognised by a table or by a model."""
    CARRIER = reasons.CARRIER
    COMPLAINED = reasons.COMPLAINED
    UNSUBSCRIBED = reasons.UNSUBSCRIBED
    OPERATOR = BY_OPERATOR
    IMPORTED = reasons.IMPORTED
    BOUNCED = reasons.BOUNCED
    DEAD_NUMBER = reasons.DEAD_NUMBER
    LANDLINE = reasons.LANDLINE
    BLOCKED = reasons.BLOCKED
    """By the recipient, on one channel; a message from there ends it."""
    UNPROVEN = reasons.UNPROVEN_REFUSAL
    DOUBT = reasons.REFUSAL_IN_DOUBT


KEPT = frozenset({Reason.COMPLAINED, Reason.UNSUBSCRIBED, Reason.OPERATOR, Reason.IMPORTED})
"""Wishes that a START does not lift."""
OWN = frozenset({Reason.STOP, Reason.ASKED, Reason.CARRIER, Reason.UNSUBSCRIBED})
"""Wishes that the recipient takes back on their page."""
WISHES = OWN | KEPT
"""What blocks every channel of a person."""
UNCERTAIN = frozenset({Reason.DOUBT, Reason.UNPROVEN})
"""What may be a wish."""
TECHNICAL = frozenset({Reason.BOUNCED, Reason.DEAD_NUMBER, Reason.LANDLINE, Reason.BLOCKED})
"""Reasons that block only the channel they were seen on."""
KEPT_SUFFIX = "#kept"
"""Ends the key of an entry that a START does not lift."""
SUSPENDED = "#suspended"
"""Ends the key of an entry whose wish nothing proves."""
DOUBTED = "#doubt"
"""Ends the key of an entry of which it is not known whether it is a wish."""
BY_RECIPIENT = "recipient"
"""Who lifted an entry, where a message from the address did."""
LIFTED = ("lifted_at", "lifted_by", "lifted_because")
"""Attributes of an entry that was lifted."""
CONFIRMED_BY = "confirmed_by"
"""In a mark: the message whose answer confirms it; see `confirmed`."""
ATTRIBUTES = (
    *("primary_channel", "conversation_id", "reason", "since", "by", "said_at"),
    *(*LIFTED, "until", "stop_at"),
)
"""What is read of an entry."""


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """One entry of the register, in force or not.

    Attributes:
        read_at: ISO time at which it was read.
    """

    item: Mapping[str, Any]
    read_at: str

    @property
    def is_in_force(self) -> bool:
        """Whether it blocks: it is not lifted, and its time is not over."""
        until = self.item.get("until")
        return "lifted_at" not in self.item and (until is None or self.read_at < str(until))

    @property
    def reason(self) -> str:
        """Its fixed code."""
        return str(self.item.get("reason", ""))

    @property
    def stop_at(self) -> str:
        """ISO time from which a question is a STOP; empty for every other entry."""
        return str(self.item.get("stop_at") or "")

    @property
    def is_open(self) -> bool:
        """Whether it is a question that a person may still decide."""
        return self.is_in_force and self.read_at < self.stop_at

    @property
    def blocks_as(self) -> str:
        """The reason for which it blocks: a question that was not decided in time is a STOP."""
        is_over = self.reason == Reason.DOUBT and not self.is_open
        return Reason.STOP if is_over else self.reason or Reason.STOP


def end_of_entry(now: datetime) -> int:
    """Until when an entry is kept that is written now, in epoch seconds."""
    return int((now + DO_NOT_CONTACT_TTL).timestamp())
