"""Shopify: finds one order of one customer, by GraphQL.

Vendor facts (shopify.dev): ``POST /admin/api/{version}/graphql.json``; errors come with HTTP 200 in
``errors[].extensions.code``, throttling among them, with the cost bucket in ``extensions.cost``;
search is neither exact nor immediate, so results are compared again here; ``email``, ``name`` and
``shippingAddress`` are protected data and come null with an error where access is not granted.  A field
whose scope is missing is refused with ``ACCESS_DENIED`` and its path, and the whole order with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from chalicelib.errors import AuthError, PermanentError, ProviderError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.support import reasons as why
from chalicelib.support.orders.access_tokens import DEADLINE_SECONDS, PROVIDER
from chalicelib.support.orders.order_checks import unknown
from chalicelib.support.orders.shop_order import Lookup
from chalicelib.support.orders.shopify_nodes import MOST_PARTS, ShopAnswer, ShopNode, order_of
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import THROTTLED, UNEXPECTED_ANSWER

_MAX_WAIT_SECONDS = 5.0
_TRIES = 3

ORDERS_QUERY = f"""\
query Orders($q: String!) {{
  orders(first: 5, query: $q, sortKey: CREATED_AT, reverse: true) {{
    nodes {{
      id name createdAt email cancelledAt tags edited
      displayFinancialStatus displayFulfillmentStatus returnStatus statusPageUrl
      subtotalLineItemsQuantity currentSubtotalLineItemsQuantity
      shippingAddress {{ countryCodeV2 }}
      disputes {{ status }}
      refunds(first: 1) {{ id }}
      risk {{ recommendation }}
      shippingLine {{ title }}
      fulfillmentOrders(first: {MOST_PARTS}) {{ nodes {{ status fulfillmentHolds {{ reason }} }} }}
      fulfillments(first: {MOST_PARTS}) {{
        status displayStatus createdAt estimatedDeliveryAt
        trackingInfo(first: 3) {{ number url company }}
        events(first: 5, sortKey: HAPPENED_AT, reverse: true) {{
          nodes {{ status happenedAt estimatedDeliveryAt }}
        }}
      }}
    }}
  }}
}}
"""

SCOPES: Mapping[str, tuple[str, ...]] = {
    "an order and its disputes": ("read_orders",),
    "orders older than 60 days": ("read_all_orders",),
    "fulfilment holds": (
        "read_merchant_managed_fulfillment_orders",
        "read_assigned_fulfillment_orders",
        "read_third_party_fulfillment_orders",
    ),
}
"""For each kind of data the scopes of which one is needed (shopify.dev, the pages of the objects)."""
_FIELDS = {
    "disputes": "disputes",
    "refunds": "refunds",
    "returnStatus": "returns",
    "risk": "risk",
    "edited": "lines",
    "shippingAddress": "country",
    "fulfillmentOrders": "holds",
    "fulfillmentHolds": "holds",
    "fulfillments": "fulfillments",
    "events": "events",
}
"""Fields that a missing scope hides, and their names in reasons."""


class Shopify:
    """Finds orders in a Shopify shop.

    Args:
        name_prefix: the shop's prefix of order numbers, by default ``#``.
    """

    def __init__(
        self, *, client: VendorClient, clock: Clock, api_version: str, name_prefix: str = "#"
    ) -> None:
        self._client = client
        self._clock = clock
        self._path = f"/admin/api/{api_version}/graphql.json"
        self._prefix = name_prefix

    def find_order(self, number: str, *, requester_email: str) -> Lookup:
        """Find the order with exactly this number, if it belongs to the customer with this address.

        Otherwise the result has a reason code and no order.  Raises `ProviderError`s.

        Args:
            number: digits of the order number, without the shop's prefix.
            requester_email: address of the customer who asks; another customer's order gives
                ``not_theirs``.
        """
        name = f"{self._prefix}{number}"
        nodes = self._search(f"name:{_quoted(name)}")
        if isinstance(nodes, str):
            return Lookup(None, nodes)
        found = [node for node in nodes if node.name == name]
        if not found:
            return Lookup(None, why.NOT_FOUND)
        theirs = [order for order in found if _same_address(order.email, requester_email)]
        if not theirs:
            return Lookup(None, why.NOT_THEIRS)
        return Lookup(order_of(theirs[0]))

    def _search(self, query: str) -> Sequence[ShopNode] | str:
        """The orders that a search finds; or a reason code, if the app may not see one of their fields.

        If Shopify asks to wait for a short time, the search is repeated after it.
        """
        ends = self._clock.monotonic() + DEADLINE_SECONDS
        body = {"query": ORDERS_QUERY, "variables": {"q": query}}
        call = Call("find_order", "POST", self._path, is_repeatable=True, body=body)
        attempts = Attempts(self._clock, no_pauses(_TRIES), until=ends)
        while True:
            left = ends - self._clock.monotonic()
            answer = _parsed(self._client.send(call, deadline_seconds=left))
            if not answer.errors:
                return answer.data.orders.nodes
            hidden = answer.hidden(_FIELDS)
            if hidden is not None:
                return unknown(hidden)
            error = _error(answer)
            wait = error.retry_after
            if not isinstance(error, TransientError) or wait is None or wait > _MAX_WAIT_SECONDS:
                raise error
            attempts.wait_or_raise(error, at_least_seconds=wait)


def _quoted(value: str) -> str:
    """A value in quotes for Shopify's search syntax, with its own quotes and backslashes escaped."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _same_address(found: str | None, wanted: str) -> bool:
    return bool(found) and (found or "").strip().lower() == wanted.strip().lower()


def _parsed(raw: Mapping[str, Any]) -> ShopAnswer:
    try:
        return ShopAnswer.model_validate(raw)
    except ValidationError:
        pass
    raise TransientError(PROVIDER, "find_order", reason=UNEXPECTED_ANSWER)


def _error(answer: ShopAnswer) -> ProviderError:
    """The error to raise for the first error in a response of Shopify; data beside it is not used."""
    code = answer.errors[0].extensions.code
    if code == "THROTTLED":
        cost = answer.extensions.cost
        missing = cost.requested - cost.throttle.available
        wait = missing / cost.throttle.restore_rate if cost.throttle.restore_rate > 0 else 1.0
        return TransientError(PROVIDER, "find_order", reason=THROTTLED, retry_after=max(wait, 0))
    kind = {"ACCESS_DENIED": AuthError, "INTERNAL_SERVER_ERROR": TransientError}.get(
        code, PermanentError
    )
    return kind(PROVIDER, "find_order", reason=code.lower())
