"""Renders every template in every language on sample orders, as a customer would read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.document import LANGUAGES
from chalicelib.support.orders.order_answers import NoAnswer, TemplateAnswer, proven_answers
from chalicelib.support.orders.order_question import Question
from chalicelib.support.orders.order_rules import order_rules
from chalicelib.support.orders.shop_order import Order, Shipment, Tracking
from chalicelib.support.replies.template_texts import TEXTS
from chalicelib.support.replies.templates import TemplateError, render

REFERENCE = "3F9A-17BC"
FIRST_NAME = "Ada"
EMAIL = "ada@example.com"


@dataclass(frozen=True, slots=True)
class RenderedText:
    """One rendered text, or the reason why there is none.

    Attributes:
        case: the sample order and question; for a text without an order, whether with a name.
        text: what a customer reads; empty if a person must answer.
        person: why a person must answer.
    """

    template: str
    language: str
    case: str
    text: str = ""
    person: str = ""


def samples(now: datetime) -> dict[str, Order]:
    """Invented sample orders, by what each shows."""
    placed = now - timedelta(days=1)
    link = "https://carrier.example/t/1Z999AA10123456784"
    parcel = Shipment(placed, "IN_TRANSIT", tracking=(Tracking("UPS", "1Z999AA10123456784", link),))
    waiting = Order(
        "#1001",
        EMAIL,
        created_at=placed,
        financial_status="PAID",
        fulfillment_status="UNFULFILLED",
        country=order_rules().times.home,
        shipping_method="Standard Shipping",
    )
    sent = replace(waiting, fulfillment_status="FULFILLED", fulfillments=(parcel,))

    def as_parcel(**fields: Any) -> Order:  # noqa: ANN401 - any field of a parcel
        return replace(sent, fulfillments=(replace(parcel, **fields),))

    other = replace(parcel, tracking=(Tracking("DHL", "ZZ5550001", f"{link}-2"),))
    return {
        "in transit": sent,
        "out for delivery": as_parcel(shipment_status="OUT_FOR_DELIVERY"),
        "with an estimate": as_parcel(estimated_delivery_at=now + timedelta(days=2)),
        "in two parcels": replace(sent, fulfillments=(parcel, other)),
        "sent without tracking": as_parcel(shipment_status="FULFILLED", tracking=()),
        "delivered": as_parcel(shipment_status="DELIVERED"),
        "partly sent": replace(sent, fulfillment_status="PARTIALLY_FULFILLED"),
        "not sent": waiting,
        "of last year": replace(waiting, created_at=now - timedelta(days=400)),
        "express": replace(waiting, shipping_method="Express"),
        "pre-order": replace(waiting, tags=("pre-order",)),
        "unknown method": replace(waiting, shipping_method="Pigeon"),
        "abroad": replace(waiting, country="AU"),
    }


def preview(rules: Rules, signature: str, now: datetime) -> Iterator[RenderedText]:
    """Yield every text: those about orders for each sample order, others with and without a name.

    Raises:
        TemplateError: a text cannot be rendered.
    """
    for language in LANGUAGES:
        rendered = {order.template for order in _of_orders(rules, signature, now, language)}
        yield from _of_orders(rules, signature, now, language)
        for template in sorted(TEXTS.keys() - rendered):
            for case, name in (("with a name", FIRST_NAME), ("without a name", None)):
                answer = TemplateAnswer(template, {})
                text = _text(rules, answer, name, signature, language)
                yield RenderedText(template, language, case, text)


def _of_orders(
    rules: Rules, signature: str, now: datetime, language: str
) -> Iterator[RenderedText]:
    for what, order in samples(now).items():
        for question in Question:
            case = f"{question}, order {what}"
            found = proven_answers(
                (order,),
                question,
                now,
                requester=EMAIL,
                language="es" if language == "es" else "en",
                calendar=rules.calendar,
            )
            if isinstance(found, NoAnswer):
                reason = ":".join((found.reason, *found.missing))
                yield RenderedText("", language, case, person=reason)
                continue
            text = _text(rules, found[0], FIRST_NAME, signature, language)
            yield RenderedText(found[0].template_id, language, case, text)


def _text(
    rules: Rules, answer: TemplateAnswer, name: str | None, signature: str, language: str
) -> str:
    try:
        return render(
            answer,
            first_name=name,
            reference=REFERENCE,
            signature=signature,
            language=language,
            texts=rules.texts,
            closings=rules.closings,
        ).text
    except TemplateError as error:
        raise TemplateError(f"{error} ({language})") from None
