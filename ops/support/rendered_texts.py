"""Every template in every language on sample orders, as a customer would read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.document import LANGUAGES
from chalicelib.support.orders.shop_order import Order
from chalicelib.support.orders.status import NoAnswer, order_answer
from chalicelib.support.replies.template_texts import TEXTS
from chalicelib.support.replies.templates import TemplateError, render

REFERENCE = "3F9A-17BC"
FIRST_NAME = "Ada"
QUESTIONS = ("order_status_tracking", "shipping_delay_not_shipped")


@dataclass(frozen=True, slots=True)
class RenderedText:
    """One text.

    Attributes:
        case: the sample order and question, or that there is none.
        text: what a customer reads; empty where the answer is left to a person.
        person: why it is left to a person.
    """

    template: str
    language: str
    case: str
    text: str = ""
    person: str = ""


def samples(now: datetime) -> dict[str, Order]:
    """Sample orders by what they show; numbers and links are invented."""
    placed = now - timedelta(days=1)
    sent = Order(
        "#1001",
        placed,
        status="confirmed",
        shipping_method="Standard Shipping",
        tracking_number="1Z999AA10123456784",
        tracking_url="https://carrier.example/t/1Z999AA10123456784",
        tracking_company="UPS",
    )
    waiting = Order(
        "#1002", placed, "confirmed", "unfulfilled", shipping_method="Standard Shipping"
    )
    return {
        "in transit": replace(sent, fulfillment_status="in transit"),
        "out for delivery": replace(sent, fulfillment_status="out for delivery"),
        "delivered": replace(sent, fulfillment_status="delivered"),
        "partly sent": replace(sent, fulfillment_status="partially fulfilled"),
        "sent, state not known": sent,
        "not sent": waiting,
        "of last year": replace(waiting, created_at=now - timedelta(days=400)),
        "express": replace(waiting, shipping_method="Express"),
        "pre-order": replace(waiting, is_preorder=True),
        "unknown method": replace(waiting, shipping_method="Pigeon"),
    }


def preview(rules: Rules, signature: str, now: datetime) -> Iterator[RenderedText]:
    """Every text, with and without a name; those about orders for every sample order.

    Raises:
        TemplateError: a text cannot be rendered.
    """
    for language in LANGUAGES:
        rendered = {one.template for one in _of_orders(rules, signature, now, language)}
        yield from _of_orders(rules, signature, now, language)
        for template in sorted(TEXTS.keys() - rendered):
            for case, name in (("with a name", FIRST_NAME), ("without a name", None)):
                text = _text(rules, template, {"first_name": name}, signature, language)
                yield RenderedText(template, language, case, text)


def _of_orders(
    rules: Rules, signature: str, now: datetime, language: str
) -> Iterator[RenderedText]:
    for what, order in samples(now).items():
        for intent in QUESTIONS:
            case = f"{intent}, order {what}"
            answer = order_answer(
                order, intent, now, "es" if language == "es" else "en", rules.calendar
            )
            if isinstance(answer, NoAnswer):
                reason = ":".join((answer.reason, *answer.missing))
                yield RenderedText("", language, case, person=reason)
                continue
            values = {"first_name": FIRST_NAME, **answer.values}
            text = _text(rules, answer.template_id, values, signature, language)
            yield RenderedText(answer.template_id, language, case, text)


def _text(
    rules: Rules, template: str, values: dict[str, str | None], signature: str, language: str
) -> str:
    try:
        return render(
            template,
            values,
            reference=REFERENCE,
            signature=signature,
            language=language,
            texts=rules.texts,
            closings=rules.closings,
        )
    except TemplateError as error:
        raise TemplateError(f"{error} ({language})") from None
