"""Which order a message is about: the linked one, or the shop's order under its number.

A lookup is cached without number, address or name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from chalicelib.clock import iso, parsed
from chalicelib.once.keys import OpaqueIds
from chalicelib.support import keys as ticket_keys
from chalicelib.support import reasons as why
from chalicelib.support.orders.cache import Lookups
from chalicelib.support.orders.shop_order import LinkedOrders, Order
from chalicelib.support.orders.shopify import Shopify

FOUND_FRESH_SECONDS = 900.0
ABSENT_FRESH_SECONDS = 120.0
"""Shorter: a shop's search lags, so an order may be found a little later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerOrders:
    """Finds a customer's order.

    Attributes:
        shop: None where no shop is configured; then only linked orders are found.
    """

    linked: LinkedOrders
    shop: Shopify | None
    cache: Lookups
    opaque: Callable[[], OpaqueIds]

    def find(self, conversation_id: str, number: str | None, email: str | None) -> Order | str:
        """The customer's order, or the reason why it was not found.

        Args:
            conversation_id: the ticket.
            number: the order number in the message; None where it has none.
            email: the customer's; an order of another address is not returned.

        Raises:
            ProviderError: the order cannot be looked up now.
        """
        linked = self.linked.linked_order(conversation_id)
        if linked is not None and number in (None, linked.name.lstrip("#")):
            return self._with_payment(linked, conversation_id, email)
        if number is None:
            return why.ORDER_NUMBER_MISSING
        if self.shop is None:
            return why.SHOP_NOT_CONFIGURED
        if not email:
            return why.REQUESTER_NOT_KNOWN
        return self._shop_order(self.shop, conversation_id, number, email)

    def _with_payment(self, linked: Order, conversation_id: str, email: str | None) -> Order:
        """The linked order, with what the shop knows to speak against it where the link is silent."""
        number = linked.name.lstrip("#")
        if linked.trouble or linked.is_payment_known or not number.isdigit():
            return linked
        if self.shop is None or not email:
            return linked
        found = self._shop_order(self.shop, conversation_id, number, email)
        if not isinstance(found, Order):
            return linked
        is_cancelled = linked.is_cancelled or found.is_cancelled
        return replace(linked, trouble=found.trouble, is_cancelled=is_cancelled)

    def _shop_order(
        self, shop: Shopify, conversation_id: str, number: str, email: str
    ) -> Order | str:
        opaque = self.opaque()
        key = ticket_keys.shopify_lookup(conversation_id, opaque.of("order", number))
        requester = opaque.of("email", email.lower())
        stored = self.cache.read(key)
        if (
            stored is not None
            and stored.get("requester") == requester
            and not stored["has_tracking"]
        ):
            return _from_cache(stored, number)
        found = shop.find_order(number, requester_email=email)
        seconds = FOUND_FRESH_SECONDS if found.order else ABSENT_FRESH_SECONDS
        cached = {"requester": requester, **_cacheable(found.order, found.reason)}
        self.cache.write(key, conversation_id, cached, fresh_seconds=seconds)
        return found.order or found.reason


def _cacheable(order: Order | None, reason: str) -> Mapping[str, str]:
    """The facts of a lookup that may be cached: no number, address or name."""
    if order is None:
        return {"outcome": reason, "has_tracking": ""}
    return {
        "outcome": "found",
        "status": order.status,
        "fulfillment_status": order.fulfillment_status,
        "created_at": iso(order.created_at) if order.created_at else "",
        "shipping_method": order.shipping_method or "",
        "has_tracking": "yes" if order.has_tracking else "",
        "is_cancelled": "yes" if order.is_cancelled else "",
        "is_preorder": "yes" if order.is_preorder else "",
        "trouble": order.trouble,
    }


def _from_cache(stored: Mapping[str, str], number: str) -> Order | str:
    if stored["outcome"] != "found":
        return stored["outcome"]
    return Order(
        name=f"#{number}",
        created_at=parsed(stored["created_at"]),
        status=stored["status"],
        fulfillment_status=stored["fulfillment_status"],
        shipping_method=stored["shipping_method"] or None,
        is_cancelled=bool(stored["is_cancelled"]),
        is_preorder=bool(stored["is_preorder"]),
        trouble=stored["trouble"],
    )
