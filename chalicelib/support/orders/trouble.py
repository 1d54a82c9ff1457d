"""Why nothing may be promised about an order: fixed codes from the words of shop and carrier; pure.

An order in trouble is left to a person, who can say what an automatic text cannot: that money is on
its way, that a parcel came back, or that the second one is late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.support import reasons as why


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
        return why.ORDER_DISPUTED
    if facts.payment in _PAYMENTS:
        return _PAYMENTS[facts.payment]
    if facts.returning not in _NOT_RETURNING:
        return why.ORDER_RETURNING
    if facts.has_removed_lines:
        return why.ORDER_LINES_CANCELLED
    for shown in (facts.fulfillment, *facts.parcels):
        if shown in _STATES:
            return _STATES[shown]
    if len(facts.parcels) > 1 or facts.fulfillment in {"partially fulfilled", "partial"}:
        return why.ORDER_SEVERAL_SHIPMENTS
    return ""


_PAYMENTS = {
    "refunded": why.ORDER_REFUNDED,
    "partially refunded": why.ORDER_PARTLY_REFUNDED,
    "voided": why.ORDER_VOIDED,
    "expired": why.ORDER_UNPAID,
    "pending": why.ORDER_UNPAID,
    "unpaid": why.ORDER_UNPAID,
    "authorized": why.ORDER_UNPAID,
    "partially paid": why.ORDER_UNPAID,
}
_NOT_RETURNING = frozenset({"", "no return"})
_STATES = {
    "on hold": why.ORDER_ON_HOLD,
    "request declined": why.ORDER_ON_HOLD,
    "restocked": why.ORDER_RESTOCKED,
    "delivered": why.ORDER_DELIVERED,
    "picked up": why.ORDER_DELIVERED,
    "ready for pickup": why.ORDER_READY_FOR_PICKUP,
    "attempted delivery": why.ORDER_DELIVERY_ATTEMPTED,
    "delayed": why.ORDER_DELIVERY_EXCEPTION,
    "exception": why.ORDER_DELIVERY_EXCEPTION,
    "failure": why.ORDER_DELIVERY_EXCEPTION,
    "failed": why.ORDER_DELIVERY_EXCEPTION,
    "error": why.ORDER_DELIVERY_EXCEPTION,
    "not delivered": why.ORDER_DELIVERY_EXCEPTION,
    "lost": why.ORDER_DELIVERY_EXCEPTION,
    "damaged": why.ORDER_DELIVERY_EXCEPTION,
    "label voided": why.ORDER_DELIVERY_EXCEPTION,
    "canceled": why.ORDER_DELIVERY_EXCEPTION,
    "cancelled": why.ORDER_DELIVERY_EXCEPTION,
    "returned": why.ORDER_RETURNED_TO_SENDER,
    "returned to sender": why.ORDER_RETURNED_TO_SENDER,
    "return to sender": why.ORDER_RETURNED_TO_SENDER,
    "returning to sender": why.ORDER_RETURNED_TO_SENDER,
}
