"""Whom outreach speaks to: Twilio by company and by account, SES, a company's own model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache

from botocore.config import Config

from chalicelib.errors import PermanentError
from chalicelib.outreach.ses.client import Ses
from chalicelib.outreach.twilio import client as twilio
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.outreach.twilio.client import Credentials, Twilio
from chalicelib.vendors import openai
from chalicelib.vendors.http import VendorClient
from chalicelib.vendors.openai import OpenAI
from chalicelib.wiring.core import Core

TWILIO_REQUESTS_PER_30_S = 300
"""Per account and container; Twilio queues what exceeds a sender's own pace."""
OPENAI_REQUESTS_PER_30_S = 60
_ONCE = Config(
    connect_timeout=3,
    read_timeout=15,
    retries={"total_max_attempts": 1},
)
"""SES takes no client token: a send that the SDK repeats is sent twice."""


def twilio_of_companies(core: Core) -> Twilio:
    """Twilio by the name of a company's secret.

    Its calls raise:
        PermanentError: the secret is not the JSON it must be.
        UnavailableError: it cannot be read.
    """

    def credentials(secret_id: str, refresh: bool) -> Credentials:  # noqa: FBT001 - a port
        return _credentials(core.secrets.text(secret_id, refresh=refresh))

    return _twilio(core, credentials)


def twilio_of_accounts(core: Core) -> Twilio:
    """Twilio by account, under the secret that its webhooks are signed with."""

    def credentials(account: str, refresh: bool) -> Credentials:  # noqa: FBT001 - a port
        tokens = twilio_accounts(core, refresh=refresh).get(account)
        if not tokens:
            raise PermanentError("secrets", "read", reason="credentials_malformed")
        return Credentials(account, tokens[0])

    return _twilio(core, credentials)


def twilio_accounts(core: Core, *, refresh: bool = False) -> Mapping[str, tuple[str, ...]]:
    """The accounts that may post to us, with their tokens."""
    name = core.settings.twilio_webhook_secret_id
    return twilio_webhook.accounts(core.secrets.text(name, refresh=refresh))


def ses(core: Core) -> Ses:
    """SES; no call of it is made a second time by itself."""
    client = core.client("sesv2", _ONCE)
    return Ses(
        client,
        configuration_set=core.settings.ses_configuration_set or None,
        region=str(client.meta.region_name),
        clock=core.clock,
        log=core.log,
    )


def models(core: Core) -> Callable[[str], OpenAI]:
    """The language model under a company's own key, by the key's secret; one client a key."""

    @cache
    def model(secret_id: str) -> OpenAI:
        client = core.vendor(
            openai.PROVIDER,
            core.settings.openai_base_url,
            openai.bearer(lambda refresh: core.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=OPENAI_REQUESTS_PER_30_S,
            error_code_at=openai.ERROR_CODE_AT,
        )
        return OpenAI(client, core.clock)

    return model


def _twilio(core: Core, credentials: Callable[[str, bool], Credentials]) -> Twilio:
    def client(name: str) -> VendorClient:
        return core.vendor(
            twilio.PROVIDER,
            core.settings.twilio_base_url,
            lambda refresh: twilio.basic(credentials(name, refresh)),
            requests_per_window=TWILIO_REQUESTS_PER_30_S,
            error_code_at=twilio.ERROR_CODE_AT,
        )

    return Twilio(credentials, client)


def _credentials(secret: str) -> Credentials:
    try:
        raw = json.loads(secret)
        return Credentials(
            account_sid=raw["twilio_account_sid"],
            auth_token=raw["twilio_auth_token"],
            template_sid=raw.get("twilio_template_sid"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise PermanentError("secrets", "read", reason="credentials_malformed") from None
