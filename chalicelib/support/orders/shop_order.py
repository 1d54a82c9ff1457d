"""An order as its shop shows it, and the ports through which one is found.

A field that is None is unknown: the shop does not show it, or the app lacks a scope.  Nothing is said
about an order if a field that matters is unknown (`order_checks`).  Order numbers, tracking numbers and
links are personal data here: they are never logged or stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Tracking:
    """How a customer can track a parcel: carrier, number, link."""

    company: str | None = None
    number: str | None = field(default=None, repr=False)
    url: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CarrierEvent:
    """One report of a parcel's carrier, e.g. ``IN_TRANSIT``."""

    status: str | None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shipment:
    """One parcel of an order.

    Attributes:
        created_at: time of dispatch.
        shipment_status: the parcel's status, a value of Shopify's `FulfillmentDisplayStatus`.
        estimated_delivery_at: the carrier's estimate.
        events: the carrier's reports, in any order.
    """

    created_at: datetime | None = None
    shipment_status: str | None = None
    estimated_delivery_at: datetime | None = None
    tracking: tuple[Tracking, ...] | None = ()
    events: tuple[CarrierEvent, ...] | None = ()

    @property
    def first_tracking(self) -> tuple[int, Tracking] | None:
        """The parcel's first tracking with a number or link, and its place in the list.

        It is None where none has one.
        """
        listed = enumerate(self.tracking or ())
        return next(
            ((n, tracking) for n, tracking in listed if tracking.number or tracking.url), None
        )


@dataclass(frozen=True, slots=True)
class Order:
    """An order as its shop shows it; statuses are Shopify's own, in capital letters.

    Attributes:
        name: the number as the customer writes it, e.g. ``#1001``.
        country: the destination's code, ISO 3166-1 alpha-2.
        shipping_method: the shop's name of the shipping method.
        holds: reasons why fulfilment is on hold.
        refunds: one word for each refund.
        returns: the status of each return.
        disputes: the status of each dispute.
        warehouse: the status of each fulfilment order.
        risk: Shopify's recommendation, e.g. ``INVESTIGATE``.
        is_edited: lines were added, changed or cancelled after the order was placed.
        path: the path under which proofs name the order, e.g. ``orders[1]``; by default by its
            place among the orders asked about.
    """

    name: str = field(repr=False)
    email: str | None = field(default=None, repr=False)
    created_at: datetime | None = None
    cancelled_at: datetime | None = None
    financial_status: str | None = None
    fulfillment_status: str | None = None
    country: str | None = None
    shipping_method: str | None = None
    tags: tuple[str, ...] | None = ()
    holds: tuple[str, ...] | None = ()
    refunds: tuple[str, ...] | None = ()
    returns: tuple[str, ...] | None = ()
    disputes: tuple[str, ...] | None = ()
    fulfillments: tuple[Shipment, ...] | None = ()
    warehouse: tuple[str, ...] | None = ()
    risk: str | None = "NONE"
    is_edited: bool | None = False
    status_url: str | None = field(default=None, repr=False)
    path: str = ""


@dataclass(frozen=True, slots=True)
class Lookup:
    """The result of looking up an order: the order, or a code for why there is none, e.g. ``not_found``."""

    order: Order | None
    reason: str = ""


class LinkedOrders(Protocol):
    """The port that finds the order which Richpanel has linked to a ticket."""

    def linked_order(self, conversation_id: str) -> str | None:
        """The number, without ``#``, of the order linked to a ticket; None when no order is linked.

        Raises `ProviderError`s.
        """
        ...


class OrderSearch(Protocol):
    """The port that finds an order in the shop."""

    def find_order(self, number: str, *, requester_email: str) -> Lookup:
        """Find the order with exactly this number, if it belongs to the customer with this address.

        Otherwise the result has a reason code and no order.  Raises `ProviderError`s.
        """
        ...
