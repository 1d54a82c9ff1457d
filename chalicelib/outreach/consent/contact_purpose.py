"""What a company contacts somebody for; consent and refusals are given by it."""

from __future__ import annotations

from enum import StrEnum


class ContactPurpose(StrEnum):
    """What a message is for; stored, so never changed."""

    MARKETING = "marketing"
    SERVICE = "service"
    TRANSACTIONAL = "transactional"
