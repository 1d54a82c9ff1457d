"""What is known of an order, and the ports through which it is looked up.

Order numbers, tracking numbers and links are personal data here: they are never logged, and of the
stored rows none holds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Order:
    """An order as its shop shows it.

    Attributes:
        name: what the customer calls it, e.g. ``#1001``.
        status: in a word for the customer: ``confirmed``, ``cancelled``, ...
        fulfillment_status: in words for the customer, e.g. ``in transit``; empty when not known.
        shipping_method: as the shop names it; its window of days is ours to know.
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

    @property
    def has_tracking(self) -> bool:
        """There is something to follow."""
        return bool(self.tracking_number or self.tracking_url)


@dataclass(frozen=True, slots=True)
class Lookup:
    """An order, or the fixed word why there is none to speak of: ``not_found``, ``not_theirs``."""

    order: Order | None
    reason: str = ""


class LinkedOrders(Protocol):
    """The order that Richpanel has linked to a ticket."""

    def linked_order(self, conversation_id: str) -> Order | None:
        """The order, or None when none is linked; raises `ProviderError`s."""
        ...


class ShopOrders(Protocol):
    """The shop's own orders."""

    def find_order(self, number: str, *, requester_email: str) -> Lookup:
        """The order of exactly this number **and** this customer; raises `ProviderError`s.

        Args:
            number: digits, without the shop's prefix.
            requester_email: whoever asks; another customer's order is ``not_theirs``.
        """
        ...
