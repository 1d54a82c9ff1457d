"""The orders that a message is about: those that it names, or the one that Richpanel has linked.

A link only names an order.  The facts about it come from the shop, which is read each time.  Only
that an order was not found is cached for a moment, without its number or address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chalicelib.once.keys import OpaqueIds
from chalicelib.support import keys as ticket_keys
from chalicelib.support import reasons as why
from chalicelib.support.orders.cache import LookupCache
from chalicelib.support.orders.order_answers import MAX_ORDERS
from chalicelib.support.orders.shop_order import LinkedOrders, Order, OrderSearch

ABSENT_FRESH_SECONDS = 120.0
"""How long "not found" is cached: short, as a shop's search lags and may find the order later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerOrders:
    """Finds the orders that a customer's message is about.

    Attributes:
        shop: the shop's search; None where no shop is configured, so that no order is found.
    """

    linked: LinkedOrders
    shop: OrderSearch | None
    cache: LookupCache
    opaque: Callable[[], OpaqueIds]

    def find(
        self, conversation_id: str, numbers: Sequence[str], email: str | None
    ) -> tuple[Order, ...] | str:
        """Find all orders that the customer asks about.

        If one of them is not found, or nothing may be looked up, the reason code is returned
        instead.

        Args:
            conversation_id: the ticket.
            numbers: order numbers in the message; without any, the order that Richpanel has linked
                to the ticket is used.
            email: the customer's address; an order of another address is not returned.

        Raises:
            ProviderError: an order cannot be looked up now.
        """
        if len(numbers) > MAX_ORDERS:
            return why.TOO_MANY_ORDERS
        named = tuple(numbers) or self._linked(conversation_id)
        if not named:
            return why.ORDER_NUMBER_MISSING
        if self.shop is None:
            return why.SHOP_NOT_CONFIGURED
        if not email:
            return why.REQUESTER_NOT_KNOWN
        found = []
        for number in named:
            order = self._shop_order(self.shop, conversation_id, number, email)
            if not isinstance(order, Order):
                return order
            found.append(order)
        return tuple(found)

    def _linked(self, conversation_id: str) -> tuple[str, ...]:
        number = self.linked.linked_order(conversation_id)
        return (number,) if number else ()

    def _shop_order(
        self, shop: OrderSearch, conversation_id: str, number: str, email: str
    ) -> Order | str:
        opaque = self.opaque()
        key = ticket_keys.shopify_lookup(conversation_id, opaque.of("order", number))
        requester = opaque.of("email", email.lower())
        stored = self.cache.read(key) or {}
        if stored.get("requester") == requester and stored["outcome"] in _ABSENT:
            return stored["outcome"]
        found = shop.find_order(number, requester_email=email)
        if found.reason in _ABSENT:
            facts = {"requester": requester, "outcome": str(found.reason)}
            self.cache.write(key, conversation_id, facts, fresh_seconds=ABSENT_FRESH_SECONDS)
        return found.order or found.reason


_ABSENT = frozenset({why.NOT_FOUND, why.NOT_THEIRS})
