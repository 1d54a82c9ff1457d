"""Builds the worker's part of support: the flow, the executors and the shop.

The shop and the language model (`model_opinions`) are built only if the settings name them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from chalicelib.once.allowances import Allowances
from chalicelib.once.flow import Flow
from chalicelib.once.job import by_kind
from chalicelib.shared import Shared
from chalicelib.support.arrivals import Arrivals
from chalicelib.support.build import Support
from chalicelib.support.flow import SupportFlow
from chalicelib.support.intents.message_reading import read
from chalicelib.support.jobs import KINDS
from chalicelib.support.orders import access_tokens, shopify
from chalicelib.support.orders.cache import LookupCache
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.performing import TicketExecutors
from chalicelib.support.read_back import ReplyReadBack
from chalicelib.support.replies.answering import Replies
from chalicelib.support.replies.guard_rails import policy_of
from chalicelib.support.richpanel.linked_orders import RichpanelOrders
from chalicelib.vendors.http import VendorClient

if TYPE_CHECKING:  # loaded only where the settings name a model
    from chalicelib.support.model_opinions import SupportModel

SHOPIFY_REQUESTS_PER_30_S = 60
"""Requests of one container; a search costs a few points of a bucket that regains 100 a second."""


class SupportWork:
    """Builds the objects that decide on a ticket's message and that perform the decision.

    Args:
        model: builds the language model, if the settings name one.
    """

    def __init__(
        self, *, shared: Shared, support: Support, model: Callable[[], SupportModel]
    ) -> None:
        self._shared = shared
        self._support = support
        self._model = model

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """The flow for each kind of support job; one `SupportFlow` serves them all."""
        shared, support = self._shared, self._support
        flow = SupportFlow(
            arrivals=Arrivals.of(
                support.richpanel,
                support.state,
                shared.ledger,
                shared.clock,
                max_age=shared.settings.max_event_age,
            ),
            state=support.state,
            answering=self.answering,
            log=shared.log,
            rules=support.rules,
        )
        return dict.fromkeys(by_kind(KINDS), flow)

    @staticmethod
    def load_tables() -> None:
        """Load every table of words that the first message needs, by analysing a sample message."""
        read("hello")

    @cached_property
    def ticket_executors(self) -> TicketExecutors:
        """The object that performs the effects on tickets, by calls to Richpanel."""
        return TicketExecutors(
            richpanel=self._support.richpanel, clock=self._shared.clock, log=self._shared.log
        )

    @cached_property
    def reply_read_back(self) -> ReplyReadBack:
        """The object that finds out whether a reply of unknown outcome was sent."""
        return ReplyReadBack(self._support.richpanel, self._shared.opaque)

    @cached_property
    def answering(self) -> Replies:
        """The object that decides on automatic replies and composes them; no vendor is connected yet."""
        shared, settings = self._shared, self._shared.settings.support
        table = shared.table(shared.settings.idempotency_table)
        return Replies(
            orders=CustomerOrders(
                linked=RichpanelOrders(self._support.richpanel_client),
                shop=self._shop() if settings.shopify_base_url else None,
                cache=LookupCache(table=table, clock=shared.clock),
                opaque=shared.opaque,
            ),
            allowances=Allowances(table=table, clock=shared.clock),
            opinions=self._model().opinions if settings.openai_intent_enabled else None,
            opaque=shared.opaque,
            policy=policy_of(settings),
            clock=shared.clock,
        )

    def shop_scopes(self) -> frozenset[str]:
        """Ask Shopify which scopes the shop's app has; raises `ProviderError`s."""
        return self._shop_tokens.granted_scopes()

    @cached_property
    def _shop_tokens(self) -> access_tokens.AccessTokens:
        shared, settings = self._shared, self._shared.settings.support

        def credentials(refresh: bool) -> tuple[str, str]:  # noqa: FBT001 - as `AccessTokens` asks
            client_id, secret = (
                shared.secrets.text(name, refresh=refresh).strip()
                for name in (
                    settings.shopify_client_id_secret_id,
                    settings.shopify_client_secret_secret_id,
                )
            )
            return client_id, secret

        return access_tokens.AccessTokens(
            client=self._shop_client(lambda _: {}), credentials=credentials, clock=shared.clock
        )

    def _shop_client(self, authorize: Callable[[bool], Mapping[str, str]]) -> VendorClient:
        return self._shared.vendor(
            access_tokens.PROVIDER,
            self._shared.settings.support.shopify_base_url,
            authorize,
            requests_per_window=SHOPIFY_REQUESTS_PER_30_S,
        )

    def _shop(self) -> shopify.Shopify:
        settings = self._shared.settings.support
        return shopify.Shopify(
            client=self._shop_client(self._shop_tokens.header),
            clock=self._shared.clock,
            api_version=settings.shopify_api_version,
            name_prefix=settings.shopify_order_prefix,
        )
