"""Richpanel tickets: the door, the vendors (Richpanel, shop, language model), flow and executors.

The shop and the model are built only where the settings name them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from chalicelib.wiring.core import Core

if TYPE_CHECKING:
    from chalicelib.once.door import Answer
    from chalicelib.once.flow import Flow
    from chalicelib.once.recovery.rebuilders import Rebuilder
    from chalicelib.once.recovery.sweep import SweepPart
    from chalicelib.support.configuration.cached import CachedRules
    from chalicelib.support.configuration.versions import Versions
    from chalicelib.support.door import RichpanelDoor
    from chalicelib.support.opinion import Opinions
    from chalicelib.support.orders.shop_order import ShopOrders
    from chalicelib.support.performing import TicketExecutors
    from chalicelib.support.read_back import ReplyReadBack
    from chalicelib.support.replies.answering import Replies
    from chalicelib.support.richpanel.client import Richpanel
    from chalicelib.support.state import States
    from chalicelib.vendors.http import VendorClient
    from chalicelib.vendors.shared_level import SharedLevel

SHOPIFY_REQUESTS_PER_30_S = 60
"""A container's own pace; a search costs a few points of a bucket that gets 100 back a second."""
OPENAI_REQUESTS_PER_30_S = 150


class Support(Core):
    """Richpanel tickets."""

    # --- the way in ---------------------------------------------------------------------------

    def richpanel_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer Richpanel's HTTP target."""
        return self._richpanel_door.receive(headers, body)

    @cached_property
    def _richpanel_door(self) -> RichpanelDoor:
        from chalicelib.support.door import RichpanelDoor

        name, missing = self.settings.webhook_secret_id, "no_webhook_token_configured"
        return RichpanelDoor(self.intake, lambda: self.secrets.tokens(name, missing=missing))

    # --- parts by kind ------------------------------------------------------------------------

    def support_flows(self) -> Mapping[str, Callable[[], Flow]]:
        """By kind of job."""
        kinds = ("ticket_message", "ticket_notification")
        return dict.fromkeys(kinds, lambda: self._support_flow)

    def support_rebuilders(self) -> Mapping[str, Callable[[], Rebuilder]]:
        """By the first two parts of an event key."""

        def from_row() -> Rebuilder:
            from chalicelib.support.jobs import ticket_job

            return ticket_job

        return {"evt:rp": from_row}

    def support_sweeps(self) -> Sequence[SweepPart]:
        """What reconciliation looks for at Richpanel; nothing where no ticket is handled."""
        if "support" not in self.settings.systems:
            return ()
        from chalicelib.support.lost_tickets import LostTickets

        found = LostTickets(
            self.richpanel, self.ledger, self.state, self.sweeps, self.clock, self.log
        )
        return (found,)

    # --- the parts ----------------------------------------------------------------------------

    @cached_property
    def richpanel(self) -> Richpanel:
        """The ticket system."""
        from chalicelib.support.richpanel.client import Richpanel

        return Richpanel(
            self._richpanel_client, self.clock, tag_mode=self.settings.richpanel_tag_mode
        )

    @cached_property
    def state(self) -> States:
        """Table B."""
        from chalicelib.support.state import States

        return States(
            self.table(self.settings.state_table),
            self.clock,
            retention=timedelta(days=self.settings.state_retention_days),
        )

    @cached_property
    def _support_flow(self) -> Flow:
        from chalicelib.support.flow import SupportFlow

        return SupportFlow(
            self.richpanel,
            self.state,
            self.ledger,
            self.clock,
            self._answering,
            max_event_age=self.settings.max_event_age,
            log=self.log,
            rules=self.support_rules,
        )

    @cached_property
    def support_versions(self) -> Versions:
        """The stored versions of the settings document."""
        from chalicelib.support.configuration.versions import Versions

        return Versions(self.table(self.settings.idempotency_table), self.clock)

    @cached_property
    def support_rules(self) -> CachedRules:
        """The settings document as flows read it."""
        from chalicelib.support.configuration.cached import CachedRules

        return CachedRules(self.support_versions, self.clock, self.log)

    @cached_property
    def ticket_executors(self) -> TicketExecutors:
        """What performs the effects on tickets."""
        from chalicelib.support.performing import TicketExecutors

        return TicketExecutors(self.richpanel, self.clock, self.log)

    @cached_property
    def reply_read_back(self) -> ReplyReadBack:
        """Finds a reply of unknown outcome; tags are simply repeated."""
        from chalicelib.support.read_back import ReplyReadBack

        return ReplyReadBack(self.richpanel, lambda: self.opaque_ids)

    @cached_property
    def _answering(self) -> Replies:
        """Everything a reply needs; nothing is connected yet."""
        from chalicelib.once.allowances import Allowances
        from chalicelib.support.orders.cache import Lookups
        from chalicelib.support.orders.lookup import CustomerOrders
        from chalicelib.support.replies.answering import Replies
        from chalicelib.support.replies.guard_rails import policy_of
        from chalicelib.support.richpanel.linked_orders import RichpanelOrders

        settings = self.settings.support
        policy = policy_of(settings)
        table = self.table(self.settings.idempotency_table)
        return Replies(
            orders=CustomerOrders(
                linked=RichpanelOrders(self._richpanel_client),
                shop=self._shop() if settings.shopify_base_url else None,
                cache=Lookups(table, self.clock),
                opaque=lambda: self.opaque_ids,
            ),
            allowances=Allowances(table, self.clock),
            opinions=self._opinions() if settings.openai_intent_enabled else None,
            opaque=lambda: self.opaque_ids,
            policy=policy,
            clock=self.clock,
        )

    # --- vendors ------------------------------------------------------------------------------

    @cached_property
    def richpanel_level(self) -> SharedLevel:
        """What all workers and the sweep together have left of Richpanel's limit."""
        from chalicelib.support.richpanel.calls import PROVIDER
        from chalicelib.vendors.shared_level import SharedLevel

        table = self.table(self.settings.idempotency_table)
        return SharedLevel(table, PROVIDER, self.clock)

    @cached_property
    def _richpanel_client(self) -> VendorClient:
        """Under our share of the tenant's rate limit, which workers and sweep have in common."""
        from chalicelib.support.richpanel.calls import PROVIDER, REQUESTS_PER_30_S, key_header
        from chalicelib.vendors.rate_limit import split

        settings = self.settings
        secret_id = settings.richpanel_api_key_secret_id
        pace = split(
            settings.richpanel_requests_per_30_s,
            limit=REQUESTS_PER_30_S,
            shares=settings.worker_concurrency,
        )
        return self.vendor(
            PROVIDER,
            settings.richpanel_base_url,
            key_header(lambda refresh: self.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=pace.requests_per_window,
            burst=pace.burst,
            levels=self.richpanel_level,
            containers=settings.worker_concurrency,
        )

    def _shop(self) -> ShopOrders:
        from chalicelib.support.orders import shopify

        settings = self.settings.support

        def credentials(refresh: bool) -> tuple[str, str]:  # noqa: FBT001 - as `AccessTokens` asks
            return (
                self.secrets.text(settings.shopify_client_id_secret_id, refresh=refresh).strip(),
                self.secrets.text(
                    settings.shopify_client_secret_secret_id, refresh=refresh
                ).strip(),
            )

        def client(authorize: Callable[[bool], Mapping[str, str]]) -> VendorClient:
            return self.vendor(
                shopify.PROVIDER,
                settings.shopify_base_url,
                authorize,
                requests_per_window=SHOPIFY_REQUESTS_PER_30_S,
            )

        tokens = shopify.AccessTokens(client(lambda _: {}), credentials, self.clock)
        return shopify.Shopify(
            client(tokens.header),
            self.clock,
            api_version=settings.shopify_api_version,
            name_prefix=settings.shopify_order_prefix,
        )

    def _opinions(self) -> Opinions:
        from chalicelib.redaction.redactor import redact
        from chalicelib.support.opinion import ModelNames, Opinions
        from chalicelib.vendors import openai

        settings = self.settings.support
        secret_id = settings.openai_api_key_secret_id
        client = self.vendor(
            openai.PROVIDER,
            settings.openai_base_url,
            openai.bearer(lambda refresh: self.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=OPENAI_REQUESTS_PER_30_S,
            error_code_at=openai.ERROR_CODE_AT,
        )
        names = ModelNames(settings.openai_model, settings.openai_fallback_model or None)
        return Opinions(openai.OpenAI(client, self.clock), names, redact)
