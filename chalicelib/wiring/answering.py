"""What automatic replies are made of: the shop, the model, the counters, and who sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chalicelib.errors import SettingsError
from chalicelib.redaction.redactor import redact
from chalicelib.support.limits import Allowances
from chalicelib.support.opinion import ModelNames, Opinions
from chalicelib.support.orders import shopify
from chalicelib.support.orders.cache import Lookups
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.orders.order import ShopOrders
from chalicelib.support.replies.answering import Answering
from chalicelib.support.replies.guard_rails import Policy
from chalicelib.support.replies.templates import CATALOGUE
from chalicelib.support.richpanel.orders import RichpanelOrders
from chalicelib.vendors import openai
from chalicelib.vendors.http import VendorClient
from chalicelib.wiring.core import Core

SHOPIFY_REQUESTS_PER_30_S = 60
"""A container's own pace; a search costs a few points of a bucket that gets 100 back a second."""


OPENAI_REQUESTS_PER_30_S = 150


def answering(core: Core, richpanel_client: VendorClient) -> Answering:
    """Everything a reply needs; nothing is connected yet.

    Raises:
        SettingsError: a template is enabled that is not there.
    """
    settings = core.settings.support
    unknown = sorted(settings.templates - CATALOGUE.keys())
    if unknown:
        raise SettingsError(f"TEMPLATES_ENABLED names {', '.join(unknown)}")
    table = core.table(core.settings.idempotency_table)
    policy = Policy(
        is_outbound_enabled=settings.outbound_enabled,
        templates=settings.templates,
        author_id=settings.bot_agent_id or None,
        emails=settings.allow_emails,
        domains=settings.allow_domains,
        requires_allow_list=settings.require_allow_list,
        signature=settings.signature,
    )
    return Answering(
        orders=CustomerOrders(
            linked=RichpanelOrders(richpanel_client),
            shop=_shop(core) if settings.shopify_base_url else None,
            cache=Lookups(table, core.clock),
            opaque=lambda: core.opaque_ids,
        ),
        allowances=Allowances(table, core.clock),
        opinions=_opinions(core) if settings.openai_intent_enabled else None,
        opaque=lambda: core.opaque_ids,
        policy=policy,
        clock=core.clock,
    )


def _shop(core: Core) -> ShopOrders:
    settings = core.settings.support

    def credentials(refresh: bool) -> tuple[str, str]:  # noqa: FBT001 - as `AccessTokens` asks
        return (
            core.secrets.text(settings.shopify_client_id_secret_id, refresh=refresh).strip(),
            core.secrets.text(settings.shopify_client_secret_secret_id, refresh=refresh).strip(),
        )

    tokens = shopify.AccessTokens(_shopify_client(core, lambda _: {}), credentials, core.clock)
    return shopify.Shopify(
        _shopify_client(core, tokens.header),
        core.clock,
        api_version=settings.shopify_api_version,
        name_prefix=settings.shopify_order_prefix,
    )


def _shopify_client(core: Core, authorize: Callable[[bool], Mapping[str, str]]) -> VendorClient:
    return core.vendor(
        shopify.PROVIDER,
        core.settings.support.shopify_base_url,
        authorize,
        requests_per_window=SHOPIFY_REQUESTS_PER_30_S,
    )


def _opinions(core: Core) -> Opinions:
    settings = core.settings.support
    secret_id = settings.openai_api_key_secret_id
    client = core.vendor(
        openai.PROVIDER,
        settings.openai_base_url,
        openai.bearer(lambda refresh: core.secrets.text(secret_id, refresh=refresh)),
        requests_per_window=OPENAI_REQUESTS_PER_30_S,
        error_code_at=openai.ERROR_CODE_AT,
    )
    names = ModelNames(settings.openai_model, settings.openai_fallback_model or None)
    return Opinions(openai.OpenAI(client, core.clock), names, redact)
