"""What automatic replies are made of: the shop, the model, the counters, and who sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from chalicelib.actions import Action
from chalicelib.adapters import openai, shopify
from chalicelib.adapters.http import VendorClient
from chalicelib.adapters.richpanel import Richpanel
from chalicelib.adapters.richpanel_calls import PROVIDER
from chalicelib.adapters.richpanel_orders import RichpanelOrders
from chalicelib.allowances import Allowances
from chalicelib.errors import (
    AuthError,
    PermanentError,
    SettingsError,
    TransientError,
    UncertainError,
)
from chalicelib.flows.support.answering import Answering
from chalicelib.flows.support.customer_orders import CustomerOrders
from chalicelib.flows.support.guard_rails import Policy
from chalicelib.flows.support.opinion import ModelNames, Opinions
from chalicelib.flows.support.templates import CATALOGUE
from chalicelib.lookups import Lookups
from chalicelib.orders import ShopOrders
from chalicelib.ports import Clock
from chalicelib.redaction import redact
from chalicelib.ticket_replies import Close, Reply
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


class Replies:
    """`ports.Executor`s of `ticket_replies`."""

    def __init__(self, richpanel: Richpanel, clock: Clock) -> None:
        self._richpanel = richpanel
        self._clock = clock
        self._texts: dict[str, str] = {}

    def prepare(self, actions: Sequence[Action]) -> None:
        """`ports.Preparer`: compose a reply, which may have to read ticket and order anew."""
        self._texts = {one.key: one.compose() for one in actions if isinstance(one, Reply)}

    def send(self, actions: Sequence[Action], *, deadline_seconds: float) -> str | None:
        """Send one reply and read it back; never repeated when its outcome is not known."""
        (reply,) = (action for action in actions if isinstance(action, Reply))
        text = self._texts.pop(reply.key, None)
        return self._richpanel.send_message(
            reply.conversation_id,
            body=reply.compose() if text is None else text,
            author_id=reply.author_id,
            deadline_seconds=deadline_seconds,
        )

    def close(self, actions: Sequence[Action], *, deadline_seconds: float) -> None:
        """Close a ticket, and open it again if the customer has written in the meantime.

        Both within one deadline: behind it the lease may be over, and another worker at it.

        Raises:
            PermanentError: it was accepted and is still open; a person must look.
            UncertainError: it may be closed, or is closed and should be open; to be done again.
        """
        (close,) = (action for action in actions if isinstance(action, Close))
        ends = self._clock.monotonic() + deadline_seconds
        try:
            ticket = self._richpanel.close(close.conversation_id, deadline_seconds=deadline_seconds)
        except TransientError as error:
            if error.reason != "not_applied":
                raise
            raise PermanentError(PROVIDER, "close", reason="not_applied") from None
        newest = next((one for one in reversed(ticket.comments) if not one.is_operator), None)
        if newest is not None and close.answered_message_id not in (None, newest.id):
            self._reopen(close.conversation_id, ends - self._clock.monotonic())

    def _reopen(self, conversation_id: str, deadline_seconds: float) -> None:
        try:
            self._richpanel.reopen(conversation_id, deadline_seconds=deadline_seconds)
        except (TransientError, AuthError) as error:
            raise UncertainError.of(error) from None


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
