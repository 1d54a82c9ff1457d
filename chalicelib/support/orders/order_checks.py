"""Why nothing may be said about an order, whatever is asked and by whom; pure.

An order in trouble is left to a person, who can say what an automatic text cannot.  So is an order with
anything unknown: a field that the shop does not show, or a status without a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chalicelib.support import reasons as why
from chalicelib.support.orders.order_rules import StatusRows, order_rules
from chalicelib.support.orders.shop_order import Order

CHECKED_FIELDS = (
    *("email", "cancelled_at", "financial_status", "disputes", "refunds", "returns", "holds"),
    "tags",
)
"""The fields on which every answer depends, as proofs name them."""


def trouble_of(order: Order, requester: str | None) -> str:
    """The first reason why a person must answer about an order; an empty text where a machine may.

    Args:
        order: as the shop shows it.
        requester: the address of the customer who asks.
    """
    return next(_troubles(order, requester), "")


def _troubles(order: Order, requester: str | None) -> Iterator[str]:
    """Every reason why a person must answer about an order: by its owner, its payment, its goods."""
    if not requester:
        yield why.REQUESTER_NOT_KNOWN
    elif (order.email or "").strip().lower() != requester.strip().lower():
        yield why.NOT_THEIRS
    if order.cancelled_at is not None:
        yield why.ORDER_CANCELLED
    rules = order_rules()
    yield from _of_statuses("disputes", order.disputes, rules.disputes)
    yield from _of_statuses("financial_status", (order.financial_status,), rules.financial_status)
    yield from _if_any("refunds", order.refunds, why.ORDER_PARTLY_REFUNDED)
    yield from _of_statuses("risk", (order.risk,), rules.risk)
    yield from _of_goods(order)


def _of_goods(order: Order) -> Iterator[str]:
    rules = order_rules()
    yield from _of_statuses("returns", order.returns, rules.returns)
    yield from _if_any("lines", order.is_edited, why.ORDER_LINES_CANCELLED)
    yield from _if_any("holds", order.holds, why.ORDER_ON_HOLD)
    yield from _of_statuses("warehouse", order.warehouse, rules.warehouse)
    is_for_a_person = None if order.tags is None else has_tag(order, rules.tags.person)
    yield from _if_any("tags", is_for_a_person, why.ORDER_TAGGED)
    yield from _of_statuses(
        "fulfillment_status", (order.fulfillment_status,), rules.fulfillment_status
    )
    if not order.country:
        yield unknown("country")
    if order.fulfillments is None:
        yield unknown("fulfillments")


def _if_any(field: str, known: object, reason: str) -> Iterator[str]:
    """The given reason if the order's field has a value; nothing if the field is empty.

    If the shop does not show the field (None), the reason says that it is unknown.
    """
    if known is None:
        yield unknown(field)
    elif known:
        yield reason


def _of_statuses(
    field: str, statuses: Iterable[str | None] | None, rows: StatusRows
) -> Iterator[str]:
    """For each status of an order's field that only a person may answer about: the reason.

    A status without a row, and a field that the shop does not show, give the reason that it is
    unknown.
    """
    if statuses is None:
        yield unknown(field)
        return
    for status in statuses:
        row = rows.get(status or "")
        if row is None:
            yield unknown(field)
        elif row.person:
            yield row.person


def unknown(field: str) -> str:
    """The reason code for an order's field that is not known."""
    return f"{why.ORDER_UNKNOWN}{field}"


def has_tag(order: Order, wanted: tuple[str, ...]) -> bool:
    """Whether a tag of the order contains one of the wanted words."""
    tags = (" ".join(_WORD.findall(given.lower())) for given in order.tags or ())
    return any(f" {words} " in f" {tag} " for tag in tags for words in wanted)


_WORD = re.compile(r"[^\W_]+")
