"""An order, and the ports through which one is looked up.

Order numbers, tracking numbers and links are personal data here: they are never logged or stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Order:
    """An order as its shop shows it.

    Attributes:
        name: the number as the customer writes it, e.g. ``#1001``.
        status: one word for the customer: ``confirmed``, ``cancelled``, ...
        fulfillment_status: words for the customer, e.g. ``in transit``; empty when unknown.
        shipping_method: as the shop names it; `delivery_time` knows its window of days.
        trouble: why nothing may be promised about it, a code of `trouble`; empty when nothing is
            known that speaks against it.
        is_payment_known: the source says whether it is paid; a linked order's may not.
    """

    name: str = field(repr=False)
    created_at: datetime | None = None
    status: str = ""
    fulfillment_status: str = ""
    shipping_method: str | None = None
    tracking_number: str | None = field(default=None, repr=False)
    tracking_url: str | None = field(default=None, repr=False)
    tracking_company: str | None = None
    status_url: str | None = field(default=None, repr=False)
    is_cancelled: bool = False
    is_preorder: bool = False
    trouble: str = ""
    is_payment_known: bool = True

    @property
    def has_tracking(self) -> bool:
        """There is a tracking number or link."""
        return bool(self.tracking_number or self.tracking_url)


@dataclass(frozen=True, slots=True)
class Lookup:
    """An order, or the fixed code why there is none: ``not_found``, ``not_theirs``."""

    order: Order | None
    reason: str = ""


class LinkedOrders(Protocol):
    """The order that Richpanel has linked to a ticket."""

    def linked_order(self, conversation_id: str) -> Order | None:
        """The order, or None when none is linked; raises `ProviderError`s."""
        ...
