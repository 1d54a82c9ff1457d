"""Credentials of Twilio accounts, read from a company's secret.

The secret is JSON with ``twilio_account_sid``, ``twilio_auth_token`` and, optionally,
``twilio_template_sid``.
"""

from __future__ import annotations

import json

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import CREDENTIALS_FIELD_OF, Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.twilio.client import Credentials

_UNNAMED = {
    Channel.SMS: reasons.NO_SMS_CREDENTIALS,
    Channel.WHATSAPP: reasons.NO_WHATSAPP_CREDENTIALS,
}
"""By channel, the reason for a project that names no secret."""


def of_company(secret: str) -> Credentials:
    """The Twilio account in the text of a company's secret.

    Raises:
        PermanentError: ``credentials_malformed``; the error does not show the secret.
    """
    try:
        raw = json.loads(secret)
        return Credentials(
            account_sid=raw["twilio_account_sid"],
            auth_token=raw["twilio_auth_token"],
            template_sid=raw.get("twilio_template_sid"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _malformed() from None


def _malformed() -> PermanentError:
    return PermanentError("secrets", "read", reason=reasons.CREDENTIALS_MALFORMED)


def secret_name_of(record: Record) -> str:
    """The name of the secret that holds the Twilio account of a conversation.

    Raises:
        PermanentError: the project's settings name no secret.
    """
    secret_id = record.channel_config.get(CREDENTIALS_FIELD_OF[record.channel])
    if not isinstance(secret_id, str) or not secret_id:
        raise PermanentError("secrets", "read", reason=_UNNAMED[record.channel])
    return secret_id
