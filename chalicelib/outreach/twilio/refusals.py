"""What a carrier's refusal says about an address."""

from __future__ import annotations

from chalicelib.outreach.channel_traits import CarrierTraits
from chalicelib.outreach.channels import TWILIO
from chalicelib.outreach.conversations.register_entries import Reason
from chalicelib.outreach.twilio import codes


def dead_by(carrier: CarrierTraits, code: str | None) -> Reason | None:
    """The register's reason for a refusal; None where the address may work later.

    Only Twilio has codes for it.  The receipts of other carriers say it themselves, by `is_dead`.
    """
    return codes.technical(code) if carrier is TWILIO else None
