"""A conversation that a person types into a form, and its line for `support decide`; pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from werkzeug.datastructures import MultiDict

from chalicelib.clock import iso
from console.forms import is_number
from ops.session import EXIT_UNUSABLE, OpsError

MOST_MESSAGES, LONGEST_MESSAGE = 10, 8_000
LONGEST_LINE, LONGEST_ORDERS = 300, 60_000
MOST_DAYS = 3_650
WRITERS: Mapping[str, str] = {
    "customer": "the customer",
    "agent": "a colleague",
    "machine": "automation",
}


class OrdersGiven(StrEnum):
    """How the form gives the shop's orders."""

    FIELDS = "fields"
    NONE = "none"
    JSON = "json"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class TypedMessage:
    """One typed message; it is ignored where the text is empty."""

    by: str = "customer"
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class TypedOrder:
    """An order given by a few fields; all others are those of a paid order without trouble.

    Attributes:
        ordered: days ago.
        sent: days ago; empty while it has not been shipped.
        status: the parcel's, in Shopify's word; empty where the carrier reports nothing.
    """

    number: str = field(default="1042", repr=False)
    ordered: str = "4"
    sent: str = "3"
    status: str = "IN_TRANSIT"
    method: str = "Standard"
    country: str = "US"

    def row(self, email: str, now: datetime) -> dict[str, Any]:
        """The order as an element of a line's ``orders``.

        Raises:
            OpsError: names the field that is wrong.
        """
        ordered = _days("ordered", self.ordered)
        sent = _days("sent", self.sent) if self.sent else None
        if sent is not None and sent > ordered:
            raise _wrong("sent", "not before it was ordered")
        for name in ("number", "method", "country"):
            _limited(name, getattr(self, name))
        return {
            "name": f"#{self.number.lstrip('#')}",
            "email": email,
            "created_at": iso(now - timedelta(days=ordered)),
            "cancelled_at": None,
            "financial_status": "PAID",
            "fulfillment_status": "UNFULFILLED" if sent is None else "FULFILLED",
            "country": self.country or None,
            "tags": [],
            "shipping_method": self.method or None,
            **{name: [] for name in ("holds", "refunds", "returns", "disputes")},
            "fulfillments": [] if sent is None else [self._parcel(now - timedelta(days=sent))],
        }

    def _parcel(self, left: datetime) -> dict[str, Any]:
        status = self.status or None
        return {
            "created_at": iso(left),
            "shipment_status": status,
            "tracking": [{"company": "UPS", "number": "1Z999AA10123456784"}],
            "events": [{"status": status, "at": iso(left)}] if status else [],
        }


@dataclass(frozen=True, slots=True)
class TypedConversation:
    """The form's fields, as they were typed.

    Attributes:
        shop: one of `OrdersGiven`.
        order: used where `shop` is ``fields``.
        orders: JSON; used where `shop` is ``json``.
    """

    subject: str = field(default="", repr=False)
    email: str = field(default="jo@example.com", repr=False)
    messages: Sequence[TypedMessage] = (TypedMessage(),)
    shop: str = OrdersGiven.FIELDS
    order: TypedOrder = TypedOrder()
    orders: str = field(default="", repr=False)

    @classmethod
    def of(cls, form: MultiDict[str, str]) -> TypedConversation:
        """The fields of a posted form; a missing field is empty."""
        texts = [text.replace("\r\n", "\n") for text in form.getlist("text")[: MOST_MESSAGES + 1]]
        writers = [*form.getlist("from"), *([""] * len(texts))]
        order = {name: form.get(name, "").strip() for name in TypedOrder.__slots__}
        return cls(
            subject=form.get("subject", "").strip(),
            email=form.get("email", "").strip(),
            messages=[TypedMessage(*message) for message in zip(writers, texts, strict=False)],
            shop=form.get("shop", ""),
            order=TypedOrder(**order),
            orders=form.get("orders", ""),
        )

    def line(self, now: datetime) -> str:
        """The conversation as a line of `support decide`: messages a minute apart, the last one now.

        Raises:
            OpsError: names the field that is wrong, never its value.
        """
        _limited("subject", self.subject)
        _limited("email", self.email)
        written = [message for message in self.messages if message.text.strip()]
        if not 1 <= len(written) <= MOST_MESSAGES:
            raise _wrong("text", f"1 to {MOST_MESSAGES} messages")
        messages = []
        for number, typed in enumerate(written):
            _limited("text", typed.text, LONGEST_MESSAGE)
            at = now - timedelta(minutes=len(written) - 1 - number)
            messages.append({"at": iso(at), "from": typed.by, "text": typed.text})
        return json.dumps(
            {
                "id": "typed",
                "now": iso(now),
                "ticket": {"subject": self.subject},
                "customer": {"email": self.email or None},
                "messages": messages,
                "orders": self._orders(now),
            }
        )

    def _orders(self, now: datetime) -> object:
        match self.shop:
            case OrdersGiven.FIELDS:
                return [self.order.row(self.email, now)]
            case OrdersGiven.NONE:
                return []
            case OrdersGiven.UNREADABLE:
                return None
            case OrdersGiven.JSON:
                _limited("orders", self.orders, LONGEST_ORDERS)
                try:
                    return json.loads(self.orders)
                except (ValueError, RecursionError):
                    raise _wrong("orders", "it is no JSON") from None
        raise _wrong("shop", f"one of {', '.join(OrdersGiven)}")


def _days(name: str, given: str) -> int:
    if not is_number(given) or int(given) > MOST_DAYS:
        raise _wrong(name, f"days as a number, 0 to {MOST_DAYS}")
    return int(given)


def _limited(name: str, given: str, most: int = LONGEST_LINE) -> None:
    if len(given) > most:
        raise _wrong(name, f"at most {most} characters")


def _wrong(name: str, said: str) -> OpsError:
    return OpsError(f"field {name}: {said}", code=EXIT_UNUSABLE)
