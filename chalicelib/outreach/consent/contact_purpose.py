"""What a company contacts somebody for; consents and refusals are kept for each purpose."""

from __future__ import annotations

from enum import StrEnum


class ContactPurpose(StrEnum):
    """Why a company writes to a recipient; the values are stored, so they never change."""

    MARKETING = "marketing"
    SERVICE = "service"
    TRANSACTIONAL = "transactional"
