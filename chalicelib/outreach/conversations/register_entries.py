"""A mark of the register of recipients that a company must not contact: why, and whether it is in force.

A mark belongs to one address of a subject and to a slot there; a slot has one mark::

    wish            what the recipient asked for by text; a START lifts it
    kept            complaints, unsubscribed e-mail, an operator's entries: only an operator lifts them
    doubt           what may be a wish: a question to a person until ``stop_at``, and a STOP from then on
                    (`doubts`)
    suspended       an e-mail that nothing proves asked for it: no marketing opening or reminder goes to
                    this address by e-mail until ``until``
    sms, whatsapp, email   technical: the address does not work on this channel, or its owner has
                    blocked us there

Who enters, lifts and looks is `do_not_contact`; what a mark blocks is `subject`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from chalicelib.once.reasons import BY_OPERATOR
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel

DO_NOT_CONTACT_TTL = timedelta(days=5 * 365)
"""A mark outlives the conversations; no item is without an end date."""
SUSPENDED_FOR = timedelta(days=30)
"""How long an unproven wish is in force; a second one makes it no longer."""


class MarkReason(StrEnum):
    """Why an address has a do-not-contact mark; these codes are stored, so they never change."""

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


NOT_LIFTED_BY_START = frozenset(
    {MarkReason.COMPLAINED, MarkReason.UNSUBSCRIBED, MarkReason.OPERATOR, MarkReason.IMPORTED}
)
"""Reasons of the opt-outs that a START does not lift."""
LIFTED_ON_PAGE = frozenset(
    {MarkReason.STOP, MarkReason.ASKED, MarkReason.CARRIER, MarkReason.UNSUBSCRIBED}
)
"""Reasons of the opt-outs that the recipient takes back on their page."""
OPT_OUT_REASONS = LIFTED_ON_PAGE | NOT_LIFTED_BY_START
"""Reasons of the opt-outs: they block every address and channel of a subject."""
UNCERTAIN_REASONS = frozenset({MarkReason.DOUBT, MarkReason.UNPROVEN})
"""Reasons of the marks that may be opt-outs."""
TECHNICAL_REASONS = frozenset(
    {MarkReason.BOUNCED, MarkReason.DEAD_NUMBER, MarkReason.LANDLINE, MarkReason.BLOCKED}
)
"""Reasons that block only the channel they were seen on."""
WISH, KEPT_SLOT, DOUBT_SLOT, SUSPENDED_SLOT = "wish", "kept", "doubt", "suspended"
"""Slots of an address; a technical mark's is its channel's."""
BY_RECIPIENT = "recipient"
"""Who lifted a mark, where a message from the address did."""
REFUSED_AT = "refused_at"
"""In a mark that an operator has lifted: when the recipient had refused last."""
LIFTED = ("lifted_at", "lifted_by", "lifted_because", REFUSED_AT)
"""Attributes of a mark that was lifted."""
CONFIRMED_BY = "confirmed_by"
"""In a mark: the message whose answer confirms it; see `confirmed`."""


def slot_of(reason: str, channel: Channel | None = None) -> str:
    """The slot (kind of mark) that a do-not-contact reason belongs to, of which an address has one mark each.

    Raises:
        ValueError: a technical reason without a channel.
    """
    if reason in TECHNICAL_REASONS:
        if channel is None:
            raise ValueError(f"{reason} belongs to a channel")
        return channel.value
    if reason in NOT_LIFTED_BY_START:
        return KEPT_SLOT
    if reason == MarkReason.UNPROVEN:
        return SUSPENDED_SLOT
    return DOUBT_SLOT if reason == MarkReason.DOUBT else WISH


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """One do-not-contact mark of an address, in force or not.

    Attributes:
        item: the stored map, for example ``{"reason": "stop", "said_at": "...", "since": "..."}``.
        read_at: ISO time at which it was read.
        member: keyed id of the address that it belongs to.
        slot: the kind of mark, one for each address; see the module.
        address: the plain address; empty once the person was erased, or where only its id is known.
    """

    item: Mapping[str, Any]
    read_at: str
    member: str = ""
    slot: str = ""
    address: str = field(default="", repr=False)

    @property
    def is_in_force(self) -> bool:
        """Whether the do-not-contact mark blocks: it is not lifted, and has not expired."""
        until = self.item.get("until")
        return "lifted_at" not in self.item and (until is None or self.read_at < str(until))

    @property
    def reason(self) -> str:
        """The fixed code of why the address is marked; empty without one."""
        return str(self.item.get("reason", ""))

    @property
    def stop_at(self) -> str:
        """ISO time from which a possible opt-out counts as a STOP; empty for every other mark."""
        return str(self.item.get("stop_at") or "")

    @property
    def is_open(self) -> bool:
        """Whether the mark is a possible opt-out that a person may still decide."""
        return self.is_in_force and self.read_at < self.stop_at

    @property
    def withdraws_until(self) -> str:
        """ISO time of the recipient's refusal: consents given up to that time no longer count.

        Empty where the mark is no refusal by the recipient, or the recipient has taken it back.
        """
        is_refusal = self.reason in LIFTED_ON_PAGE | {MarkReason.COMPLAINED}
        if not is_refusal or self.item.get("lifted_by") == BY_RECIPIENT:
            return ""
        times = (self.item.get(name) for name in (REFUSED_AT, "since", "said_at"))
        kept = [str(time) for time in times if time]
        return kept[0] if REFUSED_AT in self.item else max(kept, default="")

    @property
    def purposes(self) -> frozenset[str] | None:
        """The message purposes that the mark blocks; None where it blocks all."""
        given = self.item.get("purposes")
        return None if given is None else frozenset(given)

    @property
    def blocking_reason(self) -> str:
        """The reason code with which a mark blocks: its own, or STOP for a question not decided in time."""
        is_over = self.reason == MarkReason.DOUBT and not self.is_open
        return MarkReason.STOP if is_over else self.reason or MarkReason.STOP
