"""A simulated Shopify: orders behind the GraphQL Admin API, with its token grant.

The GraphQL is real: a query with an unknown field is rejected as by the real one.
It behaves as the real one was observed to:

- search is by prefix and not exact: ``name:#1001`` finds ``#10010`` too, newest first;
- throttling and every other GraphQL error come with HTTP 200;
- a token of the client-credentials grant expires after 24 hours; an expired one gets 401.

From Python::

    with Shopify() as shopify:
        shopify.add_order("#1001", email="ada@example.com", shipping="Standard")
        shopify.throttle(times=1)
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import graphql

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

CLIENT_ID = "simulated-shopify-client"
CLIENT_SECRET = "simulated-shopify-secret"  # noqa: S105 - a simulated vendor's
TOKEN_SECONDS = 86_399
SCOPE = "read_all_orders,read_merchant_managed_fulfillment_orders,read_orders"
"""With `read_orders` alone only orders of the last 60 days are found, and holds are denied."""
QUERY_COST = 14
HELP = f"""{simulated.HELP}
GET    /_sim/orders                every order
POST   /_sim/orders                {{"name": "#1001", "email": "ada@example.com", "shipping": "Standard"}}
POST   /_sim/changes               {{"name": "#1001", "after": 1, "fields": {{"tags": ["x"]}}}}: after a query
POST   /_sim/errors                {{"code": "THROTTLED", "times": 1}}: GraphQL errors for the next queries
"""
_SCHEMA = graphql.build_schema(
    """
    scalar DateTime
    scalar URL
    enum OrderSortKeys { CREATED_AT ORDER_NUMBER PROCESSED_AT UPDATED_AT }
    enum OrderReturnStatus {
      INSPECTION_COMPLETE IN_PROGRESS NO_RETURN RETURNED RETURN_FAILED RETURN_REQUESTED
    }
    enum DisputeStatus {
      ACCEPTED CHARGE_REFUNDED LOST NEEDS_RESPONSE PREVENTED UNDER_REVIEW WON
    }
    type OrderDisputeSummary { id: ID!  status: DisputeStatus! }
    type ShippingLine { title: String!  code: String }
    type FulfillmentTrackingInfo { number: String  url: URL  company: String }
    enum FulfillmentEventSortKeys { HAPPENED_AT ID RELEVANCE }
    type FulfillmentEvent { status: String!  happenedAt: DateTime!  estimatedDeliveryAt: DateTime }
    type FulfillmentEventConnection { nodes: [FulfillmentEvent!]! }
    type Fulfillment {
      id: ID!  status: String!  displayStatus: String  createdAt: DateTime!
      estimatedDeliveryAt: DateTime
      trackingInfo(first: Int): [FulfillmentTrackingInfo!]!
      events(first: Int, sortKey: FulfillmentEventSortKeys, reverse: Boolean):
        FulfillmentEventConnection!
    }
    enum FulfillmentOrderStatus { CANCELLED CLOSED INCOMPLETE IN_PROGRESS ON_HOLD OPEN SCHEDULED }
    type FulfillmentHold { reason: String! }
    type FulfillmentOrder { status: FulfillmentOrderStatus!  fulfillmentHolds: [FulfillmentHold!]! }
    type FulfillmentOrderConnection { nodes: [FulfillmentOrder!]! }
    enum OrderRiskRecommendationResult { ACCEPT CANCEL INVESTIGATE NONE }
    type OrderRiskSummary { recommendation: OrderRiskRecommendationResult! }
    type MailingAddress { countryCodeV2: String }
    type Refund { id: ID! }
    type Order {
      id: ID!  name: String!  createdAt: DateTime!  email: String  cancelledAt: DateTime
      tags: [String!]!  displayFinancialStatus: String  displayFulfillmentStatus: String!
      returnStatus: OrderReturnStatus!  disputes: [OrderDisputeSummary!]!
      subtotalLineItemsQuantity: Int!  currentSubtotalLineItemsQuantity: Int!
      statusPageUrl: URL!  shippingLine: ShippingLine  shippingAddress: MailingAddress
      edited: Boolean!  refunds(first: Int): [Refund!]!  risk: OrderRiskSummary!
      fulfillmentOrders(first: Int): FulfillmentOrderConnection!
      fulfillments(first: Int): [Fulfillment!]!
    }
    type OrderConnection { nodes: [Order!]! }
    type Query {
      orders(first: Int, query: String, sortKey: OrderSortKeys, reverse: Boolean): OrderConnection!
    }
    """
)


@dataclass(slots=True)
class ShopBehaviour(simulated.Behaviour):
    """How this shop behaves.

    Attributes:
        shows_email: False: no access to protected data, so e-mails are null, with an error.
        hides: a field that the app lacks the scope for; a query that names it is denied as a whole.
        scopes: that a token has, with commas.
        token_seconds: how long a token lasts.
        restore_rate: points per second that the cost bucket regains.
    """

    shows_email: bool = True
    hides: str = ""
    scopes: str = SCOPE
    token_seconds: float = TOKEN_SECONDS
    restore_rate: float = 100.0


@dataclass(slots=True)
class OrderChange:
    """Fields that an order has after some more queries."""

    name: str
    after: int
    fields: dict[str, Any]


class SimulatedShopify(simulated.Vendor):
    """The server.

    Args:
        port: 0 for any free port.
        now: epoch seconds, for token expiry.
    """

    name = "shopify"
    modes_type = ShopBehaviour
    modes: ShopBehaviour
    help_text = HELP

    def _clear(self) -> None:
        self._orders: list[dict[str, Any]] = []
        self._tokens: dict[str, float] = {}
        self._numbers = itertools.count(1)
        self._errors: list[str] = []
        self._changes: list[OrderChange] = []
        self.credentials = (CLIENT_ID, CLIENT_SECRET)

    def add_order(
        self,
        name: str,
        *,
        email: str | None,
        shipping: str | None = "Standard",
        created_at: str | None = None,
        tracking: dict[str, str] | None = None,
        country: str | None = "US",
        **more: Any,  # noqa: ANN401 - any field of an order
    ) -> None:
        """Add an order; with tracking, or with parcels among its fields, it has been shipped."""
        with self.lock:
            number = next(self._numbers)
            at = created_at or datetime.fromtimestamp(self._now(), UTC).isoformat()
            parcels = more.pop("fulfillments", [{"trackingInfo": [tracking]}] if tracking else [])
            for parcel in parcels:
                parcel.setdefault("id", f"gid://shopify/Fulfillment/{number}")
                parcel.setdefault("status", "SUCCESS")
                parcel.setdefault("displayStatus", "IN_TRANSIT")
                parcel.setdefault("createdAt", at)
                parcel.setdefault("trackingInfo", [])
                parcel["events"] = {"nodes": parcel.get("events", [])}
            self._orders.append(
                {
                    "id": f"gid://shopify/Order/{number}",
                    "name": name,
                    "createdAt": at,
                    "email": email,
                    "cancelledAt": None,
                    "tags": [],
                    "displayFinancialStatus": "PAID",
                    "displayFulfillmentStatus": "FULFILLED" if parcels else "UNFULFILLED",
                    "returnStatus": "NO_RETURN",
                    "disputes": [],
                    "subtotalLineItemsQuantity": 1,
                    "currentSubtotalLineItemsQuantity": 1,
                    "statusPageUrl": f"https://shop.example/orders/{number}",
                    "shippingLine": {"title": shipping, "code": shipping} if shipping else None,
                    "shippingAddress": {"countryCodeV2": country},
                    "edited": False,
                    "refunds": [],
                    "risk": {"recommendation": "NONE"},
                    "fulfillmentOrders": {
                        "nodes": [
                            {"status": "CLOSED" if parcels else "OPEN", "fulfillmentHolds": []}
                        ]
                    },
                    "fulfillments": parcels,
                    **more,
                }
            )

    def change_order(self, name: str, *, after: int = 0, fields: dict[str, Any]) -> None:
        """Change fields of an order, once so many more queries have been answered."""
        with self.lock:
            self._changes.append(OrderChange(name, after, fields))
            self._apply_changes()

    def _apply_changes(self) -> None:
        for change in [change for change in self._changes if change.after == 0]:
            self._changes.remove(change)
            for order in self._orders:
                if order["name"] == change.name:
                    order.update(change.fields)

    def fail_with(self, code: str, *, times: int = 1) -> None:
        """Answer the next queries with a GraphQL error and HTTP 200: THROTTLED, ACCESS_DENIED, ..."""
        with self.lock:
            self._errors += [code] * times

    def throttle(self, *, times: int = 1) -> None:
        """Throttle the next queries, as if the cost bucket were empty."""
        self.fail_with("THROTTLED", times=times)

    def end_tokens(self) -> None:
        """Expire every token issued so far."""
        with self.lock:
            self._tokens.clear()

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """``get_token``, ``graphql`` or ``unknown``."""
        match (request.method, *request.segments):
            case ("POST", "admin", "oauth", "access_token"):
                return "get_token"
            case ("POST", "admin", "api", version, "graphql.json") if _VERSION.fullmatch(version):
                return "graphql"
        return "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """401 without a valid token."""
        if operation != "graphql":
            return None
        ends = self._tokens.get(request.headers.get("x-shopify-access-token", ""), 0.0)
        if self._now() < ends:
            return None
        message = "[API] Invalid API key or access token (unrecognized login or wrong password)"
        return WireAnswer(401, {"errors": message})

    def error_body(self, status: int) -> dict[str, Any]:
        """The vendor's error body."""
        return {"errors": f"status {status}"}

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation."""
        match operation:
            case "get_token":
                return self._grant(request)
            case "graphql":
                return self._graphql(request.body)
        return WireAnswer(404, {"errors": "Not Found"})

    def _grant(self, request: Request) -> WireAnswer:
        raw = request.body if isinstance(request.body, str) else ""
        form = {name: values[-1] for name, values in parse_qs(raw).items()}
        if form.get("grant_type") != "client_credentials":
            return WireAnswer(400, {"error": "unsupported_grant_type"})
        if (form.get("client_id"), form.get("client_secret")) != self.credentials:
            return WireAnswer(401, {"error": "invalid_client"})
        token = f"shpat_{next(self._numbers):032x}"
        self._tokens[token] = self._now() + self.modes.token_seconds
        seconds = int(self.modes.token_seconds)
        scopes = self.modes.scopes
        return WireAnswer(200, {"access_token": token, "scope": scopes, "expires_in": seconds})

    def _graphql(self, body: Any) -> WireAnswer:  # noqa: ANN401
        if not isinstance(body, dict) or not isinstance(body.get("query"), str):
            return WireAnswer(400, {"errors": {"query": "Required parameter missing or invalid"}})
        if self._errors:
            code = self._errors.pop(0)
            message = code.replace("_", " ").capitalize()
            error = {"message": message, "extensions": {"code": code}}
            return WireAnswer(200, {"errors": [error], "extensions": self._cost(empty=True)})
        if self.modes.hides and re.search(rf"\b{self.modes.hides}\b", body["query"]):
            hidden = {
                "message": f"Access denied for {self.modes.hides} field.",
                "extensions": {"code": "ACCESS_DENIED"},
                "path": ["orders", "nodes", 0, self.modes.hides],
            }
            return WireAnswer(200, {"data": None, "errors": [hidden], "extensions": self._cost()})
        found = graphql.graphql_sync(
            _SCHEMA,
            body["query"],
            root_value={"orders": self._search},
            variable_values=body.get("variables"),
        )
        answer: dict[str, Any] = {"data": found.data, "extensions": self._cost()}
        for change in self._changes:
            change.after -= 1
        self._apply_changes()
        errors = [error.formatted for error in found.errors or ()]
        if not self.modes.shows_email and found.data:
            denied = "This app is not approved to access the Order object's email."
            errors.append({"message": denied, "extensions": {"code": "ACCESS_DENIED"}})
        return WireAnswer(200, {**answer, "errors": errors} if errors else answer)

    def _search(
        self,
        _info: object,
        *,
        first: int = 10,
        query: str = "",
        reverse: bool = False,
        **_more: Any,  # noqa: ANN401
    ) -> dict[str, Any]:
        """Orders whose fields start with the search terms; all orders without a term."""
        terms = dict(_terms(query))
        fits = [
            order
            for order in self._orders
            if all(
                str(order.get(field) or "").lower().startswith(value.lower())
                for field, value in terms.items()
            )
        ]
        fits.sort(key=lambda order: str(order["createdAt"]), reverse=reverse)
        shown = fits[:first]
        if not self.modes.shows_email:
            shown = [{**order, "email": None} for order in shown]
        return {"nodes": shown}

    def _cost(self, *, empty: bool = False) -> dict[str, Any]:
        available = 0 if empty else 2000
        return {
            "cost": {
                "requestedQueryCost": QUERY_COST,
                "actualQueryCost": None if empty else QUERY_COST,
                "throttleStatus": {
                    "maximumAvailable": 2000.0,
                    "currentlyAvailable": available,
                    "restoreRate": self.modes.restore_rate,
                },
            }
        }

    # --- driven from another process ------------------------------------------------------------

    def admin(self, request: Request) -> WireAnswer:
        """Adds orders and errors to the paths of every vendor."""
        match (request.method, *request.segments[1:]):
            case ("GET", "orders"):
                return WireAnswer(200, {"orders": self._orders})
            case ("POST", "orders"):
                self.add_order(**request.body)
                return WireAnswer(200, {"ok": True})
            case ("POST", "changes"):
                self.change_order(**request.body)
                return WireAnswer(200, {"ok": True})
            case ("POST", "errors"):
                self.fail_with(**request.body)
                return WireAnswer(200, {"ok": True})
        return super().admin(request)


def _terms(query: str) -> list[tuple[str, str]]:
    """Fields and values of a search; only the syntax used here is parsed."""
    return [
        (field, (quoted or bare).replace("\\'", "'").replace("\\\\", "\\"))
        for field, quoted, bare in _TERM.findall(query)
    ]


_TERM = re.compile(r"(\w+):(?:'((?:[^'\\]|\\.)*)'|(\S+))")
_VERSION = re.compile(r"\d{4}-(?:01|04|07|10)")
