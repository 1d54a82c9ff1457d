"""Whether a carrier's refusal shows that an address is dead."""

from __future__ import annotations

from chalicelib.outreach.channel_traits import CarrierTraits
from chalicelib.outreach.channels import TWILIO
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.twilio import codes


def dead_address_reason(carrier: CarrierTraits, code: str | None) -> MarkReason | None:
    """The reason to enter a refused address in the do-not-contact register; None where it may work later.

    Only Twilio's error codes show this.  For other carriers it is None: their receipts have
    `is_dead`.
    """
    return codes.register_reason(code) if carrier is TWILIO else None
