"""Credentials of Twilio accounts, read from a company's secret or from the webhook secret.

A company's secret is JSON with ``twilio_account_sid``, ``twilio_auth_token`` and, optionally,
``twilio_template_sid``.  The webhook secret is JSON from account to active tokens, newest first.
"""

from __future__ import annotations

import json

from chalicelib.errors import PermanentError
from chalicelib.outreach.twilio import webhook
from chalicelib.outreach.twilio.client import Credentials


def of_company(secret: str) -> Credentials:
    """The account in a company's secret.

    Raises:
        PermanentError: ``credentials_malformed``; the secret's text is not shown.
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


def of_account(account: str, webhook_secret: str) -> Credentials:
    """An account under the newest token that signs its webhooks.

    Raises:
        PermanentError: ``credentials_malformed``; the webhook secret has no token of the account.
    """
    tokens = webhook.accounts(webhook_secret).get(account)
    if not tokens:
        raise _malformed()
    return Credentials(account, tokens[0])


def accounts_of(webhook_secret: str) -> list[str]:
    """The accounts that may post to us: those with an active token."""
    return [account for account, tokens in webhook.accounts(webhook_secret).items() if tokens]


def _malformed() -> PermanentError:
    return PermanentError("secrets", "read", reason="credentials_malformed")
