"""The channels, and the name each has in a company's settings, a request and a carrier's address."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

WHATSAPP_PREFIX = "whatsapp:"
"""Twilio's mark of a WhatsApp address, before the number in E.164."""


class Channel(StrEnum):
    """How a conversation reaches its recipient; `channel_method` of a request and of a record."""

    WHATSAPP = "whatsapp"
    SMS = "sms"
    EMAIL = "email"


class Carrier(StrEnum):
    """Which carrier a delivery receipt is from: Twilio carries texts, SES e-mail."""

    TEXT = "text"
    EMAIL = "email"


SENDER_OF: Mapping[Channel, str] = {
    Channel.WHATSAPP: "company_whatsapp_number",
    Channel.SMS: "company_sms_number",
    Channel.EMAIL: "company_email",
}
"""Name of the company's sending identifier in `channel_config`."""
CREDENTIALS_OF: Mapping[Channel, str] = {
    Channel.WHATSAPP: "whatsapp_credentials_id",
    Channel.SMS: "sms_credentials_id",
}
"""Name of the secret's name in `channel_config`; SES sends e-mail and needs none."""
RECIPIENT_OF: Mapping[Channel, str] = {
    Channel.WHATSAPP: "recipient_tel",
    Channel.SMS: "recipient_tel",
    Channel.EMAIL: "recipient_email",
}
"""Name of the recipient's address in a request and in a record."""


def carrier_address(channel: Channel, number: str) -> str:
    """A number in E.164 as Twilio takes it on this channel."""
    return f"{WHATSAPP_PREFIX}{number}" if channel == Channel.WHATSAPP else number


def channel_of(carrier_address: str) -> Channel:
    """The channel of an address of Twilio's."""
    is_whatsapp = carrier_address.startswith(WHATSAPP_PREFIX)
    return Channel.WHATSAPP if is_whatsapp else Channel.SMS


def number_of(carrier_address: str) -> str:
    """The number in an address of Twilio's."""
    return carrier_address.removeprefix(WHATSAPP_PREFIX)
