"""The addresses of a conversation's recipient, and the purpose of its messages; pure."""

from __future__ import annotations

from chalicelib.outreach.channels import ADDRESSES
from chalicelib.outreach.conversations.records import Record

MARKETING, SERVICE, TRANSACTIONAL = "marketing", "service", "transactional"
"""The values of `consent.contact_purpose.ContactPurpose`."""
PURPOSE = "purpose"
"""Attribute of a conversation whose start names one; else its project's kind of message is it."""
CONSENT = "consent"
"""Attribute of a conversation: ``given_at``, ``expires_at``, ``form`` and ``version``, as its start
has them."""


def addresses_of(record: Record) -> tuple[str, ...]:
    """The recipient's addresses that a conversation names, each once.

    The address to which the conversation writes is first.
    """
    others = (record.item.get(address.field) for address in ADDRESSES)
    known = [record.primary_channel, *(str(other) for other in others if other)]
    return tuple(dict.fromkeys(known))


def purpose_of(record: Record) -> str:
    """The purpose of a conversation's messages, as its start or project says; marketing by default."""
    given = str(record.item.get(PURPOSE) or record.item.get("message_kind") or "")
    return given if given in (SERVICE, TRANSACTIONAL) else MARKETING
