"""A shop and its vendors made of what a line gives, so that the worker's own code looks orders up.

The orders are answered as Shopify's GraphQL answers them: what reads them is the worker's client.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.support.orders.shop_order import Order
from chalicelib.support.orders.shopify import PROVIDER, Shopify
from chalicelib.vendors.http import Call, VendorClient
from ops.support.decide_lines import GivenFulfillment, GivenOrder, Stated

_UNREADABLE = "unreadable"
_SETTLED = frozenset({"CLOSED", "CANCELED", "DECLINED", "NO_RETURN", "RETURNED"})
"""States of a return that is over or was never begun."""


@dataclass(frozen=True, slots=True)
class StillClock:
    """A clock that shows the line's own time."""

    at: datetime

    def now(self) -> datetime:
        """The line's time."""
        return self.at

    def monotonic(self) -> float:
        """The same in seconds."""
        return self.at.timestamp()

    def sleep(self, seconds: float) -> None:
        """Nothing waits."""
        del seconds


class ForgetfulTable:
    """A table in which nothing is kept: no limit is ever reached, and no lookup cached."""

    name = "none"

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> None:
        """Nothing is there."""
        del key, consistent

    def put(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> None:
        """Nothing is kept."""
        del item, condition, values


@dataclass(frozen=True, slots=True)
class GivenShop:
    """The shop's door, with the orders of a line.

    Attributes:
        orders: None where the shop cannot be read.
    """

    orders: Sequence[GivenOrder] | None

    def send(self, call: Call, *, deadline_seconds: float) -> Mapping[str, Any]:
        """Every order of the line; the client picks the one that it looks for."""
        del deadline_seconds
        if self.orders is None:
            raise TransientError(PROVIDER, call.operation, reason=_UNREADABLE)
        return {"data": {"orders": {"nodes": [_node(one) for one in self.orders]}}}


@dataclass(frozen=True, slots=True)
class OnlyOrder:
    """`LinkedOrders`: the customer's only order counts as the one linked to the ticket."""

    shop: Shopify
    orders: Sequence[GivenOrder] | None
    email: str | None

    def linked_order(self, conversation_id: str) -> Order | None:
        """See `LinkedOrders.linked_order`."""
        del conversation_id
        theirs = [one for one in self.orders or () if self.email and _is_of(one, self.email)]
        if len(theirs) != 1 or self.email is None:
            return None
        return self.shop.find_order(theirs[0].name.lstrip("#"), requester_email=self.email).order


def shop_of(orders: Sequence[GivenOrder] | None, clock: StillClock) -> Shopify:
    """The worker's client over a line's orders."""
    client = cast("VendorClient", GivenShop(orders))
    return Shopify(client=client, clock=clock, api_version="given")


def _is_of(order: GivenOrder, email: str) -> bool:
    return (order.email or "").strip().lower() == email.strip().lower()


def _node(order: GivenOrder) -> dict[str, Any]:
    """An order as Shopify's GraphQL has it."""
    refunds, returns = order.refunds or [], order.returns or []
    is_returning = any(_status(one) not in _SETTLED for one in returns)
    payment = order.financial_status
    if refunds and payment == "PAID":
        payment = "PARTIALLY_REFUNDED"
    return {
        "id": f"gid://shopify/Order/{order.name.lstrip('#')}",
        "name": f"#{order.name.lstrip('#')}",
        "email": order.email,
        "createdAt": _time(order.created_at),
        "cancelledAt": _time(order.cancelled_at),
        "tags": order.tags or [],
        "displayFinancialStatus": payment,
        "displayFulfillmentStatus": "ON_HOLD" if order.holds else order.fulfillment_status,
        "returnStatus": "IN_PROGRESS" if is_returning else "NO_RETURN",
        "returns": {"nodes": [_stated(one) for one in returns]},
        "refunds": [_stated(one) for one in refunds],
        "disputes": [_stated(one) for one in order.disputes or []],
        "subtotalLineItemsQuantity": 1,
        "currentSubtotalLineItemsQuantity": 1,
        "shippingLine": {"title": order.shipping_method},
        "shippingAddress": {"countryCodeV2": order.country},
        "fulfillmentOrders": {
            "nodes": [
                {"status": "ON_HOLD", "fulfillmentHolds": [_stated(one)]}
                for one in order.holds or []
            ]
        },
        "fulfillments": [_parcel(one) for one in order.fulfillments or []],
    }


def _parcel(parcel: GivenFulfillment) -> dict[str, Any]:
    return {
        "status": "SUCCESS",
        "displayStatus": parcel.shipment_status,
        "createdAt": _time(parcel.created_at),
        "estimatedDeliveryAt": _time(parcel.estimated_delivery_at),
        "trackingInfo": [one.model_dump() for one in parcel.tracking],
        "events": {
            "nodes": [{"status": one.status, "happenedAt": _time(one.at)} for one in parcel.events]
        },
    }


def _stated(one: Stated) -> dict[str, Any]:
    return {"status": one, "reason": one} if isinstance(one, str) else dict(one)


def _status(one: Stated) -> str:
    return str(_stated(one).get("status") or "").upper()


def _time(at: datetime | None) -> str | None:
    return iso(at) if at else None
