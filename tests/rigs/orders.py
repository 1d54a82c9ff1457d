"""Orders as a shop shows them, in time and without trouble unless a test says otherwise."""

from dataclasses import replace
from datetime import UTC, datetime

from chalicelib.support.orders.shop_order import CarrierEvent, Order, Shipment, Tracking

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)  # a Wednesday
ADA = "ada@example.com"
UPS = Tracking("UPS", "1Z5550001", "https://carrier.example/t/1")
DHL = Tracking("DHL", "ZZ5550002", "https://carrier.example/t/2")


def november(day, hour=9):
    """A moment of the month."""
    return datetime(2026, 11, day, hour, tzinfo=UTC)


def parcel(status="IN_TRANSIT", *events, at=16, estimate=None, **fields):
    """A parcel dispatched on a day of November, a Monday by default; `events` are the carrier's."""
    given = {"tracking": (UPS,), **fields}
    return Shipment(
        created_at=november(at),
        shipment_status=status,
        estimated_delivery_at=None if estimate is None else november(estimate),
        events=tuple(CarrierEvent(event, november(17)) for event in events),
        **given,
    )


def sent(*parcels, **fields):
    """An order on its way; by default in one parcel."""
    given = {"fulfillment_status": "FULFILLED", "fulfillments": parcels or (parcel(),), **fields}
    return waiting(placed=13, **given)


def waiting(placed=17, **fields):
    """An order that has not left, placed on a day of November, by default yesterday."""
    order = Order(
        "#1001",
        email=ADA,
        created_at=november(placed),
        financial_status="PAID",
        fulfillment_status="UNFULFILLED",
        country="US",
        shipping_method="Standard Shipping",
        status_url="https://shop.example/orders/1",
    )
    return replace(order, **fields)
