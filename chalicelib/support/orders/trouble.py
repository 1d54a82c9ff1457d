"""Why nothing may be promised about an order: fixed codes from the words of shop and carrier; pure.

An order in trouble is left to a person, who can say what an automatic text cannot: that money is on
its way, that a parcel came back, or that the second one is late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OrderFacts:
    """What shop and carrier say of an order, in lower case with spaces; empty where they do not.

    Attributes:
        payment: e.g. ``partially refunded``.
        fulfillment: of the whole order, e.g. ``on hold``.
        returning: e.g. ``return requested``.
        parcels: the carrier's state of each parcel, e.g. ``in transit``.
        is_disputed: the customer's bank has opened a dispute.
        has_removed_lines: an item was cancelled or removed after the order was placed.
    """

    payment: str = ""
    fulfillment: str = ""
    returning: str = ""
    parcels: Sequence[str] = ()
    is_disputed: bool = False
    has_removed_lines: bool = False


def trouble_of(facts: OrderFacts) -> str:
    """The first code that applies, the gravest first; empty for an order that may be answered."""
    if facts.is_disputed:
        return "order_disputed"
    if facts.payment in _PAYMENTS:
        return _PAYMENTS[facts.payment]
    if facts.returning not in _NOT_RETURNING:
        return "order_return_in_progress"
    if facts.has_removed_lines:
        return "order_lines_cancelled"
    for shown in (facts.fulfillment, *facts.parcels):
        if shown in _STATES:
            return _STATES[shown]
    if len(facts.parcels) > 1 or facts.fulfillment in {"partially fulfilled", "partial"}:
        return "order_several_shipments"
    return ""


_PAYMENTS = {
    "refunded": "order_refunded",
    "partially refunded": "order_partly_refunded",
    "voided": "order_voided",
    "expired": "order_unpaid",
    "pending": "order_unpaid",
    "unpaid": "order_unpaid",
    "authorized": "order_unpaid",
    "partially paid": "order_unpaid",
}
_NOT_RETURNING = frozenset({"", "no return"})
_STATES = {
    "on hold": "order_on_hold",
    "request declined": "order_on_hold",
    "restocked": "order_restocked",
    "delivered": "order_delivered",
    "picked up": "order_delivered",
    "ready for pickup": "order_ready_for_pickup",
    "attempted delivery": "order_delivery_attempted",
    "delayed": "order_delivery_exception",
    "exception": "order_delivery_exception",
    "failure": "order_delivery_exception",
    "failed": "order_delivery_exception",
    "error": "order_delivery_exception",
    "not delivered": "order_delivery_exception",
    "lost": "order_delivery_exception",
    "damaged": "order_delivery_exception",
    "label voided": "order_delivery_exception",
    "canceled": "order_delivery_exception",
    "cancelled": "order_delivery_exception",
    "returned": "order_returned_to_sender",
    "returned to sender": "order_returned_to_sender",
    "return to sender": "order_returned_to_sender",
    "returning to sender": "order_returned_to_sender",
}
