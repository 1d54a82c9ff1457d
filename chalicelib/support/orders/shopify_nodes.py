"""Shopify's responses to a search for orders, and the orders in them.

A field that is missing or malformed is unknown; see `shop_order`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from chalicelib.support.orders.shop_order import CarrierEvent, Order, Shipment, Tracking
from chalicelib.vendors.lenient import LENIENT, as_object, as_objects

MOST_PARTS = 5
"""Parcels and fulfilment orders that are requested; an order with as many may have more."""


def _listed(value: object) -> list[object] | None:
    """The objects in a list of a response; None if it is no list of objects."""
    return as_objects(value) if isinstance(value, list) else None


def _shown(value: object) -> object:
    return value if isinstance(value, dict) else None


class _Raw(BaseModel):
    model_config = LENIENT


class _TrackingInfo(_Raw):
    number: str | None = Field(default=None, repr=False)
    url: str | None = Field(default=None, repr=False)
    company: str | None = None


class _Event(_Raw):
    status: str | None = None
    happened_at: datetime | None = Field(default=None, validation_alias="happenedAt")
    estimate: datetime | None = Field(default=None, validation_alias="estimatedDeliveryAt")


class _Events(_Raw):
    nodes: Annotated[list[_Event] | None, BeforeValidator(_listed)] = None


class _Fulfillment(_Raw):
    status: str | None = None
    display_status: str | None = Field(default=None, validation_alias="displayStatus")
    created_at: datetime | None = Field(default=None, validation_alias="createdAt")
    estimate: datetime | None = Field(default=None, validation_alias="estimatedDeliveryAt")
    tracking: Annotated[list[_TrackingInfo] | None, BeforeValidator(_listed)] = Field(
        default=None, validation_alias="trackingInfo"
    )
    events: Annotated[_Events, BeforeValidator(as_object)] = _Events()


class _Hold(_Raw):
    reason: str = "OTHER"


class _FulfillmentOrder(_Raw):
    status: str = ""
    holds: Annotated[list[_Hold] | None, BeforeValidator(_listed)] = Field(
        default=None, validation_alias="fulfillmentHolds"
    )


class _FulfillmentOrders(_Raw):
    nodes: Annotated[list[_FulfillmentOrder] | None, BeforeValidator(_listed)] = None


class _ShippingLine(_Raw):
    title: str | None = None


class _Address(_Raw):
    country: str | None = Field(default=None, validation_alias="countryCodeV2")


class _Risk(_Raw):
    recommendation: str | None = None


class _Status(_Raw):
    status: str = ""


class ShopNode(_Raw):
    """An order in Shopify's response to a search."""

    name: str | None = Field(default=None, repr=False)
    email: str | None = Field(default=None, repr=False)
    created_at: datetime | None = Field(default=None, validation_alias="createdAt")
    cancelled_at: datetime | None = Field(default=None, validation_alias="cancelledAt")
    tags: list[str] | None = None
    is_edited: bool | None = Field(default=None, validation_alias="edited")
    payment_status: str | None = Field(default=None, validation_alias="displayFinancialStatus")
    fulfillment_status: str | None = Field(
        default=None, validation_alias="displayFulfillmentStatus"
    )
    return_status: str | None = Field(default=None, validation_alias="returnStatus")
    status_url: str | None = Field(default=None, repr=False, validation_alias="statusPageUrl")
    ordered_items: int | None = Field(default=None, validation_alias="subtotalLineItemsQuantity")
    current_items: int | None = Field(
        default=None, validation_alias="currentSubtotalLineItemsQuantity"
    )
    address: Annotated[_Address, BeforeValidator(as_object)] = Field(
        default=_Address(), validation_alias="shippingAddress"
    )
    disputes: Annotated[list[_Status] | None, BeforeValidator(_listed)] = None
    refunds: Annotated[list[_Raw] | None, BeforeValidator(_listed)] = None
    risk: Annotated[_Risk, BeforeValidator(as_object)] = _Risk()
    shipping_line: Annotated[_ShippingLine, BeforeValidator(as_object)] = Field(
        default=_ShippingLine(), validation_alias="shippingLine"
    )
    warehouse: Annotated[_FulfillmentOrders, BeforeValidator(as_object)] = Field(
        default=_FulfillmentOrders(), validation_alias="fulfillmentOrders"
    )
    fulfillments: Annotated[list[_Fulfillment] | None, BeforeValidator(_listed)] = None


class _Nodes(_Raw):
    nodes: Annotated[list[ShopNode], BeforeValidator(as_objects)] = []


class _Data(_Raw):
    orders: Annotated[_Nodes, BeforeValidator(as_object)] = _Nodes()


class _Extensions(_Raw):
    code: str = "unknown"


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


class _Error(_Raw):
    path: Annotated[list[Any], BeforeValidator(_as_list)] = []
    extensions: Annotated[_Extensions, BeforeValidator(as_object)] = _Extensions()


class _Throttle(_Raw):
    available: float = Field(default=0, validation_alias="currentlyAvailable")
    restore_rate: float = Field(default=0, validation_alias="restoreRate")


class _Cost(_Raw):
    requested: float = Field(default=0, validation_alias="requestedQueryCost")
    throttle: Annotated[_Throttle, BeforeValidator(as_object)] = Field(
        default=_Throttle(), validation_alias="throttleStatus"
    )


class _AnswerExtensions(_Raw):
    cost: Annotated[_Cost, BeforeValidator(as_object)] = _Cost()


class ShopAnswer(_Raw):
    """Shopify's response to a search for orders."""

    data: Annotated[_Data, BeforeValidator(as_object)] = _Data()
    errors: Annotated[list[_Error], BeforeValidator(as_objects)] = []
    extensions: Annotated[_AnswerExtensions, BeforeValidator(as_object)] = _AnswerExtensions()

    def hidden(self, fields: Mapping[str, str]) -> str | None:
        """The name, from `fields`, of the first field of the response that the app may not see.

        None where the response has no error, or any other one.
        """
        names = [
            next((fields[part] for part in reversed(error.path) if part in fields), None)
            if error.extensions.code == "ACCESS_DENIED"
            else None
            for error in self.errors
        ]
        return names[0] if names and None not in names else None


def order_of(node: ShopNode) -> Order:
    """The `Order` that a node of Shopify's response describes."""
    return Order(
        name=node.name or "",
        email=node.email,
        created_at=node.created_at,
        cancelled_at=node.cancelled_at,
        financial_status=node.payment_status,
        fulfillment_status=node.fulfillment_status,
        country=node.address.country,
        shipping_method=node.shipping_line.title,
        tags=None if node.tags is None else tuple(node.tags),
        holds=_holds(node.warehouse.nodes),
        refunds=None if node.refunds is None else ("refund",) * len(node.refunds),
        returns=None if node.return_status is None else (node.return_status,),
        disputes=None
        if node.disputes is None
        else tuple(dispute.status for dispute in node.disputes),
        fulfillments=_parcels(node.fulfillments),
        warehouse=tuple(part.status for part in node.warehouse.nodes or ()),
        risk=node.risk.recommendation,
        is_edited=_is_edited(node),
        status_url=node.status_url,
    )


def _is_edited(node: ShopNode) -> bool | None:
    if None in (node.is_edited, node.ordered_items, node.current_items):
        return None
    return bool(node.is_edited) or node.ordered_items != node.current_items


def _holds(nodes: list[_FulfillmentOrder] | None) -> tuple[str, ...] | None:
    """The reasons why an order is on hold.

    Returns None where they are not known, as without any visible fulfilment order.
    """
    if not nodes or len(nodes) >= MOST_PARTS or any(node.holds is None for node in nodes):
        return None
    return tuple(hold.reason for node in nodes for hold in node.holds or ())


def _parcels(given: list[_Fulfillment] | None) -> tuple[Shipment, ...] | None:
    if given is None or len(given) >= MOST_PARTS:
        return None
    return tuple(_shipments(given))


def _shipments(given: list[_Fulfillment]) -> Iterator[Shipment]:
    """The parcels of an order, without cancelled ones; a failed parcel's status is its failure."""
    for fulfillment in given:
        if fulfillment.status == "CANCELLED":
            continue
        events = fulfillment.events.nodes
        estimates = [event.estimate for event in events or () if event.estimate]
        yield Shipment(
            created_at=fulfillment.created_at,
            shipment_status=fulfillment.display_status
            if fulfillment.status == "SUCCESS"
            else fulfillment.status,
            estimated_delivery_at=estimates[0] if estimates else fulfillment.estimate,
            tracking=None
            if fulfillment.tracking is None
            else tuple(Tracking(t.company, t.number, t.url) for t in fulfillment.tracking),
            events=None
            if events is None
            else tuple(CarrierEvent(event.status, event.happened_at) for event in events),
        )
