"""The template and values that answer a customer's question about an order; pure.

An answer needs the order's number and time, and either a tracking number or link or a shipping
method with a known window of days.  It says only what is true and will stay true: an order in
trouble, or one whose window is over, is left to a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from chalicelib.support import reasons as why
from chalicelib.support.orders import delivery_time
from chalicelib.support.orders.dates import written
from chalicelib.support.orders.delivery_time import DEFAULT_CALENDAR, DeliveryCalendar
from chalicelib.support.orders.shop_order import Order


@dataclass(frozen=True, slots=True)
class TemplateAnswer:
    """A template and its values."""

    template_id: str
    values: Mapping[str, str | None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no answer: a reason, and the missing facts."""

    reason: str
    missing: tuple[str, ...] = ()


def order_answer(
    order: Order,
    intent: str,
    now: datetime,
    language: Literal["en", "es"] = "en",
    calendar: DeliveryCalendar = DEFAULT_CALENDAR,
) -> TemplateAnswer | NoAnswer:
    """The answer to a question about an order's status."""
    if order.is_cancelled:
        return NoAnswer(why.ORDER_CANCELLED)
    if order.trouble:
        return NoAnswer(order.trouble)
    window = delivery_time.window_of(order.shipping_method, calendar)
    missing = _missing(order, window)
    if missing or order.created_at is None:
        return NoAnswer(why.LOOKUP_INCOMPLETE, missing)
    values = {
        "order_id": order.name,
        "order_status": _translated(order.status or "confirmed", language),
        "fulfillment_status": _translated(order.fulfillment_status, language),
        "order_created_at": written(
            calendar.today(order.created_at), calendar.today(now), language
        ),
    }
    left = delivery_time.remaining(
        window or delivery_time.UNKNOWN_METHOD,
        calendar.day_of_order(order.created_at),
        calendar.today(now),
        is_preorder=order.is_preorder,
        calendar=calendar,
    )
    if left.high == 0:
        return NoAnswer(why.DELIVERY_WINDOW_OVER)
    if order.has_tracking:
        tracking = {
            "tracking_number": order.tracking_number,
            "tracking_url": order.tracking_url or carrier_link(order),
            "tracking_company": order.tracking_company,
            "status_url": order.status_url,
        }
        return TemplateAnswer("t_order_status_verified", values | tracking)
    if not _can_be_awaited(order, intent):
        return NoAnswer(why.NOTHING_TO_FOLLOW)
    if intent == "shipping_delay_not_shipped":
        state = values["fulfillment_status"] or _translated("unfulfilled", language)
        return TemplateAnswer("t_shipping_delay_verified", values | {"fulfillment_status": state})
    if window is None:  # pragma: no cover - `_missing` covers it
        return NoAnswer(why.LOOKUP_INCOMPLETE, ("shipping_method_bucket",))
    bucket = "Pre-order" if order.is_preorder else window.bucket
    waiting = {
        "shipping_bucket": bucket,
        "eta_remaining_human": delivery_time.human(left, language),
    }
    return TemplateAnswer("t_order_eta_no_tracking_verified", values | waiting)


def carrier_link(order: Order) -> str | None:
    """The tracking link for a number of a known carrier."""
    company = (order.tracking_company or "").lower()
    link = next((link for name, link in _CARRIERS.items() if name in company), None)
    if link is None or not order.tracking_number or not order.tracking_number.isalnum():
        return None
    return link + order.tracking_number


def _can_be_awaited(order: Order, intent: str) -> bool:
    """Whether the text for an order without tracking is true: not sent yet, or not arrived yet."""
    if intent == "shipping_delay_not_shipped":
        return order.fulfillment_status in _NOT_SENT
    return order.fulfillment_status not in _OVER


def _missing(order: Order, window: delivery_time.Window | None) -> tuple[str, ...]:
    missing = [] if order.name else ["order_id"]
    if order.created_at is None:
        missing.append("created_at")
    if not order.has_tracking and not order.shipping_method:
        missing.append("tracking_or_shipping_method")
    elif not order.has_tracking and window is None:
        missing.append("shipping_method_bucket")
    return tuple(missing)


def _translated(status: str, language: str) -> str:
    return _SPANISH.get(status, status) if language == "es" else status


_CARRIERS: Mapping[str, str] = {
    "fedex": "https://www.fedex.com/fedextrack/?trknbr=",
    "usps": "https://tools.usps.com/go/TrackConfirmAction?tLabels=",
    "ups": "https://www.ups.com/track?tracknum=",
    "dhl": "https://www.dhl.com/en/express/tracking.html?AWB=",
}
_NOT_SENT = frozenset(
    {
        "",
        "unfulfilled",
        "open",
        "pending",
        "pending fulfillment",
        "in progress",
        "on hold",
        "scheduled",
        "submitted",
        "confirmed",
        "label purchased",
        "label printed",
    }
)
"""Fulfillment statuses of Shopify and Richpanel for an order that is still with the shop."""
_OVER = frozenset(
    {
        "delivered",
        "picked up",
        "ready for pickup",
        "attempted delivery",
        "not delivered",
        "failure",
        "restocked",
    }
)
"""Their statuses for an order whose arrival cannot be promised."""
_SPANISH: Mapping[str, str] = {
    "confirmed": "confirmado",
    "fulfilled": "enviado",
    "unfulfilled": "en preparación",
    "partially fulfilled": "enviado en parte",
    "in transit": "en camino",
    "out for delivery": "en reparto",
    "delivered": "entregado",
    "label printed": "etiqueta creada",
    "attempted delivery": "entrega intentada",
    "on hold": "en espera",
    "scheduled": "programado",
}
