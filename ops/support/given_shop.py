"""A shop made of a given line's orders, a still clock and a table that stores nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chalicelib.errors import TransientError
from chalicelib.support import reasons as why
from chalicelib.support.orders.access_tokens import PROVIDER
from chalicelib.support.orders.given_order import GivenOrder, given_order
from chalicelib.support.orders.shop_order import Lookup

UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class StillClock:
    """A clock that shows the line's own time."""

    at: datetime

    def now(self) -> datetime:
        """The line's time, always the same."""
        return self.at

    def monotonic(self) -> float:
        """The line's time in epoch seconds."""
        return self.at.timestamp()

    def sleep(self, seconds: float) -> None:
        """Return at once."""
        del seconds


class ForgetfulTable:
    """A table that stores nothing, so that no limit is reached and no lookup is cached."""

    name = "none"

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> None:
        """Find nothing."""
        del key, consistent

    def put(self, item: Mapping[str, Any], *, condition: str = "", **values: object) -> None:
        """Store nothing."""
        del item, condition, values


@dataclass(frozen=True, slots=True)
class GivenShop:
    """`OrderSearch` and `LinkedOrders` over the orders of a line.

    Attributes:
        orders: the shop's orders; None for an unreadable shop.
        email: the customer's address; a single order of it counts as linked to the ticket.
    """

    orders: Sequence[GivenOrder] | None
    email: str | None

    def find_order(self, number: str, *, requester_email: str) -> Lookup:
        """The order of a number if it is the requester's; else a code for why not."""
        if self.orders is None:
            raise TransientError(PROVIDER, "find_order", reason=UNREADABLE)
        named = [
            (place, order) for place, order in enumerate(self.orders) if _number(order) == number
        ]
        if not named:
            return Lookup(None, why.NOT_FOUND)
        theirs = [(place, order) for place, order in named if _is_of(order, requester_email)]
        if not theirs:
            return Lookup(None, why.NOT_THEIRS)
        place, order = theirs[0]
        return Lookup(given_order(order.model_dump(), f"orders[{place}]"))

    def linked_order(self, conversation_id: str) -> str | None:
        """The number of the customer's order if there is exactly one; every conversation has the same."""
        del conversation_id
        theirs = [order for order in self.orders or () if self.email and _is_of(order, self.email)]
        return _number(theirs[0]) if len(theirs) == 1 else None


def _number(order: GivenOrder) -> str:
    return order.name.strip().lstrip("#")


def _is_of(order: GivenOrder, email: str) -> bool:
    return (order.email or "").strip().lower() == email.strip().lower()
