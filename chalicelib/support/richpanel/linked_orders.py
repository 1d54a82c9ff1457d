"""The order that Richpanel has linked to a ticket.

Vendor facts (developer.richpanel.com/reference): ``GET /v1/order/{conversationId}`` returns
``{"orderId", "appClientId"}``, or ``{}`` when none is linked; ``GET
/v1/order/{appClientId}/{orderId}`` returns ``orderId, amount, status, fulfillmentStatus, statusUrl,
shippingMethod, createdAt`` and ``fulfillment[].tracking[]`` with ``trackingNumber,
trackingCompany, trackingUrl, shippingDate``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from chalicelib.errors import PermanentError
from chalicelib.support.orders.shop_order import Order
from chalicelib.support.orders.trouble import OrderFacts, trouble_of
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.rate_limit import Urgency

_DEADLINE_SECONDS = 10.0


class RichpanelOrders:
    """Implements `LinkedOrders`."""

    def __init__(self, client: VendorClient) -> None:
        self._client = client

    def linked_order(self, conversation_id: str) -> Order | None:
        """See `LinkedOrders.linked_order`."""
        link = self._get("read_order_link", quote(conversation_id, safe=""))
        order_id, app_client_id = _text(link.get("orderId")), _text(link.get("appClientId"))
        if not order_id or not app_client_id:
            return None
        path = f"{quote(app_client_id, safe='')}/{quote(order_id, safe='')}"
        try:
            return _order(order_id, self._get("read_order", path))
        except PermanentError:
            return None

    def _get(self, operation: str, path: str) -> Mapping[str, Any]:
        path = f"/v1/order/{path}"
        call = Call(operation, "GET", path, is_repeatable=True, urgency=Urgency.HIGH)
        return self._client.send(call, deadline_seconds=_DEADLINE_SECONDS)


def _order(order_id: str, raw: Mapping[str, Any]) -> Order:
    tracking = _tracking(raw)
    status = _words(raw.get("status"))
    return Order(
        name=_text(raw.get("orderId")) or order_id,
        created_at=_time(raw.get("createdAt")),
        status="cancelled" if status.startswith("cancel") else status,
        fulfillment_status=_words(raw.get("fulfillmentStatus")),
        shipping_method=_text(raw.get("shippingMethod")) or None,
        tracking_number=_text(tracking.get("trackingNumber")) or None,
        tracking_url=_text(tracking.get("trackingUrl")) or None,
        tracking_company=_text(tracking.get("trackingCompany")) or None,
        status_url=_text(raw.get("statusUrl")) or None,
        is_cancelled=status.startswith("cancel"),
        trouble=trouble_of(_facts(raw, status)),
        is_payment_known=bool(_payment(raw)),
    )


def _facts(raw: Mapping[str, Any], status: str) -> OrderFacts:
    """Richpanel shows a payment beside the order or as its status, and each parcel's own state."""
    return OrderFacts(
        payment=_payment(raw) or status,
        fulfillment=_words(raw.get("fulfillmentStatus")),
        returning=_words(raw.get("returnStatus")),
        parcels=[
            _words(parcel.get("shipmentStatus") or parcel.get("status"))
            for parcel in _objects(raw.get("fulfillment"))
        ],
    )


def _payment(raw: Mapping[str, Any]) -> str:
    return _words(raw.get("financialStatus")) or _words(raw.get("paymentStatus"))


def _words(value: object) -> str:
    return _text(value).lower().replace("_", " ")


def _tracking(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first parcel with a tracking number or address."""
    for parcel in _objects(raw.get("fulfillment")):
        for one in _objects(parcel.get("tracking")):
            if one.get("trackingNumber") or one.get("trackingUrl"):
                return one
    return {}


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
