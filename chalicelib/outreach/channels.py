"""The channels: for each, one record of how it differs; no other code compares channels by name.

A record holds data and pure functions only, because the doors read it.  The code that calls a vendor is
in the vendor's own package and in its module of `sending`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from chalicelib.once.effect import EffectKind, Settle, kinds
from chalicelib.once.lanes import EMAIL, OUTREACH, Lane
from chalicelib.outreach import reasons
from chalicelib.outreach.channel_traits import (
    AddressKind,
    CarrierTraits,
    Form,
    Traits,
    executor_of,
    notice_executor_of,
)

TEXT_CHARACTERS = 1600
"""Twilio's limit for the body of an SMS; used for free text on WhatsApp as well."""


class Channel(StrEnum):
    """The channel by which a conversation reaches its recipient: `channel_method` of requests and records."""

    WHATSAPP = "whatsapp"
    SMS = "sms"
    EMAIL = "email"

    @property
    def traits(self) -> Traits:
        """How the channel differs from the others."""
        return CHANNELS[self]


class Carrier(StrEnum):
    """The carrier that sends a delivery receipt: Twilio for SMS and WhatsApp, SES for e-mail."""

    TEXT = "text"
    EMAIL = "email"

    @property
    def traits(self) -> CarrierTraits:
        """What the carrier's channels have in common."""
        return CARRIERS[self]


def _phone(text: str) -> str | None:
    from chalicelib.outreach.addresses import phone  # noqa: PLC0415 - most doors need none

    return phone(text)


def _email(text: str) -> str | None:
    from chalicelib.outreach.addresses import email  # noqa: PLC0415 - most doors need none

    return email(text)


# --- the kinds of effects that send messages ----------------------------------------------------

KINDS = kinds(
    # One WhatsApp message or SMS; Twilio takes no idempotency key, but lists what it sent.
    SEND_TEXT := EffectKind(
        "send_text",
        "twilio",
        Settle.QUERY,
        reaches_customer=True,
        executor=executor_of(lambda parts: parts.texts),
        is_id_global=True,
    ),
    # The confirmation of a STOP: the only message that still reaches its sender, once per STOP.
    CONFIRM_STOP := EffectKind(
        "confirm_stop",
        "twilio",
        Settle.QUERY,
        reaches_customer=True,
        executor=notice_executor_of(lambda parts: parts.texts),
        is_id_global=True,
    ),
    # The answer to HELP, which also a recipient who said STOP gets, once per HELP.
    ANSWER_HELP := EffectKind(
        "answer_help",
        "twilio",
        Settle.QUERY,
        reaches_customer=True,
        executor=notice_executor_of(lambda parts: parts.texts),
        is_id_global=True,
    ),
    # One e-mail; SES cannot list what it sent, but its delivery events carry our tag.
    SEND_EMAIL := EffectKind(
        "send_email",
        "ses",
        Settle.RECEIPT,
        reaches_customer=True,
        executor=executor_of(lambda parts: parts.emails),
    ),
)
"""Every kind of effect that sends a message to a recipient."""

# --- the records --------------------------------------------------------------------------------

PHONE = AddressKind(
    field="recipient_tel",
    list_name="number",
    normalise=_phone,
    is_of_kind=lambda address: address.startswith("+"),
    sample="+15550100199",
    shows_zone=True,
)
MAILBOX = AddressKind(
    field="recipient_email",
    list_name="email",
    normalise=_email,
    is_of_kind=lambda address: "@" in address,
    sample="sample@example.com",
)
TWILIO = CarrierTraits(vendor="twilio", opts_out_as=reasons.CARRIER, lists_received=True)
SES = CarrierTraits(vendor="ses", opts_out_as=reasons.COMPLAINED)
CARRIERS: Mapping[Carrier, CarrierTraits] = {Carrier.TEXT: TWILIO, Carrier.EMAIL: SES}
CHANNELS: Mapping[Channel, Traits] = {
    Channel.WHATSAPP: Traits(
        title="WhatsApp",
        carrier=TWILIO,
        lane=OUTREACH,
        sender="company_whatsapp_number",
        credentials="whatsapp_credentials_id",
        address=PHONE,
        prefix="whatsapp:",
        send_kind=SEND_TEXT,
        stop_kind=CONFIRM_STOP,
        help_kind=ANSWER_HELP,
        form=Form.TEMPLATE,
        max_characters=TEXT_CHARACTERS,
        free_text_window=timedelta(hours=24),
        charged_out=("whatsapp_message",),
        charged_in=("whatsapp_message",),
    ),
    Channel.SMS: Traits(
        title="SMS",
        carrier=TWILIO,
        lane=OUTREACH,
        sender="company_sms_number",
        credentials="sms_credentials_id",
        address=PHONE,
        send_kind=SEND_TEXT,
        stop_kind=CONFIRM_STOP,
        help_kind=ANSWER_HELP,
        max_characters=TEXT_CHARACTERS,
        counts_segments=True,
        charged_out=("sms_out", "sms_carrier_fee"),
        charged_in=("sms_in",),
    ),
    Channel.EMAIL: Traits(
        title="e-mail",
        carrier=SES,
        lane=EMAIL,
        sender="company_email",
        address=MAILBOX,
        send_kind=SEND_EMAIL,
        form=Form.MAIL,
        is_threaded=True,
        is_timed=False,
        is_forgeable=True,
        charged_out=("ses_mail",),
        charged_in=("ses_mail",),
    ),
}

# --- views of the records -----------------------------------------------------------------------

SENDER_FIELD_OF: Mapping[Channel, str] = {channel: of.sender for channel, of in CHANNELS.items()}
"""By channel, the field of `channel_config` that holds the company's number or address."""
CREDENTIALS_FIELD_OF: Mapping[Channel, str] = {
    channel: of.credentials for channel, of in CHANNELS.items() if of.credentials is not None
}
"""By channel, the field of `channel_config` that names a secret; only channels that need one."""
RECIPIENT_FIELD_OF: Mapping[Channel, str] = {
    channel: of.address.field for channel, of in CHANNELS.items()
}
"""By channel, the field of a request and of a record that holds the recipient's address."""
ADDRESSES = tuple(dict.fromkeys(channel.address for channel in CHANNELS.values()))
"""Every kind of recipient address."""
LISTED_CHANNELS = tuple(channel for channel, of in CHANNELS.items() if of.carrier.lists_received)
"""The channels whose carrier lists received messages."""


def lane_of(sender: str) -> Lane:
    """The queue (lane) of a company's number or address, for callers that do not know the channel.

    It is that of the first channel with addresses of that kind; `OUTREACH` if no channel has them.
    """
    found = (channel.lane for channel in CHANNELS.values() if channel.address.is_of_kind(sender))
    return next(found, OUTREACH)


def address_of(text: str) -> str | None:
    """A phone number or e-mail address in its stored form; None for an invalid one."""
    return next((found for address in ADDRESSES if (found := address.normalise(text))), None)


def is_forgeable(address: str) -> bool:
    """Whether anybody can send messages in the name of an address: True for an e-mail address."""
    return any(
        channel.is_forgeable and channel.address.is_of_kind(address)
        for channel in CHANNELS.values()
    )


def carrier_address(channel: Channel, number: str) -> str:
    """A number in E.164 as Twilio writes it for a channel, e.g. ``whatsapp:+15550100199``."""
    return f"{channel.traits.prefix}{number}"


def channel_of(carrier_address: str) -> Channel:
    """The channel of an address as Twilio writes it: WhatsApp by its prefix, else SMS."""
    marked = (channel for channel in LISTED_CHANNELS if channel.traits.prefix)
    found = (channel for channel in marked if carrier_address.startswith(channel.traits.prefix))
    return next(found, Channel.SMS)


def number_of(carrier_address: str) -> str:
    """The number in an address as Twilio writes it, without the channel's prefix."""
    return carrier_address.removeprefix(channel_of(carrier_address).traits.prefix)
