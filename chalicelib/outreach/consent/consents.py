"""The record of a recipient's consent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenConsent:
    """A recipient's consent to be contacted on one channel for one purpose, with its times and its source.

    Attributes:
        source: ``form``, ``start``, ``import`` or ``reply``.
    """

    channel: Channel
    purpose: ContactPurpose
    given_at: datetime
    expires_at: datetime | None
    source: str
    form: str | None
    version: str | None
